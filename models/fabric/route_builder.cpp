// SPDX-License-Identifier: Apache-2.0
#include "fabric/route_builder.h"

#include <map>
#include <utility>

#include "kernel/error.h"

namespace sluice {

RouteBuilder::RouteBuilder(const Topology& topology,
                           std::span<const std::unique_ptr<SwitchChip>> chips, bool by_edge)
    : topology_(topology),
      chips_(chips),
      by_edge_(by_edge),
      peers_(topology.chips()),
      cables_(topology.chips()),
      edge_of_endpoint_(topology.params.planes * topology.endpoints),
      groups_(topology.chips()),
      known_down_(topology.chips()),
      ports_down_(topology.chips()) {
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    peers_[chip].resize(topology.chip_ports[chip], topology.chips());
    cables_[chip].resize(topology.chip_ports[chip]);
  }
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i) {
    const Cable& cable = topology.cables[i];
    const std::pair<PortRef, PortRef> ways[] = {{cable.a, cable.b}, {cable.b, cable.a}};
    for (const auto& [here, there] : ways) {
      if (!here.is_chip) continue;
      cables_[here.node][here.port] = i;
      if (there.is_chip) {
        peers_[here.node][here.port] = there.node;
      } else if (there.port % (topology.params.nic_ports / topology.params.planes) == 0) {
        edge_of_endpoint_[topology.plane_of(here.node) * topology.endpoints + there.node] =
            here.node;
      }
    }
  }
}

void RouteBuilder::build_adaptive(std::uint32_t chip) {
  RouteTable& routes = chips_[chip]->routes();
  AdaptiveRouting& adaptive = *chips_[chip]->adaptive();
  const bool notifies = chips_[chip]->params().routing.mode == LoadBalancing::kAr;
  std::map<std::pair<std::uint32_t, std::vector<std::uint16_t>>, std::uint32_t> known;
  for (std::uint32_t endpoint = 0; endpoint < topology_.endpoints; ++endpoint) {
    const std::vector<std::uint16_t> ports = topology_.next_ports(chip, endpoint);
    const std::uint32_t edge = edge_of(chip, endpoint);
    if (ports.empty()) continue;  // dropped: no_route
    // A single way to another chip is a group all the same where its load must be told upstream.
    if (ports.size() == 1 && (!notifies || edge == chip)) {
      routes.route_to_port(endpoint, ports.front());
      continue;
    }
    const auto [at, added] = known.try_emplace({by_edge_ ? edge : 0, ports}, 0);
    if (added) {
      at->second = adaptive.add_group(ports);
      groups_[chip].push_back({at->second, edge, endpoint, ports});
    }
    routes.route_to_adaptive(endpoint, at->second);
  }
}

void RouteBuilder::apply(const RouteChange& change) {
  if (change.local) {
    const Cable& cable = topology_.cables[change.cable];
    for (const PortRef& end : {cable.a, cable.b}) {
      if (!end.is_chip || end.node != change.chip) continue;
      const auto port = static_cast<std::uint16_t>(end.port);
      chips_[change.chip]->set_link(port, change.up);
      if (change.up) {
        ports_down_[change.chip].erase(port);
      } else {
        ports_down_[change.chip].insert(port);
      }
    }
    return;
  }
  std::vector<bool>& down = known_down_[change.chip];
  down.resize(topology_.cables.size(), false);
  down[change.cable] = !change.up;
  follow_remote(change.chip);
}

std::uint32_t RouteBuilder::capacity(std::uint32_t chip, std::uint32_t via,
                                     std::uint32_t endpoint) const {
  std::uint32_t up = 0;
  for (const std::uint16_t port : topology_.next_ports(via, endpoint)) {
    if (!known_down_[chip][cables_[via][port]]) ++up;
  }
  return up;
}

void RouteBuilder::follow_remote(std::uint32_t chip) {
  if (chips_[chip]->adaptive() == nullptr) return follow_remote_hashed(chip);
  for (const Group& group : groups_[chip]) {
    if (group.edge != chip) follow_remote(chip, group);
  }
}

bool RouteBuilder::leads_to(std::uint32_t chip, std::uint16_t port, std::uint32_t endpoint) const {
  const std::uint32_t via = peers_[chip][port];
  return via == topology_.chips() || via == edge_of(chip, endpoint) ||
         capacity(chip, via, endpoint) != 0;
}

/// Hashed and sprayed groups are shared by all destinations with the same ports: those that lost a
/// next hop get a group without it.
void RouteBuilder::follow_remote_hashed(std::uint32_t chip) {
  RouteTable& routes = chips_[chip]->routes();
  for (std::uint32_t endpoint = 0; endpoint < topology_.endpoints; ++endpoint) {
    std::vector<std::uint16_t> ports = topology_.next_ports(chip, endpoint);
    if (ports.size() < 2 || edge_of(chip, endpoint) == chip) continue;
    std::erase_if(ports, [&](std::uint16_t port) { return !leads_to(chip, port, endpoint); });
    if (ports.empty()) {
      routes.route_to_entry(endpoint, RouteTable::kNoRoute);
    } else {
      routes.route_to_group(endpoint, routes.add_group(ports));
    }
  }
  for (const std::uint16_t port : ports_down_[chip]) routes.remove_member(port);
}

/// Next hops that cannot reach the group's destinations any more leave it.
void RouteBuilder::follow_remote(std::uint32_t chip, const Group& group) {
  for (const std::uint16_t port : group.ports) {
    const std::uint32_t via = peers_[chip][port];
    if (via == topology_.chips() || via == group.edge) continue;
    chips_[chip]->adaptive()->selector().set_capacity(group.number, port,
                                                      capacity(chip, via, group.endpoint));
  }
}

}  // namespace sluice
