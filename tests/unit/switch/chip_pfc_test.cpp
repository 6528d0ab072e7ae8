// SPDX-License-Identifier: Apache-2.0
// PFC of a running chip, both ways: what it obeys and until when, what it sends and when that
// reaches its peer. Times are closed forms: 30 m cables, stages of 600 ns, 1 quantum 512 bit times.
// Leaves out: the timers alone (pfc/pfc_test.cpp).
#include <algorithm>

#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint8_t kClass3 = 1u << 3;
constexpr Ps kSlot = 10'200_ps;      // 1000 B frame, preamble and gap at 800 Gb/s
constexpr Ps kPfcBits = 720_ps;      // 64 B and preamble
constexpr Ps kPfcSlot = 840_ps;      // and gap
constexpr Ps kToAdmission = 436_ns;  // rx_phy, rx_mac, ingress pipeline, MMU
constexpr Ps kResponse = 336_ns;     // rx_phy, rx_mac, pfc.resp_time

/// When a PFC frame whose first bit leaves a tester at `start` stops the chip's scheduler.
constexpr Ps obeyed(Ps start) { return start + kCable + kResponse + kPfcBits; }
/// When a PFC frame that entered the chip's MAC at `start` has reached a tester.
constexpr Ps seen(Ps start) { return start + 54_ns + kCable + kPfcBits; }

std::vector<Ps> starts(const ChipBench& bench, std::size_t port) {
  std::vector<Ps> times;
  for (const Arrival& arrival : bench.arrivals(port)) {
    times.push_back(scheduled(bench.chip.params(), arrival));
  }
  return times;
}

/// The last start before `instant` and the first at or after it.
std::pair<Ps, Ps> around(const std::vector<Ps>& times, Ps instant) {
  const auto after = std::lower_bound(times.begin(), times.end(), instant);
  EXPECT_NE(after, times.begin());
  EXPECT_NE(after, times.end());
  return {*std::prev(after), *after};
}

TEST_F(Chip, StopsAtTheNextFrameBoundaryAndResumesWithXon) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 1000);
  bench.tester(1).pause(2_us, kClass3, 65535);
  bench.tester(1).pause(5_us, kClass3, 0);
  bench.run();
  const auto [last, next] = around(starts(bench, 1), obeyed(2_us));
  EXPECT_GT(last + kSlot, obeyed(2_us)) << "it stopped before it had to";
  EXPECT_EQ(next, obeyed(5_us));
  EXPECT_EQ(bench.arrivals(1).size(), 1000u);
  EXPECT_EQ(bench.chip.report().paused_ps, (3_us).value);
}

TEST_F(Chip, G4_64_AnXoffWithoutRefreshRunsOutAfterItsQuanta) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 1000);
  bench.tester(1).pause(2_us, kClass3, 1000);
  bench.run();
  EXPECT_EQ(around(starts(bench, 1), obeyed(2_us)).second, obeyed(2_us) + 640_ns);
  EXPECT_EQ(bench.chip.report().paused_ps, 640'000u);
}

TEST_F(Chip, G4_64_TheLongestXoffRunsOutAfter65535Quanta) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 1000);
  bench.tester(1).pause(2_us, kClass3, 65535);
  bench.run();
  EXPECT_EQ(around(starts(bench, 1), obeyed(2_us)).second, obeyed(2_us) + 41'942'400_ps);
}

TEST_F(Chip, ARefreshRestartsThePauseInsteadOfAddingToIt) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {}, 1000);
  for (const Ps at : {2_us, 32_us, 62_us}) bench.tester(1).pause(at, kClass3, 65535);
  bench.run();
  EXPECT_EQ(around(starts(bench, 1), obeyed(2_us)).second, obeyed(62_us) + 41'942'400_ps);
}

TEST_F(Chip, B22_QuantaLastLongerAtASlowerPort) {
  SwitchParams params = quiet_chip();
  ChipBench bench(params, {k800G, k100G, k400G});
  for (const std::uint32_t port : {1u, 2u}) {
    bench.tester(0).send(port * 20_us, {.destination = port}, 500);
    bench.tester(port).pause(port * 20_us + 2_us, kClass3, 65535);
  }
  bench.run();
  // At 100 Gb/s the PFC frame itself takes 5.76 ns, at 400 Gb/s 1.44 ns.
  const Ps at_100 = 22_us + kCable + kResponse + 5'760_ps;
  const Ps at_400 = 42_us + kCable + kResponse + 1'440_ps;
  EXPECT_EQ(around(starts(bench, 1), at_100).second, at_100 + 335'539'200_ps);
  EXPECT_EQ(around(starts(bench, 2), at_400).second, at_400 + 83'884'800_ps);
}

TEST_F(Chip, B19_APauseOfALossyPriorityIsIgnoredAndCounted) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {.dscp = 0}, 1000);
  bench.tester(1).pause(2_us, 1u << 0, 65535);
  bench.run();
  const std::vector<Ps> times = starts(bench, 1);
  ASSERT_EQ(times.size(), 1000u);
  EXPECT_EQ(times.back() - times.front(), 999 * kSlot);
  EXPECT_EQ(bench.statistics.sum("pfc_rx", "rx_ignored_frames"), 1u);
  EXPECT_EQ(bench.statistics.sum("pfc_rx", "rx_xoff_frames"), 0u);
  EXPECT_EQ(bench.chip.report().paused_ps, 0u);
}

TEST_F(Chip, APauseOfOnePriorityLeavesTheOthersRunning) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(Ps{}, {.dscp = 0}, 500);
  bench.tester(2).send(Ps{}, {.dscp = 26}, 500);
  bench.tester(1).pause(Ps{}, kClass3, 65535);
  bench.run();
  const auto& got = bench.arrivals(1);
  ASSERT_EQ(got.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(got[i].packet.dscp, i < 500 ? 0 : 26);
  EXPECT_EQ(scheduled(bench.chip.params(), got[500]), obeyed(Ps{}) + 41'942'400_ps);
}

TEST_F(Chip, WithoutPfcNothingIsObeyedAndNothingSent) {
  SwitchParams params = quiet_chip();
  params.pfc.enabled = false;
  params.mmu.port_alpha_enabled = false;
  params.mmu.pg_alpha_exp = -7;
  ChipBench bench(params);
  for (const std::size_t port : {0, 2, 3}) bench.tester(port).send(Ps{}, {}, 2000);
  bench.tester(1).pause(2_us, kClass3, 65535);
  bench.run();
  EXPECT_EQ(bench.chip.report().paused_ps, 0u);
  for (const auto& tester : bench.testers) EXPECT_TRUE(tester->pfc.empty());
}

/// What is in the FIFO behind the scheduler is out of PFC's reach (public QoS tests of Tomahawk 5).
TEST_F(Chip, DrainsItsEgressFifoAfterAPause) {
  SwitchParams params = quiet_chip();
  params.egress_fifo_cells = 60;  // 10 frames of 1000 B in cells of 192 B
  ChipBench bench(params);
  for (const std::size_t port : {0, 2}) bench.tester(port).send(Ps{}, {}, 500);
  bench.tester(1).pause(3_us, kClass3, 65535);
  bench.run();
  const std::vector<Ps> times = starts(bench, 1);
  ASSERT_EQ(times.size(), 1000u);
  const Ps resumed = obeyed(3_us) + 41'942'400_ps;
  const auto late = std::count_if(times.begin(), times.end(),
                                  [resumed](Ps at) { return at >= obeyed(3_us) && at < resumed; });
  EXPECT_EQ(late, 10);
}

/// Frames of port 0 meet a closed port 1: the group of port 0 is stopped at its static limit.
SwitchParams stopped_after_ten_frames() {
  SwitchParams params = quiet_chip();
  params.mmu = MmuParams{};
  params.mmu.policy = MmuPolicy::kBroadcom;  // XOFF with the packet that reaches the limit
  PgProfile profile = params.mmu.pg_default(3);
  profile.min = Bytes{0};
  profile.static_limit = Bytes{40 * 254};  // 10 frames of 1000 B, 4 cells each
  params.mmu.pg_overrides = {{0, 3, profile}};
  return params;
}

TEST_F(Chip, SendsARealXoffFrameThatTakesItsTimeToThePeer) {
  ChipBench bench(stopped_after_ten_frames());
  bench.tester(1).pause(Ps{}, kClass3, 65535);
  bench.tester(0).send(1_us, {}, 30);
  bench.run(20_us);
  ASSERT_EQ(bench.tester(0).pfc.size(), 1u);
  const PfcArrival& xoff = bench.tester(0).pfc[0];
  EXPECT_EQ(xoff.at, seen(1_us + 9 * kSlot + kCable + kToAdmission));
  EXPECT_EQ(xoff.classes, kClass3);
  EXPECT_EQ(xoff.quanta, 65535u);
  EXPECT_TRUE(bench.tester(2).pfc.empty());
  EXPECT_EQ(bench.chip.report().pfc_xoff_frames, 1u);
}

TEST_F(Chip, RepeatsXoffWhileStoppedAndEndsWithXon) {
  ChipBench bench(stopped_after_ten_frames());
  for (const std::uint64_t at : {0, 30, 60, 90}) bench.tester(1).pause(at * 1_us, kClass3, 65535);
  bench.tester(0).send(1_us, {}, 30);
  bench.run();
  const auto& pfc = bench.tester(0).pfc;
  // Stopped for more than three times 65535 quanta: a repetition every half of that.
  const Ps first = seen(1_us + 9 * kSlot + kCable + kToAdmission);
  const Ps drained = obeyed(90_us) + 41'942'400_ps;
  ASSERT_EQ(pfc.size(), 8u);
  for (std::size_t i = 0; i + 1 < pfc.size(); ++i) {
    EXPECT_EQ(pfc[i].at, first + i * 20'971'200_ps);
    EXPECT_EQ(pfc[i].quanta, 65535u);
  }
  EXPECT_EQ(pfc.back().quanta, 0u);
  EXPECT_EQ(pfc.back().classes, kClass3);
  EXPECT_GT(pfc.back().at, drained);
  EXPECT_LT(pfc.back().at, drained + 30 * kSlot + 54_ns + kCable + kPfcBits);
}

TEST_F(Chip, PfcGoesAheadOfQueuedDataButNotIntoAFrame) {
  ChipBench bench(stopped_after_ten_frames());
  // Port 0 is itself kept busy by ports 2 and 3 while its own group fills up behind port 1.
  bench.tester(1).pause(Ps{}, kClass3, 65535);
  for (const std::size_t port : {2, 3}) bench.tester(port).send(Ps{}, {.destination = 0}, 400);
  bench.tester(0).send(1_us, {}, 30);
  bench.run(20_us);
  ASSERT_EQ(bench.tester(0).pfc.size(), 1u);
  const Ps asked = 1_us + 9 * kSlot + kCable + kToAdmission;
  const Ps entered = bench.tester(0).pfc[0].at - (seen(Ps{}) - Ps{});
  const std::vector<Ps> data = starts(bench, 0);
  const auto [before, after] = around(data, entered);
  EXPECT_EQ(entered, before + kSlot);
  EXPECT_EQ(after, entered + kPfcSlot);
  EXPECT_GE(entered, asked);
  EXPECT_LT(entered, asked + kSlot);
}

}  // namespace
}  // namespace sluice::test
