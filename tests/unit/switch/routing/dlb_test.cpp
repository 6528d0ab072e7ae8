// SPDX-License-Identifier: Apache-2.0
// DLB: flowlets and their idle time, averages and bands, alternates, rebalancing; golden rows
// G11-33 to G11-35. Leaves out: a whole chip (chip_adaptive_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernel/error.h"
#include "unit/switch/routing/selector_bench.h"

namespace sluice {
namespace {

using test::kFullPacket;
using test::SelectorBench;

constexpr std::uint64_t kSampleBytes = 800'000;  // 16 us at 400 Gb/s

DlbParams mode(DlbMode mode) {
  DlbParams params;
  params.mode = mode;
  return params;
}
DlbParams idle(Ps idle_time) {
  DlbParams params;
  params.idle_time = idle_time;
  return params;
}

TEST(FieldReport, B54_PacketsBackToBackLeaveNoGapForFlowlets) {
  SelectorBench bench(8);
  bench.dlb(idle(2_us)).all_in_one();
  const std::uint32_t port = bench.pick_at({}, 77).port;
  for (Ps now = kFullPacket; now < 10_ms; now += kFullPacket) {
    ASSERT_EQ(bench.pick_at(now, 77).port, port);
  }
  EXPECT_EQ(bench.counters().placed_flow_sets, 1u);
  EXPECT_EQ(bench.counters().moved_flow_sets, 0u);
}

TEST(FieldReport, B54_AFlowSetIsPlacedOncePerGap) {
  SelectorBench bench(8);
  bench.dlb(idle(2_us)).all_in_one();
  Ps now{};
  for (int burst = 0; burst < 500; ++burst, now += 3_us) {
    for (int packet = 0; packet < 100; ++packet, now += kFullPacket) bench.pick_at(now, 77);
  }
  EXPECT_EQ(bench.counters().placed_flow_sets, 500u);
}

TEST(FieldReport, B54_AnIdleTimeOfZeroIsRefused) {
  try {
    idle(Ps{0}).validate();
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()),
              "idle_time: 0 ns, expected 1 us to 2047 us; mode packet_quality chooses afresh for "
              "every packet");
  }
}

TEST(Dlb, AFlowletEndsExactlyAtTheIdleTime) {
  SelectorBench bench(8);
  bench.dlb(idle(2_us)).all_in_one();
  bench.pick_at(Ps{0}, 5);
  bench.pick_at(2_us - Ps{1}, 5);
  EXPECT_EQ(bench.counters().placed_flow_sets, 1u);
  bench.pick_at(4_us - Ps{1}, 5);
  EXPECT_EQ(bench.counters().placed_flow_sets, 2u);
}

/// Sum over links of min(1, flows on it), over links.
double utilisation(const std::vector<std::uint32_t>& load) {
  const auto used = std::count_if(load.begin(), load.end(), [](std::uint32_t n) { return n != 0; });
  return static_cast<double>(used) / static_cast<double>(load.size());
}

TEST(G11, Row33_FlowsThatStartWithinOneSampleCollideAsWithEcmp) {
  constexpr int kTrials = 200;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    SelectorBench bench(32);
    DlbParams params;
    params.flow_sets = 32768;
    bench.seed(seed).dlb(params).all_in_one();
    sum += utilisation(bench.loads_at(1_us, 32));
  }
  // One trial's standard deviation is 0.049: +-3 sigma of the mean.
  EXPECT_NEAR(sum / kTrials, 0.637945, 3 * 0.049 / std::sqrt(kTrials));
}

TEST(G11, Row34_FlowsThatStartASampleApartTakeIdleLinks) {
  constexpr int kTrials = 20;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    SelectorBench bench(32);
    DlbParams params;
    params.flow_sets = 32768;
    bench.seed(seed).dlb(params).all_in_one();
    std::vector<std::uint32_t> load(32);
    Ps now{};
    for (int flow = 0; flow < 32; ++flow) {
      ++load[bench.pick_at(now, bench.random().next_u32()).port];
      // Line rate on every link that has a flow, up to the next flow's start.
      for (int step = 0; step < 10; ++step) {
        now += 16_us / 10 + Ps{1};
        for (std::uint32_t port = 0; port < 32; ++port) {
          if (load[port] != 0) bench.send(port, kSampleBytes / 10);
        }
        bench.advance(now);
      }
    }
    sum += utilisation(load);
  }
  EXPECT_GE(sum / kTrials, 0.97);
}

TEST(G11, Row35_FlowsWithoutAGapAreNeverMovedAndACollisionPersists) {
  SelectorBench bench(2);
  bench.dlb({}).all_in_one();
  std::vector<std::uint32_t> hashes;  // of flow sets on the same port, placed before any sample
  while (hashes.size() < 4) {
    const std::uint32_t hash = bench.random().next_u32();
    if (bench.pick_at(Ps{0}, hash).port == 0) hashes.push_back(hash);
  }
  const std::uint64_t placed = bench.counters().placed_flow_sets;
  for (Ps now = kFullPacket; now < 5_ms; now += kFullPacket) {
    bench.send(0, 4158);
    bench.queue(0, 500'000);
    for (const std::uint32_t hash : hashes) ASSERT_EQ(bench.pick_at(now, hash).port, 0u);
  }
  EXPECT_EQ(bench.counters().placed_flow_sets, placed);
}

/// Share of new flow sets that avoid port 0 after it carried `load` and held `queue` for a while.
std::uint32_t on_port_0(DlbParams params, std::uint64_t load, std::uint32_t queue, int samples) {
  SelectorBench bench(2);
  params.flow_sets = 32768;
  bench.dlb(params).all_in_one();
  Ps now{};
  bench.pick_at(now, 1);
  for (int i = 0; i < samples; ++i) {
    bench.send(0, load);
    bench.queue(0, queue);
    now += 16_us;
    bench.pick_at(now, 1);
  }
  return bench.loads_at(now, 1000)[0];
}

TEST(Dlb, LoadAndQueueBothMakeAPortWorse) {
  EXPECT_GT(on_port_0({}, 0, 0, 3), 400u);
  EXPECT_LE(on_port_0({}, kSampleBytes / 10, 0, 3), 1u);
  EXPECT_LE(on_port_0({}, 0, 5000, 3), 1u);
}

TEST(Dlb, AWeightOfZeroMakesItsLoadCountNothing) {
  DlbParams queue_only;
  queue_only.weight_load = 0;
  EXPECT_GT(on_port_0(queue_only, kSampleBytes, 0, 3), 400u);
  DlbParams load_only;
  load_only.weight_queue = 0;
  EXPECT_GT(on_port_0(load_only, 0, 100'000, 3), 400u);
}

TEST(Dlb, LoadsBelowTheMinimumAreTheBestBand) {
  DlbParams params;
  params.load_min_percent = 20;
  params.queue_min = Bytes{20'000};
  EXPECT_GT(on_port_0(params, kSampleBytes / 10, 0, 20), 400u);
  EXPECT_GT(on_port_0(params, 0, 10'000, 20), 400u);
  EXPECT_LE(on_port_0(params, kSampleBytes / 2, 0, 20), 1u);
}

/// Samples that an idle port needs to come back to the best band after full load.
int samples_to_best(DlbParams params) {
  SelectorBench bench(2);
  params.flow_sets = 32768;
  params.load_min_percent = 20;
  bench.dlb(params).all_in_one();
  Ps now{};
  bench.pick_at(now, 1);
  for (int i = 0; i < 40; ++i) {
    bench.send(0, kSampleBytes);
    now += 16_us;
    bench.pick_at(now, 1);
  }
  for (int samples = 1; samples < 100; ++samples) {
    now += 16_us;
    if (bench.loads_at(now, 100)[0] > 10) return samples;
  }
  return 100;
}

TEST(Dlb, TheAverageFallsByAQuarterASample) {
  // 0.75^n < 0.2: n = 6. With a load that snaps down one sample is enough.
  EXPECT_EQ(samples_to_best({}), 6);
  DlbParams snapping;
  snapping.load_current = true;
  EXPECT_EQ(samples_to_best(snapping), 1);
  DlbParams slower;
  slower.ewma_exponent = 3;  // 0.875^n < 0.2: n = 13; 40 samples reach 0.995 of full load
  EXPECT_EQ(samples_to_best(slower), 13);
}

TEST(Dlb, ATimeWithoutPacketsCountsAsSamplesOfAnIdlePort) {
  SelectorBench bench(2);
  DlbParams params;
  params.flow_sets = 32768;
  bench.dlb(params).all_in_one();
  bench.pick_at(Ps{0}, 1);
  bench.send(0, kSampleBytes);
  EXPECT_LE(bench.loads_at(16_us, 1000)[0], 1u);
  bench.advance(100_us);
  EXPECT_TRUE(bench.selector().resting());
  EXPECT_EQ(bench.due(), kNever);
  EXPECT_GT(bench.loads_at(5_ms, 1000)[0], 400u);
}

TEST(Dlb, EveryPacketIsPlacedAfreshInPacketModes) {
  for (const DlbMode packets : {DlbMode::kPacketQuality, DlbMode::kPacketRandom}) {
    SelectorBench bench(4);
    bench.dlb(mode(packets)).all_in_one();
    std::set<std::uint32_t> ports;
    for (int i = 0; i < 100; ++i) ports.insert(bench.pick_at(Ps{0}, 9).port);
    EXPECT_EQ(ports.size(), 4u);
  }
}

TEST(Dlb, RandomModesDoNotLookAtLoads) {
  for (const DlbMode random : {DlbMode::kFlowletRandom, DlbMode::kPacketRandom}) {
    DlbParams params = mode(random);
    EXPECT_GT(on_port_0(params, kSampleBytes, 500'000, 3), 400u);
    SelectorBench bench(2);
    bench.dlb(params).all_in_one();
    bench.pick_at(1_us);
    EXPECT_FALSE(bench.selector().resting());
    EXPECT_EQ(bench.due(), kNever);
  }
}

TEST(Dlb, FixedFlowSetsNeverMoveUnlessTheirLinkDoes) {
  SelectorBench bench(2);
  bench.dlb(mode(DlbMode::kFixed)).all_in_one();
  const std::uint32_t port = bench.pick_at(Ps{0}, 3).port;
  bench.queue(port, 1'000'000);
  for (Ps now = 1_ms; now < 100_ms; now += 1_ms) ASSERT_EQ(bench.pick_at(now, 3).port, port);
  bench.selector().set_link(static_cast<std::uint16_t>(port), false);
  EXPECT_EQ(bench.pick_at(100_ms, 3).port, 1 - port);
  bench.selector().set_link(static_cast<std::uint16_t>(port), true);
  EXPECT_EQ(bench.pick_at(101_ms, 3).port, 1 - port) << "a link that returns takes new flow sets";
}

TEST(Dlb, AnActiveFlowSetMovesOnlyWhenRebalancingIsOn) {
  DlbParams params;
  params.rebalance_delta = 2;
  params.rebalance_probability = 0.1;
  SelectorBench bench(2);
  bench.dlb(params).all_in_one();
  const std::uint32_t port = bench.pick_at(Ps{0}, 3).port;
  int stayed = 0;
  for (Ps now = kFullPacket; now < 1_ms; now += kFullPacket) {
    bench.queue(port, 500'000);
    if (bench.pick_at(now, 3).port != port) break;
    ++stayed;
  }
  EXPECT_EQ(bench.counters().rebalanced_flow_sets, 1u);
  // At the earliest with the sample in which the queue shows, at most 16 us of 191 packets later.
  EXPECT_LT(stayed, 191 * 3 + 100);
}

TEST(Dlb, AlternatesTakeOverBelowTheThresholdOrWithoutAPrimary) {
  DlbParams params = mode(DlbMode::kPacketQuality);
  params.alternate_ports = {1};
  for (const std::uint32_t threshold : {0U, 4U}) {
    params.primary_threshold = threshold;
    SelectorBench bench(2);
    bench.dlb(params).all_in_one();
    EXPECT_EQ(bench.loads_at(Ps{0}, 100)[1], 0u);
    Ps now{};
    for (int i = 0; i < 30; ++i) {
      bench.queue(0, 500'000);
      bench.send(0, kSampleBytes);
      now += 16_us;
      bench.pick_at(now);
    }
    EXPECT_EQ(bench.loads_at(now, 100)[1], threshold == 0 ? 0u : 100u);
    bench.selector().set_link(0, false);
    EXPECT_EQ(bench.loads_at(now, 100)[1], 100u);
  }
}

TEST(Dlb, AnAlternateMustBeBetterByMoreThanItsCost) {
  DlbParams params = mode(DlbMode::kPacketQuality);
  params.alternate_ports = {1};
  params.primary_threshold = 8;
  for (const std::uint32_t cost : {3U, 8U}) {
    params.alternate_cost = cost;
    SelectorBench bench(2);
    bench.dlb(params).all_in_one();
    Ps now{};
    for (int i = 0; i < 30; ++i, now += 16_us) {
      bench.queue(0, 500'000);  // half of the weight: 4 bands
      bench.pick_at(now);
    }
    EXPECT_EQ(bench.loads_at(now, 100)[1], cost == 3 ? 100u : 0u);
  }
}

TEST(Dlb, AGroupWithoutMembersHasNoPort) {
  SelectorBench bench(2);
  bench.dlb({}).all_in_one();
  bench.selector().set_link(0, false);
  bench.selector().set_capacity(0, 1, 0);
  EXPECT_EQ(bench.pick_at(1_us).port, PickResult::kNoPort);
}

TEST(DlbParams, ContradictionsAreRefused) {
  const auto refused = [](auto change) {
    DlbParams params;
    change(params);
    EXPECT_THROW(params.validate(), ConfigError);
  };
  refused([](DlbParams& p) { p.weight_load = p.weight_queue = 0; });
  refused([](DlbParams& p) { p.load_min_percent = 100; });
  refused([](DlbParams& p) { p.queue_min = p.queue_max; });
  refused([](DlbParams& p) { p.bands = 9; });
  refused([](DlbParams& p) { p.idle_time = 2048_us; });
}

}  // namespace
}  // namespace sluice
