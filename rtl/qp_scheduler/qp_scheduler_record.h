// SPDX-License-Identifier: Apache-2.0
// The C++ scheduler with records of its own, asked like the RTL, and the lines of a record of such
// requests. Leaves out: answers in the record; who replays it has the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nic/requester/scheduler.h"
#include "rtl/qp_scheduler/qp_scheduler_twin.h"

namespace sluice::rtl {

class QpOrder {
 public:
  explicit QpOrder(std::uint32_t burst_packets) : scheduler_(burst_packets) {}

  /// Executes a request; adds the QPs that it woke to `woken`, in the ring's order.
  QpSchedule::View ask(const QpSchedulerTwin::Request& request, std::vector<std::uint32_t>& woken);
  QpSchedule::View view() const { return {scheduler_.current(), scheduler_.earliest_waiting()}; }
  /// Of the current QP, if there is one.
  std::uint32_t burst_left() const { return scheduler_.ring_empty() ? 0 : scheduler_.burst_left(); }

 private:
  struct Record {
    std::uint32_t ring_next = kNoQp;
    QpState state = QpState::kIdle;
  };

  QpScheduler scheduler_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> waiting_;
};

std::string qp_setup_line(std::uint32_t burst_packets);
std::string qp_request_line(const QpSchedulerTwin::Request& request);
/// That a line of this kind stands for; none for another kind.
std::optional<QpSchedulerTwin::Op> qp_op(std::string_view kind);

}  // namespace sluice::rtl
