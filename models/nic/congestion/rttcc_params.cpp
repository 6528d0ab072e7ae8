// SPDX-License-Identifier: Apache-2.0
#include "nic/congestion/rttcc_params.h"

#include <array>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 3> kSignals{"both", "delay", "cnp"};
constexpr std::string_view kProfile = "NVIDIA Spectrum-X RA 2.1 profile; reading: estimate";

void describe_steps(RttccParams& params, ParameterVisitor& visitor) {
  constexpr ParameterRange kFactor{0, 1 << 20};
  visitor.visit(
      "alpha", params.alpha, {1, 65536},
      {"responsiveness: a cut takes alpha (rtt - T) / rtt of the rate", kProfile, "1/65536"});
  visitor.visit("max_decrease_factor", params.max_decrease_factor, {1, 65536},
                {"one cut, of which there is one a T of the round trip, leaves at least this part",
                 kProfile, "1/65536"});
  visitor.visit("max_increase_factor", params.max_increase_factor, {65537, 1 << 20},
                {"one step leaves at most this many times the rate", kProfile, "1/65536"});
  visitor.visit("ai_step", params.ai_step, kFactor,
                {"additive step a round trip, of the line rate", kProfile, "2^-20"});
  visitor.visit("hai_step", params.hai_step, kFactor,
                {"the same after hai_interval without congestion", kProfile, "2^-20"});
  visitor.visit("hai_interval", params.hai_interval, {1e6, 1e12},
                {"time without congestion before hai_step", kProfile});
  visitor.visit("first_congestion_factor", params.first_congestion_factor, {1, 1 << 20},
                {"highest rate after a flow's first congestion, of the line rate; what a cut at "
                 "max_queuing_delay leaves of the rate",
                 kProfile, "2^-20"});
  visitor.visit("min_rate_share", params.min_rate_share, {1, 1 << 20},
                {"lowest rate, of the line rate", "estimate: DCQCN's 40 Mb/s of 40 Gb/s", "2^-20"});
}

}  // namespace

void RttccParams::describe(ParameterVisitor& visitor) {
  visitor.visit("signal", signal, kSignals,
                {"what tells of congestion: the delay (delay only), CNPs, or both", kProfile});
  visitor.visit("congestion_delay_threshold", congestion_delay_threshold, {1e5, 1e12},
                {"T: a longer round trip is congestion", kProfile});
  visitor.visit("max_queuing_delay", max_queuing_delay, {1e5, 1e12},
                {"a round trip this long cuts as far as the first congestion", kProfile});
  describe_steps(*this, visitor);
  visitor.visit("min_time_between_cnps", min_time_between_cnps, {0, 1e12},
                {"the receiver's shortest time between two CNPs", "mlxconfig: 4 us"});
  visitor.visit("cnp_scope", cnp_scope, kCnpScopes,
                {"what that time applies to", "estimate: as DCQCN's paper"});
}

void RttccParams::validate() const {
  const auto fail = [](std::string_view key, std::uint64_t value, std::string_view expected) {
    throw ConfigError(fmt::format("rttcc.{}: {}, expected {}", key, value, expected));
  };
  if (congestion_delay_threshold.value == 0) fail("congestion_delay_threshold", 0, "more than 0");
  if (max_queuing_delay < congestion_delay_threshold) {
    throw ConfigError(fmt::format(
        "rttcc.max_queuing_delay: {} ps, expected at least congestion_delay_threshold, {} ps",
        max_queuing_delay.value, congestion_delay_threshold.value));
  }
  if (alpha == 0 || alpha > 65536) fail("alpha", alpha, "1..65536 (1/65536)");
  if (max_decrease_factor == 0 || max_decrease_factor > 65536) {
    fail("max_decrease_factor", max_decrease_factor, "1..65536 (1/65536)");
  }
  if (max_increase_factor <= 65536 || max_increase_factor > 1 << 20) {
    fail("max_increase_factor", max_increase_factor, "65537..1048576 (1/65536)");
  }
  if (ai_step > 1 << 20) fail("ai_step", ai_step, "0..1048576 (2^-20)");
  if (hai_step > 1 << 20) fail("hai_step", hai_step, "0..1048576 (2^-20)");
  if (first_congestion_factor == 0 || first_congestion_factor > 1 << 20) {
    fail("first_congestion_factor", first_congestion_factor, "1..1048576 (2^-20)");
  }
  if (min_rate_share == 0 || min_rate_share > 1 << 20) {
    fail("min_rate_share", min_rate_share, "1..1048576 (2^-20)");
  }
}

}  // namespace sluice
