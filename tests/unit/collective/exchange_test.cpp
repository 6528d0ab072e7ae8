// SPDX-License-Identifier: Apache-2.0
// All-to-all, barrier, gather, scatter, broadcast and reduce: bytes, windows, times, mismatches.
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/collective/ideal_members.h"

namespace sluice {
namespace {

constexpr std::uint32_t kSizes[] = {1, 2, 3, 5, 8, 64};

TEST(Pairwise, EachMemberSendsAllButItsOwnShare) {
  for (const std::uint32_t n : kSizes) {
    const std::uint64_t size = std::uint64_t{n} * 65536;
    IdealMembers members(OpKind::kAllToAll, n, size, {.latency_ps = 1000, .ps_per_byte = 1});
    members.run();
    ASSERT_TRUE(members.all_ended());
    for (std::uint32_t m = 0; m < n; ++m) {
      EXPECT_EQ(members.sent_bytes(m), (n - 1) * 65536u);
      EXPECT_EQ(members.received_bytes(m), (n - 1) * 65536u);
      EXPECT_EQ(members.messages(m), n - 1);
    }
  }
}

TEST(Pairwise, KeepsNoMoreThanItsWindowInFlight) {
  CollectiveParams params;
  params.all_to_all_window = 3;
  IdealMembers members(OpKind::kAllToAll, 64, 64 * 1000, {.latency_ps = 1'000'000}, params);
  members.run();
  ASSERT_TRUE(members.all_ended());
  for (std::uint32_t m = 0; m < 64; ++m) EXPECT_EQ(members.peak_in_flight(m), 3u);
  // 63 peers, 3 at a time: 21 rounds; each but the last waits for its acknowledge.
  EXPECT_EQ(members.last_end(), 20u * 2'000'000 + 1'000'000);
}

TEST(Pairwise, TakesTheWireTimeWhenLatencyIsHidden) {
  CollectiveParams params;
  params.all_to_all_window = 8;
  IdealMembers members(OpKind::kAllToAll, 8, 8 * 65536, {.ps_per_byte = 20}, params);
  members.run();
  EXPECT_EQ(members.last_end(), 7u * 65536 * 20);
}

TEST(Pairwise, SizesThatDoNotDivideLoseNoByte) {
  IdealMembers members(OpKind::kAllToAll, 5, 13, {.latency_ps = 10});
  members.run();
  ASSERT_TRUE(members.all_ended());
  // Chunks 3, 3, 3, 2, 2: member 0 keeps 3 of 13 and receives 3 from each of four.
  EXPECT_EQ(members.sent_bytes(0), 10u);
  EXPECT_EQ(members.received_bytes(0), 12u);
  EXPECT_EQ(members.received_bytes(4), 8u);
}

/// 24 ranks, a random matrix with zeros (field report B58).
std::vector<Splits> random_matrix(std::uint32_t n) {
  std::vector<Splits> splits(n, {std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n)});
  RandomStream random(58, 0, RandomPurpose::kTest);
  for (std::uint32_t from = 0; from < n; ++from) {
    for (std::uint32_t to = 0; to < n; ++to) {
      const std::uint64_t bytes = random.below(3) == 0 ? 0 : random.below(2'000'000);
      splits[from].send_bytes[to] = bytes;
      splits[to].recv_bytes[from] = bytes;
    }
  }
  return splits;
}

TEST(Pairwise, UnevenSizesWithZerosFinishAndZeroPairsCostNothing) {
  const auto splits = random_matrix(24);
  IdealMembers members(
      OpKind::kAllToAll, 24, 0,
      {.latency_ps = 1000, .ps_per_byte = 1, .start_spread_ps = 50'000, .jitter_ps = 9000});
  members.set_splits(splits);
  members.run();
  ASSERT_TRUE(members.all_ended());
  for (std::uint32_t m = 0; m < 24; ++m) {
    std::uint64_t bytes = 0;
    std::uint32_t messages = 0;
    for (std::uint32_t to = 0; to < 24; ++to) {
      if (to == m) continue;
      bytes += splits[m].send_bytes[to];
      messages += splits[m].send_bytes[to] != 0 ? 1 : 0;
    }
    EXPECT_EQ(members.sent_bytes(m), bytes);
    EXPECT_EQ(members.messages(m), messages);
  }
}

TEST(Pairwise, AMissingShareStallsItsReceiverAlone) {
  auto splits = random_matrix(24);
  splits[4].send_bytes[17] = 0;
  splits[17].recv_bytes[4] = 1'597'440;
  IdealMembers members(OpKind::kAllToAll, 24, 0, {.latency_ps = 1000});
  members.set_splits(splits);
  members.run();
  for (std::uint32_t m = 0; m < 24; ++m) EXPECT_EQ(members.ended(m), m != 17) << m;
  EXPECT_EQ(members.state(17).received + 1, members.state(17).expected);
}

TEST(Barrier, TakesLog2RoundsOfEmptyWrites) {
  struct Case {
    std::uint32_t n, rounds;
  };
  for (const Case& c : {Case{1, 0}, Case{2, 1}, Case{3, 2}, Case{5, 3}, Case{8, 3}, Case{64, 6}}) {
    IdealMembers members(OpKind::kBarrier, c.n, 0, {.latency_ps = 1000});
    members.run();
    ASSERT_TRUE(members.all_ended());
    EXPECT_EQ(members.last_end(), c.rounds * 1000u);
    for (std::uint32_t m = 0; m < c.n; ++m) {
      EXPECT_EQ(members.messages(m), c.rounds);
      EXPECT_EQ(members.sent_bytes(m), 0u);
    }
  }
}

TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    IdealMembers members(
        OpKind::kBarrier, 13, 0,
        {.latency_ps = 10, .start_spread_ps = 1'000'000, .jitter_ps = 3000, .seed = seed});
    members.run();
    ASSERT_TRUE(members.all_ended());
    RandomStream random(seed, 0, RandomPurpose::kTest);
    std::uint64_t last_start = 0;
    for (int m = 0; m < 13; ++m) {
      last_start = std::max<std::uint64_t>(last_start, random.below(1'000'000));
    }
    for (std::uint32_t m = 0; m < 13; ++m) EXPECT_GE(members.end(m), last_start);
  }
}

TEST(Broadcast, IsAPipelineOfSlices) {
  CollectiveParams params;
  params.pipeline_slice = Bytes{1000};
  params.pipeline_window = 1000;
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 64u}) {
    for (const OpKind kind : {OpKind::kBroadcast, OpKind::kReduce}) {
      IdealMembers members(kind, n, 100'000, {.latency_ps = 500, .ps_per_byte = 20}, params, n / 2);
      members.run();
      ASSERT_TRUE(members.all_ended());
      // 100 slices from the first member, the last one passed on n - 2 times more.
      const std::uint64_t time = 100 * 1000 * 20 + 500 + (n - 2) * (1000u * 20 + 500);
      const std::uint32_t last = (kind == OpKind::kReduce ? n / 2 : n / 2 + n - 1) % n;
      EXPECT_EQ(members.end(last), time) << n;
      // The first member receives nothing, so it ends with its last acknowledge.
      EXPECT_EQ(members.end((last + 1) % n), 100u * 1000 * 20 + 2 * 500);
      std::uint64_t sent = 0;
      for (std::uint32_t m = 0; m < n; ++m) sent += members.sent_bytes(m);
      EXPECT_EQ(sent, (n - 1) * 100'000u);
      const std::uint32_t root = n / 2;
      EXPECT_EQ(members.received_bytes(root), kind == OpKind::kReduce ? 100'000u : 0u);
      EXPECT_EQ(members.sent_bytes(root), kind == OpKind::kReduce ? 0u : 100'000u);
    }
  }
}

TEST(Broadcast, FirstMemberKeepsItsWindow) {
  CollectiveParams params;
  params.pipeline_slice = Bytes{10};
  params.pipeline_window = 2;
  IdealMembers members(OpKind::kBroadcast, 3, 95, {.latency_ps = 100}, params, 1);
  members.run();
  ASSERT_TRUE(members.all_ended());
  EXPECT_EQ(members.peak_in_flight(1), 2u);
  EXPECT_EQ(members.messages(1), 10u);
  EXPECT_EQ(members.received_bytes(0), 95u);
}

TEST(Star, GatherAndScatterMoveEachShareOnce) {
  for (const std::uint32_t n : kSizes) {
    for (const std::uint64_t size : {0ull, 3ull, 640ull, 1001ull}) {
      for (const OpKind kind : {OpKind::kGather, OpKind::kScatter}) {
        const std::uint32_t root = n - 1;
        IdealMembers members(kind, n, size, {.latency_ps = 100, .jitter_ps = 50}, {}, root);
        members.run();
        ASSERT_TRUE(members.all_ended()) << n << " " << size;
        const std::uint64_t moved = size - chunk_bytes(size, n, root);
        const bool gather = kind == OpKind::kGather;
        EXPECT_EQ(members.received_bytes(root), gather ? moved : 0u);
        EXPECT_EQ(members.sent_bytes(root), gather ? 0u : moved);
      }
    }
  }
}

TEST(CollectiveParams, RefusesAWindowOfNothing) {
  CollectiveParams params;
  params.all_to_all_window = 0;
  EXPECT_THROW(params.validate(), ConfigError);
}

TEST(CollectiveState, IsOneCacheLineHoweverManyMembers) { EXPECT_LE(sizeof(CollectiveState), 64u); }

}  // namespace
}  // namespace sluice
