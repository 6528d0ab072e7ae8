// SPDX-License-Identifier: Apache-2.0
// The storm watchdog alone: what counts as a storm (field reports B27 and B29), when it is found
// and when it is over. Leaves out: what happens to packets (unit/switch/chip_watchdog_test.cpp).
#include "switch/pfc/watchdog.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr Ps kPoll = 100_us;

WatchdogParams quick(WatchdogAction action = WatchdogAction::kDrop) {
  WatchdogParams params;
  params.enabled = true;
  params.detection_time = 400_us;
  params.restoration_time = 300_us;
  params.poll_interval = kPoll;
  params.action = action;
  return params;
}

/// A queue that is paused from `start` to `end` for ever occupied and sends nothing.
WatchdogView stuck(Ps start, Ps end, Ps now) {
  const Ps upto = std::min(now, end);
  return {true, 7, upto > start ? upto - start : Ps{}, now > start ? end : Ps{}};
}

/// Polls one queue from `start` on; the time of the storm, kNever if there is none within 100
/// polls.
template <class View>
Ps storm_time(Watchdog& dog, std::uint32_t port, Ps start, const View& view) {
  dog.pause_begins(port, 3, view(start), start);
  Ps now = start;
  for (int i = 0; i < 100; ++i) {
    now = dog.next_poll(port, now);
    if (dog.poll(port, 3, view(now), now) == WatchdogEvent::kStorm) return now;
  }
  return kNever;
}

TEST(FieldReport, B27_OnlyAnOccupiedSilentQueueThatIsPausedNearlyAlwaysIsAStorm) {
  const auto share = [](std::uint64_t percent, bool occupied, bool sends) {
    Watchdog dog({quick()});
    return storm_time(dog, 0, Ps{}, [=](Ps now) {
      return WatchdogView{occupied, sends ? now.value / kPoll.value : 0, now * percent / 100, now};
    });
  };
  EXPECT_EQ(share(85, false, false), kNever) << "a: queue empty";
  EXPECT_EQ(share(100, false, false), kNever) << "a: queue empty, always paused";
  EXPECT_EQ(share(98, true, true), kNever) << "b: a packet an interval";
  EXPECT_EQ(share(98, true, false), kNever) << "paused 98 %";
  EXPECT_EQ(share(100, true, true), kNever) << "paused throughout, but sending";
  EXPECT_NE(share(99, true, false), kNever) << "c";
  EXPECT_NE(share(100, true, false), kNever) << "c";
}

TEST(FieldReport, B27_APauseThatComesAtTheEndOfAWindowCountsFromItsStart) {
  Watchdog dog({quick()});
  const Ps start = 99_us;  // 1 us before a poll
  const Ps found =
      storm_time(dog, 0, start, [=](Ps now) { return stuck(start, kNever - 1_us, now); });
  EXPECT_GT(found, start + 400_us);
  EXPECT_LE(found, start + 400_us + kPoll);
}

TEST(FieldReport, B29_EveryStormIsFoundHoweverManyPortsAreStormed) {
  for (const std::uint32_t k : {2U, 8U, 64U}) {
    Watchdog dog(std::vector<WatchdogParams>(64, quick()));
    for (std::uint32_t port = 0; port < k; ++port) {
      // Half a poll interval apart; every other one begins at a poll itself.
      const Ps start = port * (kPoll / 2);
      const Ps found =
          storm_time(dog, port, start, [=](Ps now) { return stuck(start, kNever - 1_us, now); });
      EXPECT_GT(found, start + 400_us) << "port " << port;
      EXPECT_LE(found, start + 400_us + kPoll) << "port " << port;
    }
    std::uint64_t detected = 0;
    for (const WatchdogCounters& counters : dog.counters()) detected += counters.storms_detected;
    EXPECT_EQ(detected, k);
  }
}

TEST(Watchdog, DetectionTakesLongerThanItsTimeForAnyPhaseAndAnyRatioToThePoll) {
  for (const Ps detection : {100_us, 150_us, 400_us, 999_us}) {
    for (std::uint64_t phase = 0; phase < 100; phase += 7) {
      WatchdogParams params = quick();
      params.detection_time = detection;
      Watchdog dog({params});
      const Ps start = Ps{phase * 1'000'000};
      const Ps found =
          storm_time(dog, 0, start, [=](Ps now) { return stuck(start, kNever - 1_us, now); });
      EXPECT_GT(found, start + detection);
      EXPECT_LE(found, start + detection + kPoll);
    }
  }
}

TEST(Watchdog, AStormIsOverAfterTheRestorationTimeWithoutAPause) {
  Watchdog dog({quick()});
  const Ps end = 2_ms + 30_us;
  const auto view = [end](Ps now) { return stuck(Ps{}, end, now); };
  Ps now = storm_time(dog, 0, Ps{}, view);
  EXPECT_EQ(dog.stormed(0), 1u << 3);
  EXPECT_EQ(dog.dropping(0), 1u << 3);
  EXPECT_EQ(dog.forwarding(0), 0);
  while (dog.poll(0, 3, view(now), now) != WatchdogEvent::kRestored) {
    ASSERT_LT(now, 4_ms);
    now = dog.next_poll(0, now);
  }
  EXPECT_GE(now, end + 300_us);
  EXPECT_LT(now, end + 300_us + kPoll);
  EXPECT_EQ(dog.stormed(0), 0);
  EXPECT_EQ(dog.watched(0), 0) << "nothing left to look at";
  EXPECT_EQ(dog.counters()[3].storms_restored, 1u);
}

TEST(Watchdog, AQueueThatIsNoLongerPausedIsLeftAlone) {
  Watchdog dog({quick()});
  dog.pause_begins(0, 3, {true, 0, Ps{}, 50_us}, Ps{});
  EXPECT_EQ(dog.watched(0), 1u << 3);
  dog.poll(0, 3, {true, 10, 50_us, 50_us}, 100_us);
  EXPECT_EQ(dog.watched(0), 1u << 3) << "it was paused in this interval";
  dog.poll(0, 3, {true, 20, 50_us, 50_us}, 200_us);
  EXPECT_EQ(dog.watched(0), 0);
}

TEST(Watchdog, PortsWithoutOneAreNotWatched) {
  WatchdogParams off = quick();
  off.enabled = false;
  Watchdog dog({off, quick(WatchdogAction::kForward), quick(WatchdogAction::kAlert)});
  const auto view = [](Ps now) { return stuck(Ps{}, kNever - 1_us, now); };
  EXPECT_EQ(storm_time(dog, 0, Ps{}, view), kNever);
  storm_time(dog, 1, Ps{}, view);
  storm_time(dog, 2, Ps{}, view);
  EXPECT_EQ(dog.forwarding(1), 1u << 3);
  EXPECT_EQ(dog.dropping(1), 0);
  EXPECT_EQ(dog.stormed(2), 1u << 3);
  EXPECT_EQ(dog.dropping(2) | dog.forwarding(2), 0) << "alert only counts";
  EXPECT_FALSE(dog.acts(0));
  EXPECT_TRUE(dog.acts(1));
  EXPECT_FALSE(dog.acts(2));
}

/// sonic-utilities pfcwd start_default: 200 ms times (ports - 1) / 32 + 1.
TEST(G4, G4_65_DefaultsGrowWithThePorts) {
  EXPECT_EQ(WatchdogParams::for_ports(64).detection_time, 400_ms);
  EXPECT_EQ(WatchdogParams::for_ports(64).restoration_time, 400_ms);
  EXPECT_EQ(WatchdogParams::for_ports(32).detection_time, 200_ms);
  EXPECT_EQ(WatchdogParams::for_ports(33).detection_time, 400_ms);
  EXPECT_EQ(WatchdogParams::for_ports(128).detection_time, 800_ms);
  EXPECT_FALSE(WatchdogParams::for_ports(64).enabled);
}

TEST(WatchdogParams, APollLongerThanTheDetectionIsRefused) {
  WatchdogParams params = quick();
  params.poll_interval = 500_us;
  EXPECT_THROW(params.validate(), ConfigError);
  params.poll_interval = Ps{0};
  EXPECT_THROW(params.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
