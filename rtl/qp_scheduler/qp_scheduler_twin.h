// SPDX-License-Identifier: Apache-2.0
// The scheduler of a port's QPs in RTL, behind the interface of an order of QPs kept elsewhere.
// Leaves out: requests back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>
#include <vector>

#include "nic/requester/qp_schedule.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

class QpSchedulerTwin final : public QpSchedule {
 public:
  static constexpr unsigned kLatency = 1;  ///< clocks; kWake: of QPs woken, if more
  static constexpr std::uint32_t kMaxQps = 1024;
  static constexpr std::uint32_t kMaxWaiting = 64;

  enum class Op : std::uint8_t { kReady, kRemove, kCount, kWait, kWake };
  struct Request {
    Op op = Op::kCount;
    std::uint32_t qp = 0;
    Ps time{};
  };
  struct Answer {
    bool valid = false;
    bool woken = false;
    std::uint32_t woken_qp = 0;
    View view;
    std::uint32_t burst_left = 0;  ///< of the current QP
  };

  /// Throws ConfigError for a burst that the RTL has no bits for.
  QpSchedulerTwin(std::uint32_t burst_packets, const RtlOptions& options);
  ~QpSchedulerTwin() override;

  /// make_ready and wait throw ConfigError for more QPs than the RTL has.
  View make_ready(std::uint32_t qp) override;
  View remove_current() override;
  View count_packet() override;
  View wait(std::uint32_t qp, Ps time) override;
  View wake_due(Ps now, std::vector<std::uint32_t>& woken) override;

  /// Clocks until the answer, the QPs woken added to `woken`. Throws RtlError at another latency.
  const Answer& ask(const Request& request, std::vector<std::uint32_t>& woken);
  bool ready() const;
  /// One clock with `request` at the input (null: none); what comes out in this clock.
  Answer clock(const Request* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  void check(std::uint32_t qp) const;

  std::unique_ptr<Rtl> rtl_;
  std::uint32_t waiting_ = 0;
  std::vector<std::uint32_t> none_woken_;
  Answer last_;
};

}  // namespace sluice::rtl
