// SPDX-License-Identifier: Apache-2.0
// A fabric's routes as prefixes in its chips, and the loops that bridges must not have.
// Leaves out: what packets do there (golden, system).
#include "fabric/install_routes.h"

#include <gtest/gtest.h>

#include "kernel/bridge/wheel_bridge.h"
#include "kernel/error.h"
#include "packet/addressing.h"
#include "support/fresh_systemc.h"

namespace sluice {
namespace {

Topology leaf_spine(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts) {
  return make_topology({.type = FabricType::kLeafSpine,
                        .leaves = leaves,
                        .spines = spines,
                        .hosts_per_leaf = hosts});
}

class InstallRoutes : public test::FreshSystemC {
 protected:
  std::unique_ptr<SwitchChip> chip_of(const Topology& topology, std::uint32_t chip, bool ipv6) {
    const BitsPerSecond rate{100'000'000'000};
    const std::vector<BitsPerSecond> rates(topology.chip_ports[chip], rate);
    auto made = std::make_unique<SwitchChip>(
        topology.chip_names[chip].c_str(),
        spectrum4(topology.chip_ports[chip], rate, Millimetres{30'000}), rates,
        ChipContext{wheel, packets, statistics, 1, chip, 0, topology.endpoints, ipv6});
    install_routes(topology, chip, ipv6, *made);
    return made;
  }

  EventWheel wheel;
  PacketPool packets;
  StatisticsRegistry statistics;
};

TEST_F(InstallRoutes, EveryChipSendsEveryEndpointWhereTheTopologySays) {
  const Topology topology = leaf_spine(3, 2, 5);
  for (const bool ipv6 : {false, true}) {
    for (std::uint32_t number = 0; number < topology.chips(); ++number) {
      const auto chip = chip_of(topology, number, ipv6);
      for (std::uint32_t endpoint = 0; endpoint < topology.endpoints; ++endpoint) {
        Packet packet;
        packet.destination = endpoint;
        packet.flow_hash = endpoint * 0x9e3779b9U;
        const auto ports = topology.next_ports(number, endpoint);
        const std::uint32_t out = chip->routes().pick(packet);
        EXPECT_NE(std::find(ports.begin(), ports.end(), out), ports.end());
        const auto found = ipv6 ? chip->fib().lookup_v6(ipv6_address_of(endpoint))
                                : chip->fib().lookup_v4(ipv4_address_of(endpoint));
        ASSERT_TRUE(found.has_value());
        if (ports.size() == 1) {
          EXPECT_EQ(*found, ports.front());
        }
      }
    }
  }
}

TEST_F(InstallRoutes, NeighboursWithTheSameNextPortsShareAPrefix) {
  // A spine has two leaves of 64 hosts: 10.0.0.0/26 and 10.0.0.64/26.
  const Topology topology = leaf_spine(2, 1, 64);
  const auto spine = chip_of(topology, 2, false);
  EXPECT_EQ(spine->fib().lpm_used(), 2u);
  EXPECT_EQ(spine->fib().host_used(), 0u);
  // A leaf has its 64 hosts and the other leaf's range.
  const auto leaf = chip_of(topology, 0, false);
  EXPECT_EQ(leaf->fib().lpm_used(), 1u);
  EXPECT_EQ(leaf->fib().host_used(), 64u);
}

std::vector<SwitchParams> bridges(const Topology& topology) {
  std::vector<SwitchParams> chips(topology.chips());
  for (SwitchParams& chip : chips) chip.forwarding.mode = ForwardingMode::kL2;
  return chips;
}

TEST(BridgeLoops, TwoSpinesCloseALoopAndAreRefused) {
  const Topology tree = leaf_spine(3, 1, 2);
  EXPECT_NO_THROW(refuse_bridge_loops(tree, bridges(tree)));
  const Topology looped = leaf_spine(3, 2, 2);
  try {
    refuse_bridge_loops(looped, bridges(looped));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("closes a loop"), std::string::npos);
  }
  // Routers in between end the loop.
  std::vector<SwitchParams> mixed = bridges(looped);
  mixed[4].forwarding.mode = ForwardingMode::kL3;  // spine1
  EXPECT_NO_THROW(refuse_bridge_loops(looped, mixed));
}

TEST(BridgeLoops, AHostWithTwoPortsOnABridgeIsRefused) {
  const Topology topology = make_topology({.hosts = 3, .nic_ports = 2});
  EXPECT_THROW(refuse_bridge_loops(topology, bridges(topology)), ConfigError);
}

}  // namespace
}  // namespace sluice
