// SPDX-License-Identifier: Apache-2.0
// Chakra traces made node by node: sizes, groups, roots, dependencies, the ledger.
// Leaves out: what is refused (chakra_refusal_test.cpp).
#include "unit/trace/trace_files.h"

namespace sluice {
namespace {

using testing::chakra_file;
using testing::collective;
using testing::contains;
using testing::NodeMaker;

class Chakra : public testing::TraceFolder {
 protected:
  void write_ranks(unsigned ranks, const std::vector<NodeMaker>& nodes,
                   const std::string& version = "0.0.4") const {
    for (unsigned rank = 0; rank < ranks; ++rank)
      write(fmt::format("t.{}.et", rank), chakra_file(nodes, version));
  }
  static std::vector<OpKind> kinds(const TraceImport& trace, std::size_t rank) {
    std::vector<OpKind> list;
    for (const Op& op : trace.workload.ranks[rank].ops) list.push_back(op.kind);
    return list;
  }
  static const Op& op(const TraceImport& trace, std::size_t rank, std::size_t index) {
    return trace.workload.ranks.at(rank).ops.at(index);
  }
  static std::vector<std::uint32_t> deps(const TraceImport& trace, std::size_t rank,
                                         std::size_t index) {
    const RankStream& stream = trace.workload.ranks.at(rank);
    const Op& at = stream.ops.at(index);
    return {stream.deps.begin() + at.first_dep, stream.deps.begin() + at.first_dep + at.dep_count};
  }
};

TEST_F(Chakra, CollectiveNumbersAndSizesFollowSchema004AndTableZero) {
  // comm_size 1 MiB each: numbers 0..8 of CollectiveCommType on 4 ranks.
  std::vector<NodeMaker> nodes;
  for (int type = 0; type <= 9; ++type)
    nodes.push_back(collective(static_cast<std::uint64_t>(type), type, 1 << 20));
  write_ranks(4, nodes);
  const TraceImport trace = import();
  EXPECT_EQ(trace.format, "chakra");
  EXPECT_EQ(kinds(trace, 2),
            (std::vector{OpKind::kAllReduce, OpKind::kReduce, OpKind::kAllGather, OpKind::kGather,
                         OpKind::kScatter, OpKind::kBroadcast, OpKind::kAllToAll,
                         OpKind::kReduceScatter, OpKind::kReduceScatter, OpKind::kBarrier}));
  const std::vector<std::uint64_t> mib = {1, 1, 4, 4, 4, 1, 1, 1, 1, 0};
  for (std::size_t k = 0; k < mib.size(); ++k) EXPECT_EQ(op(trace, 1, k).bytes, mib[k] << 20) << k;
  // All four put in: all-reduce, reduce, all-gather, gather, all-to-all, 2 reduce-scatters; one:
  // scatter (4 MiB), broadcast; barrier nothing.
  EXPECT_EQ(trace.workload.ledger.bytes_in, std::uint64_t{(7 * 4 + 4 + 1)} << 20);
  EXPECT_EQ(trace.workload.ledger.bytes_skipped, 0U);
}

TEST_F(Chakra, OldSchemaNumbersCollectivesDifferently) {
  write_ranks(2, {collective(1, 1, 8), collective(2, 3, 8), collective(3, 4, 8)}, "0.0.3");
  EXPECT_EQ(kinds(import(), 0),
            (std::vector{OpKind::kAllToAll, OpKind::kReduceScatter, OpKind::kBroadcast}));
}

TEST_F(Chakra, AnyNumericTypeOfCommSizeGivesTheSameBytes) {
  std::vector<NodeMaker> nodes;
  for (std::uint64_t id = 0; id < 6; ++id) nodes.push_back(NodeMaker(id, 7).number("comm_type", 0));
  nodes[0].attribute("comm_size").set_int64_value(4096);
  nodes[1].attribute("comm_size").set_uint64_value(4096);
  nodes[2].attribute("comm_size").set_int32_value(4096);
  nodes[3].attribute("comm_size").set_uint32_value(4096);
  nodes[4].attribute("comm_size").set_double_value(4096);
  nodes[5].attribute("comm_size").set_sint64_value(4096);
  write_ranks(2, nodes);
  const TraceImport trace = import();
  for (std::size_t k = 0; k < nodes.size(); ++k) EXPECT_EQ(op(trace, 0, k).bytes, 4096U) << k;
}

TEST_F(Chakra, SizesBeyond2To32AreExact) {
  write_ranks(4, {collective(0, 2, 6467616768 / 4), collective(1, 7, 12935233536)});
  const TraceImport trace = import();
  EXPECT_EQ(op(trace, 3, 0).bytes, 6467616768U);
  EXPECT_EQ(op(trace, 3, 1).bytes, 12935233536U);
}

TEST_F(Chakra, ZeroBytesAndOneRankAreReplayed) {
  write("comm_group.json", R"({"solo0": [0], "solo1": [1]})");
  for (int rank = 0; rank < 2; ++rank)
    write(fmt::format("t.{}.et", rank),
          chakra_file({collective(0, 0, 0),
                       collective(1, 0, 64).text("pg_name", fmt::format("solo{}", rank)),
                       collective(2, 0, 32).after(1)}));
  const TraceImport trace = import();
  // The run lists them as ops that moved no byte; the importer leaves nothing out.
  EXPECT_EQ(kinds(trace, 0),
            (std::vector{OpKind::kAllReduce, OpKind::kAllReduce, OpKind::kAllReduce}));
  const Ledger& ledger = trace.workload.ledger;
  EXPECT_EQ(ledger.bytes_in, 2U * (64 + 32));
  EXPECT_EQ(ledger.bytes_skipped, 0U);
}

TEST_F(Chakra, SendAndReceiveIgnoreTheirCommType) {
  write("t.0.et", chakra_file({NodeMaker(0, 5)
                                   .number("comm_type", 5)
                                   .number("comm_size", 100)
                                   .number("comm_dst", 1)
                                   .number("comm_tag", 9),
                               NodeMaker(1, 5).number("comm_size", 7).number("comm_dst", 0)}));
  write("t.1.et", chakra_file({NodeMaker(0, 6)
                                   .number("comm_type", 6)
                                   .number("comm_size", 100)
                                   .number("comm_src", 0)
                                   .number("comm_tag", 9)}));
  const TraceImport trace = import();
  EXPECT_EQ(op(trace, 0, 0).kind, OpKind::kSend);
  EXPECT_EQ(op(trace, 0, 0).peer, 1U);
  EXPECT_EQ(op(trace, 0, 0).tag, 9U);
  EXPECT_EQ(op(trace, 1, 0).kind, OpKind::kRecv);
  EXPECT_EQ(trace.workload.ledger.bytes_in, 107U);
  EXPECT_EQ(trace.workload.ledger.skipped.at(0).reason, "to itself");
}

TEST_F(Chakra, GroupsComeFromTheSideFileEvenWithComments) {
  write("comm_group.json", "{ // two of three\n \"tp\": [2, 0]\n}\n");
  write("t.0.et", chakra_file({collective(0, 5, 8).text("pg_name", "tp").number("comm_root", 2)}));
  write("t.1.et", chakra_file({NodeMaker(0, 4).micros(3)}));
  write("t.2.et", chakra_file({collective(0, 5, 8).text("pg_name", "tp").number("comm_root", 2)}));
  const TraceImport trace = import();
  const Op& broadcast = op(trace, 0, 0);
  EXPECT_EQ(trace.workload.groups[broadcast.group].ranks, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(trace.workload.groups[broadcast.group].name, "tp");
  EXPECT_EQ(broadcast.peer, 2U);
  EXPECT_EQ(op(trace, 1, 0).compute, 3_us);
}

TEST_F(Chakra, DependenciesCollapseThroughNodesThatDoNotTakePart) {
  // 1 -> launcher 2 -> metadata 3 -> 4, given in the file back to front.
  write_ranks(2, {collective(4, 0, 8).after(3), NodeMaker(3, 1).control(2),
                  NodeMaker(2, 7).after(1), collective(1, 0, 16)});
  const TraceImport trace = import();
  ASSERT_EQ(kinds(trace, 0), (std::vector{OpKind::kAllReduce, OpKind::kAllReduce}));
  EXPECT_EQ(op(trace, 0, 0).source, 1U);
  EXPECT_EQ(deps(trace, 0, 1), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(contains(trace.notes.back(),
                       "8 nodes in: 4 communication, 0 communication skipped, "
                       "0 compute, 4 edges only"))
      << trace.notes.back();
}

TEST_F(Chakra, ComputeKeepsItsTimeAndChainsBecomeOneOp) {
  NodeMaker exact(3, 4);
  exact.after(2).micros(99).number("duration_ns", 1500);
  write_ranks(2, {collective(0, 0, 8).micros(123456), NodeMaker(1, 4).after(0).micros(2),
                  NodeMaker(2, 1).after(1), exact, collective(4, 0, 8).after(3)});
  const TraceImport trace = import();
  ASSERT_EQ(kinds(trace, 0),
            (std::vector{OpKind::kAllReduce, OpKind::kCompute, OpKind::kAllReduce}));
  EXPECT_EQ(op(trace, 0, 1).compute, 2_us + 1500_ns);
  EXPECT_EQ(deps(trace, 0, 2), std::vector<std::uint32_t>{1});
}

TEST_F(Chakra, ComputeThatOthersWaitForIsNotMerged) {
  write_ranks(2, {NodeMaker(0, 4).micros(1), NodeMaker(1, 4).after(0).micros(5),
                  collective(2, 0, 8).after(0), collective(3, 0, 8).after(1)});
  const TraceImport trace = import();
  ASSERT_EQ(trace.workload.ranks[0].ops.size(), 4U);
  EXPECT_EQ(op(trace, 0, 0).compute, 1_us);
  EXPECT_EQ(deps(trace, 0, 2), std::vector<std::uint32_t>{0});
}

TEST_F(Chakra, UnevenAllToAllCarriesItsSplits) {
  write(
      "t.0.et",
      chakra_file(
          {collective(0, 6, 5).list("comm_send_splits", {0, 5}).list("comm_recv_splits", {0, 0})}));
  write(
      "t.1.et",
      chakra_file(
          {collective(0, 6, 0).list("comm_send_splits", {0, 0}).list("comm_recv_splits", {5, 0})}));
  const TraceImport trace = import();
  EXPECT_EQ(trace.workload.splits.at(op(trace, 0, 0).splits).send_bytes[1], 5U);
  EXPECT_EQ(op(trace, 1, 0).bytes, 0U);
  EXPECT_EQ(trace.workload.ledger.bytes_in, 5U);
}

TEST_F(Chakra, AllToAllsOfDifferentSizeAreSpreadEvenly) {
  write("t.0.et", chakra_file({collective(0, 6, 10)}));
  write("t.1.et", chakra_file({collective(0, 6, 6)}));
  const TraceImport trace = import();
  EXPECT_EQ(trace.workload.splits.at(op(trace, 0, 0).splits).send_bytes,
            (std::vector<std::uint64_t>{5, 5}));
  EXPECT_EQ(trace.workload.splits.at(op(trace, 0, 0).splits).recv_bytes,
            (std::vector<std::uint64_t>{5, 3}));
  EXPECT_EQ(trace.workload.ledger.bytes_in, 16U);
}

TEST_F(Chakra, UnevenPartsThatOnlyTheRootKnowsReachAllMembers) {
  write("t.0.et",
        chakra_file({collective(0, 4, 12).list("comm_counts", {4, 8}).number("comm_root", 0),
                     collective(1, 3, 2).list("comm_counts", {2, 3}).number("comm_root", 0),
                     collective(2, 2, 1).list("comm_counts", {1, 9})}));
  write("t.1.et", chakra_file({collective(0, 4, 0).number("comm_root", 0),
                               collective(1, 3, 3).number("comm_root", 0),
                               collective(2, 2, 9).list("comm_counts", {1, 9})}));
  const TraceImport trace = import();
  EXPECT_EQ(op(trace, 1, 0).bytes, 12U);
  EXPECT_EQ(op(trace, 1, 1).bytes, 5U);
  EXPECT_EQ(op(trace, 1, 2).bytes, 10U);
  EXPECT_EQ(trace.workload.ledger.bytes_in, 12U + 5U + 10U);
}

TEST_F(Chakra, ANameTellsTheCollectiveWhereCommTypeIsMissing) {
  write_ranks(2, {NodeMaker(0, 7, "ncclDevKernel_ReduceScatter_Sum_f32").number("comm_size", 8)});
  EXPECT_EQ(kinds(import(), 0), std::vector{OpKind::kReduceScatter});
}

TEST_F(Chakra, AGroupWithoutSideFileIsAllRanksWhenAllUseIt) {
  write_ranks(2, {collective(0, 0, 8).text("pg_name", "default")});
  const TraceImport trace = import();
  EXPECT_TRUE(contains(trace.notes.front(), "'default' taken as all 2 ranks"));
}

TEST_F(Chakra, ASingleFileWithoutRankInItsNameIsRankZero) {
  const auto path = write("layer12.et", chakra_file({collective(0, 0, 8)}));
  const TraceImport trace = import_trace({path});
  EXPECT_EQ(trace.workload.rank_count(), 1U);
  EXPECT_TRUE(contains(trace.notes.front(), "taken as rank 0 of 1"));
}

TEST_F(Chakra, JsonFormGivesTheSameOps) {
  const std::string nodes = R"({"workload_graph": [
    {"Id": 5, "Name": "c", "NodeType": 7, "data_deps": [4], "is_cpu_op": false, "comm_type": 2,
     "comm_size": 64},
    {"Id": 4, "Name": "k", "NodeType": 4, "data_deps": [], "is_cpu_op": false, "runtime": 7}],
    "ngpus": 2})";
  write("t.0.json", nodes);
  write("t.1.json", nodes);
  const TraceImport trace = import();
  EXPECT_EQ(trace.format, "chakra-json");
  ASSERT_EQ(kinds(trace, 1), (std::vector{OpKind::kCompute, OpKind::kAllGather}));
  EXPECT_EQ(op(trace, 1, 0).compute, 7_us);
  EXPECT_EQ(op(trace, 1, 1).bytes, 128U);
}

TEST_F(Chakra, AHundredThousandNodesImportInLinearTime) {
  std::string content = testing::head();
  constexpr std::uint64_t kNodes = 100000;
  for (std::uint64_t id = 0; id < kNodes; ++id) {
    NodeMaker node = id % 1000 == 0 ? collective(id, 0, 8) : NodeMaker(id, 4).micros(id % 2);
    if (id > 0) node.after(id - 1);
    if (id > 50) node.after(id - 50);
    content += node.frame();
  }
  write("t.0.et", content);
  write("t.1.et", content);
  const TraceImport trace = import();
  EXPECT_EQ(trace.workload.ledger.bytes_in, 2 * 100 * 8U);
}

}  // namespace
}  // namespace sluice
