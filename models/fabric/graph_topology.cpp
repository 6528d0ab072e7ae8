// SPDX-License-Identifier: Apache-2.0
// A fabric given as a graph of named chips: cables, equal-cost shortest paths by hop count, and
// static routes laid over them (which may well loop). Leaves out: weights by the rate of a link.
#include <algorithm>
#include <deque>

#include "fabric/topology.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint32_t kUnreached = UINT32_MAX;

void wire_hosts(Topology& topology) {
  const TopologyParams& params = topology.params;
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    for (std::uint32_t i = 0; i < params.hosts_of_chip[chip]; ++i) {
      const std::uint32_t host = topology.endpoints++;
      topology.graph.chip_of_host.push_back(chip);
      std::vector<std::uint16_t>& ports = topology.graph.host_ports.emplace_back();
      for (std::uint32_t port = 0; port < params.nic_ports; ++port) {
        ports.push_back(static_cast<std::uint16_t>(topology.chip_ports[chip]));
        topology.cables.push_back(
            {{false, host, port}, {true, chip, topology.chip_ports[chip]++}, true});
      }
    }
  }
}

void wire_chips(Topology& topology) {
  const std::uint32_t chips = topology.chips();
  topology.graph.adjacent.resize(std::size_t{chips} * chips);
  for (const GraphLink& link : topology.params.links) {
    for (std::uint32_t i = 0; i < link.count; ++i) {
      const std::uint32_t port_a = topology.chip_ports[link.a]++;
      const std::uint32_t port_b = topology.chip_ports[link.b]++;
      topology.cables.push_back(
          {{true, link.a, port_a}, {true, link.b, port_b}, false, link.rate, link.length});
      topology.graph.adjacent[link.a * chips + link.b].push_back(
          static_cast<std::uint16_t>(port_a));
      topology.graph.adjacent[link.b * chips + link.a].push_back(
          static_cast<std::uint16_t>(port_b));
    }
  }
}

/// Hops from every chip to `destination`.
std::vector<std::uint32_t> distances(const Topology& topology, std::uint32_t destination) {
  const std::uint32_t chips = topology.chips();
  std::vector<std::uint32_t> hops(chips, kUnreached);
  hops[destination] = 0;
  std::deque<std::uint32_t> open{destination};
  while (!open.empty()) {
    const std::uint32_t at = open.front();
    open.pop_front();
    for (std::uint32_t other = 0; other < chips; ++other) {
      if (topology.graph.adjacent[at * chips + other].empty() || hops[other] != kUnreached) {
        continue;
      }
      hops[other] = hops[at] + 1;
      open.push_back(other);
    }
  }
  return hops;
}

void route(Topology& topology) {
  const std::uint32_t chips = topology.chips();
  topology.graph.ports.resize(std::size_t{chips} * chips);
  for (std::uint32_t to = 0; to < chips; ++to) {
    if (topology.params.hosts_of_chip[to] == 0) continue;
    const std::vector<std::uint32_t> hops = distances(topology, to);
    for (std::uint32_t from = 0; from < chips; ++from) {
      if (from == to) continue;
      if (hops[from] == kUnreached && topology.params.hosts_of_chip[from] != 0) {
        throw ConfigError(fmt::format("fabric.links: no way from {} to {}, which both have hosts",
                                      topology.chip_names[from], topology.chip_names[to]));
      }
      std::vector<std::uint16_t>& ports = topology.graph.ports[from * chips + to];
      for (std::uint32_t next = 0; next < chips && hops[from] != kUnreached; ++next) {
        if (hops[next] == kUnreached || hops[next] + 1 != hops[from]) continue;
        const std::vector<std::uint16_t>& way = topology.graph.adjacent[from * chips + next];
        ports.insert(ports.end(), way.begin(), way.end());
      }
      std::sort(ports.begin(), ports.end());
    }
  }
}

}  // namespace

Topology make_graph(const TopologyParams& params) {
  Topology topology;
  topology.params = params;
  topology.chip_names = params.chip_names;
  topology.chip_ports.assign(params.chip_names.size(), 0);
  wire_hosts(topology);
  wire_chips(topology);
  route(topology);
  return topology;
}

std::vector<std::uint16_t> graph_next_ports(const Topology& topology, std::uint32_t chip,
                                            std::uint32_t endpoint) {
  const Topology::GraphRoutes& graph = topology.graph;
  const std::uint32_t chips = topology.chips();
  for (const StaticRoute& fixed : topology.params.routes) {
    if (fixed.chip != chip || fixed.host != endpoint) continue;
    std::vector<std::uint16_t> ports;
    for (const std::uint32_t next : fixed.next) {
      const std::vector<std::uint16_t>& way = graph.adjacent[chip * chips + next];
      ports.insert(ports.end(), way.begin(), way.end());
    }
    std::sort(ports.begin(), ports.end());
    return ports;
  }
  const std::uint32_t home = graph.chip_of_host[endpoint];
  return home == chip ? graph.host_ports[endpoint] : graph.ports[chip * chips + home];
}

}  // namespace sluice
