// SPDX-License-Identifier: Apache-2.0
// What a chip does to frames without pauses: latency, cells, order of queues, drops, conservation.
// Leaves out: PFC (chip_pfc_test.cpp) and marking (chip_ecn_test.cpp).
#include <algorithm>

#include "kernel/error.h"
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint8_t kLossyDscp = 0;
constexpr std::uint8_t kLosslessDscp = 26;
constexpr std::uint8_t kStrictDscp = 48;

TEST_F(Chip, CutsThroughInTheSumOfItsStages) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(1_us, {.bytes = 4158});
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 1u);
  EXPECT_EQ(bench.arrivals(1)[0].head, 1_us + 2 * kCable + 600_ns);
  EXPECT_EQ(bench.arrivals(1)[0].tail, 1_us + 2 * kCable + 600_ns + 41'660_ps);  // G2: 4166 B
}

TEST_F(Chip, StoresAWholeFrameBeforeForwarding) {
  SwitchParams params = quiet_chip();
  params.mode = SwitchingMode::kStoreAndForward;
  ChipBench bench(params);
  bench.tester(0).send(1_us, {.bytes = 4158});
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 1u);
  EXPECT_EQ(bench.arrivals(1)[0].head, 1_us + 2 * kCable + 600_ns + 41'660_ps);
  EXPECT_EQ(bench.arrivals(1)[0].tail, 1_us + 2 * kCable + 600_ns + 2 * 41'660_ps);
}

class ChipCells : public Chip, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(ChipCells, AreCountedExactlyForEverySizeOfFrame) {
  SwitchParams params = quiet_chip();
  params.mmu.cell_bytes = GetParam();
  params.mmu.pool_bytes = Bytes{GetParam() * 500'000ULL};
  ChipBench bench(params);
  std::uint32_t sent = 0;
  for (std::uint16_t bytes = 64; bytes <= 9216; ++bytes) {
    bench.tester(0).send(Ps{sent++ * 200'000ULL}, {.bytes = bytes});
  }
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 9153u);
  for (const Arrival& arrival : bench.arrivals(1)) {
    const std::uint32_t bytes = arrival.packet.frame_bytes;
    ASSERT_EQ(arrival.packet.claim.cells, (bytes + GetParam() - 1) / GetParam()) << bytes << " B";
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChipCells, ::testing::Values(64u, 192u, 208u, 254u));

TEST_F(Chip, ServesAStrictQueueAtTheNextFrameBoundary) {
  ChipBench bench(quiet_chip());
  // Ports 0 and 2 overload port 1 with 1000 B; one strict frame comes at 5 us.
  for (const std::size_t port : {0, 2}) {
    bench.tester(port).send(Ps{}, {.dscp = kLossyDscp}, 1000);
  }
  bench.tester(3).send(5_us, {.bytes = 64, .dscp = kStrictDscp});
  bench.run();
  const auto& got = bench.arrivals(1);
  const auto strict = std::find_if(got.begin(), got.end(),
                                   [](const Arrival& a) { return a.packet.dscp == kStrictDscp; });
  ASSERT_NE(strict, got.end());
  const Ps admitted = 5_us + kCable + bench.chip.params().latency.to_admission();
  const Ps served = scheduled(bench.chip.params(), *strict);
  EXPECT_GE(served, admitted);
  EXPECT_LE(served, admitted + 10'200_ps);  // one frame of 1020 B may be under way
  // The frame before it ran to its end.
  EXPECT_EQ(served - scheduled(bench.chip.params(), *std::prev(strict)), 10'200_ps);
}

TEST_F(Chip, SharesAPortByWeightAmongTheOtherQueues) {
  SwitchParams params = quiet_chip();
  params.scheduler.weights = {25, 50, 50, 75, 50, 50, 50, 50};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {.dscp = kLosslessDscp}, 1500);
  bench.tester(2).send(Ps{}, {.dscp = kLossyDscp}, 1500);
  bench.run();
  const auto& got = bench.arrivals(1);
  ASSERT_EQ(got.size(), 3000u);
  // While both are backlogged, 3 of 4 bytes are the heavier queue's: 1200 of 1600 frames. A round
  // is 4 x 4178 B, 16 frames.
  const auto heavy = std::count_if(got.begin(), got.begin() + 1600,
                                   [](const Arrival& a) { return a.packet.dscp == kLosslessDscp; });
  EXPECT_NEAR(static_cast<double>(heavy), 1200, 16);
}

TEST_F(Chip, FramesOfOneQueueLeaveInTheOrderTheyCame) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 500);
  bench.tester(2).send(Ps{}, {.dscp = kStrictDscp}, 500);
  bench.run();
  std::uint32_t next = 0;
  for (const Arrival& arrival : bench.arrivals(1)) {
    if (arrival.packet.dscp == kLosslessDscp) {
      EXPECT_EQ(arrival.packet.psn, next++);
    }
  }
  EXPECT_EQ(next, 500u);
}

std::uint64_t drops(const ChipBench& bench, std::string_view reason) {
  const ChipReport report = bench.chip.report();
  for (std::size_t i = 0; i < kChipDropReasons; ++i) {
    if (kChipDrops[i].name == reason) return report.drops[i];
  }
  ADD_FAILURE() << "no reason " << reason;
  return 0;
}

std::uint64_t all_drops(const ChipBench& bench) {
  std::uint64_t sum = 0;
  for (const ChipDropInfo& drop : kChipDrops) sum += drops(bench, drop.name);
  return sum;
}

TEST_F(Chip, CountsFramesWithoutARoute) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {.destination = bench.nowhere()}, 7);
  bench.tester(0).send(1_us, {}, 2);
  bench.run();
  EXPECT_EQ(drops(bench, "no_route"), 7u);
  EXPECT_EQ(all_drops(bench), 7u);
  EXPECT_EQ(bench.arrivals(1).size(), 2u);
  EXPECT_EQ(bench.packets.live(), 0u);
}

TEST_F(Chip, DropsACorruptFrameThatItHasStored) {
  SwitchParams params = quiet_chip();
  params.mode = SwitchingMode::kStoreAndForward;
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {.flags = packet_flag::kCorrupt}, 3);
  bench.tester(0).send(1_us, {}, 2);
  bench.run();
  EXPECT_EQ(drops(bench, "corrupt"), 3u);
  EXPECT_EQ(all_drops(bench), 3u);
  EXPECT_EQ(bench.arrivals(1).size(), 2u);
  EXPECT_EQ(bench.chip.report().lossless_drops, 0u);
}

TEST_F(Chip, CannotStopACorruptFrameThatItCutsThrough) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {.flags = packet_flag::kCorrupt}, 3);
  bench.run();
  EXPECT_EQ(drops(bench, "corrupt"), 0u);
  ASSERT_EQ(bench.arrivals(1).size(), 3u);
  EXPECT_EQ(bench.arrivals(1)[2].packet.flags, packet_flag::kCorrupt);
}

TEST_F(Chip, DropsOfAFullLossyQueueAreAllItLoses) {
  SwitchParams params = quiet_chip();
  params.mmu.port_alpha_enabled = false;
  params.mmu.lossy_alpha_exp = -7;
  ChipBench bench(params);
  for (const std::size_t port : {0, 2, 3}) {
    bench.tester(port).send(Ps{}, {.dscp = kLossyDscp}, 5000);
  }
  bench.run();
  EXPECT_GT(drops(bench, "egress_queue"), 0u);
  EXPECT_EQ(all_drops(bench), drops(bench, "egress_queue"));
  EXPECT_EQ(bench.arrivals(1).size() + all_drops(bench), 15'000u);
  EXPECT_EQ(bench.chip.report().lossless_drops, 0u);
  EXPECT_EQ(bench.packets.live(), 0u);
  EXPECT_NO_THROW(bench.chip.check_conservation());
}

TEST_F(Chip, DropsInALosslessGroupAreCountedApart) {
  SwitchParams params = quiet_chip();
  params.mmu.port_alpha_enabled = false;
  params.mmu.pg_alpha_exp = -7;
  ChipBench bench(params);  // testers obey no pause, so headroom overflows
  for (const std::size_t port : {0, 2, 3}) bench.tester(port).send(Ps{}, {.bytes = 9216}, 2000);
  bench.run();
  EXPECT_GT(drops(bench, "ingress_pg"), 0u);
  EXPECT_EQ(bench.chip.report().lossless_drops, all_drops(bench));
  EXPECT_EQ(bench.arrivals(1).size() + all_drops(bench), 6'000u);
}

TEST_F(Chip, NoticesACellThatWentMissing) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 100);
  bench.tester(2).send(Ps{}, {}, 100);
  bench.run(1500_ns);
  const PacketId held = bench.chip.queue(1, 3).head;
  ASSERT_NE(held, kNoPacket);
  ASSERT_GT(bench.chip.queue(1, 3).packets, 1u);
  EXPECT_NO_THROW(bench.chip.check_conservation());
  --bench.packets[held].claim.cells;
  EXPECT_THROW(bench.chip.check_conservation(), InvariantError);
  ++bench.packets[held].claim.cells;
  ++bench.packets[held].frame_bytes;
  EXPECT_THROW(bench.chip.check_conservation(), InvariantError);
}

TEST_F(Chip, HasNoPortsBeyondItsCapacity) {
  SwitchParams params = quiet_chip();
  params.capacity = {1'600'000'000'000};
  EXPECT_NO_THROW(ChipBench(params, 2));
}

TEST_F(Chip, RefusesMoreThanItsCapacityWithBothNumbers) {
  SwitchParams params = quiet_chip();
  params.capacity = {1'600'000'000'000};
  try {
    ChipBench bench(params, 3);
    FAIL() << "3 x 800G fitted into 1.6 Tb/s";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("3 ports need 2400 Gb/s"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace sluice::test
