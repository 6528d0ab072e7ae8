// SPDX-License-Identifier: Apache-2.0
#include "study/check/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sluice {
namespace {

bool same_hash(const RoutingParams& a, const RoutingParams& b) {
  return a.hash == b.hash && a.hash_seed == b.hash_seed && a.hash_fields == b.hash_fields;
}

}  // namespace

Wiring::Wiring(const Topology& topology)
    : Wiring(topology, [topology](std::uint32_t chip, std::uint32_t endpoint) {
        return topology.next_ports(chip, endpoint);
      }) {}

Wiring::Wiring(const Topology& topology, NextPorts routes)
    : topology_(topology), routes_(std::move(routes)), chip_of_host_(topology.endpoints) {
  std::uint32_t ports = 0;
  for (const std::uint32_t count : topology.chip_ports) {
    first_port_.push_back(ports);
    ports += count;
  }
  far_.resize(ports);
  cable_.resize(ports);
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i) {
    const Cable& cable = topology.cables[i];
    const auto note = [this, i](const PortRef& here, const PortRef& there) {
      if (here.is_chip) {
        far_[first_port_[here.node] + here.port] = there;
        cable_[first_port_[here.node] + here.port] = i;
      } else {
        chip_of_host_[here.node] = there.node;
      }
    };
    note(cable.a, cable.b);
    note(cable.b, cable.a);
  }
}

std::uint32_t Wiring::hops(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t chip = chip_of_host_[from];
  for (std::uint32_t links = 2; links < 2 + topology_.chips(); ++links) {
    const std::vector<std::uint16_t> ports = routes_(chip, to);
    if (ports.empty()) return 0;
    const PortRef& next = far_end(chip, ports.front());
    if (!next.is_chip) return links;
    chip = next.node;
  }
  return 0;
}

std::uint32_t Wiring::chip_of_link(std::uint32_t link) const {
  const auto after = std::upper_bound(first_port_.begin(), first_port_.end(), link);
  return static_cast<std::uint32_t>(after - first_port_.begin()) - 1;
}

std::string Wiring::port_name(std::uint32_t link) const {
  const std::uint32_t chip = chip_of_link(link);
  return fmt::format("{} port {}", topology_.chip_names[chip], link - first_port_[chip]);
}

/// Of each chip, the ports towards a host that lead to another chip.
std::vector<std::vector<std::uint16_t>> Wiring::onward_ports(std::uint32_t host) const {
  std::vector<std::vector<std::uint16_t>> onward(topology_.chips());
  for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip) {
    for (const std::uint16_t port : routes_(chip, host)) {
      if (far_end(chip, port).is_chip) onward[chip].push_back(port);
    }
  }
  return onward;
}

/// For every link between chips, the links that frames coming over it may leave by. A link's
/// receiver can only free its buffer when those can send.
std::vector<std::vector<std::uint32_t>> Wiring::dependencies() const {
  std::vector<std::vector<bool>> waits(far_.size());
  const std::set<std::uint32_t> edge(chip_of_host_.begin(), chip_of_host_.end());
  std::vector<std::vector<std::uint16_t>> previous;
  for (std::uint32_t host = 0; host < topology_.endpoints; ++host) {
    std::vector<std::vector<std::uint16_t>> onward = onward_ports(host);
    // Hosts of one chip mostly share all their ways.
    if (onward == previous) continue;
    previous = std::move(onward);
    // Only where packets for this host can be: from the chips that have hosts.
    std::vector<bool> seen(topology_.chips());
    std::vector<std::uint32_t> open(edge.begin(), edge.end());
    for (const std::uint32_t chip : open) seen[chip] = true;
    while (!open.empty()) {
      const std::uint32_t chip = open.back();
      open.pop_back();
      for (const std::uint16_t port : previous[chip]) {
        const PortRef& next = far_end(chip, port);
        std::vector<bool>& row = waits[first_port_[chip] + port];
        if (row.empty()) row.resize(far_.size());
        for (const std::uint16_t then : previous[next.node]) {
          row[first_port_[next.node] + then] = true;
        }
        if (!seen[next.node]) {
          seen[next.node] = true;
          open.push_back(next.node);
        }
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> lists(far_.size());
  for (std::size_t link = 0; link < waits.size(); ++link) {
    for (std::size_t other = 0; other < waits[link].size(); ++other) {
      if (waits[link][other]) lists[link].push_back(static_cast<std::uint32_t>(other));
    }
  }
  return lists;
}

std::vector<std::string> Wiring::cyclic_dependency() const {
  const auto waits = dependencies();
  enum : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<std::uint8_t> state(waits.size(), kNew);
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // link, next of its list
  for (std::uint32_t start = 0; start < waits.size(); ++start) {
    if (state[start] != kNew) continue;
    path.assign(1, {start, 0});
    state[start] = kOnPath;
    while (!path.empty()) {
      auto& [link, next] = path.back();
      if (next == waits[link].size()) {
        state[link] = kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t other = waits[link][next++];
      if (state[other] == kNew) {
        state[other] = kOnPath;
        path.emplace_back(other, 0);
      } else if (state[other] == kOnPath) {
        std::vector<std::string> cycle;
        auto at = std::find_if(path.begin(), path.end(),
                               [other](const auto& entry) { return entry.first == other; });
        for (; at != path.end(); ++at) cycle.push_back(port_name(at->first));
        return cycle;
      }
    }
  }
  return {};
}

std::vector<std::string> Wiring::polarised(
    const std::vector<RoutingParams>& routing_of_chip) const {
  // A seed of 0 is drawn for each chip; spraying does not hash.
  const auto hashes = [&](std::uint32_t chip) {
    return routing_of_chip[chip].mode == LoadBalancing::kEcmp &&
           routing_of_chip[chip].hash_seed != 0;
  };
  std::map<std::string, std::string> found;  // by kinds of chips: one line a pair of tiers
  const auto tier = [this](std::uint32_t chip) {
    std::string name = topology_.chip_names[chip];
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
    return name;
  };
  for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip) {
    if (!hashes(chip)) continue;
    for (std::uint32_t host = 0; host < topology_.endpoints; ++host) {
      const std::vector<std::uint16_t> ports = routes_(chip, host);
      if (ports.size() < 2) continue;
      const PortRef& next = far_end(chip, ports.front());
      if (!next.is_chip || !hashes(next.node)) continue;
      if (!same_hash(routing_of_chip[next.node], routing_of_chip[chip])) continue;
      const std::size_t members = routes_(next.node, host).size();
      if (members < 2) continue;
      found.try_emplace(
          tier(chip) + ">" + tier(next.node),
          fmt::format("{} and {} choose among {} and {} ports by the same hash with seed {}: the "
                      "second sees only flows that the first sent its way and uses few of its "
                      "ports",
                      topology_.chip_names[chip], topology_.chip_names[next.node], ports.size(),
                      members, routing_of_chip[chip].hash_seed));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [tiers, line] : found) lines.push_back(line);
  return lines;
}

}  // namespace sluice
