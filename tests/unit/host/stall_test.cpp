// SPDX-License-Identifier: Apache-2.0
// What a run that cannot go on says: who waits, in what, for whom.
#include <gtest/gtest.h>

#include "unit/host/ideal_cluster.h"

namespace sluice {
namespace {

using B = WorkloadBuilder;

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

TEST(StallReport, NamesTheRankThatLacksAnOp) {
  // Field report B67: rank 3 lacks the 5th all-reduce of an 8-rank trace.
  B b(8);
  const auto world = b.group("world", {0, 1, 2, 3, 4, 5, 6, 7});
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    for (int i = 0; i < (rank == 3 ? 4 : 5); ++i) {
      b.chain(rank, B::collective(OpKind::kAllReduce, world, 8192));
    }
  }
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_FALSE(cluster.complete());
  const std::string text = cluster.stall();
  expect_says(text, "7 of 8 ranks wait (rank 0-2,4-7)");
  expect_says(text, "rank 3 lacks op 5 of group 'world'");
  expect_says(text, "all_reduce 5 of group 'world' (8192 B, 8 ranks): 7 ranks in it");
  expect_says(text, "rank 3 has only 4 ops in this group");
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(StallReport, NamesTheRankThatHasNotStarted) {
  B b(4);
  const auto world = b.group("world", {0, 1, 2, 3});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    if (rank == 2) b.chain(rank, B::message(OpKind::kRecv, 1, 64, 9));
    b.chain(rank, B::collective(OpKind::kBarrier, world, 0));
  }
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  const std::string text = cluster.stall();
  expect_says(text, "barrier 1 of group 'world'");
  expect_says(text, "not started by rank 2");
  expect_says(text, "rank 2 waits for message 1 of 64 B from rank 1 (tag 9)");
  expect_says(text, "mismatch 1->2: sent 0, expected 64");
}

TEST(StallReport, NamesTheMissingShareOfAnUnevenAllToAll) {
  // Field report B58.
  constexpr std::uint32_t kRanks = 24;
  B b(kRanks);
  std::vector<std::uint32_t> ranks(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) ranks[r] = r;
  const auto world = b.group("world", ranks);
  auto& splits = b.workload().splits;
  splits.assign(kRanks, {std::vector<std::uint64_t>(kRanks), std::vector<std::uint64_t>(kRanks)});
  RandomStream random(58, 0, RandomPurpose::kTest);
  for (std::uint32_t from = 0; from < kRanks; ++from) {
    for (std::uint32_t to = 0; to < kRanks; ++to) {
      const std::uint64_t bytes = random.below(3) == 0 ? 0 : random.below(2'000'000);
      splits[from].send_bytes[to] = splits[to].recv_bytes[from] = bytes;
    }
  }
  splits[4].send_bytes[17] = 0;
  splits[17].recv_bytes[4] = 0;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    Op op = B::collective(OpKind::kAllToAll, world, 0);
    for (const std::uint64_t bytes : splits[r].send_bytes) op.bytes += bytes;
    op.splits = r;
    b.chain(r, op);
  }
  {
    IdealCluster matched(b.workload(), {.latency = 1_us});
    matched.run();
    EXPECT_TRUE(matched.complete()) << matched.stall();
    EXPECT_NO_THROW(matched.recorder().ledger("", true));
  }
  splits[17].recv_bytes[4] = 1'597'440;
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_FALSE(cluster.complete());
  expect_says(cluster.stall(), "mismatch 4->17: sent 0, expected 1597440");
  expect_says(cluster.stall(), "1 of 24 ranks wait (rank 17)");
}

TEST(StallReport, RefusesAMessageOfAnotherSize) {
  B b(2);
  b.add(0, B::message(OpKind::kSend, 1, 100));
  b.add(1, B::message(OpKind::kRecv, 0, 200));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_FALSE(cluster.complete());
  expect_says(cluster.stall(), "mismatch 0->1: sent 100, expected 200");
}

TEST(StallReport, CountsAMessageThatNobodyExpectsAsAFault) {
  B b(2);
  b.add(0, B::message(OpKind::kSend, 1, 100));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_FALSE(cluster.complete());
  expect_says(cluster.stall(), "mismatch 0->1: sent 100, expected nothing");
}

TEST(StallReport, RefusesCollectivesThatDiffer) {
  B b(2);
  const auto world = b.group("world", {0, 1});
  b.add(0, B::collective(OpKind::kAllReduce, world, 4096));
  b.add(1, B::collective(OpKind::kAllGather, world, 4096));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_FALSE(cluster.complete());
  expect_says(cluster.stall(), "op 1 of group 'world' differs");
}

TEST(StallReport, IsEmptyForARunThatEnded) {
  B b(2);
  const auto world = b.group("world", {0, 1});
  for (std::uint32_t r = 0; r < 2; ++r) b.chain(r, B::collective(OpKind::kBarrier, world, 0));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  EXPECT_TRUE(cluster.complete());
  EXPECT_EQ(cluster.stall(), "");
}

}  // namespace
}  // namespace sluice
