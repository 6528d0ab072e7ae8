// SPDX-License-Identifier: Apache-2.0
// The ports of a fabric by name, and which of them a capture is asked for.
// Leaves out: capturing (wire_capture.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/topology.h"
#include "kernel/clock_rate.h"

namespace sluice {

struct CapturePort {
  std::string name;  ///< "leaf0.port3", "nic5.port0", as in counters.csv behind "fabric."
  PortRef at;
  BitsPerSecond rate;
};

/// Every port that transmits: of chips, then of endpoints. `endpoint_name` is "nic", or "host" for
/// testers; then the ports of each endpoint and the rate of each cable.
std::vector<CapturePort> ports_of(const Topology& topology, std::string_view endpoint_name,
                                  const std::vector<std::uint32_t>& endpoint_ports,
                                  const std::vector<BitsPerSecond>& cable_rates);

/// "all", or names with commas between; hostN.portM is nicN.portM and the reverse. Throws
/// ConfigError for an unknown name, with the nearest.
std::vector<CapturePort> select_ports(const std::vector<CapturePort>& ports,
                                      const std::string& wanted);

}  // namespace sluice
