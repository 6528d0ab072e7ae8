// SPDX-License-Identifier: Apache-2.0
#include "fabric/mixed_speeds.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::uint32_t kQueues = 8;

/// Presets size headroom by the cable; a slower or longer path is as good as a longer cable. The
/// published figures are for 5 ns/m.
Millimetres headroom_length(const LinkParams& link) {
  constexpr std::uint64_t kPsPerMillimetre = 5;
  const std::uint64_t delay =
      link.length.value * link.propagation_per_metre.value / 1000 + link.extra_latency.value;
  return Millimetres{(delay + kPsPerMillimetre - 1) / kPsPerMillimetre};
}

bool wrote(const ConfigValue& chip, std::string_view section, std::string_view key) {
  const ConfigValue* found = chip.find(section);
  return found != nullptr && found->kind == ConfigValue::Kind::kMap && found->find(key) != nullptr;
}

/// Headroom of one port's lossless PGs, as far as the file left it to the preset.
void set_headroom(SwitchParams& params, const ConfigValue& written, const MmuParams& slow,
                  std::uint32_t port) {
  for (const std::uint32_t pg : params.mmu.lossless_pgs) {
    PgProfile profile = params.mmu.pg_default(pg);
    if (!wrote(written, "mmu", "xoff_bytes")) profile.xoff = slow.xoff_bytes;
    if (!wrote(written, "mmu", "xon_bytes")) profile.xon = slow.xon_bytes;
    params.mmu.pg_overrides.push_back({port, pg, profile});
  }
}

/// The curve of `rate`, with what the file says of it on top.
EcnParams curve_of(const EcnParams& common, const EcnParams& slow, const ConfigValue& written) {
  EcnParams curve = common;
  if (!wrote(written, "ecn", "kmin_bytes")) curve.kmin_bytes = slow.kmin_bytes;
  if (!wrote(written, "ecn", "kmax_bytes")) curve.kmax_bytes = slow.kmax_bytes;
  if (!wrote(written, "ecn", "pmax")) curve.pmax = slow.pmax;
  return curve;
}

}  // namespace

BitsPerSecond ChipPorts::fastest() const {
  return rates.empty() ? BitsPerSecond{} : *std::max_element(rates.begin(), rates.end());
}

LinkParams link_parameters(const Cable& cable, const LinkParams& between_chips,
                           const LinkParams& to_hosts) {
  LinkParams params = cable.to_host ? to_hosts : between_chips;
  if (cable.rate.value != 0) params.rate = cable.rate;
  if (cable.length) params.length = *cable.length;
  return params;
}

std::vector<ChipPorts> ports_of_chips(const Topology& topology, const LinkParams& between_chips,
                                      const LinkParams& to_hosts) {
  std::vector<ChipPorts> chips(topology.chips());
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    chips[chip].rates.resize(topology.chip_ports[chip]);
  }
  for (const Cable& cable : topology.cables) {
    const LinkParams link = link_parameters(cable, between_chips, to_hosts);
    for (const PortRef& end : {cable.a, cable.b}) {
      if (!end.is_chip) continue;
      chips[end.node].rates[end.port] = link.rate;
      chips[end.node].cable = std::max(chips[end.node].cable, headroom_length(link));
    }
  }
  return chips;
}

void set_slower_ports(SwitchParams& params, const ConfigValue& written, const ChipPorts& ports,
                      const std::function<SwitchParams(BitsPerSecond)>& settings_at) {
  const BitsPerSecond fastest = ports.fastest();
  for (std::uint32_t port = 0; port < ports.rates.size(); ++port) {
    if (ports.rates[port] == fastest) continue;
    const SwitchParams slow = settings_at(ports.rates[port]);
    set_headroom(params, written, slow.mmu, port);
    if (!params.ecn.enabled) continue;
    PortSettings& own = params.ports;
    if (own.curve_of_queue.empty()) {
      // Marking of the lossless queues of all ports first: an empty list said so by itself.
      own.curves = {params.ecn};
      own.curve_of_queue.resize(ports.rates.size() * kQueues);
      for (std::size_t i = 0; i < ports.rates.size(); ++i) {
        for (const std::uint32_t pg : params.mmu.lossless_pgs) {
          own.curve_of_queue[i * kQueues + pg] = 1;
        }
      }
    }
    const EcnParams curve = curve_of(params.ecn, slow.ecn, written);
    auto same = std::find(own.curves.begin(), own.curves.end(), curve);
    if (same == own.curves.end()) same = own.curves.insert(same, curve);
    const auto number = static_cast<std::uint16_t>(same - own.curves.begin() + 1);
    for (const std::uint32_t pg : params.mmu.lossless_pgs) {
      own.curve_of_queue[port * kQueues + pg] = number;
    }
  }
}

}  // namespace sluice
