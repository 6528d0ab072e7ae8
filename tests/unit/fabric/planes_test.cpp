// SPDX-License-Identifier: Apache-2.0
// Fabrics of several planes: names, cables, routes, rates. Leaves out: running one (tests/system).
#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"

namespace sluice {
namespace {

FabricSpec spec_of(const std::string& fabric, const std::string& extra = "") {
  return read_fabric(ConfigTree::parse(
      "fabric: {" + fabric + "}\nworkload: {type: permutation}\n" + extra, "f.yaml"));
}

std::string error_of(const std::string& fabric, const std::string& extra = "") {
  try {
    spec_of(fabric, extra);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kTwoPlanes =
    "type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4, planes: 2, link: {rate: 400Gbps}";

TEST(FabricPlanes, EachIsACopyOfTheFabricAndHasAPortOfEveryNic) {
  const FabricSpec spec = spec_of(kTwoPlanes);
  EXPECT_EQ(spec.nic.ports, 2u);
  EXPECT_EQ(spec.nic.port_rate.value, 400'000'000'000u);
  const Topology topology = make_topology(spec.topology);
  EXPECT_EQ(topology.endpoints, 8u);
  EXPECT_EQ(
      topology.chip_names,
      (std::vector<std::string>{"plane0_leaf0", "plane0_leaf1", "plane0_spine0", "plane0_spine1",
                                "plane1_leaf0", "plane1_leaf1", "plane1_spine0", "plane1_spine1"}));
  EXPECT_EQ(topology.cables.size(), 2 * (8 + 4u));
  for (const Cable& cable : topology.cables) {
    if (cable.to_host) {
      EXPECT_EQ(topology.plane_of(cable.b.node), cable.a.port);
    } else {
      EXPECT_EQ(topology.plane_of(cable.a.node), topology.plane_of(cable.b.node));
    }
  }
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    for (std::uint32_t host = 0; host < 8; ++host) {
      EXPECT_EQ(topology.next_ports(chip, host), topology.next_ports(chip + 4, host));
    }
  }
  EXPECT_EQ(topology.next_ports(4, 3), std::vector<std::uint16_t>{3});
  EXPECT_EQ(topology.next_ports(4, 5), (std::vector<std::uint16_t>{4, 5}));
}

TEST(FabricPlanes, ASingleSwitchHasThemToo) {
  const FabricSpec spec = spec_of("type: single_switch, hosts: 4, planes: 2");
  const Topology topology = make_topology(spec.topology);
  EXPECT_EQ(topology.chip_names, (std::vector<std::string>{"plane0_switch0", "plane1_switch0"}));
  EXPECT_EQ(topology.chip_ports, (std::vector<std::uint32_t>{4, 4}));
}

TEST(FabricPlanes, TwoPortsWithoutPlanesShareALeafAndARate) {
  const FabricSpec spec =
      spec_of("type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4", "nic: {ports: 2}\n");
  EXPECT_EQ(spec.nic.port_rate.value, 400'000'000'000u);
  const Topology topology = make_topology(spec.topology);
  EXPECT_EQ(topology.next_ports(0, 1), (std::vector<std::uint16_t>{2, 3}));
  EXPECT_EQ(topology.cables.size(), 16 + 4u);
}

TEST(FabricPlanes, ChipsAndCablesOfAPlaneAreNamed) {
  const FabricSpec spec =
      spec_of(kTwoPlanes,
              "chips: {plane1_leaf0: {mmu: {pg_alpha_exp: -2}}}\n"
              "failures: [{link: plane1_leaf1.plane1_spine0}, {link: plane0_leaf0.port2}]\n");
  EXPECT_EQ(spec.chips[4].mmu.pg_alpha_exp, -2);
  EXPECT_NE(spec.chips[0].mmu.pg_alpha_exp, -2);
  const Topology topology = make_topology(spec.topology);
  EXPECT_EQ(name_of(topology, topology.cables[spec.failures[0].cable]), "plane0_leaf0.port2");
  EXPECT_EQ(name_of(topology, topology.cables[spec.failures[1].cable]), "plane1_leaf1.port4");
}

TEST(FabricPlanes, OtherNumbersOfPortsAreRefused) {
  EXPECT_NE(error_of(kTwoPlanes, "nic: {ports: 4}\n").find("has 2 planes, a port each"),
            std::string::npos);
  EXPECT_NE(error_of("type: single_switch, planes: 2, cages: [2x400G]").find("one plane"),
            std::string::npos);
  EXPECT_NE(error_of("type: single_switch, hosts: 2, planes: 5").find("1..4"), std::string::npos);
}

TEST(Losses, AreReadByCableAndDirection) {
  const FabricSpec spec = spec_of(
      "type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4, link: {loss: 1e-6}",
      "losses: [{link: leaf0.spine1, loss: 0.25}, {link: leaf1.port0, direction: in, loss: 1e-4, "
      "at: 1us, until: 2us}]\n");
  EXPECT_EQ(spec.link.loss, 1e-6);
  EXPECT_EQ(spec.host_link.loss, 1e-6);
  ASSERT_EQ(spec.losses.size(), 3u);
  EXPECT_NE(spec.losses[0].forward, spec.losses[1].forward);
  EXPECT_EQ(spec.losses[0].probability, 0.25);
  EXPECT_EQ(spec.losses[0].until, kNever);
  EXPECT_TRUE(spec.losses[2].forward) << "from the host, end a, to the leaf";
  EXPECT_EQ(spec.losses[2].at, 1_us);
  const std::string plain = "type: single_switch, hosts: 2";
  EXPECT_NE(error_of(plain, "losses: [{link: switch0.port0, loss: 1.5}]\n").find("0..1"),
            std::string::npos);
  EXPECT_NE(error_of(plain, "losses: [{link: switch0.port9, loss: 0.5}]\n").find("ports 0 to 1"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice
