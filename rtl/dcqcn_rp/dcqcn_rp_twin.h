// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point of a NIC in RTL, behind the interface of the C++ block.
// Leaves out: requests that queue while one is worked on; a NIC waits for the answer.
#pragma once

#include <memory>

#include "nic/congestion/dcqcn.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

class DcqcnRpTwin final : public RateControl {
 public:
  static constexpr unsigned kLatency = 4;      ///< clocks of a request that finds nothing to do …
  static constexpr unsigned kSkipClocks = 33;  ///< … more for each skip over idle periods …
  static constexpr unsigned kPaceClocks = 29;  ///< … and where the rate changes
  static constexpr std::uint32_t kMaxFlows = 1024;

  enum class Op : std::uint8_t { kAdd, kCnp, kSent, kRead, kRtt };
  struct Request {
    Op op = Op::kRead;
    std::uint32_t flow = 0;
    std::uint32_t bytes = 0;
    Ps now{};
  };
  struct Answer {
    bool valid = false;
    Pace pace{};
    DcqcnFlow flow;  ///< as it is stored now
    DcqcnWork work;  ///< of this request; rate_changes: 0 or 1
    /// From the request on.
    std::uint64_t clocks() const {
      return kLatency + work.steps + kSkipClocks * work.skips + kPaceClocks * work.rate_changes;
    }
  };

  /// Throws ConfigError for parameters that the RTL has no bits for.
  DcqcnRpTwin(const DcqcnParams& params, BitsPerSecond line_rate, const RtlOptions& options);
  ~DcqcnRpTwin() override;

  /// Throws ConfigError for more flows than the RTL has.
  bool add_flow() override;
  bool on_cnp(std::uint32_t flow, Ps now) override;
  bool on_rtt(std::uint32_t flow, Ps rtt, Ps now) override;
  Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) override;
  /// The state as a reader at `now` sees it.
  DcqcnFlow at(std::uint32_t flow, Ps now);

  /// Clocks the RTL until it has answered. Throws RtlError unless that took Answer::clocks().
  const Answer& ask(const Request& request);
  const Answer& last() const { return last_; }
  /// A request would be taken in this clock.
  bool ready() const;
  /// One clock with `request` at the input (null: none); the answer that comes out in it.
  Answer clock(const Request* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  void configure(const DcqcnParams& params, BitsPerSecond line_rate);
  void put(const Request& request);

  std::unique_ptr<Rtl> rtl_;
  std::uint32_t flows_ = 0;
  Answer last_;
};

}  // namespace sluice::rtl
