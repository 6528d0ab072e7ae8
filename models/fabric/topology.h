// SPDX-License-Identifier: Apache-2.0
// The graph of a fabric: chips, endpoints and cables between numbered ports, and where each chip
// sends what. Pure data. Leaves out: modules (fabric.h) and failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cages.h"
#include "kernel/parameter.h"

namespace sluice {

enum class FabricType : std::uint8_t { kSingleSwitch, kLeafSpine, kGraph };

/// Parallel cables between two chips of a graph; what is not said follows `fabric.link`.
struct GraphLink {
  std::uint32_t a = 0;  ///< chip
  std::uint32_t b = 0;
  std::uint32_t count = 1;
  BitsPerSecond rate{0};  ///< 0: that of `fabric.link`
  std::optional<Millimetres> length{};
};

/// `chip` sends what goes to `host` to these chips instead of along shortest paths.
struct StaticRoute {
  std::uint32_t chip = 0;
  std::uint32_t host = 0;
  std::vector<std::uint32_t> next;  ///< chips; empty: nowhere (dropped, no_route)
};

struct TopologyParams {
  FabricType type = FabricType::kSingleSwitch;
  std::uint32_t hosts = 0;  ///< single switch
  std::uint32_t leaves = 0;
  std::uint32_t spines = 0;
  std::uint32_t hosts_per_leaf = 0;
  std::uint32_t links_per_spine = 1;  ///< parallel cables between a leaf and a spine
  /// Copies of the whole fabric, side by side: port i of each NIC is wired to plane i.
  std::uint32_t planes = 1;
  std::uint32_t nic_ports = 1;         ///< all that a host has in a plane land on its leaf
  std::vector<CagePort> cage_ports{};  ///< single switch: a host each; empty: all ports alike
  // Graph.
  std::vector<std::string> chip_names{};
  std::vector<std::uint32_t> hosts_of_chip{};
  std::vector<GraphLink> links{};
  std::vector<StaticRoute> routes{};
};

/// One end of a cable.
struct PortRef {
  bool is_chip = false;
  std::uint32_t node = 0;  ///< chip or endpoint, global number
  std::uint32_t port = 0;
  bool operator==(const PortRef&) const = default;
};

struct Cable {
  PortRef a;
  PortRef b;
  bool to_host = false;
  BitsPerSecond rate{0};                ///< 0: that of the fabric's links of this kind
  std::optional<Millimetres> length{};  ///< likewise
};

struct Topology {
  std::uint32_t endpoints = 0;
  std::vector<std::string> chip_names;    ///< "leaf3", "spine0", "switch0"; "plane1_leaf3"
  std::vector<std::uint32_t> chip_ports;  ///< wired ports of each chip
  std::vector<Cable> cables;

  std::uint32_t chips() const { return static_cast<std::uint32_t>(chip_names.size()); }
  std::uint32_t plane_of(std::uint32_t chip) const { return chip / (chips() / params.planes); }
  /// Equal-cost egress ports of `chip` towards `endpoint`; empty: it has no route.
  std::vector<std::uint16_t> next_ports(std::uint32_t chip, std::uint32_t endpoint) const;

  TopologyParams params;

  /// Ports of a chip towards each other chip and its own hosts, and what `routes` overrides.
  struct GraphRoutes {
    std::vector<std::uint32_t> chip_of_host;
    std::vector<std::vector<std::uint16_t>> host_ports;  ///< on its chip
    std::vector<std::vector<std::uint16_t>> ports;       ///< [chip * chips + destination chip]
    std::vector<std::vector<std::uint16_t>> adjacent;    ///< [chip * chips + neighbour]
  };
  GraphRoutes graph;
};

Topology make_topology(const TopologyParams& params);

/// Shortest paths in hops over the links of a graph (graph_topology.cpp). Throws ConfigError when
/// two hosts cannot reach each other.
Topology make_graph(const TopologyParams& params);
std::vector<std::uint16_t> graph_next_ports(const Topology& topology, std::uint32_t chip,
                                            std::uint32_t endpoint);

}  // namespace sluice
