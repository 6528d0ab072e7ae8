// SPDX-License-Identifier: Apache-2.0
// Breakouts of OSFP cages: ports, lanes, and what a chip cannot wire; chips built from them.
// Leaves out: traffic over ports of different speeds (unit/study/mixed_speeds_test.cpp).
#include "fabric/cages.h"

#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr BitsPerSecond gigabits(std::uint64_t n) { return BitsPerSecond{n * 1'000'000'000}; }

FabricSpec read(const std::string& yaml) {
  return read_fabric(ConfigTree::parse(yaml, "fabric.yaml"));
}

FabricSpec cages(const std::string& list, const std::string& more = "") {
  return read("fabric: {type: single_switch, cages: [" + list + "]}\n" + more);
}

void refused(const std::string& yaml, const std::vector<std::string>& parts) {
  try {
    read(yaml);
    ADD_FAILURE() << "taken:\n" << yaml;
  } catch (const ConfigError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no \"" << part << "\" in: " << error.what();
    }
  }
}

TEST(Cages, AFullChipHas64Or128Or256Ports) {
  const struct {
    const char* cages;
    std::uint32_t ports;
    BitsPerSecond rate;
    std::uint32_t lanes;
  } modes[] = {{"'64 * 1x800G'", 64, gigabits(800), 8},
               {"'64 * 2x400G'", 128, gigabits(400), 4},
               {"'64 * 4x200G'", 256, gigabits(200), 2}};
  for (const char* preset : {"spectrum4", "tomahawk5"}) {
    for (const auto& mode : modes) {
      const FabricSpec spec = cages(mode.cages, fmt::format("switch: {{preset: {}}}\n", preset));
      EXPECT_EQ(spec.topology.hosts, mode.ports);
      EXPECT_EQ(spec.host_rates, std::vector<BitsPerSecond>(mode.ports, mode.rate));
      const std::vector<std::uint32_t>& lanes = spec.chips[0].ports.first_lane;
      ASSERT_EQ(lanes.size(), mode.ports);
      for (std::uint32_t port = 0; port < mode.ports; ++port) {
        EXPECT_EQ(lanes[port], port * mode.lanes + 1);
      }
      EXPECT_TRUE(spec.chips[0].mmu.pg_overrides.empty()) << "ports alike need no overrides";
    }
  }
}

TEST(Cages, Tomahawk4Wires64PortsOf400GOverLanesOf50G) {
  const FabricSpec spec = cages("'64 * 1x400G'", "switch: {preset: tomahawk4}\n");
  EXPECT_EQ(spec.topology.hosts, 64u);
  EXPECT_EQ(spec.chips[0].ports.first_lane[63], 63u * 8 + 1);
  EXPECT_EQ(spec.chips[0].latency.total(), 825_ns);
  refused("fabric: {type: single_switch, cages: ['2x400G']}\nswitch: {preset: tomahawk4}\n",
          {"fabric.yaml:1", "fabric.cages", "2x400G needs 16 lanes of 50G", "8"});
  refused("fabric: {type: single_switch, cages: ['1x800G']}\nswitch: {preset: tomahawk4}\n",
          {"400 Gb/s"});
}

TEST(Cages, MixedBreakoutsKeepTheLanesOfTheirCages) {
  const FabricSpec spec = cages("1x800G, 2x400G, 4x200G, 1x400G, 8x100G");
  EXPECT_EQ(spec.host_rates, (std::vector<BitsPerSecond>{
                                 gigabits(800), gigabits(400), gigabits(400), gigabits(200),
                                 gigabits(200), gigabits(200), gigabits(200), gigabits(400),
                                 gigabits(100), gigabits(100), gigabits(100), gigabits(100),
                                 gigabits(100), gigabits(100), gigabits(100), gigabits(100)}));
  EXPECT_EQ(
      spec.chips[0].ports.first_lane,
      (std::vector<std::uint32_t>{1, 9, 13, 17, 19, 21, 23, 25, 33, 34, 35, 36, 37, 38, 39, 40}));
  EXPECT_EQ(spec.nic_of(0).port_rate, gigabits(800));
  EXPECT_EQ(spec.nic_of(15).port_rate, gigabits(100));
}

TEST(Cages, SlowerPortsHaveTheHeadroomAndTheCurveOfTheirRate) {
  // SN5600 profile table, 5 m: 800G and 400G headroom as published.
  const std::string length =
      "fabric: {type: single_switch, cages: [1x800G, 2x400G], link: {length: 5m}}\n";
  const FabricSpec spec = read(length);
  const MmuParams& mmu = spec.chips[0].mmu;
  EXPECT_EQ(mmu.xoff_bytes,
            switch_preset("spectrum4", 3, gigabits(800), Millimetres{5000}).mmu.xoff_bytes);
  ASSERT_EQ(mmu.pg_overrides.size(), 2u);
  for (const PgOverride& pg : mmu.pg_overrides) {
    EXPECT_EQ(pg.profile.xoff,
              switch_preset("spectrum4", 3, gigabits(400), Millimetres{5000}).mmu.xoff_bytes);
    EXPECT_EQ(pg.profile.xon, Bytes{19456});  // SONiC; doubled on 800G
  }
  const PortSettings& ports = spec.chips[0].ports;
  ASSERT_EQ(ports.curve_of_queue.size(), 24u);
  EXPECT_EQ(ports.curves[ports.curve_of_queue[3] - 1].kmin_bytes, Bytes{800'000});
  EXPECT_EQ(ports.curves[ports.curve_of_queue[8 + 3] - 1].kmin_bytes, Bytes{400'000});
  EXPECT_EQ(ports.curve_of_queue[8 + 2], 0u) << "lossy queues are not marked";
  // What the file says holds for every port.
  const FabricSpec own =
      read(length + "switch: {mmu: {xoff_bytes: 100KB, xon_bytes: 5KB}, ecn: {enabled: false}}\n");
  for (const PgOverride& pg : own.chips[0].mmu.pg_overrides) {
    EXPECT_EQ(pg.profile.xoff, Bytes{100'000});
  }
  EXPECT_TRUE(own.chips[0].ports.curves.empty());
}

TEST(Cages, WhatDoesNotFitIsRefusedWithItsLine) {
  const std::string start = "fabric: {type: single_switch, cages: [";
  refused(start + "3x400G]}\n", {"fabric.yaml:1", "fabric.cages", "3x400G needs 12 lanes", "8"});
  refused(start + "'65 * 1x800G']}\n", {"fabric.cages", "65 cages need 520 lanes", "512"});
  refused(start + "'64 * 8x100G']}\n", {"fabric.cages", "512 ports", "256"});
  for (const char* bad :
       {"800G", "1x800", "1 x 800G", "0x800G", "x", "'* 1x800G'", "'0 * 1x800G'", "1x-4G"}) {
    refused(start + bad + "]}\n", {"fabric.yaml:1", "fabric.cages", "expected a breakout"});
  }
  refused(start + "1x800G], hosts: 2}\n", {"fabric.hosts", "1 ports"});
  refused(start + "1x800G], link: {rate: 400Gbps}}\n", {"fabric.link.rate", "no effect"});
  refused(start + "1x800G]}\nnic: {port_rate: 400Gbps}\n", {"nic.port_rate", "no effect"});
  refused(start + "1x800G]}\nnic: {ports: 2}\n", {"nic.ports", "one port"});
}

}  // namespace
}  // namespace sluice
