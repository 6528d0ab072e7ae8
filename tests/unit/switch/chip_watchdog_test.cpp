// SPDX-License-Identifier: Apache-2.0
// The storm watchdog in a running chip: a peer that pauses for good, and what becomes of the queue
// it holds, of its neighbours and of the buffer. Leaves out: the rules of detection (pfc/).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint8_t kClass3 = 1u << 3;
constexpr Ps kLongest = 41'942'400_ps;  // 65535 quanta at 800 Gb/s

SwitchParams watched_chip(WatchdogAction action) {
  SwitchParams params = quiet_chip();
  params.watchdog.enabled = true;
  params.watchdog.detection_time = 200_us;
  params.watchdog.restoration_time = 100_us;
  params.watchdog.poll_interval = 50_us;
  params.watchdog.action = action;
  return params;
}

/// Port `port` is held under pause from `start` for `pauses` times 40 us, and then runs out.
void storm(ChipBench& bench, std::size_t port, Ps start, std::uint32_t pauses) {
  for (std::uint32_t i = 0; i < pauses; ++i) {
    bench.tester(port).pause(start + i * 40_us, kClass3, 65535);
  }
}

std::uint64_t watchdog_drops(const ChipBench& bench) {
  return bench.chip.report().drops[static_cast<std::size_t>(ChipDrop::kPfcWatchdog)];
}

TEST_F(Chip, WatchdogDropsWhatAStormHoldsUntilItIsOver) {
  ChipBench bench(watched_chip(WatchdogAction::kDrop));
  storm(bench, 1, Ps{}, 15);                            // to about 602 us
  bench.tester(0).send(10_us, {}, 100);                 // before detection: waits, then is lost
  bench.tester(2).send(400_us, {}, 50);                 // in the storm: lost
  bench.tester(2).send(500_us, {.destination = 3}, 5);  // to a healthy port
  bench.tester(1).send(500_us, {.destination = 3}, 7);  // comes in on the stormed port: lost
  bench.tester(0).send(900_us, {}, 20);                 // after it
  bench.run();
  EXPECT_EQ(watchdog_drops(bench), 157u);
  ASSERT_EQ(bench.arrivals(1).size(), 20u);
  EXPECT_GT(bench.arrivals(1)[0].head, 900_us);
  EXPECT_EQ(bench.arrivals(3).size(), 5u);
  EXPECT_EQ(bench.chip.report().lossless_drops, 0u) << "the watchdog's own reason is no violation";
  EXPECT_EQ(bench.statistics.sum("watchdog", "storms_detected"), 1u);
  EXPECT_EQ(bench.statistics.sum("watchdog", "storms_restored"), 1u);
  bench.chip.check_conservation();
  EXPECT_EQ(bench.chip.mmu().totals().used, 0u);
}

TEST_F(Chip, WatchdogForwardsInSpiteOfPausesUntilTheStormIsOver) {
  ChipBench bench(watched_chip(WatchdogAction::kForward));
  storm(bench, 1, Ps{}, 15);
  bench.tester(0).send(10_us, {}, 100);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 100u);
  // Longer than 200 us after the pause, at the next look.
  EXPECT_GT(bench.arrivals(1)[0].head, 200_us);
  EXPECT_LT(bench.arrivals(1)[99].tail, 254_us);
  EXPECT_EQ(watchdog_drops(bench), 0u);
}

TEST_F(Chip, WatchdogThatOnlyAlertsChangesNothing) {
  ChipBench bench(watched_chip(WatchdogAction::kAlert));
  storm(bench, 1, Ps{}, 15);
  bench.tester(0).send(10_us, {}, 100);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 100u);
  EXPECT_GT(bench.arrivals(1)[0].head, 14 * 40_us + kLongest);
  EXPECT_EQ(bench.statistics.sum("watchdog", "storms_detected"), 1u);
}

TEST_F(Chip, WatchdogFreesTheSendersOfAStormedQueue) {
  SwitchParams params = watched_chip(WatchdogAction::kDrop);
  params.mmu = MmuParams{};
  PgProfile profile = params.mmu.pg_default(3);
  profile.min = Bytes{0};
  profile.static_limit = Bytes{40 * 254};
  params.mmu.pg_overrides = {{0, 3, profile}};
  ChipBench bench(params);
  storm(bench, 1, Ps{}, 15);
  bench.tester(0).send(10_us, {}, 30);  // more than its group may hold: it is told to stop
  bench.run();
  ASSERT_FALSE(bench.tester(0).pfc.empty());
  EXPECT_GT(bench.tester(0).pfc.front().quanta, 0u);
  EXPECT_EQ(bench.tester(0).pfc.back().quanta, 0u) << "the flush lets it go on";
}

TEST_F(Chip, FieldReport_B29_StormsOnSeveralPortsAreAllFound) {
  ChipBench bench(watched_chip(WatchdogAction::kDrop), 10);
  for (std::size_t port = 2; port < 10; ++port) {
    storm(bench, port, (port - 2) * 25_us, 12);
    bench.tester(0).send((port - 2) * 25_us + 5_us,
                         {.destination = static_cast<std::uint32_t>(port)}, 1);
  }
  bench.run();
  EXPECT_EQ(bench.statistics.sum("watchdog", "storms_detected"), 8u);
  EXPECT_EQ(bench.statistics.sum("watchdog", "storms_restored"), 8u);
}

TEST_F(Chip, WatchdogIsSilentWithoutPauses) {
  ChipBench bench(watched_chip(WatchdogAction::kDrop));
  bench.tester(0).send(Ps{}, {}, 10);
  bench.run();
  EXPECT_LT(bench.wheel.now(), 10_us) << "no look keeps the run going";
  EXPECT_EQ(bench.wheel.executed(), 30u) << "admitted, sent, arrived: no event more";
}

}  // namespace
}  // namespace sluice::test
