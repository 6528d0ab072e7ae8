// SPDX-License-Identifier: Apache-2.0
// Single lines of NCCL debug logs, whole and damaged.
// Leaves out: who the ranks are (nccl_log_test.cpp).
#include "trace/nccl_line.h"

#include "unit/trace/trace_files.h"

namespace sluice {
namespace {

struct Parsed {
  TextTable texts;
  std::vector<NcclRecord> records;
  std::size_t torn = 0;
};

Parsed parse(std::string line) {
  Parsed parsed;
  NcclLineParser parser(parsed.texts,
                        [&](const NcclRecord& record) { parsed.records.push_back(record); });
  parser.parse("x.log", 0, 1, line);
  parsed.torn = parser.torn().size();
  return parsed;
}

const char* const kOp =
    "AllGather: opCount 1f sendbuff 0x7200 recvbuff (nil) count 100 datatype 9 op 0 root 0 comm "
    "0xabc [nranks=4] stream 0x55";

TEST(NcclLine, ReadsAnOpByKeys) {
  const Parsed parsed = parse(std::string("host-1.x:12:34 [3] NCCL INFO ") + kOp);
  ASSERT_EQ(parsed.records.size(), 1U);
  const NcclRecord& record = parsed.records[0];
  EXPECT_EQ(record.op, OpKind::kAllGather);
  EXPECT_EQ(record.op_count, 0x1fU);
  EXPECT_EQ(record.count, 100U);
  EXPECT_EQ(record.datatype, 9);
  EXPECT_EQ(record.nranks, 4U);
  EXPECT_EQ(record.pid, 12U);
  EXPECT_EQ(parsed.texts.text(record.host), "host-1.x");
  EXPECT_EQ(parsed.texts.text(record.pointer), "0xabc");
  EXPECT_EQ(parsed.texts.text(record.stream), "0x55");
}

TEST(NcclLine, FindsThePrefixBehindOtherPrefixes) {
  for (const char* prefix :
       {"3: ", "[0] ", "[1,0]<stdout>:", "> ", "(RayTrainWorker pid=7, ip=192.0.2.1) ",
        "2024-05-06 07:08:09 ", "\x1b[36m", "sum -1"}) {
    const Parsed parsed = parse(std::string(prefix) + "node0:12:34 [3] NCCL INFO " + kOp);
    ASSERT_EQ(parsed.records.size(), 1U) << prefix;
    EXPECT_TRUE(parsed.texts.text(parsed.records[0].host).ends_with("node0")) << prefix;
  }
}

TEST(NcclLine, TheSecondOfTwoSplicedPrefixesOwnsTheOp) {
  const Parsed parsed =
      parse(std::string("node0:12:34 [2] NCCL INFO node0:56:78 [7] NCCL INFO ") + kOp);
  ASSERT_EQ(parsed.records.size(), 1U);
  EXPECT_EQ(parsed.records[0].pid, 56U);
}

TEST(NcclLine, RcclExtrasAreIgnored) {
  const Parsed parsed = parse(
      "n:1:2 [0] NCCL INFO Broadcast: opCount 0 sendbuff 0x1 recvbuff 0x2 acc (nil) count 8 "
      "datatype "
      "7 op 0 root 3 comm 0x9 [nranks=4] stream 0x5 task 0 globalrank 2");
  ASSERT_EQ(parsed.records.size(), 1U);
  EXPECT_EQ(parsed.records[0].rank, 3U);
}

TEST(NcclLine, ReadsEveryFormOfInit) {
  for (const char* text :
       {"ncclCommInitRank comm 0x9 rank 2 nranks 4 cudaDev 1 nvmlDev 1 busId 1a000 commId 0x77 - "
        "Init START",
        "ncclCommInitRankConfig_impl comm 0x9 rank 2 nranks 4 cudaDev 1 busId 1a000 commId 0x77 - "
        "Init COMPLETE",
        "[Rank 2] ncclCommInitRank comm 0x9 rank 2 nranks 4 cudaDev 1 busId 1 commId 0x77 - Init "
        "COMPLETE",
        "comm 0x9 rank 2 nranks 4 cudaDev 1 busId 1a000 - Init COMPLETE",
        "comm 0x9 rank 2 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0"}) {
    const Parsed parsed = parse(std::string("n:1:2 [0] NCCL INFO ") + text);
    ASSERT_EQ(parsed.records.size(), 1U) << text;
    EXPECT_EQ(parsed.records[0].kind, NcclRecord::Kind::kInit);
    EXPECT_EQ(parsed.records[0].rank, 2U);
    EXPECT_EQ(parsed.records[0].nranks, 4U);
  }
  const Parsed end =
      parse("n:1:2 [0] NCCL INFO comm 0x9 rank 2 nranks 4 cudaDev 1 busId 1 - Destroy COMPLETE");
  EXPECT_EQ(end.records.at(0).kind, NcclRecord::Kind::kEnd);
}

TEST(NcclLine, TornOpsAreCountedNotGuessed) {
  const std::string whole = std::string("n:1:2 [0] NCCL INFO ") + kOp;
  EXPECT_EQ(parse(whole.substr(0, whole.find(" [nranks"))).torn, 1U);
  EXPECT_EQ(parse(whole.substr(0, whole.find("count 100") + 7)).torn, 1U);
  EXPECT_EQ(parse("educe: opCount 0 sendbuff 0x1").torn, 1U);
  EXPECT_TRUE(parse("n:1:2 [0] NCCL INFO comm 0x9 rank 1 nranks n:1:3 [0] NCCL INFO hello")
                  .records.empty());
  EXPECT_TRUE(parse("n:1:2 [0] NCCL INFO comm 0x9 rank 1 nranks 1").records.empty());
}

TEST(NcclLine, UnknownOpsAndTypesAreRefusedByLine) {
  const auto error_of = [](const std::string& line) -> std::string {
    try {
      parse(line);
    } catch (const TraceError& error) {
      return error.what();
    }
    return {};
  };
  std::string line = std::string("n:1:2 [0] NCCL INFO ") + kOp;
  line.replace(line.find("datatype 9"), 10, "datatype 99");
  EXPECT_EQ(error_of(line), "x.log: line 1: AllGather with data type 99, expected 0..11");
  line = std::string("n:1:2 [0] NCCL INFO ") + kOp;
  line.replace(line.find("AllGather"), 9, "PutSignal");
  EXPECT_EQ(error_of(line), "x.log: line 1: op 'PutSignal' is not one that can be replayed");
}

TEST(NcclLine, DataTypesHaveTheirSizes) {
  const std::vector<std::uint32_t> bytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1, 0};
  for (std::uint32_t type = 0; type < bytes.size(); ++type)
    EXPECT_EQ(nccl_element_bytes(type), bytes[type]) << type;
}

}  // namespace
}  // namespace sluice
