// SPDX-License-Identifier: Apache-2.0
// Parameters of rttcc, the rate control by round-trip time, with the published values of NVIDIA's
// profile in its fixed point as defaults (docs/blocks/congestion.md). Leaves out: the probes' own.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"
#include "nic/cnp_scope.h"

namespace sluice {

/// What tells a flow of congestion.
enum class RttccSignal : std::uint8_t { kBoth, kDelay, kCnp };

struct RttccParams {
  RttccSignal signal = RttccSignal::kBoth;
  Ps congestion_delay_threshold = 13_us;           ///< T: a longer round trip is congestion
  Ps max_queuing_delay = 250_us;                   ///< from here on: cut as at the first congestion
  std::uint32_t alpha = 6553;                      ///< responsiveness, in 1/65536
  std::uint32_t max_decrease_factor = 63570;       ///< a cut leaves at least this, in 1/65536
  std::uint32_t max_increase_factor = 69468;       ///< a step leaves at most this, in 1/65536
  std::uint32_t ai_step = 96;                      ///< in 2^-20 of the line rate
  std::uint32_t hai_step = 1700;                   ///< the same
  Ps hai_interval = 2000_us;                       ///< without congestion for so long: hai_step
  std::uint32_t first_congestion_factor = 524288;  ///< in 2^-20: of the line rate, or of the rate
  std::uint32_t min_rate_share = 1049;             ///< in 2^-20 of the line rate
  Ps min_time_between_cnps = 4_us;
  CnpScope cnp_scope = CnpScope::kQp;

  bool uses_cnps() const { return signal != RttccSignal::kDelay; }
  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
