// SPDX-License-Identifier: Apache-2.0
// Whole NCCL logs made line by line: ranks, groups, sizes, order, what is skipped and refused.
// Leaves out: damaged single lines (nccl_line_test.cpp).
#include "unit/trace/trace_files.h"
#include "workload/mismatch.h"

namespace sluice {
namespace {

using testing::contains;
using testing::nccl_init;
using testing::nccl_op_text;
using testing::nccl_prefix;

class NcclLog : public testing::TraceFolder {
 protected:
  /// A process a rank, pointer 0xa<rank> each, one communicator.
  void init(unsigned ranks) {
    for (unsigned rank = 0; rank < ranks; ++rank)
      log_ += nccl_init(rank, fmt::format("0xa{}", rank), rank, ranks, "0x77");
  }
  void op(unsigned rank, const std::string& name, std::uint64_t count, unsigned nranks,
          unsigned root = 0, const std::string& op_count = "0",
          const std::string& stream = "0x500") {
    log_ += nccl_prefix(rank) +
            nccl_op_text(name, fmt::format("0xa{}", rank), count, nranks, root, op_count, stream);
  }
  TraceImport import_log() const { return import_trace({write("x.log", log_)}); }
  std::string error_of_log() const { return error_of({write("x.log", log_)}); }
  static const RankStream& rank(const TraceImport& trace, std::size_t r) {
    return trace.workload.ranks.at(r);
  }
  static std::vector<std::uint32_t> deps(const RankStream& stream, std::size_t op) {
    const Op& at = stream.ops.at(op);
    return {stream.deps.begin() + at.first_dep, stream.deps.begin() + at.first_dep + at.dep_count};
  }

  std::string log_;
};

TEST_F(NcclLog, SizesFollowTableZero) {
  init(4);
  for (unsigned r = 0; r < 4; ++r)
    for (const char* name :
         {"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Reduce", "Gather", "AlltoAll"})
      op(r, name, 1000, 4, 2);
  const TraceImport trace = import_log();
  EXPECT_EQ(trace.format, "nccl-log");
  // 1000 elements of 4 B.
  const std::vector<std::uint64_t> bytes = {4000, 16000, 16000, 4000, 4000, 16000, 16000};
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    EXPECT_EQ(rank(trace, 1).ops.at(k).bytes, bytes[k]) << k;
    EXPECT_EQ(deps(rank(trace, 1), k).size(), k == 0 ? 0U : 1U);
  }
  EXPECT_EQ(rank(trace, 1).ops[3].peer, 2U);
  // All put in 4000, 4000, 16000, 4000 (reduce), 4000, 16000; the root of the broadcast 4000.
  EXPECT_EQ(trace.workload.ledger.bytes_in, 4U * 48000 + 4000);
  EXPECT_EQ(describe_mismatch(trace.workload), "");
}

TEST_F(NcclLog, AGroupCallOfSendsAndReceivesRunsTogether) {
  constexpr unsigned kRanks = 6;
  init(kRanks);
  for (unsigned r = 0; r < kRanks; ++r) {
    op(r, "AllReduce", 1, kRanks);
    for (unsigned peer = 0; peer < kRanks; ++peer) {
      op(r, "Send", 10, kRanks, peer, "1");
      op(r, "Recv", 10, kRanks, peer, "1");
    }
    op(r, "AllReduce", 1, kRanks, 0, "2");
  }
  const TraceImport trace = import_log();
  const RankStream& stream = rank(trace, 3);
  // 1 all-reduce, 10 messages, their end, 1 all-reduce.
  ASSERT_EQ(stream.ops.size(), 13U);
  for (std::size_t k = 1; k <= 10; ++k)
    EXPECT_EQ(deps(stream, k), std::vector<std::uint32_t>{0}) << k;
  EXPECT_EQ(deps(stream, 11).size(), 10U);
  EXPECT_EQ(stream.ops[11].kind, OpKind::kCompute);
  EXPECT_EQ(deps(stream, 12), std::vector<std::uint32_t>{11});
  // To itself: a send and a receive a rank, 40 B sent.
  ASSERT_EQ(trace.workload.ledger.skipped.size(), 1U);
  EXPECT_EQ(trace.workload.ledger.skipped[0].reason, "to itself");
  EXPECT_EQ(trace.workload.ledger.skipped[0].ops, 2U * kRanks);
  EXPECT_EQ(trace.workload.ledger.bytes_skipped, 40U * kRanks);
  EXPECT_EQ(describe_mismatch(trace.workload), "");
}

TEST_F(NcclLog, MessagesOfAnotherOpCountWaitForTheFirst) {
  init(2);
  op(0, "Send", 1, 2, 1, "a");
  op(0, "Recv", 1, 2, 1, "b");
  op(0, "Send", 1, 2, 1, "b");
  op(0, "Send", 2, 2, 1, "b");
  op(1, "Recv", 1, 2, 0, "a");
  op(1, "Send", 1, 2, 0, "b");
  op(1, "Recv", 1, 2, 0, "b");
  op(1, "Recv", 2, 2, 0, "b");
  const TraceImport trace = import_log();
  const RankStream& stream = rank(trace, 0);
  EXPECT_TRUE(deps(stream, 0).empty());
  EXPECT_EQ(deps(stream, 1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(deps(stream, 2), std::vector<std::uint32_t>{0});
  EXPECT_EQ(deps(stream, 3), std::vector<std::uint32_t>{2});  // same peer: in order
}

TEST_F(NcclLog, StreamsAndCommunicatorsOrderOps) {
  init(2);
  for (unsigned r = 0; r < 2; ++r) log_ += nccl_init(r, fmt::format("0xb{}", r), r, 2, "0x88");
  for (unsigned r = 0; r < 2; ++r) {
    op(r, "AllReduce", 1, 2, 0, "0", "0x500");
    const std::string other = fmt::format("0xb{}", r);
    log_ += nccl_prefix(r) + nccl_op_text("AllReduce", other, 2, 2, 0, "0", "0x600");
    log_ += nccl_prefix(r) + nccl_op_text("AllReduce", other, 3, 2, 0, "0", "0x500");
  }
  const TraceImport trace = import_log();
  EXPECT_TRUE(deps(rank(trace, 0), 1).empty());
  EXPECT_EQ(deps(rank(trace, 0), 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(trace.workload.groups.size(), 2U);
  EXPECT_EQ(trace.workload.groups[0].name, "world");
}

TEST_F(NcclLog, SubCommunicatorsMapToWorldRanks) {
  init(4);
  // Ranks 3 and 1 of the world are ranks 0 and 1 of another.
  log_ += nccl_init(3, "0xc", 0, 2, "0x99") + nccl_init(1, "0xc", 1, 2, "0x99");
  log_ += nccl_prefix(3) + nccl_op_text("Broadcast", "0xc", 5, 2, 1);
  log_ += nccl_prefix(1) + nccl_op_text("Broadcast", "0xc", 5, 2, 1);
  const TraceImport trace = import_log();
  ASSERT_EQ(trace.workload.rank_count(), 4U);
  const Op& broadcast = rank(trace, 3).ops.at(0);
  EXPECT_EQ(trace.workload.groups[broadcast.group].ranks, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(broadcast.peer, 1U);
}

TEST_F(NcclLog, OneProcessWithManyRanksIsToldApartByPointer) {
  for (unsigned r = 0; r < 2; ++r)
    log_ += fmt::format(
        "n:1:1 [0] NCCL INFO ncclCommInitRank comm 0xa{} rank {} nranks 2 cudaDev {} "
        "busId 1 commId 0x7 - Init COMPLETE\n",
        r, r, r);
  for (unsigned r = 0; r < 2; ++r)
    log_ += "n:1:1 [0] NCCL INFO " + nccl_op_text("AllReduce", fmt::format("0xa{}", r), 8, 2);
  const TraceImport trace = import_log();
  EXPECT_EQ(rank(trace, 0).ops.size(), 1U);
  EXPECT_EQ(rank(trace, 1).ops.size(), 1U);
}

TEST_F(NcclLog, APointerUsedAgainAfterDestroyIsAnotherCommunicator) {
  init(2);
  for (unsigned r = 0; r < 2; ++r) {
    op(r, "AllReduce", 1, 2);
    log_ += nccl_prefix(r) + fmt::format(
                                 "comm 0xa{} rank {} nranks 2 cudaDev 0 busId 1000 - Destroy "
                                 "COMPLETE\n",
                                 r, r);
  }
  for (unsigned r = 0; r < 2; ++r) {
    log_ += nccl_init(r, fmt::format("0xa{}", r), 1 - r, 2, "0x78");
    op(r, "Broadcast", 1, 2, 0);
  }
  const TraceImport trace = import_log();
  EXPECT_EQ(trace.workload.groups.size(), 2U);
  EXPECT_EQ(rank(trace, 0).ops.at(1).peer, 1U);
}

TEST_F(NcclLog, OneRankAndZeroCountsAreSkippedAndListed) {
  init(2);
  log_ += nccl_init(0, "0xc", 0, 1, "0x99");
  log_ += nccl_prefix(0) + nccl_op_text("AllReduce", "0xc", 5, 1);
  op(0, "AllReduce", 0, 2);
  op(1, "AllReduce", 0, 2);
  const TraceImport trace = import_log();
  const Ledger& ledger = trace.workload.ledger;
  EXPECT_EQ(ledger.bytes_in, 20U);
  EXPECT_EQ(ledger.bytes_skipped, 20U);
  ASSERT_EQ(ledger.skipped.size(), 2U);
  EXPECT_EQ(ledger.skipped[0].reason, "one rank");
  EXPECT_EQ(ledger.skipped[1].reason, "zero bytes");
  EXPECT_EQ(ledger.skipped[1].ops, 2U);
}

TEST_F(NcclLog, ARankWithoutLinesIsNamed) {
  log_ = nccl_init(0, "0xa0", 0, 3, "0x77") + nccl_init(2, "0xa2", 2, 3, "0x77");
  op(0, "AllReduce", 8, 3);
  EXPECT_TRUE(contains(error_of_log(), "rank 1 of communicator 0x77 (3 ranks)")) << error_of_log();
}

TEST_F(NcclLog, AnOpWithoutInitIsNamed) {
  init(2);
  log_ += nccl_prefix(0) + nccl_op_text("AllReduce", "0xdead", 8, 2);
  EXPECT_TRUE(contains(error_of_log(), "line 3: all_reduce on communicator 0xdead"))
      << error_of_log();
}

TEST_F(NcclLog, WithoutCommIdTheNumberOfRanksGroups) {
  for (unsigned r = 0; r < 2; ++r)
    log_ += nccl_prefix(r) +
            fmt::format("comm 0xa{} rank {} nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n", r, r);
  op(0, "AllReduce", 8, 2);
  op(1, "AllReduce", 8, 2);
  EXPECT_EQ(import_log().workload.groups.at(0).ranks.size(), 2U);
}

TEST_F(NcclLog, WithoutCommIdEqualSequencesGroup) {
  // Two pairs: processes 0 and 1, 2 and 3.
  for (unsigned p = 0; p < 4; ++p)
    log_ += nccl_prefix(p) + fmt::format(
                                 "comm 0xa{} rank {} nranks 2 cudaDev 0 busId 1000 - Init "
                                 "COMPLETE\n",
                                 p, p % 2);
  for (unsigned p = 0; p < 4; ++p) op(p, "AllReduce", 8 + p / 2, 2);
  const TraceImport trace = import_log();
  EXPECT_EQ(trace.workload.rank_count(), 4U);
  EXPECT_EQ(trace.workload.groups.size(), 2U);
  EXPECT_EQ(describe_mismatch(trace.workload), "");
  for (unsigned p = 0; p < 4; ++p) op(p, "AllReduce", 9 - p / 2, 2);
  log_ = log_.substr(0, log_.find("AllReduce") - nccl_prefix(0).size());
  for (unsigned p = 0; p < 4; ++p) op(p, "AllReduce", 8, 2);
  EXPECT_TRUE(contains(error_of_log(), "has no commId")) << error_of_log();
}

TEST_F(NcclLog, TornLinesAreCountedInANote) {
  init(2);
  op(0, "AllReduce", 8, 2);
  op(1, "AllReduce", 8, 2);
  log_ += "node0:100:1000 [0] NCCL INFO AllReduce: opCount 1 sendbuff 0x1 recvb\n";
  const TraceImport trace = import_log();
  EXPECT_TRUE(contains(trace.notes.back(), "1 torn op lines")) << trace.notes.back();
}

TEST_F(NcclLog, GluedHostsAndLostPrefixesStillFindTheirRank) {
  init(2);
  op(0, "AllReduce", 8, 2);
  log_ += "float sum -1" + nccl_prefix(1) + nccl_op_text("AllReduce", "0xa1", 8, 2);
  op(0, "AllReduce", 9, 2, 0, "1");
  log_ += nccl_op_text("AllReduce", "0xa1", 9, 2, 0, "1");
  const TraceImport trace = import_log();
  EXPECT_EQ(trace.workload.rank_count(), 2U);
  EXPECT_EQ(describe_mismatch(trace.workload), "");
}

TEST_F(NcclLog, AMismatchedCollectiveImportsAndIsNamed) {
  init(4);
  for (unsigned k = 0; k < 8; ++k)
    for (unsigned r = 0; r < 4; ++r)
      if (k != 4 || r != 3) op(r, "AllReduce", 262144, 4, 0, fmt::format("{:x}", k));
  const TraceImport trace = import_log();
  EXPECT_EQ(
      describe_mismatch(trace.workload),
      "rank 3 lacks op 5 of group 'world' (all_reduce of 1048576 B), which ranks 0-2 wait in");
}

TEST_F(NcclLog, SameHostAndPidInTwoFilesAreTwoProcesses) {
  for (unsigned r = 0; r < 2; ++r)
    write(
        fmt::format("rank{}.log", r),
        fmt::format("n:1:1 [0] NCCL INFO comm <PTR> rank {} nranks 2 cudaDev 0 busId 1 commId <ID> "
                    "- Init COMPLETE\nn:1:1 [0] NCCL INFO ",
                    r) +
            nccl_op_text("AllReduce", "<PTR>", 8, 2));
  const TraceImport trace = import();
  EXPECT_EQ(trace.workload.rank_count(), 2U);
  EXPECT_EQ(rank(trace, 1).ops.size(), 1U);
}

TEST_F(NcclLog, RedactedPointersOfTwoCommunicatorsAreAmbiguous) {
  log_ = nccl_init(0, "<PTR>", 0, 1, "0x1") + nccl_init(0, "<PTR>", 0, 2, "0x2");
  EXPECT_TRUE(contains(error_of_log(), "redacted pointers")) << error_of_log();
}

}  // namespace
}  // namespace sluice
