// SPDX-License-Identifier: Apache-2.0
#include "switch/chip_setup.h"

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint32_t kQueuesPerPort = 8;

void check_per_port(std::string_view what, std::size_t entries, std::size_t ports) {
  SLUICE_CHECK(entries == 0 || entries >= ports, "{} of {} ports given, the chip has {}", what,
               entries, ports);
}

}  // namespace

QueueCurves queue_curves(const SwitchParams& params, const Mmu& mmu, std::size_t ports) {
  QueueCurves result;
  EcnParams off = params.ecn;
  off.enabled = false;
  result.curves = {off, params.ecn};
  result.curve_of_queue.assign(ports * kQueuesPerPort, 0);
  const PortSettings& own = params.ports;
  check_per_port("marking curves", own.curve_of_queue.size() / kQueuesPerPort, ports);
  if (!own.curve_of_queue.empty()) {
    result.curves.insert(result.curves.end(), own.curves.begin(), own.curves.end());
    SLUICE_CHECK(result.curves.size() <= 256, "{} marking curves, at most 254", own.curves.size());
  }
  for (std::size_t i = 0; i < result.curve_of_queue.size(); ++i) {
    if (!own.curve_of_queue.empty()) {
      const std::uint16_t curve = own.curve_of_queue[i];
      result.curve_of_queue[i] = static_cast<std::uint8_t>(curve == 0 ? 0 : curve + 1);
    } else if (mmu.lossless(static_cast<std::uint16_t>(i / kQueuesPerPort),
                            static_cast<std::uint8_t>(i % kQueuesPerPort))) {
      result.curve_of_queue[i] = 1;
    }
  }
  return result;
}

std::vector<std::uint8_t> pfc_masks(const SwitchParams& params, const Mmu& mmu, std::size_t ports) {
  std::vector<std::uint8_t> masks(ports, 0);
  if (!params.pfc.enabled) return masks;
  check_per_port("PFC masks", params.ports.pfc_enable.size(), ports);
  for (std::size_t port = 0; port < ports; ++port) {
    if (!params.ports.pfc_enable.empty()) {
      masks[port] = params.ports.pfc_enable[port];
      continue;
    }
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      if (mmu.lossless(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(pg))) {
        masks[port] = static_cast<std::uint8_t>(masks[port] | 1u << pg);
      }
    }
  }
  return masks;
}

MmuParams mmu_params_of(const SwitchParams& params,
                        const std::vector<std::uint32_t>& pipe_of_port) {
  MmuParams mmu = params.mmu;
  const std::vector<std::uint32_t>& slices = params.pipes.slice_of_pipe;
  if (!mmu.slice_map.empty() || params.ports.first_lane.empty() || slices.empty()) return mmu;
  if (mmu.num_slices == 1) return mmu;
  for (const std::uint32_t pipe : pipe_of_port) mmu.slice_map.push_back(slices[pipe]);
  return mmu;
}

MmuGeometry mmu_geometry_of(const SwitchParams& params, std::size_t wired_ports) {
  MmuGeometry geometry;
  geometry.ports = static_cast<std::uint32_t>(wired_ports) + params.ports.unwired_ports;
  geometry.queues_per_port = kQueuesPerPort;
  return geometry;
}

SchedulerProfiles scheduler_profiles(const SchedulerParams& common, const PortSettings& ports,
                                     std::size_t wired_ports) {
  SchedulerProfiles of{{common}, std::vector<std::uint16_t>(wired_ports, 0)};
  of.profiles.insert(of.profiles.end(), ports.schedulers.begin(), ports.schedulers.end());
  for (std::size_t port = 0; port < wired_ports && port < ports.scheduler_of_port.size(); ++port) {
    of.profile_of_port[port] = ports.scheduler_of_port[port];
  }
  return of;
}

std::unique_ptr<Watchdog> watchdog_of(const WatchdogParams& common, const PortSettings& ports,
                                      std::size_t wired_ports) {
  std::vector<WatchdogParams> params(wired_ports, common);
  bool any = false;
  for (std::size_t port = 0; port < wired_ports; ++port) {
    const std::size_t own = port < ports.watchdog_of_port.size() ? ports.watchdog_of_port[port] : 0;
    if (own != 0) params[port] = ports.watchdogs.at(own - 1);
    any |= params[port].enabled;
  }
  return any ? std::make_unique<Watchdog>(std::move(params)) : nullptr;
}

void check_capacity(const SwitchParams& params, const std::vector<BitsPerSecond>& rates) {
  constexpr std::uint64_t kGigabit = 1'000'000'000;
  std::uint64_t sum = 0;
  for (const BitsPerSecond rate : rates) sum += rate.value;
  if (sum > params.capacity.value) {
    throw ConfigError(fmt::format("capacity: {} ports need {} Gb/s, the chip has {} Gb/s",
                                  rates.size(), sum / kGigabit, params.capacity.value / kGigabit));
  }
  if (rates.size() > params.max_ports) {
    throw ConfigError(fmt::format("max_ports: {} ports, the chip has at most {}", rates.size(),
                                  params.max_ports));
  }
}

}  // namespace sluice
