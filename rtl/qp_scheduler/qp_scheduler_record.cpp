// SPDX-License-Identifier: Apache-2.0
#include "rtl/qp_scheduler/qp_scheduler_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::rtl {
namespace {

using Op = QpSchedulerTwin::Op;

constexpr std::array<std::string_view, 5> kOps{"ready", "remove", "count", "wait", "wake"};

/// The records as the scheduler sees them; notes in which order QPs become ready.
template <class Record>
struct Noting {
  std::vector<Record>& records;
  std::vector<std::uint32_t>& touched;
  Record& operator[](std::uint32_t qp) {
    touched.push_back(qp);
    return records[qp];
  }
};

}  // namespace

QpSchedule::View QpOrder::ask(const QpSchedulerTwin::Request& request,
                              std::vector<std::uint32_t>& woken) {
  if (request.qp >= records_.size()) records_.resize(request.qp + 1);
  switch (request.op) {
    case Op::kReady:
      scheduler_.make_ready(records_, request.qp);
      break;
    case Op::kRemove:
      scheduler_.remove_current(records_, QpState::kIdle);
      break;
    case Op::kCount:
      scheduler_.count_packet(records_);
      break;
    case Op::kWait:
      scheduler_.wait(records_, request.qp, request.time);
      waiting_.push_back(request.qp);
      break;
    default: {
      std::vector<std::uint32_t> touched;
      scheduler_.wake_due(Noting<Record>{records_, touched}, request.time);
      for (const std::uint32_t qp : touched) {
        const auto found = std::find(waiting_.begin(), waiting_.end(), qp);
        if (found == waiting_.end()) continue;  // a neighbour in the ring, or seen already
        waiting_.erase(found);
        woken.push_back(qp);
      }
    }
  }
  return view();
}

std::string qp_setup_line(std::uint32_t burst_packets) {
  return fmt::format("setup {}", burst_packets);
}

std::string qp_request_line(const QpSchedulerTwin::Request& request) {
  return fmt::format("{} {} {}", kOps[static_cast<std::size_t>(request.op)], request.qp,
                     request.time.value);
}

std::optional<Op> qp_op(std::string_view kind) {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kind == kOps[i]) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace sluice::rtl
