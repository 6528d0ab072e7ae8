// SPDX-License-Identifier: Apache-2.0
// Golden section G15.1: the cells at which a real Tomahawk 5 sends XOFF, exhausts its headroom and
// drops in the public SONiC QoS tests, in a running chip made of the public figures. Nothing is
// tuned. The chip's wires run at one rate, as cells are counted one at a time; ports of other
// speeds differ by their profiles. Frequency offsets are off.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "golden/g15_chip.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kMargin = 2;  // cells, the tests' smallest

/// Ports of one speed: how many, and the `xoff` of their profile.
struct PortGroup {
  std::uint32_t count;
  std::uint64_t xoff_bytes;
};

struct Row {
  const char* id;
  const char* config;  ///< folder of the SONiC configuration
  std::uint64_t pool_bytes;
  std::uint64_t shp_bytes;
  std::uint64_t pg_min_bytes;
  std::uint64_t lossy_static_bytes;
  std::vector<PortGroup> groups;  ///< the one under test first
  std::uint32_t service_ports;    ///< without a lossless PG
  std::uint32_t egress_fifo_packets;
  std::vector<std::uint32_t> xoff;  ///< of the PGs of one slice, filled one after the other
  std::uint32_t drop;
  std::uint32_t headroom_of_one;
  std::uint32_t pgs;  ///< that share the slice's headroom
  std::uint32_t rest;
  std::uint32_t lossy_drop;

  std::uint32_t ports() const {
    std::uint32_t sum = service_ports;
    for (const PortGroup& group : groups) sum += group.count;
    return sum;
  }
};

/// Ports alternate between the slices, so that each slice has half of each group.
FabricSpec spec_of(const Row& row, std::uint32_t fifo_packets) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: 200Gbps, length: 5m}}}}
switch:
  preset: tomahawk5
  capacity: 60Tbps
  freq_offset_ppm: 0
  egress_fifo_cells: {}
  mmu:
    pool_bytes: {}B
    shared_headroom_bytes: {}B
    lossless_pgs: [3, 4]
    pg_min_bytes: {}B
    pg_alpha_exp: 0
    xoff_bytes: {}B
    xon_bytes: 0
    xon_offset_bytes: 3556B
    lossy_pg_static_bytes: {}B
    queue_min_bytes: 1778B
    lossy_alpha_exp: 0
nic: {{frequency_offset_ppm: 0}}
workload: {{type: raw, obey_pfc: false, pause_priorities: 24, pause_hosts: [{}]}}
)",
                                          row.ports(), fifo_packets, row.pool_bytes, row.shp_bytes,
                                          row.pg_min_bytes, row.groups[0].xoff_bytes,
                                          row.lossy_static_bytes, row.groups[0].count - 2));
  map_classes(spec.chips[0]);
  MmuParams& mmu = spec.chips[0].mmu;
  std::uint32_t port = 0;
  const auto override_port = [&](const PgProfile& profile) {
    for (const std::uint32_t pg : {3u, 4u}) mmu.pg_overrides.push_back({port, pg, profile});
  };
  for (std::size_t i = 0; i < row.groups.size(); ++i) {
    PgProfile profile = mmu.pg_default(3);
    profile.xoff = Bytes{row.groups[i].xoff_bytes};
    for (std::uint32_t k = 0; k < row.groups[i].count; ++k, ++port) {
      if (i != 0) override_port(profile);
    }
  }
  for (std::uint32_t k = 0; k < row.service_ports; ++k, ++port) override_port({});
  for (std::uint32_t k = 0; k < port; ++k) mmu.slice_map.push_back(k % 2);
  return spec;
}

/// The last port of the group under test in slice 0 is the closed one.
std::uint32_t egress_of(const Row& row) { return row.groups[0].count - 2; }

/// k-th lossless PG of slice 0 within the group under test: two a port.
GroupOfPort nth(std::uint32_t k) { return {k / 2 * 2, static_cast<std::uint8_t>(3 + k % 2)}; }

constexpr Ps kSettle = 1_us;

/// Runs `body` once the egress port is closed. A closed port's scheduler stands, so that the egress
/// FIFO stays empty and each packet is one that the MMU holds.
void with_closed_egress(const Row& row, std::uint32_t fifo_packets,
                        const std::function<void(RunningFabric&, Filler&)>& body) {
  const auto fabric = RunningFabric::of(spec_of(row, fifo_packets));
  Filler filler(*fabric, egress_of(row), kSettle);
  fabric->run_beside([&] {
    fabric->pass(10_us);
    body(*fabric, filler);
  });
}

void expect_xoff_and_drop(const Row& row) {
  with_closed_egress(row, row.egress_fifo_packets, [&](RunningFabric& fabric, Filler& filler) {
    EXPECT_EQ(filler.until_xoff(nth(0)), row.xoff[0]);
    EXPECT_EQ(fabric.chip(0).egress(0).tx_pfc_xoff_frames, 1u);
    EXPECT_EQ(fabric.raw(0).counters().xoff_received, 1u) << "a frame on the wire";
    const std::uint32_t drop = filler.until_drop(nth(0));
    EXPECT_NEAR(drop, row.drop, kMargin);
    testing::Test::RecordProperty("drop", std::to_string(drop));
  });
}

/// 14 cells below the limit, which rises by a cell for each one drained: 7 drained cells. Seen
/// without the FIFO, which would take hundreds of packets in one instant.
void expect_xon(const Row& row) {
  with_closed_egress(row, 0, [&](RunningFabric&, Filler& filler) {
    filler.until_xoff(nth(0));
    const std::uint32_t held = filler.drain_until_xon(nth(0), 0x18);
    EXPECT_EQ(row.xoff[0] - held, 7u);
  });
}

void expect_shared_headroom(const Row& row) {
  with_closed_egress(row, row.egress_fifo_packets, [&](RunningFabric& fabric, Filler& filler) {
    for (std::uint32_t k = 0; k < row.pgs; ++k) {
      const std::uint32_t xoff = filler.until_xoff(nth(k));
      if (k < row.xoff.size()) {
        EXPECT_EQ(xoff, row.xoff[k]) << "PG " << k + 1;
      }
    }
    for (std::uint32_t k = 0; k < row.pgs; ++k) {
      filler.until_drop(nth(k));
      const std::uint32_t expected = k + 1 < row.pgs ? row.headroom_of_one : row.rest;
      EXPECT_EQ(filler.usage(nth(k)).headroom, expected) << "PG " << k + 1;
    }
    const SliceUsage slice = fabric.chip(0).mmu().slice(0);
    EXPECT_EQ(slice.headroom, slice.headroom_limit);
  });
}

/// The two blockers sit in the other slice.
void expect_lossy_drop(const Row& row) {
  const LossyRun run{0, egress_of(row), {1, 3}, row.lossy_drop + 500};
  EXPECT_EQ(lossy_drop(spec_of(row, row.egress_fifo_packets), run), row.lossy_drop);
}

/// The public test of lt2-p32o64 drives 22 of the 24 PGs that the slice's headroom pool serves.
const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      {.id = "G15_t0_standalone_200g",
       .config = "t0-standalone_200g_5m",
       .pool_bytes = 165660324,
       .shp_bytes = 29520896,
       .pg_min_bytes = 18796,
       .lossy_static_bytes = 167546528,
       .groups = {{256, 300990}},
       .service_ports = 0,
       .egress_fifo_packets = 238,
       .xoff = {120117, 60096, 30085, 15079, 7577},
       .drop = 121302,
       .headroom_of_one = 1185,
       .pgs = 50,
       .rest = 47,
       .lossy_drop = 120051},
      {.id = "G15_ft2_64_800g",
       .config = "ft2-64_800g_5m",
       .pool_bytes = 164733224,
       .shp_bytes = 17962880,
       .pg_min_bytes = 8636,
       .lossy_static_bytes = 82434938,
       .groups = {{64, 724662}},
       .service_ports = 0,
       .egress_fifo_packets = 714,
       .xoff = {142285, 71159, 35597, 17815, 8925},
       .drop = 145139,
       .headroom_of_one = 2853,
       .pgs = 13,
       .rest = 1124,
       .lossy_drop = 142259},
      {.id = "G15_lt2_p32o64_800g",
       .config = "lt2-p32o64_800g_5m",
       .pool_bytes = 164619432,
       .shp_bytes = 33690560,
       .pg_min_bytes = 8636,
       .lossy_static_bytes = 82434938,
       .groups = {{32, 724662}, {64, 1136396}},
       .service_ports = 0,
       .egress_fifo_packets = 714,
       .xoff = {125589, 62811, 31423, 15728, 7881},
       .drop = 128443,
       .headroom_of_one = 2853,
       .pgs = 24,
       .rest = 701,
       .lossy_drop = 125563},
      {.id = "G15_t0_f2_d40u8_200g",
       .config = "t0-f2-d40u8_200g_5m",
       .pool_bytes = 163961572,
       .shp_bytes = 21279104,
       .pg_min_bytes = 8636,
       .lossy_static_bytes = 165364160,
       .groups = {{128, 224536}, {32, 830580}},
       .service_ports = 0,
       .egress_fifo_packets = 207,
       .xoff = {134949},
       .drop = 135834,
       .headroom_of_one = 884,
       .pgs = 48,
       .rest = 340,
       .lossy_drop = 134923},
      {.id = "G15_t0_f2_d40u8_800g",
       .config = "t0-f2-d40u8_800g_40m",
       .pool_bytes = 163961572,
       .shp_bytes = 21279104,
       .pg_min_bytes = 8636,
       .lossy_static_bytes = 165364160,
       .groups = {{32, 830580}, {128, 224536}},
       .service_ports = 0,
       .egress_fifo_packets = 207,
       .xoff = {134949},
       .drop = 138220,
       .headroom_of_one = 3270,
       .pgs = 13,
       .rest = 2648,
       .lossy_drop = 134923},
      {.id = "G15_t1_f2_d10u8_800g",
       .config = "t1-f2-d10u8_800g_300m",
       .pool_bytes = 147226020,
       .shp_bytes = 38843712,
       .pg_min_bytes = 8636,
       .lossy_static_bytes = 82434938,
       .groups = {{32, 1621536}, {64, 839216}},
       .service_ports = 0,
       .egress_fifo_packets = 714,
       .xoff = {103397},
       .drop = 109782,
       .headroom_of_one = 6384,
       .pgs = 12,
       .rest = 6240,
       .lossy_drop = 103371},
      {.id = "G15_t0_isolated_d96u32s2_400g",
       .config = "t0-isolated-d96u32s2_400g_5m",
       .pool_bytes = 164110924,
       .shp_bytes = 20181824,
       .pg_min_bytes = 18796,
       .lossy_static_bytes = 82434938,
       .groups = {{96, 393192}, {32, 445770}},
       .service_ports = 2,
       .egress_fifo_packets = 376,
       .xoff = {134725, 67400, 33737, 16905, 8490},
       .drop = 136274,
       .headroom_of_one = 1548,
       .pgs = 26,
       .rest = 1028,
       .lossy_drop = 134659},
      {.id = "G15_t1_isolated_d128_400g",
       .config = "t1-isolated-d128_400g_40m",
       .pool_bytes = 164505640,
       .shp_bytes = 22010624,
       .pg_min_bytes = 18796,
       .lossy_static_bytes = 82434938,
       .groups = {{128, 445770}},
       .service_ports = 0,
       .egress_fifo_packets = 376,
       .xoff = {133349, 66711, 33393, 16733, 8404},
       .drop = 135105,
       .headroom_of_one = 1755,
       .pgs = 25,
       .rest = 1208,
       .lossy_drop = 133283},
  };
  return kRows;
}

void PrintTo(const Row& row, std::ostream* out) { *out << row.id; }

class G15Tomahawk5 : public testing::TestWithParam<Row> {};

TEST_P(G15Tomahawk5, MeetsThePublicTest) {
  const Row& row = GetParam();
  expect_xoff_and_drop(row);
  expect_xon(row);
  expect_shared_headroom(row);
  expect_lossy_drop(row);
}

/// The inputs are those of the row's configuration in SONiC's form, none of ours.
TEST_P(G15Tomahawk5, TakesItsFiguresFromTheConfiguration) {
  const Row& row = GetParam();
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/../shared/corpus/sonic/g15/" + row.config +
                     "/config_db.json");
  if (!file) GTEST_SKIP() << "the corpus of SONiC configurations is absent";
  const nlohmann::json config = nlohmann::json::parse(file);
  const auto number = [](const nlohmann::json& text) {
    return std::stoull(text.get<std::string>());
  };
  const nlohmann::json& pool = config["BUFFER_POOL"]["ingress_lossless_pool"];
  EXPECT_EQ(number(pool["size"]), row.pool_bytes);
  EXPECT_EQ(number(pool["xoff"]), row.shp_bytes);
  const nlohmann::json& profiles = config["BUFFER_PROFILE"];
  EXPECT_EQ(number(profiles["ingress_lossy_profile"]["static_th"]), row.lossy_static_bytes);
  EXPECT_EQ(number(profiles["egress_lossy_profile"]["size"]), 1778u);
  EXPECT_EQ(config["PORT"].size(), row.ports());
  std::set<std::uint64_t> headrooms;
  for (const auto& [name, profile] : profiles.items()) {
    if (name.rfind("pg_lossless", 0) != 0) continue;
    EXPECT_EQ(number(profile["size"]), row.pg_min_bytes);
    EXPECT_EQ(number(profile["xon_offset"]), 3556u);
    headrooms.insert(number(profile["xoff"]));
  }
  std::set<std::uint64_t> typed;
  for (const PortGroup& group : row.groups) typed.insert(group.xoff_bytes);
  EXPECT_EQ(typed, headrooms);
}

INSTANTIATE_TEST_SUITE_P(Rows, G15Tomahawk5, testing::ValuesIn(rows()),
                         [](const testing::TestParamInfo<Row>& row) {
                           return std::string(row.param.id);
                         });
/// Packets past the scheduler are beyond PFC's reach: they leave after the port has been closed.
void expect_fifo_beyond_pause(std::uint64_t gbps, std::uint32_t packets) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 3, link: {{rate: {}Gbps, length: 5m}}}}
switch: {{preset: tomahawk5, freq_offset_ppm: 0}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  obey_pfc: false
  pause_priorities: 8
  pause_hosts: [2]
  pause_start: 20us
  streams:
    - {{source: 0, destination: 2, frame_bytes: 64, dscp: 26, priority: 3, stop: 40us}}
    - {{source: 1, destination: 2, frame_bytes: 64, dscp: 26, priority: 3, stop: 40us}}
)",
                                          gbps));
  ASSERT_EQ(spec.chips[0].egress_fifo_cells, packets);
  const auto fabric = RunningFabric::of(spec);
  fabric->run_beside([&] {
    const SwitchChip& chip = fabric->chip(0);
    ASSERT_TRUE(fabric->pass_until([&] { return chip.egress(2).paused != 0; }, 100_ps, 30_us));
    const std::uint32_t held = chip.egress(2).fifo_cells;
    EXPECT_NEAR(held, packets, 1) << "one may have begun to leave since";
    const auto on_wire = [&] {  // frames that have begun to leave
      return chip.queue(2, 3).tx_frames - chip.egress(2).fifo_cells;
    };
    const std::uint64_t before = on_wire();
    fabric->pass(100_us);
    EXPECT_EQ(chip.egress(2).fifo_cells, 0u);
    EXPECT_EQ(on_wire() - before, held);
    EXPECT_EQ(fabric->raw(2).received(26).frames, on_wire());
  });
}

TEST(G15EgressMemory, Leaves714PacketsAfterAPauseAt800G) { expect_fifo_beyond_pause(800, 714); }
TEST(G15EgressMemory, Leaves376PacketsAfterAPauseAt400G) { expect_fifo_beyond_pause(400, 376); }
TEST(G15EgressMemory, Leaves238PacketsAfterAPauseAt200G) { expect_fifo_beyond_pause(200, 238); }

}  // namespace
}  // namespace sluice::golden
