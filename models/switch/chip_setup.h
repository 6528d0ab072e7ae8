// SPDX-License-Identifier: Apache-2.0
// What the parameters of a chip mean for its blocks and ports, worked out once at construction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "switch/ecn/ecn.h"
#include "switch/mmu/mmu.h"
#include "switch/pfc/watchdog.h"
#include "switch/switch_params.h"

namespace sluice {

/// Curves and which of them each queue (port * 8 + queue) uses; curve 0 never marks.
struct QueueCurves {
  std::vector<EcnParams> curves;
  std::vector<std::uint8_t> curve_of_queue;
};
QueueCurves queue_curves(const SwitchParams& params, const Mmu& mmu, std::size_t ports);

/// PFC priorities that each port sends and obeys, a bit each.
std::vector<std::uint8_t> pfc_masks(const SwitchParams& params, const Mmu& mmu, std::size_t ports);

/// The MMU's parameters, with the slice of each port taken from its pipe where lanes are known.
MmuParams mmu_params_of(const SwitchParams& params, const std::vector<std::uint32_t>& pipe_of_port);

MmuGeometry mmu_geometry_of(const SwitchParams& params, std::size_t wired_ports);

/// Scheduling of every port by its own profile.
struct SchedulerProfiles {
  std::vector<SchedulerParams> profiles;
  std::vector<std::uint16_t> profile_of_port;
};
SchedulerProfiles scheduler_profiles(const SchedulerParams& common, const PortSettings& ports,
                                     std::size_t wired_ports);

/// Null when no port has a watchdog.
std::unique_ptr<Watchdog> watchdog_of(const WatchdogParams& common, const PortSettings& ports,
                                      std::size_t wired_ports);

/// Throws ConfigError when ports of these rates need more than the chip has.
void check_capacity(const SwitchParams& params, const std::vector<BitsPerSecond>& rates);

}  // namespace sluice
