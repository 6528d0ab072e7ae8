// SPDX-License-Identifier: Apache-2.0
// Golden section G15.1: the cells at which a real Tomahawk 5 sends XOFF, exhausts its headroom and
// drops in the public SONiC QoS tests, in a running chip made of the row's SONiC configuration
// alone. Nothing is tuned. The fabric wires the ports of the speed under test; the file's others
// reserve their minima. Frequency offsets are off.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "fabric/sonic/apply_sonic.h"
#include "golden/g15_chip.h"
#include "source_dir.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kMargin = 2;  // cells, the tests' smallest

/// What the public test expects.
struct Row {
  const char* id;
  const char* config;  ///< folder of the SONiC configuration
  std::uint64_t gbps;  ///< of the ports under test
  const char* cable;
  std::vector<std::uint32_t> xoff;  ///< of the PGs of one slice, filled one after the other
  std::uint32_t drop;
  std::uint32_t headroom_of_one;
  std::uint32_t pgs;  ///< that share the slice's headroom
  std::uint32_t rest;
  std::uint32_t lossy_drop;
  std::uint32_t pg_min;

  std::string path() const {
    return std::string(SLUICE_SOURCE_DIR) + "/../shared/corpus/sonic/g15/" + config;
  }
};

/// The fabric of a row, and which of its ports do what.
struct Setup {
  FabricSpec spec;
  std::vector<std::uint32_t> tested;  ///< of slice 0, with the cable under test
  std::uint32_t egress = 0;           ///< the closed one, likewise
  std::vector<std::uint32_t> others;  ///< of slice 1

  /// k-th lossless PG of slice 0: two a port.
  GroupOfPort nth(std::uint32_t k) const {
    return {tested[k / 2], static_cast<std::uint8_t>(3 + k % 2)};
  }
};

/// `fifo`: with the chip's egress FIFO or, to see single packets leave, without.
Setup setup_of(const Row& row, bool fifo) {
  const SonicConfig config = read_sonic({row.path()});
  std::vector<BitsPerSecond> rates;
  for (const SonicPort& port : config.ports) {
    if (port.speed_mbps == row.gbps * 1000)
      rates.push_back(BitsPerSecond{row.gbps * 1'000'000'000});
  }
  const std::vector<std::size_t> front = match_front_ports(config, rates);
  const auto yaml = [&](std::uint32_t closed) {
    return fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: {}Gbps, length: 5m}}}}
switch: {{preset: tomahawk5, sonic: '{}', freq_offset_ppm: 0{}}}
nic: {{frequency_offset_ppm: 0}}
workload: {{type: raw, obey_pfc: false, pause_priorities: 24, pause_hosts: [{}]}}
)",
                       rates.size(), row.gbps, row.path(), fifo ? "" : ", egress_fifo_cells: 0",
                       closed);
  };
  Setup setup;
  const FabricSpec first = fabric_of(yaml(0));
  for (std::uint32_t port = 0; port < front.size(); ++port) {
    if (first.chips[0].mmu.slice_map[port] == 1) {
      setup.others.push_back(port);
    } else if (config.ports[front[port]].cable == row.cable) {
      setup.tested.push_back(port);
    }
  }
  setup.egress = setup.tested.back();
  setup.tested.pop_back();
  setup.spec = fabric_of(yaml(setup.egress));
  map_classes(setup.spec.chips[0]);
  return setup;
}

constexpr Ps kSettle = 1_us;

/// Runs `body` once the egress port is closed. A closed port's scheduler stands, so that the egress
/// FIFO stays empty and each packet is one that the MMU holds.
void with_closed_egress(const Row& row, bool fifo,
                        const std::function<void(const Setup&, RunningFabric&, Filler&)>& body) {
  const Setup setup = setup_of(row, fifo);
  const auto fabric = RunningFabric::of(setup.spec);
  Filler filler(*fabric, setup.egress, kSettle);
  fabric->run_beside([&] {
    fabric->pass(10_us);
    body(setup, *fabric, filler);
  });
}

void expect_xoff_and_drop(const Row& row) {
  with_closed_egress(row, true, [&](const Setup& setup, RunningFabric& fabric, Filler& filler) {
    const GroupOfPort group = setup.nth(0);
    EXPECT_EQ(filler.until_xoff(group), row.xoff[0]);
    EXPECT_EQ(filler.usage(group).min, row.pg_min);
    EXPECT_EQ(fabric.chip(0).egress(group.port).tx_pfc_xoff_frames, 1u);
    EXPECT_EQ(fabric.raw(group.port).counters().xoff_received, 1u) << "a frame on the wire";
    const std::uint32_t drop = filler.until_drop(group);
    EXPECT_NEAR(drop, row.drop, kMargin);
    testing::Test::RecordProperty("drop", std::to_string(drop));
  });
}

/// 14 cells below the limit, which rises by a cell for each one drained: 7 drained cells. Seen
/// without the FIFO, which would take hundreds of packets in one instant.
void expect_xon(const Row& row) {
  with_closed_egress(row, false, [&](const Setup& setup, RunningFabric&, Filler& filler) {
    filler.until_xoff(setup.nth(0));
    const std::uint32_t held = filler.drain_until_xon(setup.nth(0), 0x18);
    EXPECT_EQ(row.xoff[0] - held, 7u);
  });
}

void expect_shared_headroom(const Row& row) {
  with_closed_egress(row, true, [&](const Setup& setup, RunningFabric& fabric, Filler& filler) {
    ASSERT_GE(setup.tested.size(), (row.pgs + 1) / 2);
    for (std::uint32_t k = 0; k < row.pgs; ++k) {
      const std::uint32_t xoff = filler.until_xoff(setup.nth(k));
      if (k < row.xoff.size()) {
        EXPECT_EQ(xoff, row.xoff[k]) << "PG " << k + 1;
      }
    }
    for (std::uint32_t k = 0; k < row.pgs; ++k) {
      filler.until_drop(setup.nth(k));
      const std::uint32_t expected = k + 1 < row.pgs ? row.headroom_of_one : row.rest;
      EXPECT_EQ(filler.usage(setup.nth(k)).headroom, expected) << "PG " << k + 1;
    }
    const SliceUsage slice = fabric.chip(0).mmu().slice(0);
    EXPECT_EQ(slice.headroom, slice.headroom_limit);
  });
}

/// The two blockers sit in the other slice.
void expect_lossy_drop(const Row& row) {
  const Setup setup = setup_of(row, true);
  const LossyRun run{
      setup.tested[0], setup.egress, {setup.others[0], setup.others[1]}, row.lossy_drop + 500};
  EXPECT_EQ(lossy_drop(setup.spec, run), row.lossy_drop);
}

/// The public test of lt2-p32o64 drives 22 of the 24 PGs that the slice's headroom pool serves.
const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      {"G15_t0_standalone_200g",
       "t0-standalone_200g_5m",
       200,
       "5m",
       {120117, 60096, 30085, 15079, 7577},
       121302,
       1185,
       50,
       47,
       120051,
       74},
      {"G15_ft2_64_800g",
       "ft2-64_800g_5m",
       800,
       "5m",
       {142285, 71159, 35597, 17815, 8925},
       145139,
       2853,
       13,
       1124,
       142259,
       34},
      {"G15_lt2_p32o64_800g",
       "lt2-p32o64_800g_5m",
       800,
       "5m",
       {125589, 62811, 31423, 15728, 7881},
       128443,
       2853,
       24,
       701,
       125563,
       34},
      {"G15_t0_f2_d40u8_200g",
       "t0-f2-d40u8_200g_5m",
       200,
       "5m",
       {134949},
       135834,
       884,
       48,
       340,
       134923,
       34},
      {"G15_t0_f2_d40u8_800g",
       "t0-f2-d40u8_800g_40m",
       800,
       "40m",
       {134949},
       138220,
       3270,
       13,
       2648,
       134923,
       34},
      {"G15_t1_f2_d10u8_800g",
       "t1-f2-d10u8_800g_300m",
       800,
       "300m",
       {103397},
       109782,
       6384,
       12,
       6240,
       103371,
       34},
      {"G15_t0_isolated_d96u32s2_400g",
       "t0-isolated-d96u32s2_400g_5m",
       400,
       "5m",
       {134725, 67400, 33737, 16905, 8490},
       136274,
       1548,
       26,
       1028,
       134659,
       74},
      {"G15_t1_isolated_d128_400g",
       "t1-isolated-d128_400g_40m",
       400,
       "40m",
       {133349, 66711, 33393, 16733, 8404},
       135105,
       1755,
       25,
       1208,
       133283,
       74},
  };
  return kRows;
}

void PrintTo(const Row& row, std::ostream* out) { *out << row.id; }

class G15Tomahawk5 : public testing::TestWithParam<Row> {};

TEST_P(G15Tomahawk5, MeetsThePublicTestFromItsSonicFileAlone) {
  const Row& row = GetParam();
  if (!std::filesystem::exists(row.path())) {
    GTEST_SKIP() << "the corpus of SONiC configurations is absent";
  }
  expect_xoff_and_drop(row);
  expect_xon(row);
  expect_shared_headroom(row);
  expect_lossy_drop(row);
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
