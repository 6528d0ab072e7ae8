// SPDX-License-Identifier: Apache-2.0
// Rate control by round-trip time in fixed point: additive increase, decrease in proportion to the
// delay above a threshold (Swift, SIGCOMM 2020), hyper increase after a quiet time (TIMELY, 2015).
// Leaves out: delay targets by hop count and flow size, and NVIDIA's own equations, which are not
// public (docs/blocks/congestion.md).
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/clock_rate.h"
#include "nic/congestion/rttcc_params.h"
#include "nic/rate_control.h"

namespace sluice {

struct RttccFlow {
  std::uint32_t rate = 0;         ///< Q30 of the line rate
  bool congested_before = false;  ///< the first congestion has come
  std::uint64_t ps_per_byte = 0;  ///< Q40.24, of `rate`
  Ps last_congestion{};
};

class Rttcc final : public RateControl {
 public:
  static constexpr unsigned kRateBits = 30;
  static constexpr std::uint32_t kLineRate = 1u << kRateBits;
  static constexpr unsigned kPaceFractionBits = 24;

  Rttcc(const RttccParams& params, BitsPerSecond line_rate);

  bool add_flow() override;
  bool on_cnp(std::uint32_t flow, Ps now) override;
  bool on_rtt(std::uint32_t flow, Ps rtt, Ps now) override;
  Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) override;

  const RttccFlow& at(std::uint32_t flow) const { return flows_[flow]; }

 private:
  static bool limited(const RttccFlow& flow) { return flow.rate < kLineRate; }
  /// Notes congestion; true when it was the flow's first, which is dealt with.
  bool first_congestion(RttccFlow& flow, Ps now);
  void decrease(RttccFlow& flow, std::uint64_t factor, unsigned factor_bits);
  void cut(RttccFlow& flow, Ps rtt);
  void increase(RttccFlow& flow, Ps now);
  void set_rate(RttccFlow& flow, std::uint64_t rate);

  RttccParams params_;
  std::uint64_t line_ps_per_byte_;  ///< Q40.24
  std::vector<RttccFlow> flows_;
};

}  // namespace sluice
