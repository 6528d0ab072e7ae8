// SPDX-License-Identifier: Apache-2.0
#include "fabric/routing_cycle.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "kernel/error.h"

namespace sluice {
namespace {

/// Egress ports of all chips, numbered through, and which of them a packet may take one after the
/// other.
struct Dependencies {
  std::vector<std::uint32_t> first;  ///< number of each chip's port 0
  std::vector<PortRef> peer;
  std::vector<std::vector<std::uint32_t>> next;
};

Dependencies ports_of(const Topology& topology) {
  Dependencies graph;
  graph.first.resize(topology.chips() + 1);
  std::partial_sum(topology.chip_ports.begin(), topology.chip_ports.end(), graph.first.begin() + 1);
  graph.peer.resize(graph.first.back());
  graph.next.resize(graph.first.back());
  for (const Cable& cable : topology.cables) {
    if (cable.a.is_chip) graph.peer[graph.first[cable.a.node] + cable.a.port] = cable.b;
    if (cable.b.is_chip) graph.peer[graph.first[cable.b.node] + cable.b.port] = cable.a;
  }
  return graph;
}

/// Chips that something for a host may start at: those that have hosts.
std::set<std::uint32_t> starts_of(const Topology& topology) {
  std::set<std::uint32_t> chips;
  for (const Cable& cable : topology.cables) {
    if (cable.to_host) chips.insert(cable.a.is_chip ? cable.a.node : cable.b.node);
  }
  return chips;
}

/// One host of each chip stands for all of them, save those with routes of their own.
std::vector<std::uint32_t> destinations_of(const Topology& topology) {
  std::set<std::uint32_t> hosts;
  std::set<std::uint32_t> chips;
  for (const Cable& cable : topology.cables) {
    if (!cable.to_host) continue;
    const PortRef& host = cable.a.is_chip ? cable.b : cable.a;
    if (chips.insert(cable.a.is_chip ? cable.a.node : cable.b.node).second) hosts.insert(host.node);
  }
  for (const StaticRoute& route : topology.params.routes) hosts.insert(route.host);
  return {hosts.begin(), hosts.end()};
}

/// Adds every pair of ports that packets for `host` take one after the other.
void add_routes(const Topology& topology, std::uint32_t host, const std::set<std::uint32_t>& starts,
                Dependencies& graph) {
  std::vector<std::uint32_t> open(starts.begin(), starts.end());
  std::vector<bool> seen(topology.chips());
  for (const std::uint32_t chip : open) seen[chip] = true;
  while (!open.empty()) {
    const std::uint32_t chip = open.back();
    open.pop_back();
    for (const std::uint16_t port : topology.next_ports(chip, host)) {
      const std::uint32_t from = graph.first[chip] + port;
      const PortRef& peer = graph.peer[from];
      if (!peer.is_chip) continue;
      for (const std::uint16_t onward : topology.next_ports(peer.node, host)) {
        const std::uint32_t to = graph.first[peer.node] + onward;
        if (graph.peer[to].is_chip) graph.next[from].push_back(to);
      }
      if (!seen[peer.node]) open.push_back(peer.node);
      seen[peer.node] = true;
    }
  }
}

/// Ports of a cycle, first to last; empty if there is none. Depth first, without recursion.
std::vector<std::uint32_t> cycle_in(const Dependencies& graph) {
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<Mark> marks(graph.next.size(), Mark::kNew);
  for (std::uint32_t root = 0; root < graph.next.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    std::vector<std::uint32_t> path{root};
    std::vector<std::size_t> position{0};
    marks[root] = Mark::kOnPath;
    while (!path.empty()) {
      const std::uint32_t at = path.back();
      if (position.back() == graph.next[at].size()) {
        marks[at] = Mark::kDone;
        path.pop_back();
        position.pop_back();
        continue;
      }
      const std::uint32_t next = graph.next[at][position.back()++];
      if (marks[next] == Mark::kOnPath) {
        return {std::find(path.begin(), path.end(), next), path.end()};
      }
      if (marks[next] == Mark::kDone) continue;
      marks[next] = Mark::kOnPath;
      path.push_back(next);
      position.push_back(0);
    }
  }
  return {};
}

}  // namespace

std::string routing_cycle(const Topology& topology) {
  Dependencies graph = ports_of(topology);
  const std::set<std::uint32_t> starts = starts_of(topology);
  for (const std::uint32_t host : destinations_of(topology)) {
    add_routes(topology, host, starts, graph);
  }
  for (std::vector<std::uint32_t>& next : graph.next) {
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  std::vector<std::uint32_t> cycle = cycle_in(graph);
  if (cycle.empty()) return {};
  cycle.push_back(cycle.front());
  std::string text;
  for (const std::uint32_t port : cycle) {
    const auto chip = static_cast<std::uint32_t>(
        std::upper_bound(graph.first.begin(), graph.first.end(), port) - graph.first.begin() - 1);
    text += fmt::format("{}{}.port{}", text.empty() ? "" : " -> ", topology.chip_names[chip],
                        port - graph.first[chip]);
  }
  return text;
}

}  // namespace sluice
