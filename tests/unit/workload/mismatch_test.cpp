// SPDX-License-Identifier: Apache-2.0
// One hand-placed fault each: the line must name group, rank and op, or both ends of a message.
// Leaves out: how a run stalls on it (host/).
#include "workload/mismatch.h"

#include <gtest/gtest.h>

#include "unit/workload/builder.h"

namespace sluice {
namespace {

using testing::add;
using testing::add_everywhere;
using testing::world_of;

void remove(Workload& workload, std::uint32_t rank, std::ptrdiff_t op) {
  auto& ops = workload.ranks[rank].ops;
  ops.erase(ops.begin() + op);
}

TEST(Mismatch, IsEmptyWhenAllAgree) {
  Workload workload = world_of(4);
  add_everywhere(workload, OpKind::kAllReduce, 64);
  add_everywhere(workload, OpKind::kBroadcast, 64, 2);
  add(workload, 0, OpKind::kSend, 10, 3);
  add(workload, 3, OpKind::kRecv, 10, 0);
  EXPECT_EQ(describe_mismatch(workload), "");
}

TEST(Mismatch, NamesACollectiveMissingInTheMiddle) {
  Workload workload = world_of(8);
  for (std::uint64_t k = 1; k <= 9; ++k) add_everywhere(workload, OpKind::kAllReduce, k << 20);
  remove(workload, 3, 4);
  EXPECT_EQ(describe_mismatch(workload),
            "rank 3 lacks op 5 of group 'world' (all_reduce of 5242880 B), which ranks 0-2,4-7 "
            "wait in");
}

TEST(Mismatch, FindsAMissingOpAmongEqualOnesByItsNumber) {
  Workload workload = world_of(8);
  for (std::uint32_t k = 1; k <= 9; ++k) {
    add_everywhere(workload, OpKind::kAllReduce, 1048576);
    for (RankStream& stream : workload.ranks) stream.ops.back().tag = k;
  }
  remove(workload, 3, 4);
  EXPECT_EQ(describe_mismatch(workload),
            "rank 3 lacks op 5 of group 'world' (all_reduce of 1048576 B), which ranks 0-2,4-7 "
            "wait in");
}

TEST(Mismatch, NamesTheLastOpWhenEqualOnesHaveNoNumbers) {
  Workload workload = world_of(4);
  for (int k = 0; k < 9; ++k) add_everywhere(workload, OpKind::kAllReduce, 8);
  remove(workload, 1, 2);
  EXPECT_EQ(describe_mismatch(workload),
            "rank 1 lacks op 9 of group 'world' (all_reduce of 8 B), which ranks 0,2-3 wait in");
}

TEST(Mismatch, NamesAnExtraOp) {
  Workload workload = world_of(4);
  add_everywhere(workload, OpKind::kAllReduce, 8);
  add(workload, 2, OpKind::kAllGather, 16);
  add_everywhere(workload, OpKind::kReduceScatter, 32);
  EXPECT_EQ(describe_mismatch(workload),
            "rank 2 has op 2 of group 'world' (all_gather of 16 B) in which ranks 0-1,3 take no "
            "part");
}

TEST(Mismatch, NamesADifferentSize) {
  Workload workload = world_of(4);
  add_everywhere(workload, OpKind::kAllReduce, 8);
  add_everywhere(workload, OpKind::kAllReduce, 16);
  add_everywhere(workload, OpKind::kAllReduce, 24);
  workload.ranks[1].ops[1].bytes = 20;
  EXPECT_EQ(describe_mismatch(workload),
            "op 2 of group 'world' differs: rank 1 has all_reduce of 20 B, rank 0 has all_reduce "
            "of 16 B");
}

TEST(Mismatch, NamesAReceiveWithoutSend) {
  Workload workload = world_of(24);
  add(workload, 17, OpKind::kRecv, 1597440, 4);
  EXPECT_EQ(describe_mismatch(workload).rfind("mismatch 4->17: sent 0, expected 1597440", 0), 0U);
}

TEST(Mismatch, NamesASendWithoutReceiveAndADifferentSize) {
  Workload workload = world_of(4);
  add(workload, 1, OpKind::kSend, 100, 2);
  EXPECT_EQ(describe_mismatch(workload).rfind("mismatch 1->2: sent 100, expected 0", 0), 0U);
  add(workload, 2, OpKind::kRecv, 90, 1);
  EXPECT_EQ(describe_mismatch(workload).rfind("mismatch 1->2: sent 100, expected 90", 0), 0U);
}

TEST(Mismatch, AlignsMessagesAroundAMissingSend) {
  Workload workload = world_of(2);
  for (const std::uint64_t bytes : {10U, 30U}) add(workload, 0, OpKind::kSend, bytes, 1);
  for (const std::uint64_t bytes : {10U, 20U, 30U}) add(workload, 1, OpKind::kRecv, bytes, 0);
  EXPECT_EQ(describe_mismatch(workload), "mismatch 0->1: sent 0, expected 20 (message 2, tag 0)");
}

TEST(Mismatch, ComparesTheSplitsOfAnUnevenAllToAll) {
  Workload workload = world_of(2);
  workload.splits = {{{1, 2}, {1, 4}}, {{3, 5}, {2, 5}}};
  add_everywhere(workload, OpKind::kAllToAll, 3);
  workload.ranks[0].ops[0].splits = 0;
  workload.ranks[1].ops[0].splits = 1;
  EXPECT_EQ(describe_mismatch(workload),
            "mismatch 1->0: sent 3, expected 4 (op 1 of group 'world')");
  workload.splits[1].send_bytes[0] = 4;
  EXPECT_EQ(describe_mismatch(workload), "");
}

}  // namespace
}  // namespace sluice
