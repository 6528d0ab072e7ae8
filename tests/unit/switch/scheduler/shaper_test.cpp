// SPDX-License-Identifier: Apache-2.0
// Golden row G13-25: a token bucket never lets out more than rate * t + burst + one frame; shapers
// of queues and ports inside the scheduler. Leaves out: a running chip
// (unit/switch/chip_shaper_test.cpp).
#include "switch/scheduler/shaper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernel/error.h"
#include "kernel/random.h"
#include "switch/scheduler/scheduler.h"

namespace sluice {
namespace {

constexpr BitsPerSecond gbit(std::uint64_t n) { return BitsPerSecond{n * 1'000'000'000}; }

struct Sent {
  Ps at{};
  std::uint32_t bytes = 0;
};

/// Frames of random size offered as fast as the bucket lets them, in bursts with idle times.
std::vector<Sent> greedy(TokenBucket& bucket, int frames) {
  RandomStream random(5, 0, RandomPurpose::kTest);
  std::vector<Sent> sent;
  Ps now{};
  for (int i = 0; i < frames; ++i) {
    if (random.below(50) == 0) now += Ps{random.below(20'000'000)};
    now = std::max(now, bucket.opens_at());
    const std::uint32_t bytes = 84 + random.below(9153);
    EXPECT_TRUE(bucket.open(now));
    bucket.take(bytes, now);
    sent.push_back({now, bytes});
  }
  return sent;
}

TEST(G13, G13_25_NoWindowHoldsMoreThanRateTimesTimePlusBurstPlusAFrame) {
  const struct {
    BitsPerSecond rate;
    Bytes burst;
  } cases[] = {{gbit(10), Bytes{16384}}, {gbit(400), Bytes{4178}}, {{123'456'789}, Bytes{64}}};
  for (const auto& shaper : cases) {
    TokenBucket bucket(shaper.rate, shaper.burst);
    const std::vector<Sent> sent = greedy(bucket, 2000);
    for (std::size_t first = 0; first < sent.size(); first += 13) {
      std::uint64_t bytes = 0;
      for (std::size_t last = first; last < sent.size(); ++last) {
        bytes += sent[last].bytes;
        const double window = (sent[last].at - sent[first].at).seconds();
        const double allowed = static_cast<double>(shaper.rate.value) / 8 * window +
                               static_cast<double>(shaper.burst.value) + 9236;
        ASSERT_LE(static_cast<double>(bytes), allowed + 1) << first << " to " << last;
      }
    }
  }
}

TEST(Shaper, TheLongRunRateIsExact) {
  // 1000 B at 3 Gb/s take 2666.666… ns: 3000 frames after the burst end on a whole microsecond.
  TokenBucket bucket(gbit(3), Bytes{1000});
  Ps now{};
  for (int i = 0; i < 3002; ++i) {
    now = std::max(now, bucket.opens_at());
    bucket.take(1000, now);
  }
  EXPECT_EQ(now, 8_ms) << "the first two frames left at once";
}

TEST(Shaper, WithoutRateItIsAlwaysOpen) {
  TokenBucket bucket(BitsPerSecond{0}, Bytes{1});
  bucket.take(9000, Ps{});
  EXPECT_TRUE(bucket.open(Ps{}));
  EXPECT_FALSE(bucket.shapes());
}

SchedulerParams shaped(std::vector<std::uint32_t> mbps) {
  SchedulerParams params;
  params.queue_shapers = std::move(mbps);
  return params;
}

TEST(Shaper, AQueueIsHeldAndTheOthersGoOn) {
  const auto scheduler = make_scheduler(shaped({0, 0, 0, 10'000, 0, 0, 0, 0}), 2);
  EXPECT_TRUE(scheduler->shapes(0));
  for (int i = 0; i < 2; ++i) scheduler->sent(0, 3, 16384, Ps{});  // burst, and as much again
  EXPECT_EQ(scheduler->held(0, Ps{}), 1u << 3);
  EXPECT_EQ(scheduler->held(1, Ps{}), 0) << "the other port has buckets of its own";
  // 16384 B at 10 Gb/s.
  EXPECT_EQ(scheduler->next_open(0, 0xff, Ps{}), Ps{13'107'200});
  EXPECT_EQ(scheduler->next_open(0, 1u << 2, Ps{}), kNever);
  EXPECT_EQ(scheduler->held(0, Ps{13'107'200}), 0);
}

TEST(Shaper, AHeldPortHoldsAllItsQueues) {
  SchedulerParams params;
  params.port_shaper = gbit(100);
  params.port_burst = Bytes{1000};
  const auto scheduler = make_scheduler(params, 1);
  scheduler->sent(0, 5, 3000, Ps{});
  EXPECT_EQ(scheduler->held(0, Ps{}), 0xff);
  EXPECT_EQ(scheduler->next_open(0, 1, Ps{}), Ps{160'000});  // 2000 B at 100 Gb/s
}

TEST(Shaper, EveryPortHasItsOwnProfile) {
  SchedulerParams strict;
  strict.strict_queues = {0};
  const auto scheduler =
      make_scheduler({SchedulerParams{}, strict, shaped({1, 0, 0, 0, 0, 0, 0, 0})}, {0, 1, 2});
  std::array<std::uint32_t, kSchedulerQueues> heads{};
  heads.fill(4178);
  EXPECT_EQ(scheduler->pick(0, 1u << 6 | 1, heads), 6u);
  EXPECT_EQ(scheduler->pick(1, 1u << 6 | 1, heads), 0u);
  EXPECT_FALSE(scheduler->shapes(1));
  EXPECT_TRUE(scheduler->shapes(2));
}

TEST(Shaper, ListsOfTheWrongLengthAreRefused) {
  EXPECT_THROW(shaped({1, 2}).validate(), ConfigError);
  SchedulerParams params;
  params.queue_bursts = {1000};
  EXPECT_THROW(params.validate(), ConfigError);
  params.queue_bursts.assign(8, 63);
  EXPECT_THROW(params.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
