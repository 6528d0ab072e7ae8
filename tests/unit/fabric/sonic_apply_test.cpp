// SPDX-License-Identifier: Apache-2.0
// SONiC settings as parameters of a chip: pools, profiles of single ports, slices, maps, curves,
// schedulers and watchdogs; and the shared cells of a slice that public QoS tests imply (G15).
// Leaves out: packets (golden/g15_*).
#include <gtest/gtest.h>

#include "fabric/fabric_spec.h"
#include "fabric/sonic/apply_sonic.h"
#include "source_dir.h"
#include "switch/mmu/mmu_tables.h"
#include "unit/fabric/sonic_text.h"

namespace sluice::test {
namespace {

constexpr BitsPerSecond k400G{400'000'000'000};
const std::string kAllPorts = "Ethernet0,Ethernet4,Ethernet8,Ethernet12";

SwitchParams chip_of(const nlohmann::json& tables, std::uint32_t wired, bool spectrum = false) {
  const SonicConfig config = read(tables);
  SwitchParams chip = spectrum ? spectrum4(wired, k400G, Millimetres{5000})
                               : tomahawk5(wired, k400G, Millimetres{5000});
  apply_sonic(config, match_front_ports(config, std::vector<BitsPerSecond>(wired, k400G)), chip);
  return chip;
}

MmuTables tables_of(const SwitchParams& chip, std::uint32_t wired) {
  MmuGeometry geometry;
  geometry.ports = wired + chip.ports.unwired_ports;
  return resolve(chip.mmu, geometry);
}

TEST(SonicApply, PoolsProfilesAndSlicesAreThoseOfTheFile) {
  const SwitchParams chip = chip_of(small_switch(), 4);
  EXPECT_EQ(chip.mmu.pool_bytes, Bytes{100000000});
  EXPECT_EQ(chip.mmu.shared_headroom_bytes, Bytes{10000000});
  EXPECT_EQ(chip.mmu.lossless_pgs, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(chip.mmu.pg_min_bytes, Bytes{18796});
  EXPECT_EQ(chip.mmu.pg_alpha_exp, -1);
  EXPECT_EQ(chip.mmu.xoff_bytes, Bytes{445770});
  EXPECT_EQ(chip.mmu.xon_offset_bytes, Bytes{3556});
  EXPECT_EQ(chip.mmu.lossy_pg_static_bytes, Bytes{82434938});
  EXPECT_EQ(chip.mmu.queue_min_bytes, Bytes{1778});
  EXPECT_TRUE(chip.mmu.pg_overrides.empty());
  EXPECT_TRUE(chip.mmu.queue_overrides.empty());
  // Lanes 1 and 5 are of pipe 0, lanes 129 and 133 of pipe 4.
  EXPECT_EQ(chip.mmu.slice_map, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(chip.ports.first_lane, (std::vector<std::uint32_t>{1, 5, 129, 133}));
}

TEST(SonicApply, PortsWithoutACableStillReserveTheirMinima) {
  const std::uint32_t wired = 3;
  const SwitchParams chip = chip_of(small_switch(), wired);
  EXPECT_EQ(chip.ports.unwired_ports, 1u);
  const MmuTables few = tables_of(chip, wired);
  const MmuTables all = tables_of(chip_of(small_switch(), 4), 4);
  EXPECT_EQ(few.slices[0].shared, all.slices[0].shared);
  EXPECT_EQ(few.slices[1].shared, all.slices[1].shared);
  // floor(1e8 / 254) / 2 - 39370 / 2 - 2 x (2 x 74 + 10 x 7).
  EXPECT_EQ(all.slices[0].shared, 393700u / 2 - 39370u / 2 - 2 * 218);
}

TEST(SonicApply, APortThatDiffersHasItsOwnProfile) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_PG"] = {{"Ethernet0,Ethernet4,Ethernet8|3-4", {{"profile", "lossless"}}},
                         {"Ethernet12|3-4", {{"profile", "far"}}}};
  tables["BUFFER_PROFILE"]["far"] = tables["BUFFER_PROFILE"]["lossless"];
  tables["BUFFER_PROFILE"]["far"]["xoff"] = "1136396";
  const SwitchParams chip = chip_of(tables, 4);
  EXPECT_EQ(chip.mmu.xoff_bytes, Bytes{445770});
  ASSERT_EQ(chip.mmu.pg_overrides.size(), 2u);
  EXPECT_EQ(chip.mmu.pg_overrides[1].port, 3u);
  EXPECT_EQ(chip.mmu.pg_overrides[1].pg, 4u);
  EXPECT_EQ(chip.mmu.pg_overrides[1].profile.xoff, Bytes{1136396});
}

TEST(SonicApply, SpectrumCountsReservesBesideThePoolAndRoundsSizesUp) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_POOL"]["ingress_lossless_pool"] = {{"type", "ingress"}, {"size", "67737959"}};
  tables["BUFFER_PROFILE"]["lossless"] = {{"pool", "ingress_lossless_pool"},
                                          {"size", "250880"},
                                          {"xon", "19456"},
                                          {"xoff", "231424"},
                                          {"dynamic_th", "0"}};
  tables["BUFFER_PROFILE"]["port"] = {
      {"pool", "ingress_lossless_pool"}, {"size", "0"}, {"dynamic_th", "7"}};
  tables["BUFFER_PORT_INGRESS_PROFILE_LIST"][kAllPorts] = {{"profile_list", "port"}};
  SwitchParams chip = chip_of(tables, 4, true);
  EXPECT_FALSE(chip.mmu.reserves_in_pool);
  EXPECT_FALSE(chip.mmu.shp_in_pool);
  EXPECT_EQ(chip.mmu.hysteresis_cells, 1307 - 102 - 1206);
  EXPECT_TRUE(chip.mmu.port_alpha_enabled);
  EXPECT_EQ(chip.mmu.port_alpha_exp, 7);

  tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "60293120";
  tables["BUFFER_PROFILE"]["lossless"]["size"] = "19456";
  chip = chip_of(tables, 4, true);
  EXPECT_EQ(chip.mmu.hysteresis_cells, 0);
  EXPECT_FALSE(chip.mmu.port_alpha_enabled) << "headroom is shared";
}

TEST(SonicApply, PrivateHeadroomLiesInTheSizeOfTheProfile) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_POOL"]["ingress_lossless_pool"].erase("xoff");
  tables["BUFFER_PROFILE"]["lossless"]["size"] = "447040";
  const SwitchParams chip = chip_of(tables, 4);
  EXPECT_EQ(chip.mmu.shared_headroom_bytes, Bytes{0});
  EXPECT_EQ(chip.mmu.pg_min_bytes, Bytes{447040 - 445770});
}

TEST(SonicApply, QueuesHaveTheCurvesAndSchedulersOfTheirRows) {
  nlohmann::json tables = small_switch();
  tables["WRED_PROFILE"]["w"] = {{"ecn", "ecn_all"},
                                 {"wred_green_enable", "true"},
                                 {"green_min_threshold", "131072"},
                                 {"green_max_threshold", "262144"},
                                 {"green_drop_probability", "5"}};
  tables["SCHEDULER"] = {{"heavy", {{"type", "DWRR"}, {"weight", "70"}}},
                         {"first", {{"type", "STRICT"}, {"weight", "3"}}}};
  tables["QUEUE"] = {{kAllPorts + "|3-4", {{"wred_profile", "w"}, {"scheduler", "heavy"}}},
                     {"Ethernet12|6", {{"scheduler", "first"}}}};
  SwitchParams chip = chip_of(tables, 4);
  EXPECT_EQ(chip.ecn.kmin_bytes, Bytes{131072});
  EXPECT_EQ(chip.ecn.kmax_bytes, Bytes{262144});
  EXPECT_EQ(chip.ecn.pmax, 0.05);
  EXPECT_TRUE(chip.ecn.drop_not_ect);
  EXPECT_TRUE(chip.ports.curve_of_queue.empty()) << "every lossless queue, and no other";
  EXPECT_EQ(chip.scheduler.weights, (std::vector<std::uint32_t>{1, 1, 1, 70, 70, 1, 1, 1}));
  EXPECT_TRUE(chip.scheduler.strict_queues.empty());
  EXPECT_EQ(chip.ports.scheduler_of_port, (std::vector<std::uint16_t>{0, 0, 0, 1}));
  EXPECT_EQ(chip.ports.schedulers[0].strict_queues, (std::vector<std::uint32_t>{6}));

  tables["QUEUE"]["Ethernet0|0"] = {{"wred_profile", "w"}};
  chip = chip_of(tables, 4);
  ASSERT_EQ(chip.ports.curve_of_queue.size(), 32u);
  EXPECT_EQ(chip.ports.curve_of_queue[0], 1u);
  EXPECT_EQ(chip.ports.curve_of_queue[1], 0u);
  EXPECT_EQ(chip.ports.curve_of_queue[3], 1u);
}

TEST(SonicApply, ACurveThatNoRowBindsMarksLosslessQueuesAndDropsNothing) {
  nlohmann::json tables = small_switch();
  tables["WRED_PROFILE"]["w"] = {{"ecn", "ecn_all"},
                                 {"wred_green_enable", "true"},
                                 {"green_min_threshold", "131072"},
                                 {"green_max_threshold", "262144"},
                                 {"green_drop_probability", "5"}};
  const SwitchParams chip = chip_of(tables, 4);
  EXPECT_TRUE(chip.ecn.enabled);
  EXPECT_EQ(chip.ecn.kmax_bytes, Bytes{262144});
  EXPECT_FALSE(chip.ecn.drop_not_ect);
  EXPECT_TRUE(chip.ports.curve_of_queue.empty());
}

TEST(SonicApply, MapsAndWatchdogsOfPortsThatDifferStandApart) {
  nlohmann::json tables = small_switch();
  tables["DSCP_TO_TC_MAP"] = {{"A", {{"3", "3"}}}, {"B", {{"5", "5"}}}};
  tables["PORT_QOS_MAP"] = {
      {"Ethernet0,Ethernet4,Ethernet8", {{"dscp_to_tc_map", "A"}, {"pfc_enable", "3,4"}}},
      {"Ethernet12", {{"dscp_to_tc_map", "B"}, {"pfc_enable", "3,4"}}}};
  tables["PFC_WD"] = {
      {"GLOBAL", {{"POLL_INTERVAL", "100"}}},
      {"Ethernet0,Ethernet4,Ethernet8",
       {{"action", "forward"}, {"detection_time", "200"}, {"restoration_time", "400"}}}};
  const SwitchParams chip = chip_of(tables, 4);
  EXPECT_EQ(chip.qos.dscp_to_tc[3], 3u);
  EXPECT_EQ(chip.qos.dscp_to_tc[26], 0u) << "a DSCP that the map leaves out";
  EXPECT_EQ(chip.ports.maps_of_port, (std::vector<std::uint16_t>{0, 0, 0, 1}));
  EXPECT_EQ(chip.ports.maps[0].dscp_to_tc[5], 5u);
  EXPECT_TRUE(chip.watchdog.enabled);
  EXPECT_EQ(chip.watchdog.action, WatchdogAction::kForward);
  EXPECT_EQ(chip.watchdog.poll_interval, Ps{100'000'000'000});
  EXPECT_EQ(chip.watchdog.restoration_time, Ps{400'000'000'000});
  EXPECT_EQ(chip.ports.watchdog_of_port, (std::vector<std::uint16_t>{0, 0, 0, 1}));
  EXPECT_FALSE(chip.ports.watchdogs[0].enabled);
}

TEST(SonicApply, KeysOfTheFabricFileWinOnEveryPort) {
  const Scratch scratch;
  nlohmann::json tables = small_switch();
  tables["BUFFER_PG"] = {{"Ethernet0,Ethernet4,Ethernet8|3-4", {{"profile", "lossless"}}},
                         {"Ethernet12|3-4", {{"profile", "far"}}}};
  tables["BUFFER_PROFILE"]["far"] = tables["BUFFER_PROFILE"]["lossless"];
  tables["BUFFER_PROFILE"]["far"]["xoff"] = "1136396";
  const std::string path = scratch.write("config_db.json", tables.dump()).string();
  const FabricSpec spec = read_fabric(ConfigTree::parse(
      fmt::format("fabric: {{type: single_switch, hosts: 4, link: {{rate: 400Gbps}}}}\n"
                  "switch: {{preset: tomahawk5, sonic: ['{}'], mmu: {{xoff_bytes: 500kB}}}}\n",
                  path),
      "fabric.yaml"));
  const MmuParams& mmu = spec.chips[0].mmu;
  EXPECT_EQ(mmu.pool_bytes, Bytes{100000000});
  EXPECT_EQ(mmu.xoff_bytes, Bytes{500000});
  ASSERT_EQ(mmu.pg_overrides.size(), 2u);
  EXPECT_EQ(mmu.pg_overrides[0].profile.xoff, Bytes{500000});
}

TEST(SonicApply, APoolBeyondTheChipsMemoryIsNamed) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "6441610000";
  try {
    chip_of(tables, 4);
    ADD_FAILURE() << "taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("size '6441610000': 25360669 cells"),
              std::string::npos)
        << error.what();
  }
}

/// Rows of the public tests: shared cells of each slice, and its part of the shared headroom.
struct SliceRow {
  const char* folder;
  std::uint32_t shared;
  std::uint64_t shp_bytes;
};

TEST(SonicG15, EachSliceHasTheCellsOfThePublicTests) {
  constexpr SliceRow kRows[] = {{"ft2-64_800g_5m", 284502, 17962880},
                                {"lt2-p32o64_800g_5m", 251110, 33690560},
                                {"t1-isolated-d128_400g_40m", 266550, 22010624},
                                {"t0-standalone_200g_5m", 240087, 29520896},
                                {"t0-f2-d40u8_200g_5m", 269831, 21279104},
                                {"t0-f2-d40u8_800g_40m", 269831, 21279104},
                                {"t1-f2-d10u8_800g_300m", 206727, 38843712},
                                {"t0-isolated-d96u32s2_400g_5m", 269303, 20181824}};
  const std::filesystem::path corpus =
      std::filesystem::path(SLUICE_SOURCE_DIR) / "../shared/corpus/sonic/g15";
  if (!std::filesystem::exists(corpus)) {
    GTEST_SKIP() << "the corpus of SONiC configurations is absent";
  }
  for (const SliceRow& row : kRows) {
    const SonicConfig config = read_sonic({corpus / row.folder});
    SwitchParams chip = tomahawk5(0, k400G, Millimetres{5000});
    apply_sonic(config, {}, chip);  // no port wired: all of them reserve
    const MmuTables tables = tables_of(chip, 0);
    for (const SliceLimits& slice : tables.slices) {
      EXPECT_EQ(slice.shared, row.shared) << row.folder;
      EXPECT_EQ(slice.headroom, row.shp_bytes / 254 / 2) << row.folder;
    }
  }
}

TEST(SonicG15, OurOwnFileHasTheFiguresOfThePublicProfile) {
  const SonicConfig config =
      read_sonic({std::filesystem::path(SLUICE_SOURCE_DIR) / "testbenches/fabrics/th5-sonic"});
  EXPECT_EQ(config.notes, std::vector<std::string>{});
  SwitchParams chip = tomahawk5(128, k400G, Millimetres{150'000});
  apply_sonic(config, match_front_ports(config, std::vector<BitsPerSecond>(128, k400G)), chip);
  const MmuTables tables = tables_of(chip, 128);
  EXPECT_EQ(tables.pool_cells, 652206u);
  EXPECT_EQ(tables.slices[0].headroom, 115840u / 2);
  EXPECT_EQ(tables.slices[1].headroom, 115840u / 2);
  EXPECT_EQ(tables.slices[0].headroom / (612140 / 254), 24u) << "PGs in full headroom at once";
  EXPECT_EQ(std::count(chip.mmu.slice_map.begin(), chip.mmu.slice_map.end(), 0u), 64);
}

}  // namespace
}  // namespace sluice::test
