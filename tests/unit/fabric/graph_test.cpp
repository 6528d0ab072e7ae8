// SPDX-License-Identifier: Apache-2.0
// Fabrics given as graphs of named chips: cables, shortest paths, static routes that loop,
// refusals. Leaves out: running them (unit/study).
#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"
#include "kernel/error.h"

namespace sluice {
namespace {

FabricSpec read(const std::string& yaml) {
  return read_fabric(ConfigTree::parse(yaml, "fabric.yaml"));
}

Topology graph(const std::string& fabric) {
  return make_topology(read("fabric: {type: graph, " + fabric + "}\n").topology);
}

void refused(const std::string& fabric, const std::vector<std::string>& parts) {
  try {
    graph(fabric);
    ADD_FAILURE() << "taken: " << fabric;
  } catch (const ConfigError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no \"" << part << "\" in: " << error.what();
    }
  }
}

using Ports = std::vector<std::uint16_t>;

TEST(Graph, HostsComeFirstThenLinksInTheOrderWritten) {
  const Topology t =
      graph("chips: [s0, s1], hosts: {s0: 2, s1: 1}, links: [{between: [s0, s1], count: 2}]");
  EXPECT_EQ(t.chip_names, (std::vector<std::string>{"s0", "s1"}));
  EXPECT_EQ(t.endpoints, 3u);
  EXPECT_EQ(t.chip_ports, (std::vector<std::uint32_t>{4, 3}));
  EXPECT_EQ(t.next_ports(0, 1), Ports{1});
  EXPECT_EQ(t.next_ports(0, 2), (Ports{2, 3}));
  EXPECT_EQ(t.next_ports(1, 2), Ports{0});
  EXPECT_EQ(t.next_ports(1, 0), (Ports{1, 2}));
}

TEST(Graph, AllShortestPathsAreEqualCostWays) {
  // A square a-b-c-d: from a to c both ways round, from a to b the direct one alone.
  const Topology t = graph(
      "chips: [a, b, c, d], hosts: {a: 1, b: 1, c: 1}, "
      "links: [{between: [a, b]}, {between: [b, c]}, {between: [c, d]}, {between: [d, a]}]");
  EXPECT_EQ(t.next_ports(0, 2), (Ports{1, 2}));
  EXPECT_EQ(t.next_ports(0, 1), Ports{1});
  EXPECT_EQ(t.next_ports(3, 1), (Ports{0, 1})) << "d to b: two hops either way";
}

TEST(Graph, StaticRoutesLieOverTheShortestAndMayLoop) {
  const Topology t = graph(
      "chips: [s0, s1], hosts: {s0: 1, s1: 2}, links: [{between: [s0, s1]}], "
      "routes: {s1: {host1: [s0], host0: []}}");
  EXPECT_EQ(t.next_ports(0, 1), Ports{1});  // to s1 …
  EXPECT_EQ(t.next_ports(1, 1), Ports{2});  // … and back
  EXPECT_EQ(t.next_ports(1, 2), Ports{1}) << "the other host of s1 is reached";
  EXPECT_EQ(t.next_ports(1, 0), Ports{}) << "an empty list is no route";
}

TEST(Graph, ACableHasItsOwnRateAndLength) {
  const FabricSpec spec = read(
      "fabric: {type: graph, chips: [s0, s1], hosts: {s0: 1, s1: 1}, link: {rate: 800Gbps, length: "
      "3m}, "
      "links: [{between: [s0, s1], rate: 400Gbps, length: 2km}, {between: [s0, s1]}]}\n"
      "chips: {s1: {mmu: {pg_alpha_exp: -3}}}\n");
  const Topology t = make_topology(spec.topology);
  ASSERT_EQ(t.cables.size(), 4u);
  EXPECT_EQ(spec.link_of(t.cables[2]).rate, BitsPerSecond{400'000'000'000});
  EXPECT_EQ(spec.link_of(t.cables[2]).length, Millimetres{2'000'000});
  EXPECT_EQ(spec.link_of(t.cables[3]).rate, BitsPerSecond{800'000'000'000});
  EXPECT_EQ(spec.link_of(t.cables[0]).length, Millimetres{3'000});
  EXPECT_EQ(spec.chips[0].mmu.pg_alpha_exp, 0);
  EXPECT_EQ(spec.chips[1].mmu.pg_alpha_exp, -3);
}

TEST(Graph, WhatCannotBeIsRefused) {
  const std::string two = "chips: [s0, s1], hosts: {s0: 1, s1: 1}";
  refused(two, {"fabric.links", "no way from s"});
  refused(two + ", links: [{between: [s0, s2]}]", {"between", "no such chip 's2'"});
  refused(two + ", links: [{between: [s0, s0]}]", {"between", "two chips"});
  refused(two + ", links: [{between: [s0, s1], speed: 3}]", {"speed", "unknown key"});
  refused("chips: [s0, s0], hosts: {s0: 1}", {"fabric.chips", "twice"});
  refused("chips: [nic3], hosts: {nic3: 1}", {"fabric.chips", "nic3"});
  refused("chips: [s0], hosts: {s1: 1}", {"fabric.hosts.s1", "no such chip"});
  refused("chips: [s0], hosts: {s0: 0}", {"fabric.hosts"});
  const std::string linked = two + ", links: [{between: [s0, s1]}]";
  refused(linked + ", routes: {s0: {host2: [s1]}}", {"routes.s0.host2", "host0 to host1"});
  refused(linked + ", routes: {s0: {host1: [s3]}}", {"routes.s0.host1", "no such chip 's3'"});
  refused(linked + ", routes: {s0: {host1: [s0]}}", {"no link to 's0'"});
}

}  // namespace
}  // namespace sluice
