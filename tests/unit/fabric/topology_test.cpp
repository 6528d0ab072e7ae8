// SPDX-License-Identifier: Apache-2.0
// The graph of a fabric: ports, cables, and that following its routes always arrives.
// Leaves out: the modules made from it (unit/study).
#include "fabric/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace sluice {
namespace {

Topology leaf_spine(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts,
                    std::uint32_t links_per_spine = 1, std::uint32_t nic_ports = 1) {
  return make_topology({.type = FabricType::kLeafSpine,
                        .leaves = leaves,
                        .spines = spines,
                        .hosts_per_leaf = hosts,
                        .links_per_spine = links_per_spine,
                        .nic_ports = nic_ports});
}

using End = std::tuple<bool, std::uint32_t, std::uint32_t>;

End end_of(const PortRef& port) { return {port.is_chip, port.node, port.port}; }

/// The other end of each port; fails when a port has two cables.
std::map<End, PortRef> wiring(const Topology& topology) {
  std::map<End, PortRef> other;
  for (const Cable& cable : topology.cables) {
    EXPECT_TRUE(other.emplace(end_of(cable.a), cable.b).second);
    EXPECT_TRUE(other.emplace(end_of(cable.b), cable.a).second);
  }
  return other;
}

/// Follows every equal-cost port from `chip`; returns the most chips on the way to `endpoint`.
std::uint32_t longest_way(const Topology& topology, const std::map<End, PortRef>& other,
                          std::uint32_t chip, std::uint32_t endpoint, std::uint32_t limit) {
  if (limit == 0) return 1000;  // a loop
  std::uint32_t longest = 0;
  for (const std::uint16_t port : topology.next_ports(chip, endpoint)) {
    const PortRef& next = other.at({true, chip, port});
    if (!next.is_chip) {
      EXPECT_EQ(next.node, endpoint) << "chip " << chip << " delivers to the wrong host";
      longest = std::max(longest, 1U);
    } else {
      longest = std::max(longest, 1 + longest_way(topology, other, next.node, endpoint, limit - 1));
    }
  }
  return longest;
}

TEST(Topology, EveryPortHasOneCableAndEveryCableTwoPorts) {
  for (const Topology& topology :
       {leaf_spine(4, 3, 5), leaf_spine(3, 2, 4, 2), leaf_spine(2, 2, 3, 4, 2),
        make_topology({.hosts = 7, .nic_ports = 2})}) {
    const auto other = wiring(topology);
    std::size_t ports = topology.endpoints * topology.params.nic_ports;
    for (const std::uint32_t count : topology.chip_ports) ports += count;
    EXPECT_EQ(other.size(), ports);
    EXPECT_EQ(topology.cables.size() * 2, ports);
    for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
      for (std::uint32_t port = 0; port < topology.chip_ports[chip]; ++port) {
        EXPECT_EQ(other.count({true, chip, port}), 1u) << topology.chip_names[chip] << port;
      }
    }
  }
}

TEST(Topology, EveryChoiceOfPortsArrivesInAtMostThreeChips) {
  for (const Topology& topology : {leaf_spine(4, 3, 5), leaf_spine(3, 2, 4, 2, 2)}) {
    const auto other = wiring(topology);
    for (std::uint32_t from = 0; from < topology.endpoints; ++from) {
      const std::uint32_t leaf = other.at({false, from, 0}).node;
      for (std::uint32_t to = 0; to < topology.endpoints; ++to) {
        const bool same_leaf = other.at({false, to, 0}).node == leaf;
        EXPECT_EQ(longest_way(topology, other, leaf, to, 5), same_leaf ? 1u : 3u);
      }
    }
  }
}

TEST(Topology, ParallelCablesAreAllEqualCostWays) {
  const Topology topology = leaf_spine(3, 2, 4, 2);
  EXPECT_EQ(topology.chip_ports, (std::vector<std::uint32_t>{8, 8, 8, 6, 6}));
  EXPECT_EQ(topology.next_ports(0, 11), (std::vector<std::uint16_t>{4, 5, 6, 7}));  // leaf0, up
  EXPECT_EQ(topology.next_ports(3, 11), (std::vector<std::uint16_t>{4, 5}));        // spine0, down
  const auto other = wiring(topology);
  std::map<std::uint32_t, int> cables_to;
  for (const std::uint16_t port : topology.next_ports(0, 11)) {
    ++cables_to[other.at({true, 0, port}).node];
  }
  EXPECT_EQ(cables_to, (std::map<std::uint32_t, int>{{3, 2}, {4, 2}}));
}

TEST(Topology, AllPortsOfAHostLandOnItsLeaf) {
  const Topology topology = leaf_spine(2, 2, 3, 1, 2);
  const auto other = wiring(topology);
  for (std::uint32_t host = 0; host < 6; ++host) {
    EXPECT_EQ(other.at({false, host, 0}).node, host / 3);
    EXPECT_EQ(other.at({false, host, 1}).node, host / 3);
  }
  EXPECT_EQ(topology.next_ports(0, 1), (std::vector<std::uint16_t>{2, 3}));
}

TEST(Topology, ChipsAreNamedByTierAndNumber) {
  EXPECT_EQ(leaf_spine(2, 3, 1).chip_names,
            (std::vector<std::string>{"leaf0", "leaf1", "spine0", "spine1", "spine2"}));
  EXPECT_EQ(make_topology({.hosts = 4}).chip_names, (std::vector<std::string>{"switch0"}));
}

}  // namespace
}  // namespace sluice
