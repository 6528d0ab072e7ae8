// SPDX-License-Identifier: Apache-2.0
// Ports, maps, marking curves, schedulers and watchdogs of a chip from SONiC settings. What most
// ports have becomes the chip's common setting, so that YAML keys still reach it.
// Leaves out: buffers (apply_buffers.cpp).
#include "fabric/sonic/apply_sonic.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config_value.h"
#include "fabric/sonic/most_common.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMbps = 1'000'000;
constexpr std::uint32_t kQueues = kSonicClasses;

QosMaps maps_of(const SonicPort& port, const QosMaps& chip) {
  QosMaps maps = chip;
  if (port.maps.dscp_to_tc) maps.dscp_to_tc = *port.maps.dscp_to_tc;
  if (port.maps.dot1p_to_tc) maps.pcp_to_tc = *port.maps.dot1p_to_tc;
  if (port.maps.tc_to_pg) maps.tc_to_pg = *port.maps.tc_to_pg;
  if (port.maps.tc_to_queue) maps.tc_to_queue = *port.maps.tc_to_queue;
  if (port.maps.pfc_to_queue) maps.pfc_to_queue = *port.maps.pfc_to_queue;
  return maps;
}

/// `of_port` becomes 0 where a port has the common value, else its place in `others` plus 1.
template <class Value>
void spread(const std::vector<Value>& values, Value& common, std::vector<Value>& others,
            std::vector<std::uint16_t>& of_port) {
  if (values.empty()) return;
  common = most_common(values);
  if (std::all_of(values.begin(), values.end(), [&](const Value& v) { return v == common; }))
    return;
  for (const Value& value : values) {
    of_port.push_back(value == common ? std::uint16_t{0}
                                      : static_cast<std::uint16_t>(1 + place_of(others, value)));
  }
}

void apply_maps(const std::vector<const SonicPort*>& ports, SwitchParams& chip) {
  std::vector<QosMaps> maps;
  for (const SonicPort* port : ports) maps.push_back(maps_of(*port, chip.qos));
  spread(maps, chip.qos, chip.ports.maps, chip.ports.maps_of_port);
}

EcnParams curve_of(const SonicWred& wred, const EcnParams& chip) {
  EcnParams curve = chip;
  curve.enabled = wred.marks;
  curve.kmin_bytes = wred.min;
  curve.kmax_bytes = wred.max;
  curve.pmax = wred.percent / 100.0;
  curve.drop_not_ect = wred.marks && wred.drops;
  return curve;
}

/// Queues that carry a port's lossless classes, a bit each.
std::uint8_t lossless_queues(const SonicPort& port) {
  std::uint8_t mask = 0;
  for (std::uint32_t p = 0; p < kQueues; ++p) {
    if ((port.lossless >> p & 1) == 0) continue;
    const std::uint32_t queue = port.maps.pfc_to_queue ? (*port.maps.pfc_to_queue)[p] : p;
    mask = static_cast<std::uint8_t>(mask | 1u << queue);
  }
  return mask;
}

/// Curves go to the queues that QUEUE rows name; without a QUEUE table the only profile is taken
/// for the marking of the lossless queues, which is what it is for.
void apply_curves(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
                  SwitchParams& chip, std::vector<std::string>& notes) {
  if (config.wreds.empty() && !config.has_queue_rows) return;
  if (!config.has_queue_rows && config.wreds.size() > 1) {
    notes.push_back("WRED_PROFILE: several and no QUEUE table binds them: not used");
    return;
  }
  if (!config.has_queue_rows) {
    notes.push_back(
        fmt::format("WRED_PROFILE|{}: no QUEUE table binds it, taken for the marking of the "
                    "lossless queues, drops nothing",
                    one_line(config.wreds.front().name)));
    const bool drop_not_ect = chip.ecn.drop_not_ect;  // a guess must not lose frames
    chip.ecn = curve_of(config.wreds.front(), chip.ecn);
    chip.ecn.drop_not_ect = drop_not_ect;
    return;
  }
  if (config.wreds.empty()) {
    notes.push_back("QUEUE: no row has a wred_profile, the chip's own marking stays");
    return;
  }
  bool plain = true;  // each lossless queue has the same curve, no other queue has one
  std::optional<std::size_t> only;
  for (const SonicPort* port : ports) {
    const std::uint8_t lossless = lossless_queues(*port);
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      const std::optional<std::size_t>& wred = port->wred[q];
      plain &= wred.has_value() == ((lossless >> q & 1) != 0);
      if (!wred) continue;
      if (!only) only = wred;
      plain &= config.wreds[*only].min == config.wreds[*wred].min &&
               config.wreds[*only].max == config.wreds[*wred].max &&
               config.wreds[*only].percent == config.wreds[*wred].percent &&
               config.wreds[*only].marks == config.wreds[*wred].marks &&
               config.wreds[*only].drops == config.wreds[*wred].drops;
    }
  }
  const EcnParams chip_curve = chip.ecn;
  if (only) chip.ecn = curve_of(config.wreds[*only], chip_curve);
  if (plain && only) return;
  for (const SonicWred& wred : config.wreds) {
    chip.ports.curves.push_back(curve_of(wred, chip_curve));
  }
  for (const SonicPort* port : ports) {
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      chip.ports.curve_of_queue.push_back(
          port->wred[q] ? static_cast<std::uint16_t>(1 + *port->wred[q]) : std::uint16_t{0});
    }
  }
}

/// A queue without a row, or without a scheduler in it, has DWRR with weight 1.
SchedulerParams scheduler_of(const SonicConfig& config, const SonicPort& port,
                             const SchedulerParams& chip) {
  SchedulerParams params = chip;
  params.strict_queues.clear();
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    params.weights[q] = 1;
    if (!port.scheduler[q]) continue;
    const SonicScheduler& scheduler = config.schedulers[*port.scheduler[q]];
    params.weights[q] = scheduler.weight;
    if (scheduler.strict) params.strict_queues.push_back(q);
  }
  return params;
}

void apply_schedulers(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
                      SwitchParams& chip, std::vector<std::string>& notes) {
  if (!config.has_queue_rows || config.schedulers.empty()) {
    if (!config.schedulers.empty()) notes.push_back("SCHEDULER: no QUEUE table binds it: not used");
    return;
  }
  std::vector<SchedulerParams> schedulers;
  for (const SonicPort* port : ports) {
    schedulers.push_back(scheduler_of(config, *port, chip.scheduler));
  }
  spread(schedulers, chip.scheduler, chip.ports.schedulers, chip.ports.scheduler_of_port);
}

void apply_watchdogs(const std::vector<const SonicPort*>& ports, SwitchParams& chip) {
  const auto watched = [](const SonicPort* port) { return port->watchdog.has_value(); };
  if (std::none_of(ports.begin(), ports.end(), watched)) return;
  std::vector<WatchdogParams> watchdogs;
  for (const SonicPort* port : ports) {
    watchdogs.push_back(port->watchdog.value_or(WatchdogParams{}));
  }
  spread(watchdogs, chip.watchdog, chip.ports.watchdogs, chip.ports.watchdog_of_port);
}

/// Lanes count from 1 on Tomahawk and from 0 on Spectrum.
void apply_lanes(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
                 SwitchParams& chip) {
  const auto laned = [](const SonicPort* port) { return !port->lanes.empty(); };
  if (!std::all_of(ports.begin(), ports.end(), laned)) return;
  std::uint32_t base = 0;
  for (const SonicPort& port : config.ports) {
    for (const std::uint32_t lane : port.lanes) {
      if (lane == 0) base = 1;
    }
  }
  chip.ports.first_lane.clear();
  for (const SonicPort* port : ports) {
    chip.ports.first_lane.push_back(base +
                                    *std::min_element(port->lanes.begin(), port->lanes.end()));
  }
}

}  // namespace

std::vector<std::size_t> match_front_ports(const SonicConfig& config,
                                           const std::vector<BitsPerSecond>& rates) {
  if (config.ports.empty()) {
    throw ConfigError(
        fmt::format("{}: names no port, expected PORT rows (config_db.json or port_config.ini)",
                    one_line(config.source)));
  }
  std::vector<std::size_t> front;
  std::vector<bool> taken(config.ports.size(), false);
  for (const BitsPerSecond rate : rates) {
    const auto fits = [&](std::size_t i) {
      const SonicPort& port = config.ports[i];
      return !taken[i] && port.up && (!port.speed_mbps || *port.speed_mbps * kMbps == rate.value);
    };
    std::size_t next = 0;
    while (next < config.ports.size() && !fits(next)) ++next;
    if (next == config.ports.size()) {
      const auto wanted = std::count(rates.begin(), rates.end(), rate);
      const auto found = std::count_if(front.begin(), front.end(), [&](std::size_t i) {
        return !config.ports[i].speed_mbps || *config.ports[i].speed_mbps * kMbps == rate.value;
      });
      throw ConfigError(fmt::format(
          "{}: {} ports of {} Mb/s that are not shut down, expected {} for the fabric's cables",
          one_line(config.source), found, rate.value / kMbps, wanted));
    }
    taken[next] = true;
    front.push_back(next);
  }
  return front;
}

std::vector<std::string> apply_sonic(const SonicConfig& config,
                                     const std::vector<std::size_t>& front, SwitchParams& chip) {
  std::vector<std::string> notes;
  std::vector<const SonicPort*> ports;
  std::vector<bool> wired(config.ports.size(), false);
  for (const std::size_t port : front) {
    ports.push_back(&config.ports[port]);
    wired[port] = true;
  }
  for (std::size_t i = 0; i < config.ports.size(); ++i) {
    if (!wired[i]) ports.push_back(&config.ports[i]);
  }
  chip.ports.unwired_ports = static_cast<std::uint32_t>(ports.size() - front.size());
  apply_lanes(config, ports, chip);
  apply_sonic_buffers(config, ports, chip, notes);
  apply_maps(ports, chip);
  apply_curves(config, ports, chip, notes);
  apply_schedulers(config, ports, chip, notes);
  apply_watchdogs(ports, chip);
  chip.validate();
  return notes;
}

}  // namespace sluice
