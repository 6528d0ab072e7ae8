// SPDX-License-Identifier: Apache-2.0
// A fabric file read into parameters: presets and what is written on top, chips that differ, rates
// that follow each other, and refusals with line and nearest name.
// Leaves out: running it (unit/study) and the reader's own rules (unit/config).
#include "fabric/fabric_spec.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice {
namespace {

FabricSpec read(const std::string& yaml) {
  return read_fabric(ConfigTree::parse(yaml, "fabric.yaml"));
}

void refused(const std::string& yaml, const std::vector<std::string>& parts) {
  try {
    read(yaml);
    ADD_FAILURE() << "taken:\n" << yaml;
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
    }
  }
}

const std::string kLeafSpine =
    "fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 800Gbps}}\n";

TEST(FabricSpec, ChipsByNameDifferInWhatIsWrittenAndNothingElse) {
  const FabricSpec spec = read(kLeafSpine + R"(
switch: {preset: spectrum4, mmu: {pg_alpha_exp: -1}, ecn: {pmax: 0.5}}
chips: {leaf1: {mmu: {pg_alpha_exp: -2}}, spine0: {preset: tomahawk5}}
)");
  ASSERT_EQ(spec.chips.size(), 4u);
  EXPECT_EQ(spec.chips[0].mmu.pg_alpha_exp, -1);
  EXPECT_EQ(spec.chips[1].mmu.pg_alpha_exp, -2);
  EXPECT_EQ(spec.chips[1].ecn.pmax, 0.5);
  EXPECT_EQ(spec.chips[1].mmu.cell_bytes, 192u);
  EXPECT_EQ(spec.chips[2].mmu.cell_bytes, 254u);
  EXPECT_EQ(spec.chips[2].mmu.pg_alpha_exp, -1) << "what `switch` says stands on any preset";
  EXPECT_EQ(spec.chips[3].mmu.cell_bytes, 192u);
}

TEST(FabricSpec, AChipThatIsNotThereHasANearestName) {
  refused(kLeafSpine + "chips:\n  leef1: {mmu: {pg_alpha_exp: -2}}\n",
          {"fabric.yaml:3", "chips.leef1", "did you mean 'leaf1'?"});
}

TEST(FabricSpec, EverySectionRefusesAKeyItDoesNotKnowWithItsLine) {
  for (const char* section : {"switch", "nic", "host", "placement", "workload"}) {
    refused(fmt::format("{}{}:\n  frobnicate: 3\n", kLeafSpine, section),
            {"fabric.yaml:3", fmt::format("{}.frobnicate", section), "unknown key"});
  }
  refused("fabric:\n  type: single_switch\n  hosts: 4\n  frobnicate: 3\n",
          {"fabric.yaml:4", "fabric.frobnicate", "unknown key"});
  refused("fabric:\n  type: single_switch\n  hosts: 4\n  link: {frobnicate: 3}\n",
          {"fabric.yaml:4", "fabric.link.frobnicate", "unknown key"});
  refused(kLeafSpine + "chips:\n  leaf0:\n    frobnicate: 3\n",
          {"fabric.yaml:4", "chips.leaf0.frobnicate", "unknown key"});
  refused(kLeafSpine + "frobnicate: 3\n", {"fabric.yaml:2", "frobnicate", "unknown key"});
}

TEST(FabricSpec, AWorkloadRefusesKeysThatItsTypeDoesNotUse) {
  refused(kLeafSpine + "workload: {type: permutation, dst: 3}\n",
          {"fabric.yaml:2", "workload.dst", "has no effect with type permutation"});
  refused(kLeafSpine + "workload: {type: incast, ranks: 3}\n", {"workload.ranks", "type incast"});
  EXPECT_NO_THROW(read(kLeafSpine + "workload: {type: all_reduce, ranks: 3, repeat: 2}\n"));
}

TEST(FabricSpec, ItsHashFollowsEffectiveValuesAndNotHowTheyAreWritten) {
  const std::string host = "workload: {type: incast, bytes: 1MiB}\n";
  const auto hash = [&](const std::string& more) {
    return read(kLeafSpine + host + more).config_hash;
  };
  EXPECT_EQ(hash("switch: {ecn: {kmin_bytes: 800KB}}\n"),
            hash("switch: {ecn: {kmin_bytes: 800000B}}\n"));
  EXPECT_EQ(hash(""), hash("switch: {preset: spectrum4}\n")) << "the default, written out";
  EXPECT_NE(hash(""), hash("switch: {ecn: {kmin_bytes: 801KB}}\n"));
  EXPECT_NE(hash(""), hash("chips: {spine1: {pfc: {quanta: 100}}}\n"));
  EXPECT_NE(hash(""), hash("placement: {ranks: random}\n"));
}

TEST(FabricSpec, ASlipOfThePenIsAnsweredWithTheRightName) {
  refused(kLeafSpine + "swich: {preset: spectrum4}\n", {"fabric.yaml:2", "did you mean 'switch'"});
  refused(kLeafSpine + "switch: {mmu: {pg_alfa_exp: 1}}\n", {"did you mean 'pg_alpha_exp'"});
  refused("fabric: {type: leaf_spin}\n", {"fabric.yaml:1", "leaf_spine"});
  refused(kLeafSpine + "nic: {preset: cx9}\n", {"cx8"});
}

TEST(FabricSpec, KeysOfTheOtherTopologyAreRefused) {
  refused("fabric: {type: single_switch, hosts: 4, leaves: 2}\n", {"fabric.leaves"});
  refused("fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2, hosts: 4}\n",
          {"fabric.hosts"});
  refused("fabric: {type: leaf_spine, leaves: 2, spines: 2}\n", {"fabric.hosts_per_leaf"});
  refused("fabric: {type: single_switch, hosts: 0}\n", {"fabric.hosts", "0"});
}

TEST(FabricSpec, ANicWithTwoPortsSharesTheRateOfTheLink) {
  const FabricSpec spec = read(
      "fabric: {type: single_switch, hosts: 4, link: {rate: 800Gbps}}\n"
      "nic: {ports: 2}\n");
  EXPECT_EQ(spec.nic.port_rate, BitsPerSecond{400'000'000'000});
  EXPECT_EQ(spec.host_link.rate, BitsPerSecond{400'000'000'000});
  EXPECT_EQ(spec.topology.nic_ports, 2u);
  // The chip's thresholds are those of its ports.
  EXPECT_EQ(spec.chips[0].ecn.kmin_bytes, Bytes{400'000});
}

TEST(FabricSpec, HostLinksFollowTheNicAndTheRestTheFabric) {
  const FabricSpec spec = read(R"(
fabric:
  type: leaf_spine
  leaves: 2
  spines: 2
  hosts_per_leaf: 2
  link: {rate: 800Gbps, length: 100m}
  host_link: {length: 3m}
nic: {port_rate: 400Gbps}
)");
  EXPECT_EQ(spec.link.rate, BitsPerSecond{800'000'000'000});
  EXPECT_EQ(spec.link.length, Millimetres{100'000});
  EXPECT_EQ(spec.host_link.rate, BitsPerSecond{400'000'000'000});
  EXPECT_EQ(spec.host_link.length, Millimetres{3'000});
}

TEST(FabricSpec, ACableHasOneRate) {
  refused(R"(
fabric:
  type: single_switch
  hosts: 2
  host_link: {rate: 200Gbps}
nic: {port_rate: 400Gbps}
)",
          {"fabric.yaml:5", "fabric.host_link", "nic.port_rate"});
}

TEST(FabricSpec, RatesAreWholeGigabits) {
  refused("fabric: {type: single_switch, hosts: 2, link: {rate: 400.5Gbps}}\n",
          {"fabric.yaml:1", "fabric.link.rate:"});
}

TEST(FabricSpec, MapsOfClassesAreCheckedAtTheirLine) {
  refused(kLeafSpine + "switch:\n  dscp_to_tc: [0, 1]\n",
          {"fabric.yaml:3", "switch.dscp_to_tc: 2 entries, expected 64"});
}

TEST(FabricSpec, PlacementIsAModeOrAFile) {
  EXPECT_EQ(read(kLeafSpine).placement.mode, PlacementMode::kLinear);
  const PlacementParams random =
      read(kLeafSpine + "placement: {ranks: random, seed: 7}\n").placement;
  EXPECT_EQ(random.mode, PlacementMode::kRandom);
  EXPECT_EQ(random.seed, 7u);
  const PlacementParams file = read(kLeafSpine + "placement: {ranks: hosts.txt}\n").placement;
  EXPECT_EQ(file.mode, PlacementMode::kFile);
  EXPECT_EQ(file.file, "hosts.txt");
}

TEST(FabricSpec, TheHashOfAConfigurationFollowsItsValues) {
  const std::uint64_t plain = read(kLeafSpine).config_hash;
  EXPECT_EQ(read("# with a comment\n" + kLeafSpine).config_hash, plain);
  EXPECT_NE(read(kLeafSpine + "nic: {mtu_bytes: 1024}\n").config_hash, plain);
}

TEST(FabricSpec, RawStreamsNameHostsThatExist) {
  const std::string raw = "fabric: {type: single_switch, hosts: 4}\nworkload:\n  type: raw\n";
  refused(raw + "  streams: [{source: 4, destination: 0}]\n", {"fabric.yaml:4", "source"});
  refused(raw + "  streams: [{source: 0, destination: 4}]\n", {"fabric.yaml:4", "destination"});
  refused(raw + "  pause_hosts: [4]\n", {"fabric.yaml:4", "pause_hosts"});
  refused("fabric: {type: single_switch, hosts: 4}\nnic: {ports: 2}\nworkload:\n  type: raw\n",
          {"nic.ports"});
}

TEST(FabricSpec, CopiesOfARawStreamComeFromTheNextHosts) {
  const std::string raw = "fabric: {type: single_switch, hosts: 4}\nworkload:\n  type: raw\n";
  const FabricSpec spec =
      read(raw + "  streams: [{source: 1, destination: 0, frames: 7, copies: 3}]\n");
  EXPECT_EQ(spec.raw.sources, (std::vector<std::uint32_t>{1, 2, 3}));
  ASSERT_EQ(spec.raw.streams.size(), 3u);
  for (const RawStream& stream : spec.raw.streams) {
    EXPECT_EQ(stream.destination, 0u);
    EXPECT_EQ(stream.frames, 7u);
  }
  const FabricSpec ring =
      read(raw + "  streams: [{source: 0, destination: 3, copies: 4, destination_step: 3}]\n");
  std::vector<std::uint32_t> destinations;
  for (const RawStream& stream : ring.raw.streams) destinations.push_back(stream.destination);
  EXPECT_EQ(destinations, (std::vector<std::uint32_t>{3, 2, 1, 0}));
  refused(raw + "  streams: [{source: 1, destination: 0, destination_step: 1}]\n",
          {"fabric.yaml:4", "destination_step"});
  refused(raw + "  streams: [{source: 1, destination: 0, copies: 4}]\n",
          {"fabric.yaml:4", "copies"});
}

}  // namespace
}  // namespace sluice
