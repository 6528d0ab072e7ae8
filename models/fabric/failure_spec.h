// SPDX-License-Identifier: Apache-2.0
// The `failures` section of a fabric file: cables that are down for a time.
// Leaves out: what a failure does (link_failures.h); chips and NICs that fail as a whole.
#pragma once

#include <string_view>
#include <vector>

#include "config/config_node.h"
#include "fabric/topology.h"
#include "kernel/time.h"

namespace sluice {

/// Both directions of one cable lose what is on them at an instant of [at, until).
struct LinkFailure {
  std::uint32_t cable = 0;  ///< index into Topology::cables
  Ps at{};
  Ps until = kNever;
};

/// Reads the list; entries of one cable come out in the order of time and do not overlap.
std::vector<LinkFailure> read_failures(ConfigNode& root, const Topology& topology);

/// "leaf0.spine1" (the only cable between them) or "leaf0.port16"; throws ConfigError without a
/// place for other names.
std::uint32_t find_cable(const Topology& topology, std::string_view name);

/// "leaf0.port16": the chip's end of a cable, the first chip's where both are chips.
std::string name_of(const Topology& topology, const Cable& cable);

}  // namespace sluice
