// SPDX-License-Identifier: Apache-2.0
// Cyclic buffer dependencies in routes: loops and rings have one, up-down routing never.
// Leaves out: deadlocks of running fabrics (unit/study/deadlock_test.cpp).
#include "fabric/routing_cycle.h"

#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"

namespace sluice {
namespace {

std::string cycle_of(const std::string& fabric) {
  return routing_cycle(make_topology(
      read_fabric(ConfigTree::parse("fabric: {" + fabric + "}\n", "fabric.yaml")).topology));
}

TEST(FieldReport, B32_TwoSwitchesThatRouteAHostToEachOtherAreACycle) {
  const std::string two =
      "type: graph, chips: [s0, s1], hosts: {s0: 1, s1: 1}, links: [{between: [s0, s1]}]";
  EXPECT_EQ(cycle_of(two), "");
  EXPECT_EQ(cycle_of(two + ", routes: {s1: {host1: [s0]}}"), "s0.port1 -> s1.port1 -> s0.port1");
}

TEST(FieldReport, B32_UpDownRoutingHasNoCycle) {
  EXPECT_EQ(cycle_of("type: leaf_spine, leaves: 8, spines: 4, hosts_per_leaf: 4"), "");
  EXPECT_EQ(
      cycle_of("type: leaf_spine, leaves: 3, spines: 2, hosts_per_leaf: 2, links_per_spine: 2"),
      "");
  EXPECT_EQ(cycle_of("type: single_switch, hosts: 8"), "");
}

TEST(RoutingCycle, ARingOfShortestPathsHasOneAndALineHasNot) {
  const std::string ring =
      "type: graph, chips: [a, b, c, d, e], hosts: {a: 1, b: 1, c: 1, d: 1, e: 1}, links: ["
      "{between: [a, b]}, {between: [b, c]}, {between: [c, d]}, {between: [d, e]}";
  EXPECT_EQ(cycle_of(ring + "]"), "");
  EXPECT_EQ(cycle_of(ring + ", {between: [e, a]}]"),
            "a.port1 -> b.port2 -> c.port2 -> d.port2 -> e.port2 -> a.port1");
}

}  // namespace
}  // namespace sluice
