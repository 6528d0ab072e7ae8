// SPDX-License-Identifier: Apache-2.0
// Byte accounting (docs/formats.md, table 0) and the checks of the op IR.
// Leaves out: importers, which have their own tests.
#include "workload/workload.h"

#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/workload/builder.h"

namespace sluice {
namespace {

using testing::add;
using testing::add_everywhere;
using testing::depend;
using testing::world_of;

std::string validation_error(const Workload& workload) {
  try {
    validate(workload);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

std::uint64_t put_in(std::uint32_t rank, OpKind kind, std::uint64_t bytes) {
  Workload workload = world_of(4);
  const std::uint32_t root = 1;
  return bytes_put_in(workload, rank, add(workload, rank, kind, bytes, root));
}

TEST(Workload, BytesPutInFollowTableZero) {
  constexpr std::uint64_t kSize = 4096;
  EXPECT_EQ(put_in(2, OpKind::kAllReduce, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kReduce, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kReduceScatter, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kAllToAll, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kAllGather, kSize), kSize / 4);
  EXPECT_EQ(put_in(2, OpKind::kGather, kSize), kSize / 4);
  EXPECT_EQ(put_in(1, OpKind::kBroadcast, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kBroadcast, kSize), 0U);
  EXPECT_EQ(put_in(1, OpKind::kScatter, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kScatter, kSize), 0U);
  EXPECT_EQ(put_in(2, OpKind::kSend, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kWrite, kSize), kSize);
  EXPECT_EQ(put_in(2, OpKind::kRecv, kSize), 0U);
  EXPECT_EQ(put_in(2, OpKind::kBarrier, 0), 0U);
}

TEST(Workload, SharesOfAnIndivisibleAllGatherSumToTheWhole) {
  std::uint64_t total = 0;
  for (std::uint32_t rank = 0; rank < 4; ++rank) total += put_in(rank, OpKind::kAllGather, 4099);
  EXPECT_EQ(total, 4099U);
}

TEST(Workload, UnevenAllToAllPutsInTheSumOfItsSplits) {
  Workload workload = world_of(2);
  workload.splits.push_back({{3, 5}, {7, 9}});
  Op& op = add(workload, 0, OpKind::kAllToAll, 8);
  op.splits = 0;
  EXPECT_EQ(bytes_put_in(workload, 0, op), 8U);
}

TEST(Ledger, SkipMergesByReason) {
  Ledger ledger;
  ledger.skip("one rank", 10);
  ledger.skip("zero bytes", 0);
  ledger.skip("one rank", 5);
  ASSERT_EQ(ledger.skipped.size(), 2U);
  EXPECT_EQ(ledger.skipped[0].reason, "one rank");
  EXPECT_EQ(ledger.skipped[0].bytes, 15U);
  EXPECT_EQ(ledger.skipped[0].ops, 2U);
  EXPECT_EQ(ledger.skipped[1].ops, 1U);
  EXPECT_EQ(ledger.bytes_skipped, 15U);
}

TEST(Workload, OpKindsHaveTheNamesOfTheOpsTable) {
  EXPECT_EQ(op_kind_name(OpKind::kAllReduce), "all_reduce");
  EXPECT_EQ(op_kind_name(OpKind::kAllToAll), "all_to_all");
  EXPECT_EQ(op_kind_name(OpKind::kBarrier), "barrier");
  EXPECT_EQ(op_kind_name(OpKind::kSend), "send_recv");
  EXPECT_EQ(op_kind_name(OpKind::kRecv), "send_recv");
  EXPECT_EQ(op_kind_name(OpKind::kWrite), "write");
  EXPECT_EQ(op_kind_name(OpKind::kCompute), "compute");
}

TEST(Workload, ScalingComputeRoundsToTheNearestPicosecond) {
  Workload workload = world_of(1);
  add(workload, 0, OpKind::kCompute, 0).compute = Ps{3};
  scale_compute(workload, 0.5);
  EXPECT_EQ(workload.ranks[0].ops[0].compute, Ps{2});
  scale_compute(workload, 0);
  EXPECT_EQ(workload.ranks[0].ops[0].compute, Ps{0});
  EXPECT_THROW(scale_compute(workload, -1), ConfigError);
}

TEST(Validate, AcceptsForwardDependencies) {
  Workload workload = world_of(2);
  add_everywhere(workload, OpKind::kAllReduce, 8);
  add_everywhere(workload, OpKind::kAllReduce, 8);
  depend(workload, 0, 0, {1});
  EXPECT_EQ(validation_error(workload), "");
}

TEST(Validate, PrintsOneCycleInOrder) {
  Workload workload = world_of(1);
  for (std::uint64_t id = 10; id < 14; ++id) add(workload, 0, OpKind::kCompute, 0).source = id;
  depend(workload, 0, 1, {3});
  depend(workload, 0, 2, {1});
  depend(workload, 0, 3, {2});
  EXPECT_NE(validation_error(workload).find("11 -> 13 -> 12 -> 11"), std::string::npos)
      << validation_error(workload);
}

TEST(Validate, NamesASelfLoop) {
  Workload workload = world_of(1);
  add(workload, 0, OpKind::kCompute, 0).source = 7;
  depend(workload, 0, 0, {0});
  EXPECT_NE(validation_error(workload).find("7 -> 7"), std::string::npos);
}

TEST(Validate, RefusesWhatPointsNowhere) {
  Workload workload = world_of(2);
  add(workload, 0, OpKind::kSend, 8, 2);
  EXPECT_NE(validation_error(workload).find("peer 2 of 2"), std::string::npos);
  workload = world_of(2);
  add(workload, 0, OpKind::kSend, 8, 1);
  depend(workload, 0, 0, {4});
  EXPECT_NE(validation_error(workload).find("depends on op 4 of 1"), std::string::npos);
  workload = world_of(2);
  add(workload, 0, OpKind::kAllReduce, 8).group = 3;
  EXPECT_NE(validation_error(workload).find("group 3 of 1"), std::string::npos);
  workload = world_of(2);
  workload.groups[0].ranks = {0, 0};
  EXPECT_NE(validation_error(workload).find("twice"), std::string::npos);
  workload = world_of(2);
  workload.groups[0].ranks = {1};
  add(workload, 0, OpKind::kAllReduce, 8);
  EXPECT_NE(validation_error(workload).find("not in group 'world'"), std::string::npos);
  workload = world_of(2);
  workload.splits.push_back({{1}, {1, 2}});
  add(workload, 0, OpKind::kAllToAll, 8).splits = 0;
  EXPECT_NE(validation_error(workload).find("for 2 members"), std::string::npos);
}

}  // namespace
}  // namespace sluice
