// SPDX-License-Identifier: Apache-2.0
// Damaged traces: whatever bytes are changed, cut or repeated, an import succeeds with a balanced
// ledger or throws one TraceError. Leaves out: archives, whose reader is not ours.
#include <algorithm>

#include "kernel/random.h"
#include "unit/trace/trace_files.h"

namespace sluice {
namespace {

using testing::collective;
using testing::NodeMaker;

class Mutation : public testing::TraceFolder {
 protected:
  static std::string mutate(std::string bytes, RandomStream& random) {
    const auto at = [&] { return random.below(static_cast<std::uint32_t>(bytes.size())); };
    const std::uint32_t changes = 1 + random.below(3);
    for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
      switch (random.below(4)) {
        case 0:
          bytes[at()] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes.resize(at());
          break;
        case 2:
          bytes.insert(at(), bytes.substr(at(), random.below(60)));
          break;
        default:
          bytes.erase(at(), random.below(20));
          break;
      }
    }
    return bytes;
  }

  /// Number of mutants that were refused.
  int refused(const std::string& name, const std::string& whole) const {
    RandomStream random(7, whole.size(), RandomPurpose::kTest);
    int count = 0;
    constexpr int kMutants = 400;
    for (int i = 0; i < kMutants; ++i) {
      write(name, mutate(whole, random));
      try {
        const TraceImport trace = import();
        std::uint64_t bytes = trace.workload.ledger.bytes_skipped;
        for (std::uint32_t rank = 0; rank < trace.workload.rank_count(); ++rank)
          for (const Op& op : trace.workload.ranks[rank].ops)
            bytes += bytes_put_in(trace.workload, rank, op);
        EXPECT_EQ(bytes, trace.workload.ledger.bytes_in) << "mutant " << i;
      } catch (const TraceError& error) {
        const std::string text = error.what();
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
        ++count;
      }
    }
    return count;
  }
};

TEST_F(Mutation, OfAChakraFile) {
  write("comm_group.json", R"({"g": [0, 1]})");
  std::vector<NodeMaker> nodes;
  for (std::uint64_t id = 0; id < 8; ++id) {
    NodeMaker node = id % 3 == 1
                         ? NodeMaker(id, 4).micros(5)
                         : collective(id, static_cast<std::int64_t>(id), 4096).text("pg_name", "g");
    if (id > 0) node.after(id - 1);
    if (id == 6) node.list("comm_send_splits", {1, 2}).list("comm_recv_splits", {3, 4});
    nodes.push_back(node);
  }
  const std::string whole = testing::chakra_file(nodes);
  write("t.1.et", whole);
  EXPECT_GT(refused("t.0.et", whole), 100);
}

TEST_F(Mutation, OfAChakraJsonFile) {
  const std::string whole = R"({"workload_graph": [
    {"Id": 1, "Name": "k", "NodeType": 4, "ctrlDeps": [], "is_cpu_op": false, "runtime": 7},
    {"Id": 2, "Name": "c", "NodeType": 7, "data_deps": [1], "is_cpu_op": 0, "comm_type": 2,
     "comm_size": 64, "involved_dim": [true]},
    {"Id": 3, "NodeType": 5, "data_deps": [2], "comm_dst": 1, "comm_tag": 3, "comm_size": 64}]})";
  write("t.1.json", whole);
  EXPECT_GT(refused("t.0.json", whole), 100);
}

TEST_F(Mutation, OfAGroupFile) {
  const auto nodes = {collective(0, 0, 64).text("pg_name", "g")};
  for (int rank = 0; rank < 2; ++rank)
    write(fmt::format("t.{}.et", rank), testing::chakra_file(nodes));
  EXPECT_GT(refused("comm_group.json", "{\"g\": [0, 1], \"h\": [1]} // who\n"), 100);
}

TEST_F(Mutation, OfAnNcclLog) {
  std::string whole;
  for (unsigned rank = 0; rank < 2; ++rank)
    whole += testing::nccl_init(rank, fmt::format("0xa{}", rank), rank, 2, "0x77");
  for (unsigned rank = 0; rank < 2; ++rank) {
    const std::string pointer = fmt::format("0xa{}", rank);
    for (const char* op : {"AllReduce", "Send", "Recv", "AllGather", "Broadcast"})
      whole += testing::nccl_prefix(rank) + testing::nccl_op_text(op, pointer, 64, 2, 1 - rank);
  }
  EXPECT_GT(refused("x.log", whole), 20);
}

}  // namespace
}  // namespace sluice
