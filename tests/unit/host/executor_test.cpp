// SPDX-License-Identifier: Apache-2.0
// Dependencies, matching, early arrivals, times and the ledger of ranks over an ideal transport.
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/host/ideal_cluster.h"
#include "workload/synthetic.h"

namespace sluice {
namespace {

using B = WorkloadBuilder;

TEST(RankExecutor, ComputeOpsFollowTheirDependencies) {
  B b(1);
  const auto a = b.add(0, B::compute(10_ns));
  const auto left = b.add(0, B::compute(5_ns), {a});
  const auto right = b.add(0, B::compute(7_ns), {a});
  b.add(0, B::compute(1_ns), {left, right});
  b.add(0, B::compute(17_ns));  // independent, ends with `right`
  IdealCluster cluster(b.workload(), {});
  cluster.run();
  EXPECT_TRUE(cluster.complete());
  EXPECT_EQ(cluster.last_end(), 18_ns);
  EXPECT_EQ(cluster.recorder().ops_ended(), 5u);
}

TEST(RankExecutor, ALongChainOfOpsThatEndAtOnceNeedsNoStack) {
  B b(1);
  for (int i = 0; i < 200'000; ++i) b.chain(0, B::compute(Ps{}));
  IdealCluster cluster(b.workload(), {});
  cluster.run();
  EXPECT_TRUE(cluster.complete());
  EXPECT_EQ(cluster.last_end(), Ps{});
}

TEST(RankExecutor, AllReduceTakesTheRingsClosedForm) {
  SyntheticParams params;
  params.type = SyntheticType::kAllReduce;
  params.bytes = Bytes{8 * 4096};
  const Workload workload = make_synthetic(params, 8);
  IdealCluster cluster(workload, {.latency = 5_us, .ps_per_byte = 20});
  cluster.run();
  ASSERT_TRUE(cluster.complete());
  const Ps time{14 * (4096 * 20 + 5'000'000)};
  const auto rows = cluster.recorder().rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, OpKind::kAllReduce);
  EXPECT_EQ(rows[0].bytes, 8u * 4096);
  EXPECT_EQ(rows[0].ranks, 8u);
  EXPECT_EQ(rows[0].count, 1u);
  EXPECT_EQ(rows[0].mean(), time);
  EXPECT_EQ(cluster.recorder().bytes_simulated(), 8u * 8 * 4096);
  EXPECT_EQ(cluster.recorder().network_bytes(), 2u * 7 * 8 * 4096);
}

TEST(RankExecutor, OverheadDelaysEachOpAndCountsInItsTime) {
  SyntheticParams params;
  params.type = SyntheticType::kAllReduce;
  params.bytes = Bytes{4096};
  params.repeat = 3;
  const Workload workload = make_synthetic(params, 2);
  IdealCluster cluster(workload, {.latency = 1_us, .op_overhead = 300_ns});
  cluster.run();
  ASSERT_TRUE(cluster.complete());
  EXPECT_EQ(cluster.last_end(), 3 * (2_us + 300_ns));
  EXPECT_EQ(cluster.recorder().rows()[0].mean(), 2_us + 300_ns);
}

TEST(RankExecutor, GroupsWhoseMembersTakeDifferentPathsFinish) {
  // Field report B60: ranks 4-7 run an extra all-reduce first.
  B b(8);
  const auto all = b.group("1", {0, 1, 2, 3, 4, 5, 6, 7});
  const auto half = b.group("2", {4, 5, 6, 7});
  const auto alone = b.group("3", {2});
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    if (rank >= 4) b.chain(rank, B::collective(OpKind::kAllReduce, half, 1024));
    b.chain(rank, B::collective(OpKind::kAllGather, all, 1024));
  }
  b.chain(2, B::collective(OpKind::kAllReduce, alone, 4096));
  b.chain(2, B::collective(OpKind::kAllToAll, alone, 4096));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  ASSERT_TRUE(cluster.complete()) << cluster.stall();
  // Ranks 0-3 wait for 4-7: 6 steps of the small ring, then 7 of the large one.
  EXPECT_EQ(cluster.last_end(), 13_us);
  const Ledger ledger = cluster.recorder().ledger("", true);
  ASSERT_EQ(ledger.skipped.size(), 1u);
  EXPECT_EQ(ledger.skipped[0].reason, "group of one rank");
  EXPECT_EQ(ledger.skipped[0].ops, 2u);
  EXPECT_EQ(ledger.skipped[0].bytes, 8192u);
  EXPECT_EQ(cluster.bytes_sent(2), 7u * 128);
}

TEST(RankExecutor, MessagesThatComeBeforeTheirOpAreKept) {
  B b(4);
  const auto all = b.group("world", {0, 1, 2, 3});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    if (rank == 1) b.chain(rank, B::compute(500_us));
    b.chain(rank, B::collective(OpKind::kAllToAll, all, 4000));
    b.chain(rank, B::collective(OpKind::kBarrier, all, 0));
    b.chain(rank, B::collective(OpKind::kAllReduce, all, 4001));
  }
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  ASSERT_TRUE(cluster.complete()) << cluster.stall();
  EXPECT_EQ(cluster.last_end(), 500_us + 1_us + 2_us + 6_us);
  EXPECT_LE(cluster.rank(1).peak_active(), 3u);
}

TEST(RankExecutor, SendsAndReceivesMatchInOrderOfTheirTag) {
  B b(2);
  b.add(0, B::message(OpKind::kSend, 1, 100, 7));
  b.add(0, B::message(OpKind::kSend, 1, 200, 9));
  b.add(0, B::message(OpKind::kSend, 1, 300, 7));
  const auto wait = b.add(1, B::compute(50_us));
  b.add(1, B::message(OpKind::kRecv, 0, 200, 9), {wait});
  b.add(1, B::message(OpKind::kRecv, 0, 100, 7), {wait});
  b.add(1, B::message(OpKind::kRecv, 0, 300, 7), {wait});
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  ASSERT_TRUE(cluster.complete()) << cluster.stall();
  EXPECT_EQ(cluster.last_end(), 50_us);
  const auto rows = cluster.recorder().rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].bytes, 100u);
  EXPECT_EQ(rows[0].ranks, 2u);
  EXPECT_EQ(rows[0].mean(), 50_us);  // from the send's start to the receive's end
  EXPECT_EQ(cluster.recorder().ledger("", true).bytes_in, 600u);
}

TEST(RankExecutor, MessagesToItselfCostNoTrafficAndOnesOfNothingAHeader) {
  B b(2);
  b.add(0, B::message(OpKind::kSend, 0, 4096));
  b.add(0, B::message(OpKind::kRecv, 0, 4096));
  b.add(0, B::message(OpKind::kWrite, 0, 4096));
  b.add(0, B::message(OpKind::kSend, 1, 0));
  b.add(1, B::message(OpKind::kRecv, 0, 0));
  IdealCluster cluster(b.workload(), {.latency = 1_us});
  cluster.run();
  ASSERT_TRUE(cluster.complete()) << cluster.stall();
  EXPECT_EQ(cluster.recorder().messages_sent(), 1u);
  EXPECT_EQ(cluster.recorder().network_bytes(), 0u);
  EXPECT_EQ(cluster.last_end(), 2_us);  // there, and its acknowledgement back
  const Ledger ledger = cluster.recorder().ledger("", true);
  EXPECT_EQ(ledger.bytes_in, 8192u);
  EXPECT_EQ(ledger.bytes_skipped, 8192u);
  ASSERT_EQ(ledger.skipped.size(), 1u);
  EXPECT_EQ(ledger.skipped[0].reason, "rank sends to itself");
}

TEST(RankExecutor, WritesEndWithTheirAcknowledge) {
  SyntheticParams params;
  params.type = SyntheticType::kIncast;
  params.bytes = Bytes{1000};
  params.count = 3;
  const Workload workload = make_synthetic(params, 4);
  IdealCluster cluster(workload, {.latency = 1_us, .ps_per_byte = 10});
  cluster.run();
  ASSERT_TRUE(cluster.complete());
  const auto rows = cluster.recorder().rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, OpKind::kWrite);
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_EQ(rows[0].mean(), 10_ns + 2_us);
}

TEST(RankExecutor, HoldsOneRecordAnActiveCollective) {
  SyntheticParams params;
  params.type = SyntheticType::kAllToAll;
  params.bytes = Bytes{512 * 64};
  params.repeat = 4;
  const Workload workload = make_synthetic(params, 512);
  IdealCluster cluster(workload, {.latency = 1_us, .ps_per_byte = 10, .start_spread = 1_us});
  cluster.run();
  ASSERT_TRUE(cluster.complete());
  for (std::uint32_t r = 0; r < 512; ++r) EXPECT_LE(cluster.rank(r).peak_active(), 2u);
  EXPECT_EQ(cluster.recorder().messages_received(), 4ull * 512 * 511);
}

TEST(RankExecutor, ResultsDoNotDependOnTheRun) {
  SyntheticParams params;
  params.type = SyntheticType::kAllToAll;
  params.bytes = Bytes{64 * 1000};
  const Workload workload = make_synthetic(params, 64);
  const auto hash = [&](std::uint64_t seed) {
    IdealCluster cluster(workload, {.latency = 1_us, .start_spread = 1_us, .seed = seed});
    cluster.run();
    return cluster.recorder().completion_hash();
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(RunRecorder, TheLedgerListsWhatAStoppedRunLeft) {
  SyntheticParams params;
  params.type = SyntheticType::kAllReduce;
  params.bytes = Bytes{4096};
  const Workload workload = make_synthetic(params, 4);
  IdealCluster cluster(workload, {.latency = 1_us});
  const Ledger ledger = cluster.recorder().ledger("not ended", false);
  EXPECT_EQ(ledger.bytes_in, 4u * 4096);
  EXPECT_EQ(ledger.bytes_skipped, 4u * 4096);
  ASSERT_EQ(ledger.skipped.size(), 1u);
  EXPECT_EQ(ledger.skipped[0].ops, 4u);
  EXPECT_THROW(cluster.recorder().ledger("", true), InvariantError);
}

TEST(RunRecorder, TwoHalvesMergeToTheWhole) {
  B b(2);
  const auto all = b.group("world", {0, 1});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    b.chain(rank, B::collective(OpKind::kAllReduce, all, 64));
  }
  const WorkloadPlan full(b.workload());
  const Op& op = b.workload().ranks[0].ops[0];
  RunRecorder whole(full), left(full), right(full);
  const PointToPoint pair{0, 1, 5, 0};
  const auto first = [&](RunRecorder& r) {
    r.collective_started(0, op, 2, 10_ns);
    r.collective_ended(0, 30_ns);
    r.point_to_point_started(pair, 8, 40_ns);
    r.point_to_point_ended(pair, 45_ns);
    r.op_ended(0, 0, op, 30_ns);
  };
  const auto second = [&](RunRecorder& r) {
    r.collective_started(0, op, 2, 12_ns);
    r.collective_ended(0, 35_ns);
    r.point_to_point_started(pair, 8, 41_ns);
    r.point_to_point_ended(pair, 47_ns);
    r.op_ended(1, 0, op, 35_ns);
  };
  first(whole);
  second(whole);
  first(left);
  second(right);
  left.merge(right);
  ASSERT_EQ(left.rows().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(left.rows()[i].mean(), whole.rows()[i].mean());
  }
  EXPECT_EQ(left.rows()[0].mean(), 25_ns);
  EXPECT_EQ(left.rows()[1].mean(), 7_ns);
  EXPECT_EQ(left.completion_hash(), whole.completion_hash());
  EXPECT_EQ(left.bytes_simulated(), 128u);
}

TEST(WorkloadPlan, RefusesAnOpOnAForeignGroup) {
  B b(2);
  const auto alone = b.group("alone", {1});
  b.workload().ranks[0].ops.push_back(B::collective(OpKind::kBarrier, alone, 0));
  EXPECT_THROW(WorkloadPlan{b.workload()}, TraceError);
}

}  // namespace
}  // namespace sluice
