// SPDX-License-Identifier: Apache-2.0
// Puts a fabric's routes into a chip's FIB: neighbouring endpoints with the same next ports share
// prefixes. Leaves out: adaptive groups, and what changes during a run.
#pragma once

#include "fabric/topology.h"
#include "switch/chip.h"

namespace sluice {

void install_routes(const Topology& topology, std::uint32_t chip, bool ipv6, SwitchChip& into);

/// Throws ConfigError where frames could go round for ever: a loop of cables between chips that
/// all forward in layer 2 mode, or a host with several ports on one of them.
void refuse_bridge_loops(const Topology& topology, std::span<const SwitchParams> chips);

}  // namespace sluice
