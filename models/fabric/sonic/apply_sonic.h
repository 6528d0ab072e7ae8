// SPDX-License-Identifier: Apache-2.0
// A switch's SONiC settings put into the parameters of a modelled chip. The chip's preset supplies
// what the files do not say: cell size, memory, slices, queues of a port, latencies.
// Leaves out: reading files (sonic_config.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/sonic/sonic_config.h"
#include "switch/switch_params.h"

namespace sluice {

/// Port of the files for each wired port of a chip: the first one in front-panel order that has the
/// rate, is not shut down and not taken. Throws ConfigError when there are too few.
std::vector<std::size_t> match_front_ports(const SonicConfig& config,
                                           const std::vector<BitsPerSecond>& rates);

/// Sets `chip` up as the files say. `front[i]` is the files' port of chip port i; the files' other
/// ports follow, unwired. Returns notes on what the model takes differently. Throws ConfigError.
std::vector<std::string> apply_sonic(const SonicConfig& config,
                                     const std::vector<std::size_t>& front, SwitchParams& chip);

/// Buffers alone: pools, priority groups, queues and slices; used by apply_sonic().
void apply_sonic_buffers(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
                         SwitchParams& chip, std::vector<std::string>& notes);

}  // namespace sluice
