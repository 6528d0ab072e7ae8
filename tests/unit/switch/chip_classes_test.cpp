// SPDX-License-Identifier: Apache-2.0
// A running chip whose ports have maps, PFC masks and curves of their own, and pipelines that can
// be oversubscribed. Leaves out: the blocks alone (qos/, pipe/).
#include <algorithm>

#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint8_t kClass4 = 1u << 4;

std::uint64_t drops(const ChipBench& bench, ChipDrop reason) {
  return bench.chip.report().drops[static_cast<std::size_t>(reason)];
}

/// DSCP 26 is TC 3 as ever; TC 3 belongs to PG 4 and leaves by queue 1.
QosMaps remapped() {
  QosMaps maps;
  maps.tc_to_pg[3] = 4;
  maps.tc_to_queue[3] = 1;
  maps.pfc_to_queue[4] = 1;
  return maps;
}

TEST_F(Chip, ClassifiesByTheMapsOfThePort) {
  SwitchParams params = quiet_chip();
  params.qos = remapped();
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 10);
  bench.run();
  EXPECT_EQ(bench.chip.queue(1, 1).tx_frames, 10u);
  EXPECT_EQ(bench.chip.queue(1, 3).tx_frames, 0u);
  EXPECT_GT(bench.chip.mmu().pg(0, 4).peak, 0u);
  EXPECT_EQ(bench.chip.mmu().pg(0, 3).peak, 0u);
}

TEST_F(Chip, TakesTheQueueFromTheMapOfTheEgressPort) {
  SwitchParams params = quiet_chip();
  params.ports.maps = {remapped()};
  params.ports.maps_of_port = {0, 1, 0, 0};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 10);
  bench.tester(1).send(Ps{}, {.destination = 2}, 5);
  bench.run();
  EXPECT_EQ(bench.chip.queue(1, 1).tx_frames, 10u);
  EXPECT_GT(bench.chip.mmu().pg(0, 3).peak, 0u) << "the PG is the ingress port's matter";
  EXPECT_EQ(bench.chip.queue(2, 3).tx_frames, 5u);
  EXPECT_GT(bench.chip.mmu().pg(1, 4).peak, 0u);
}

TEST_F(Chip, APauseStopsTheQueueThatItsPriorityFeeds) {
  SwitchParams params = quiet_chip();
  params.qos = remapped();
  params.mmu.lossless_pgs = {4};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 300);
  bench.tester(1).pause(Ps{}, kClass4, 65535);
  bench.tester(1).pause(20_us, kClass4, 0);
  bench.run();
  EXPECT_EQ(bench.arrivals(1).size(), 300u);
  EXPECT_GT(bench.arrivals(1)[100].head, 20_us) << "paused from the beginning";
}

TEST_F(Chip, APortWithoutPfcNeitherSendsNorObeysPauses) {
  SwitchParams params = quiet_chip();
  params.mmu.pool_bytes = Bytes{2'000'000};
  params.ports.pfc_enable = {0, 0, 1u << 3, 0};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 2000);
  bench.tester(2).send(Ps{}, {}, 2000);
  bench.tester(1).pause(3_us, 1u << 3, 65535);
  bench.run();
  EXPECT_TRUE(bench.tester(0).pfc.empty());
  EXPECT_FALSE(bench.tester(2).pfc.empty());
  EXPECT_EQ(bench.chip.report().paused_ps, 0u);
  EXPECT_GT(bench.chip.report().lossless_drops, 0u) << "testers obey no pause";
}

TEST_F(Chip, MarksEachQueueByItsOwnCurve) {
  SwitchParams params = quiet_chip();
  EcnParams low;
  low.kmin_bytes = low.kmax_bytes = Bytes{50'000};
  low.mark_at = MarkAt::kEnqueue;
  EcnParams high = low;
  high.kmin_bytes = high.kmax_bytes = Bytes{100'000};
  params.ports.curves = {low, high};
  params.ports.curve_of_queue.assign(4 * 8, 0);
  params.ports.curve_of_queue[1 * 8 + 3] = 1;
  params.ports.curve_of_queue[3 * 8 + 3] = 2;
  ChipBench bench(params);
  const auto marked = [&bench](std::size_t port) {
    const auto& got = bench.arrivals(port);
    return std::count_if(got.begin(), got.end(),
                         [](const Arrival& a) { return a.packet.ecn == Ecn::kCe; });
  };
  for (const std::uint32_t out : {1u, 3u}) {
    bench.tester(out).pause(Ps{}, 1u << 3, 65535);
    bench.tester(0).send(Ps{out * 5'000'000ULL}, {.destination = out}, 200);
    bench.tester(out).pause(30_us, 1u << 3, 0);
  }
  bench.run();
  // Enqueue marking, strict >: the frame that finds more than K bytes of 1000 B frames.
  EXPECT_EQ(marked(1), 200 - 51);
  EXPECT_EQ(marked(3), 200 - 101);
}

class ChipPipes : public Chip, public ::testing::WithParamInterface<std::uint16_t> {};

/// Four 800G ports in one pipe of 1.325 Gpps: 3.2 Tb/s in frames of L + 20 B.
TEST_P(ChipPipes, PassAllPortsAtLineRateFromTheSmallestLineRateFrameUp) {
  SwitchParams params = tomahawk5(4, k800G, Millimetres{30'000});
  params.freq_offset_ppm = 0;
  params.ecn.enabled = false;
  ChipBench bench(params);
  constexpr std::uint32_t kFrames = 3000;
  for (std::uint32_t port = 0; port < 4; ++port) {
    bench.tester(port).send(Ps{}, {.destination = (port + 1) % 4, .bytes = GetParam()}, kFrames);
  }
  bench.run();
  const bool line_rate = 3.2e12 / (8.0 * (GetParam() + 20)) <= 1.325e9;
  EXPECT_EQ(drops(bench, ChipDrop::kPipeOversubscribed) == 0, line_rate);
  if (line_rate) {
    for (std::uint32_t port = 0; port < 4; ++port) {
      ASSERT_EQ(bench.arrivals(port).size(), kFrames);
      const auto& got = bench.arrivals(port);
      EXPECT_EQ(got.back().tail - got.front().tail,
                line_time(std::uint64_t{GetParam() + 20u} * (kFrames - 1), k800G));
    }
  } else {
    EXPECT_GT(bench.chip.report().lossless_drops, 0u) << "lossless frames are lost there too";
    EXPECT_EQ(bench.chip.report().first_loss.reason, ChipDrop::kPipeOversubscribed);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChipPipes,
                         ::testing::Values(64, 128, 254, 275, 282, 283, 508, 1024, 4158, 9216));

TEST_F(Chip, APipeClassifiesNoMoreThanItsRate) {
  SwitchParams params = tomahawk5(4, k800G, Millimetres{30'000});
  params.freq_offset_ppm = 0;
  ChipBench bench(params);
  for (std::uint32_t port = 0; port < 4; ++port) {
    bench.tester(port).send(Ps{}, {.destination = (port + 1) % 4, .bytes = 64}, 5000);
  }
  bench.run();
  std::size_t got = 0;
  for (std::uint32_t port = 0; port < 4; ++port) got += bench.arrivals(port).size();
  // 5000 slots of 84 B at 800G are 4.2 us: 5565 packets at 1.325 Gpps, and the FIFO's 32.
  EXPECT_NEAR(static_cast<double>(got), 4.2e-6 * 1.325e9 + 33, 2.0);
  EXPECT_EQ(got + drops(bench, ChipDrop::kPipeOversubscribed), 20'000u);
}

}  // namespace
}  // namespace sluice::test
