// SPDX-License-Identifier: Apache-2.0
// The `fabric:` section of a fabric file: type, sizes, cages, named chips, cables, static routes.
// Leaves out: what chips, NICs and workloads are (fabric_spec.h).
#pragma once

#include "config/config_node.h"
#include "fabric/topology.h"
#include "link/link.h"

namespace sluice {

/// Reads type, sizes and `link`. Cages get their rates here and their lanes once the chip is known.
void read_topology(ConfigNode& node, TopologyParams& topology, LinkParams& link,
                   std::vector<Breakout>& cages);

}  // namespace sluice
