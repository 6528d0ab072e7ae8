// SPDX-License-Identifier: Apache-2.0
// AR: port grades at any speed, what each choice does, weights, notifications, and pipes that act
// on old copies of the grades. Leaves out: a whole chip (chip_adaptive_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernel/error.h"
#include "switch/routing/pipe_views.h"
#include "switch/routing/port_meter.h"
#include "unit/switch/routing/selector_bench.h"

namespace sluice {
namespace {

using test::SelectorBench;

constexpr BitsPerSecond k800G{800'000'000'000};
constexpr BitsPerSecond k400G{400'000'000'000};
constexpr BitsPerSecond k200G{200'000'000'000};

ArParams live() {
  ArParams params;
  params.refresh = Ps{0};
  return params;
}
ArParams live(ArChoice choice) {
  ArParams params = live();
  params.choice = choice;
  return params;
}

/// Whether port 0 with `bytes` queued is as good as port 1 with `other`.
bool same_grade(BitsPerSecond rate, std::uint32_t bytes, std::uint32_t other) {
  SelectorBench bench(2, rate);
  bench.ar(live()).all_in_one();
  bench.queue(0, bytes);
  bench.queue(1, other);
  const auto load = bench.loads_at(1_us, 200);
  return load[0] > 60 && load[1] > 60;
}

TEST(Ar, FourGradesBySteps) {
  EXPECT_TRUE(same_grade(k400G, 8'000, 0));
  EXPECT_FALSE(same_grade(k400G, 8'001, 0));
  EXPECT_TRUE(same_grade(k400G, 32'000, 8'001));
  EXPECT_FALSE(same_grade(k400G, 32'001, 8'001));
  EXPECT_TRUE(same_grade(k400G, 128'000, 32'001));
  EXPECT_FALSE(same_grade(k400G, 128'001, 32'001));
  EXPECT_TRUE(same_grade(k400G, 10'000'000, 128'001));
}

TEST(FieldReport, B22_GradesFollowThePortsOwnSpeed) {
  EXPECT_TRUE(same_grade(k800G, 16'000, 0));
  EXPECT_FALSE(same_grade(k800G, 16'001, 0));
  EXPECT_TRUE(same_grade(k200G, 4'000, 0));
  EXPECT_FALSE(same_grade(k200G, 4'001, 0));
}

TEST(Ar, QueuesOfAPortAddUp) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.queue(0, 5'000, 3);
  bench.queue(0, 5'000, 0);
  EXPECT_EQ(bench.loads_at(1_us, 100)[0], 0u);
}

/// Share of 1000 packets on a port that sent `bytes` in each utilisation interval; the other idles.
std::uint32_t after_utilisation(std::uint64_t bytes, std::uint64_t frames) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.pick_at(Ps{0});
  for (Ps now = 10_us; now <= 50_us; now += 10_us) {
    bench.send(0, bytes, frames);
    bench.pick_at(now);
  }
  return bench.loads_at(50_us, 1000)[0];
}

TEST(Ar, AUtilisedPortIsNotOfTheBestGrade) {
  // 10 us at 400 Gb/s: 500,000 B on the wire, 20 B of each frame being preamble and gap.
  EXPECT_GT(after_utilisation(349'000 - 80 * 20, 80), 400u);
  EXPECT_EQ(after_utilisation(350'000 - 80 * 20, 80), 0u);
}

TEST(Ar, FreeTakesAnyPortThatIsNotBusy) {
  SelectorBench bench(4);
  bench.ar(live(ArChoice::kFree)).all_in_one();
  bench.queue(1, 20'000);
  bench.queue(2, 100'000);
  bench.queue(3, 200'000);
  const auto load = bench.loads_at(1_us, 3000);
  for (const std::uint32_t port : {0u, 1u, 2u}) EXPECT_NEAR(load[port], 1000, 3 * 26);
  EXPECT_EQ(load[3], 0u);
}

TEST(Ar, FreeFallsBackToBusyPortsWhenThereIsNoOther) {
  SelectorBench bench(2);
  bench.ar(live(ArChoice::kFree)).all_in_one();
  for (const std::uint32_t port : {0u, 1u}) bench.queue(port, 200'000);
  const PickResult result = bench.pick_at(1_us);
  EXPECT_TRUE(result.busy);
  EXPECT_NE(result.port, PickResult::kNoPort);
}

TEST(Ar, StickyStaysWhileNoPortIsBetter) {
  SelectorBench bench(4);
  bench.ar(live(ArChoice::kSticky)).all_in_one();
  const std::uint32_t port = bench.pick_at(1_us, 42).port;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bench.pick_at(1_us, 42).port, port);
  bench.queue(port, 9'000);
  const std::uint32_t next = bench.pick_at(1_us, 42).port;
  EXPECT_NE(next, port);
  bench.queue(port, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bench.pick_at(1_us, 42).port, next);
}

TEST(Ar, FlowletsMoveAtGapsAlone) {
  ArParams params = live();
  params.granularity = ArGranularity::kFlowlet;
  params.idle_time = 5_us;
  SelectorBench bench(4);
  bench.ar(params).all_in_one();
  const std::uint32_t port = bench.pick_at(1_us, 42).port;
  bench.queue(port, 200'000);
  EXPECT_EQ(bench.pick_at(5_us, 42).port, port);
  EXPECT_NE(bench.pick_at(10_us, 42).port, port);
}

TEST(Ar, MembersShareByRate) {
  SelectorBench bench(std::vector<BitsPerSecond>{k800G, k400G, k400G});
  bench.ar(live()).all_in_one();
  const auto load = bench.loads_at(1_us, 4000);
  EXPECT_NEAR(load[0], 2000, 3 * std::sqrt(1000.0));
  EXPECT_NEAR(load[1], 1000, 3 * std::sqrt(750.0));
  ArParams equal = live();
  equal.weighted = false;
  SelectorBench other(std::vector<BitsPerSecond>{k800G, k400G, k400G});
  other.ar(equal).all_in_one();
  EXPECT_NEAR(other.loads_at(1_us, 3000)[0], 1000, 3 * 26);
}

TEST(Ar, MembersShareByRemoteCapacityToo) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.selector().set_capacity(0, 0, 3);
  EXPECT_NEAR(bench.loads_at(1_us, 4000)[0], 3000, 3 * std::sqrt(750.0));
  bench.selector().set_capacity(0, 0, 0);
  EXPECT_EQ(bench.loads_at(1_us, 100)[0], 0u);
}

TEST(Ar, ANotificationLowersAPortForItsTimeInItsGroupAlone) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.all_in_one();
  bench.selector().demote(0, 0, 21_us);
  EXPECT_EQ(bench.loads_at(20'999'999_ps, 100)[0], 0u);
  EXPECT_GT(bench.loads_at(21_us, 100)[0], 20u);
  bench.selector().demote(1, 0, 100_us);
  EXPECT_GT(bench.loads_at(50_us, 100)[0], 20u);
  EXPECT_EQ(bench.pick_at(50_us, 0, 0, 1).port, 1u);
}

TEST(Ar, AGroupIsBusyWhenEveryMemberIs) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.queue(0, 200'000);
  EXPECT_FALSE(bench.pick_at(1_us).busy);
  bench.queue(1, 128'001);
  EXPECT_TRUE(bench.pick_at(1_us).busy);
  bench.queue(1, 0);
  bench.selector().demote(0, 1, 2_us);
  EXPECT_TRUE(bench.pick_at(1_us).busy);
}

TEST(Ar, ThresholdsMustAscend) {
  ArParams params;
  params.grade_bytes = {8'000, 8'000};
  EXPECT_THROW(params.validate(), ConfigError);
  params.grade_bytes = {};
  EXPECT_THROW(params.validate(), ConfigError);
}

// A pipe's packets between two copies all see the same numbers; another pipe may know better.
TEST(PipeViews, APipeActsOnItsCopyUntilTheNextOne) {
  ArParams params;
  params.refresh = 4_us;
  SelectorBench bench(4);
  bench.pipes({0, 0, 1, 1}).ar(params).all_in_one();
  bench.pick_at(Ps{0});  // wakes the clock: all copies are of an idle chip
  for (const std::uint32_t port : {0u, 1u, 2u}) bench.queue(port, 200'000);
  int pipes_that_know = 0;
  Ps learnt[2] = {kNever, kNever};
  for (Ps now = 100_ns; now <= 4_us; now += 100_ns) {
    for (const std::uint32_t pipe : {0u, 1u}) {
      const auto load = bench.loads_at(now, 60, pipe * 2);
      const bool knows = load[3] == 60;
      if (learnt[pipe] != kNever) {
        ASSERT_TRUE(knows);
        continue;
      }
      if (!knows) continue;
      learnt[pipe] = now;
      ++pipes_that_know;
    }
  }
  EXPECT_EQ(pipes_that_know, 2) << "every pipe copies once in a period";
  EXPECT_NE(learnt[0], learnt[1]) << "one after the other";
}

TEST(PipeViews, EveryPipeCopiesOnceInAPeriodAtItsOwnPhase) {
  constexpr std::uint32_t kPipes = 16;
  PipeViews views(kPipes, 1, 1_us, 7, 3);
  std::uint32_t number = 0;
  std::set<std::uint64_t> phases;
  for (int copy = 0; copy < 32; ++copy) {
    const Ps due = views.next_due();
    EXPECT_EQ(due.value / 1'000'000, static_cast<std::uint64_t>(copy) / kPipes);
    phases.insert(due.value % 1'000'000);
    views.refresh(due, {0}, [&](std::uint16_t) { return ++number; });
  }
  EXPECT_EQ(phases.size(), kPipes);
  std::set<std::uint8_t> copies;
  for (std::uint32_t pipe = 0; pipe < kPipes; ++pipe) copies.insert(views.of(pipe)[0]);
  EXPECT_EQ(copies.size(), kPipes);
  EXPECT_EQ(*copies.begin(), 17) << "the second period's copies";
}

TEST(PipeViews, StopWithTheTrafficAndWakeUpToDate) {
  ArParams params;
  params.refresh = 100_ns;
  SelectorBench bench(2);
  bench.ar(params).all_in_one();
  bench.pick_at(1_us);
  bench.advance(100_us);
  EXPECT_TRUE(bench.selector().resting());
  EXPECT_EQ(bench.due(), kNever);
  bench.queue(0, 200'000);
  EXPECT_EQ(bench.loads_at(5_ms, 100)[0], 0u);
  EXPECT_GT(bench.due(), 5_ms);
  EXPECT_LE(bench.due(), 5_ms + 100_ns);
}

TEST(PipeViews, LiveGradesNeedNoCopies) {
  SelectorBench bench(2);
  bench.ar(live()).all_in_one();
  bench.pick_at(1_us);
  bench.queue(0, 200'000);
  EXPECT_EQ(bench.loads_at(1_us, 100)[0], 0u);
  EXPECT_EQ(PipeViews(4, 2, Ps{0}, 1, 1).next_due(), kNever);
}

}  // namespace
}  // namespace sluice
