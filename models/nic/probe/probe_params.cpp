// SPDX-License-Identifier: Apache-2.0
#include "nic/probe/probe_params.h"

#include <string_view>

#include "kernel/error.h"

namespace sluice {

void ProbeParams::describe(ParameterVisitor& visitor) {
  constexpr ParameterRange kDscp{0, 63};
  constexpr ParameterRange kPriority{0, 7};
  constexpr std::string_view kNotPublic = "estimate: NVIDIA's is not public";
  visitor.visit("always", always,
                {"send probes also where no part of the NIC needs them", "choice: to measure"});
  visitor.visit("interval", interval, {1e5, 1e12},
                {"shortest time between two probes of a lane that has data outstanding; one is in "
                 "flight at most",
                 kNotPublic});
  visitor.visit("timeout", timeout, {1e6, 1e12},
                {"a probe without reply for so long is missed", kNotPublic});
  visitor.visit("spacing", spacing, {0, 1e9},
                {"shortest time between two probes of a NIC", kNotPublic});
  visitor.visit("turnaround", turnaround, {0, 1e9},
                {"probe received to its reply at the MAC; the reply names it and the sender takes "
                 "it off",
                 kNotPublic});
  visitor.visit("dscp", dscp, kDscp, {"DSCP of probes", "that of the QPs' data"});
  visitor.visit("priority", priority, kPriority,
                {"PFC priority that stops probes", "that of the QPs' data"});
  visitor.visit("reply_dscp", reply_dscp, kDscp,
                {"DSCP of their replies", "estimate: that of CNPs, so that the way back is short"});
  visitor.visit("reply_priority", reply_priority, kPriority,
                {"PFC priority that stops replies", "estimate: that of CNPs"});
}

void ProbeParams::validate() const {
  const auto fail = [](std::string_view key, std::uint64_t value, std::string_view expected) {
    throw ConfigError(fmt::format("probe.{}: {}, expected {}", key, value, expected));
  };
  if (interval.value == 0) fail("interval", 0, "more than 0");
  if (timeout.value == 0) fail("timeout", 0, "more than 0");
  if (dscp > 63) fail("dscp", dscp, "0..63");
  if (reply_dscp > 63) fail("reply_dscp", reply_dscp, "0..63");
  if (priority > 7) fail("priority", priority, "0..7");
  if (reply_priority > 7) fail("reply_priority", reply_priority, "0..7");
}

}  // namespace sluice
