// SPDX-License-Identifier: Apache-2.0
// The wheel alone: order, horizon, same-time events, prefetch-independence, allocations.
#include "kernel/event_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

struct Recorder : EventHandler {
  std::vector<Event> seen;
  std::function<void(const Event&)> reaction;
  void handle(Event event) override {
    seen.push_back(event);
    if (reaction) reaction(event);
  }
};

bool in_order(const std::vector<Event>& events) {
  return std::is_sorted(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  });
}

TEST(EventWheel, RunsInOrderOfTimeThenTargetThenKindWhateverTheInsertionOrder) {
  for (const unsigned shift : {6U, 9U, 12U, 20U}) {
    EventWheel wheel(shift);
    Recorder recorder;
    wheel.add_targets(recorder, 8, &recorder, 0);
    RandomStream random(1, shift, RandomPurpose::kTest);
    std::vector<Event> events;
    for (std::uint32_t target = 0; target < 8; ++target) {
      for (std::uint8_t kind = 0; kind < 3; ++kind) {
        for (const std::uint64_t time :
             {0ULL, 1ULL, 511ULL, 512ULL, 4'194'304ULL, 9'000'000'000ULL}) {
          events.push_back({Ps{time}, target << 8 | kind, 0});
        }
      }
    }
    for (std::size_t i = events.size(); i > 1; --i) {
      std::swap(events[i - 1], events[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (const Event& event : events) wheel.post(event.time, event.target(), event.kind());
    wheel.run_before(kNever);
    EXPECT_EQ(recorder.seen.size(), events.size());
    EXPECT_TRUE(in_order(recorder.seen)) << "bucket shift " << shift;
    EXPECT_EQ(wheel.pending(), 0U);
  }
}

TEST(EventWheel, RunsAnEventPostedForNowAfterTheOneThatPostedIt) {
  EventWheel wheel;
  Recorder recorder;
  const TargetId first = wheel.add_targets(recorder, 4, &recorder, 0);
  recorder.reaction = [&](const Event& event) {
    if (event.target() == first + 2 && event.kind() == 0) wheel.post(wheel.now(), first, 7);
  };
  wheel.post(100_ps, first + 2, 0);
  wheel.post(100_ps, first + 3, 0);
  wheel.run_before(kNever);
  ASSERT_EQ(recorder.seen.size(), 3U);
  EXPECT_EQ(recorder.seen[1].kind(), 7);
  EXPECT_EQ(recorder.seen[1].time, 100_ps);
  EXPECT_EQ(recorder.seen[2].target(), first + 3);
}

TEST(EventWheel, StopsBeforeTheLimitAndGoesOnFromThere) {
  EventWheel wheel;
  Recorder recorder;
  wheel.add_targets(recorder, 1, &recorder, 0);
  for (std::uint64_t t = 0; t < 10; ++t) wheel.post(Ps{t * 1000}, 0, 0);
  wheel.run_before(5500_ps);
  EXPECT_EQ(recorder.seen.size(), 6U);
  EXPECT_EQ(wheel.next_time(), 6_ns);
  wheel.post(5800_ps, 0, 0);  // a foreign process posts something earlier
  EXPECT_EQ(wheel.next_time(), 5800_ps);
  wheel.post(5500_ps, 0, 0);
  wheel.run_before(kNever);
  EXPECT_EQ(recorder.seen.size(), 12U);
  EXPECT_TRUE(in_order(recorder.seen));
}

TEST(EventWheel, RefusesAnEventInThePast) {
  EventWheel wheel;
  Recorder recorder;
  wheel.add_targets(recorder, 1, &recorder, 0);
  recorder.reaction = [&](const Event&) { wheel.post(1_ps, 0, 1); };
  wheel.post(10_us, 0, 0);
  EXPECT_THROW(wheel.run_before(kNever), InvariantError);
}

TEST(EventWheel, RefusesTwoDifferentEventsOfOneKindForATargetAtOneInstant) {
  EventWheel wheel;
  Recorder recorder;
  wheel.add_targets(recorder, 1, &recorder, 0);
  wheel.post(10_us, 0, 3, 1);
  wheel.post(10_us, 0, 3, 2);
  EXPECT_THROW(wheel.run_before(kNever), InvariantError);
  wheel.post(20_us, 0, 3, 1);
  wheel.post(20_us, 0, 3, 1);  // the same wake-up asked for twice
  EXPECT_NO_THROW(wheel.run_before(kNever));
}

TEST(EventWheel, KeepsOrderOverTenMillionEventsWithNearAndFarDelays) {
  EventWheel wheel;
  struct Checker : EventHandler {
    EventWheel* wheel = nullptr;
    std::array<RandomStream, 256> random;
    Event last{};
    std::uint64_t left = 10'000'000 - 256;
    std::uint64_t disorder = 0;
    void handle(Event event) override {
      if (event.time < last.time || (event.time == last.time && event.key < last.key)) ++disorder;
      last = event;
      if (left == 0) return;
      --left;
      RandomStream& stream = random[event.target()];
      const std::uint32_t draw = stream.next_u32();
      // One in 64 far beyond the horizon, the rest within a link's latency.
      const std::uint64_t delay =
          draw % 64 == 0 ? 10'000'000 + draw % 1'000'000 : 1 + draw % 1'200'000;
      wheel->post(event.time + Ps{delay}, event.target(), 0);
    }
  } checker;
  checker.wheel = &wheel;
  wheel.add_targets(checker, 256, &checker, 0);
  for (std::uint32_t i = 0; i < 256; ++i) {
    checker.random[i] = RandomStream(7, i, RandomPurpose::kTest);
    wheel.post(Ps{i}, i, 0);
  }
  wheel.run_before(kNever);
  EXPECT_EQ(wheel.executed(), 10'000'000U);
  EXPECT_EQ(checker.disorder, 0U);
}

TEST(EventWheel, KeepsOrderWhileBucketsFollowTheDensityOfEvents) {
  EventWheel wheel(6);
  struct Checker : EventHandler {
    EventWheel* wheel = nullptr;
    std::array<RandomStream, 512> random;
    Event last{};
    std::uint64_t disorder = 0;
    void handle(Event event) override {
      if (event.time < last.time || (event.time == last.time && event.key < last.key)) ++disorder;
      last = event;
      // Crowded in the first half of every 20 us, sparse in the second; some far away.
      const std::uint64_t spread = event.time.value / 10'000'000 % 2 == 0 ? 2'000 : 4'000'000;
      const std::uint32_t draw = random[event.target()].next_u32();
      const std::uint64_t delay = 1 + (draw % 100 == 0 ? draw % 90'000'000 : draw % spread);
      wheel->post(event.time + Ps{delay}, event.target(), 0);
    }
  } checker;
  checker.wheel = &wheel;
  wheel.add_targets(checker, 512, &checker, 0);
  for (std::uint32_t i = 0; i < 512; ++i) {
    checker.random[i] = RandomStream(9, i, RandomPurpose::kTest);
    wheel.post(Ps{i}, i, 0);
  }
  for (std::uint64_t until = 1; until < 2000; ++until) {
    wheel.run_before(Ps{until * 997'001});
    EXPECT_GE(wheel.next_time(), Ps{until * 997'001});
  }
  EXPECT_GT(wheel.executed(), 1'000'000U);
  EXPECT_EQ(checker.disorder, 0U);
  EXPECT_EQ(wheel.pending(), 512U);
}

TEST(EventWheel, AllocatesNothingInSteadyState) {
  EventWheel wheel;
  Recorder recorder;
  std::uint64_t left = 2'000'000;
  struct Ticker : EventHandler {
    EventWheel* wheel;
    std::uint64_t* left;
    void handle(Event event) override {
      if (--*left == 0) return;
      wheel->post(event.time + Ps{41'940}, event.target(), 0);
    }
  } ticker;
  ticker.wheel = &wheel;
  ticker.left = &left;
  wheel.add_targets(ticker, 500, &ticker, 0);
  for (std::uint32_t i = 0; i < 500; ++i) wheel.post(Ps{i * 83}, i, 0);
  wheel.run_before(10_us);
  const std::uint64_t before = wheel.allocations();
  wheel.run_before(100_us);
  EXPECT_GT(wheel.executed(), 1'000'000U);
  EXPECT_EQ(wheel.allocations(), before);
}

}  // namespace
}  // namespace sluice
