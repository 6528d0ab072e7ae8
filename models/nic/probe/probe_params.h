// SPDX-License-Identifier: Apache-2.0
// Parameters of the round-trip probes that a NIC sends and answers.
// Leaves out: what uses the round trip.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"

namespace sluice {

struct ProbeParams {
  bool always = false;  ///< also where nothing needs a round-trip time
  Ps interval = 5_us;   ///< between two probes of a lane, at least
  Ps timeout = 1000_us;
  Ps spacing = 100_ns;     ///< between two probes of a NIC, at least
  Ps turnaround = 100_ns;  ///< probe at the MAC to its reply at the MAC
  std::uint32_t dscp = 26;
  std::uint32_t priority = 3;
  std::uint32_t reply_dscp = 48;
  std::uint32_t reply_priority = 6;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
