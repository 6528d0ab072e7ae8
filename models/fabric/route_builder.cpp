// SPDX-License-Identifier: Apache-2.0
#include "fabric/route_builder.h"

#include <map>

#include "kernel/error.h"

namespace sluice {

RouteBuilder::RouteBuilder(const Topology& topology,
                           std::span<const std::unique_ptr<SwitchChip>> chips, bool by_edge)
    : topology_(topology),
      chips_(chips),
      by_edge_(by_edge),
      peers_(topology.chips()),
      cables_(topology.chips()),
      edge_of_endpoint_(topology.endpoints),
      hosts_of_edge_(topology.chips()),
      groups_(topology.chips()),
      known_down_(topology.chips()) {
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    peers_[chip].resize(topology.chip_ports[chip], topology.chips());
    cables_[chip].resize(topology.chip_ports[chip]);
    groups_[chip].resize(topology.chips(), kNoGroup);
  }
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i) {
    const Cable& cable = topology.cables[i];
    const std::pair<PortRef, PortRef> ways[] = {{cable.a, cable.b}, {cable.b, cable.a}};
    for (const auto& [here, there] : ways) {
      if (!here.is_chip) continue;
      cables_[here.node][here.port] = i;
      if (there.is_chip) {
        peers_[here.node][here.port] = there.node;
      } else if (there.port == 0) {
        edge_of_endpoint_[there.node] = here.node;
        hosts_of_edge_[here.node].push_back(there.node);
      }
    }
  }
}

std::uint32_t RouteBuilder::peer(std::uint32_t chip, std::uint32_t port) const {
  return peers_[chip][port];
}

void RouteBuilder::build_adaptive(std::uint32_t chip) {
  RouteTable& routes = chips_[chip]->routes();
  AdaptiveRouting& adaptive = *chips_[chip]->adaptive();
  const bool single = chips_[chip]->params().routing.mode == LoadBalancing::kAr;
  std::map<std::vector<std::uint16_t>, std::uint32_t> shared;
  for (std::uint32_t endpoint = 0; endpoint < topology_.endpoints; ++endpoint) {
    const std::vector<std::uint16_t> ports = topology_.next_ports(chip, endpoint);
    const std::uint32_t edge = edge_of_endpoint_[endpoint];
    // A single way to another chip is a group all the same where its load must be told upstream.
    if (ports.size() == 1 && (!single || edge == chip)) {
      routes.route_to_port(endpoint, ports.front());
      continue;
    }
    std::uint32_t group = kNoGroup;
    if (by_edge_ && edge != chip) {
      if (groups_[chip][edge] == kNoGroup) groups_[chip][edge] = adaptive.add_group(ports);
      group = groups_[chip][edge];
    } else {
      const auto [at, added] = shared.try_emplace(ports, 0);
      if (added) at->second = adaptive.add_group(ports);
      group = at->second;
    }
    routes.route_to_adaptive(endpoint, group);
  }
}

void RouteBuilder::apply(const RouteChange& change) {
  if (change.local) {
    const Cable& cable = topology_.cables[change.cable];
    for (const PortRef& end : {cable.a, cable.b}) {
      if (!end.is_chip || end.node != change.chip) continue;
      chips_[change.chip]->set_link(static_cast<std::uint16_t>(end.port), change.up);
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
  for (std::uint32_t edge = 0; edge < topology_.chips(); ++edge) {
    if (edge != chip && !hosts_of_edge_[edge].empty()) follow_remote_edge(chip, edge);
  }
}

/// Next hops that cannot reach the hosts of `edge` any more leave the group of those hosts.
void RouteBuilder::follow_remote_edge(std::uint32_t chip, std::uint32_t edge) {
  const std::uint32_t first = hosts_of_edge_[edge].front();
  for (const std::uint16_t port : topology_.next_ports(chip, first)) {
    const std::uint32_t via = peer(chip, port);
    if (via == topology_.chips() || via == edge) continue;
    if (groups_[chip][edge] == kNoGroup) continue;
    chips_[chip]->adaptive()->selector().set_capacity(groups_[chip][edge], port,
                                                      capacity(chip, via, first));
  }
}

}  // namespace sluice
