// SPDX-License-Identifier: Apache-2.0
// Cyclic buffer dependencies that routes allow: links between chips of which each may have to wait
// for the next. Without one, PFC cannot deadlock (Dally and Seitz, 1987).
// Leaves out: whether traffic ever fills the buffers of a cycle (deadlock.h sees that).
#pragma once

#include <string>

#include "fabric/topology.h"

namespace sluice {

/// "s0.port1 -> s1.port0 -> s0.port1"; empty when the routes have no cycle.
std::string routing_cycle(const Topology& topology);

}  // namespace sluice
