// SPDX-License-Identifier: Apache-2.0
// The `failures` section: names of cables, times, and which chip learns of a failure when.
// Leaves out: running with one (tests/golden, tests/system).
#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"
#include "fabric/link_failures.h"

namespace sluice {
namespace {

FabricSpec fabric(const std::string& failures, const std::string& extra = "") {
  return read_fabric(
      ConfigTree::parse("fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4, "
                        "links_per_spine: 2, link: {rate: 400Gbps}}\n"
                        "workload: {type: permutation}\n" +
                            extra + failures,
                        "f.yaml"));
}

std::string error_of(const std::string& failures) {
  try {
    fabric(failures);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Failures, ACableIsNamedByAPortOrByItsTwoChips) {
  // Host cables first, then the uplinks: leaf0's ports 4 to 7, leaf1's likewise.
  const FabricSpec spec =
      fabric("failures: [{link: leaf0.port5, at: 1ms, until: 2ms}, {link: spine0.port2}]\n");
  ASSERT_EQ(spec.failures.size(), 2u);
  const Topology topology = make_topology(spec.topology);
  EXPECT_EQ(name_of(topology, topology.cables[spec.failures[0].cable]), "leaf0.port5");
  EXPECT_EQ(spec.failures[0].at, 1_ms);
  EXPECT_EQ(spec.failures[0].until, 2_ms);
  EXPECT_EQ(name_of(topology, topology.cables[spec.failures[1].cable]), "leaf1.port4");
  EXPECT_EQ(spec.failures[1].at, Ps{0});
  EXPECT_EQ(spec.failures[1].until, kNever);

  TopologyParams simple;
  simple.type = FabricType::kLeafSpine;
  simple.leaves = 2;
  simple.spines = 2;
  simple.hosts_per_leaf = 4;
  const Topology one_link = make_topology(simple);
  EXPECT_EQ(find_cable(one_link, "leaf1.spine0"), find_cable(one_link, "leaf1.port4"));
  EXPECT_EQ(find_cable(one_link, "spine0.leaf1"), find_cable(one_link, "leaf1.port4"));
}

TEST(Failures, WrongNamesAndTimesAreRefusedWithTheirPlace) {
  EXPECT_NE(error_of("failures: [{link: leaf0.spine1}]\n")
                .find("2 cables join these chips; name one of leaf0.port6, leaf0.port7"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{link: leaf0.port8}]\n").find("leaf0 has ports 0 to 7"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{link: leaf9.port1}]\n").find("expected CHIP.CHIP or CHIP.portN"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{link: leaf0.leaf1}]\n").find("no cable joins these chips"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{link: leaf0.port1, at: 2ms, until: 2ms}]\n").find("until"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{link: leaf0.port4, at: 2ms}, {link: spine0.port0, at: 3ms}]\n")
                .find("leaf0.port4 is down already at that time"),
            std::string::npos);
  EXPECT_NE(error_of("failures: [{at: 2ms}]\n").find("link"), std::string::npos);
}

TEST(Failures, ChangeTheConfigurationsHash) {
  EXPECT_NE(fabric("").config_hash, fabric("failures: [{link: leaf0.port4}]\n").config_hash);
}

TEST(Failures, TheChipThatHasTheLinkActsFirst) {
  const FabricSpec spec = fabric("failures: [{link: leaf0.port4, at: 1ms, until: 300ms}]\n",
                                 "switch: {routing: {mode: ar}}\n");
  const auto changes = plan_route_changes(make_topology(spec.topology), spec.failures, spec.chips);
  ASSERT_EQ(changes.size(), 8u);  // down and up in each of 4 chips
  EXPECT_EQ(changes[0].time, 1_ms + 10_us);
  EXPECT_TRUE(changes[0].local && changes[1].local);
  EXPECT_FALSE(changes[0].up);
  EXPECT_EQ(changes[2].time, 201_ms);
  EXPECT_FALSE(changes[2].local);
  EXPECT_EQ(changes[4].time, 300_ms + 10_us);
  EXPECT_TRUE(changes[4].up);
  EXPECT_EQ(changes[7].time, 500_ms);
}

TEST(Failures, AFlapShorterThanTheFailoverTimeLeavesRoutesAlone) {
  const FabricSpec ecmp = fabric("failures: [{link: leaf0.port4, at: 1ms, until: 40ms}]\n");
  const Topology topology = make_topology(ecmp.topology);
  EXPECT_TRUE(plan_route_changes(topology, ecmp.failures, ecmp.chips).empty());
  const FabricSpec fast = fabric("failures: [{link: leaf0.port4, at: 1ms, until: 40ms}]\n",
                                 "switch: {routing: {failover_time: 1us}}\n");
  EXPECT_EQ(plan_route_changes(topology, fast.failures, fast.chips).size(), 4u);
}

}  // namespace
}  // namespace sluice
