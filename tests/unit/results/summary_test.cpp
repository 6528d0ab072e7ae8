// SPDX-License-Identifier: Apache-2.0
// summary.json's fields, bandwidths as nccl-tests defines them, the table for people.
#include "results/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collective/closed_form.h"
#include "results/bandwidth.h"
#include "results/table.h"

namespace sluice {
namespace {

OpRow row(OpKind kind, std::uint64_t bytes, std::uint32_t ranks, Ps time, std::uint64_t count = 1) {
  OpRow r;
  r.kind = kind;
  r.bytes = bytes;
  r.ranks = ranks;
  r.count = count;
  r.total = time * count;
  r.shortest = r.longest = time;
  return r;
}

Summary sample() {
  Summary s;
  s.version = "0.1.0";
  s.seed = 7;
  s.config_hash = 0xabc;
  s.result_hash = 0x0123456789abcdefULL;
  s.simulated = 5_us;
  s.cpu_s = 0.25;
  s.packets_delivered = UINT64_MAX;
  s.drops = {{"fcs", 2}, {"pool_full", 3}, {"no_route", 0}};
  s.pfc = {4, 3, 2_us};
  s.buffer = {100, 4096, 7};
  s.ops = {row(OpKind::kAllReduce, 1 << 20, 8, 100_us), row(OpKind::kBarrier, 0, 8, 3_us),
           row(OpKind::kAllGather, 4096, 1, Ps{})};
  s.ledger.bytes_in = 10;
  s.ledger.bytes_skipped = 4;
  s.ledger.skipped = {{"zero bytes", 4, 1}};
  s.bytes_simulated = 6;
  return s;
}

TEST(Summary, HasExactlyTheStableFieldsInTheirOrder) {
  const auto json = to_json(sample());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"version",
                                            "rtl",
                                            "seed",
                                            "config_hash",
                                            "result_hash",
                                            "verdict",
                                            "simulated_ps",
                                            "cpu_s",
                                            "wall_s",
                                            "peak_rss_bytes",
                                            "events",
                                            "packets_delivered",
                                            "packet_hops",
                                            "bytes_delivered",
                                            "retransmitted_packets",
                                            "drops",
                                            "pfc",
                                            "ecn",
                                            "cnp",
                                            "buffer",
                                            "ops",
                                            "ledger",
                                            "work_requests",
                                            "qp_errors",
                                            "pausing_nics"}));
  EXPECT_EQ(json["drops"].dump(), R"({"total":5,"fcs":2,"pool_full":3,"no_route":0})");
  EXPECT_EQ(json["pfc"].dump(), R"({"xoff_frames":4,"xon_frames":3,"paused_ps":2000000})");
  EXPECT_EQ(json["ecn"].dump(), R"({"marked":0})");
  EXPECT_EQ(json["cnp"].dump(), R"({"sent":0})");
  EXPECT_EQ(json["buffer"].dump(),
            R"({"peak_cells":100,"pool_cells":4096,"peak_headroom_cells":7})");
  EXPECT_EQ(json["ledger"].dump(), R"({"bytes_in":10,"bytes_simulated":6,"bytes_skipped":4,)"
                                   R"("skipped":[{"reason":"zero bytes","bytes":4,"ops":1}]})");
}

TEST(Summary, KeepsIntegersWholeAndHashesAsText) {
  const auto json = to_json(sample());
  EXPECT_EQ(json["packets_delivered"].dump(), "18446744073709551615");
  EXPECT_EQ(json["config_hash"], "0000000000000abc");
  EXPECT_EQ(json["result_hash"], "0123456789abcdef");
  EXPECT_EQ(nlohmann::json::parse(summary_json_text(sample())), nlohmann::json(json));
  EXPECT_EQ(summary_json_text(sample()).back(), '\n');
}

TEST(Summary, OpsCarryBandwidthOrNull) {
  const auto ops = to_json(sample())["ops"];
  EXPECT_EQ(ops[0]["op"], "all_reduce");
  EXPECT_EQ(ops[0]["time_ps"], 100'000'000u);
  EXPECT_NEAR(ops[0]["algbw_gbytes_per_s"].get<double>(), 10.48576, 1e-9);
  EXPECT_NEAR(ops[0]["busbw_gbytes_per_s"].get<double>(), 18.35008, 1e-9);
  EXPECT_TRUE(ops[1]["busbw_gbytes_per_s"].is_null());
  EXPECT_EQ(ops[2]["ranks"], 1u);
  EXPECT_TRUE(ops[2]["busbw_gbytes_per_s"].is_null());
}

TEST(Verdict, NamesAndExitCodesAreTheStableOnes) {
  EXPECT_EQ(verdict_name(Verdict::kNotLossless), "not_lossless");
  EXPECT_EQ(verdict_name(Verdict::kRtlMismatch), "rtl_mismatch");
  EXPECT_EQ(exit_code(Verdict::kStopped), ExitCode::kOk);
  EXPECT_EQ(exit_code(Verdict::kStalled), ExitCode::kStalled);
  EXPECT_EQ(exit_code(Verdict::kDeadlock), ExitCode::kStalled);
}

TEST(BusBandwidth, FactorsAreThoseOfNcclTests) {
  // Golden G10-01 .. G10-08.
  struct Case {
    std::uint32_t n;
    double all_reduce, all_gather;
  };
  for (const Case& c :
       {Case{2, 1.0, 0.5}, Case{4, 1.5, 0.75}, Case{8, 1.75, 0.875}, Case{16, 1.875, 0.9375},
        Case{64, 1.96875, 0.984375}, Case{256, 1.992188, 0.996094}, Case{2048, 1.999023, 0.999512},
        Case{8192, 1.999756, 0.999878}}) {
    EXPECT_NEAR(*busbw_factor(OpKind::kAllReduce, c.n), c.all_reduce, 6e-7);
    for (const OpKind kind : {OpKind::kAllGather, OpKind::kReduceScatter, OpKind::kAllToAll,
                              OpKind::kGather, OpKind::kScatter}) {
      EXPECT_NEAR(*busbw_factor(kind, c.n), c.all_gather, 6e-7);
    }
    for (const OpKind kind : {OpKind::kBroadcast, OpKind::kReduce, OpKind::kSend}) {
      EXPECT_EQ(*busbw_factor(kind, c.n), 1.0);
    }
  }
  EXPECT_FALSE(busbw_factor(OpKind::kAllReduce, 1).has_value());
  EXPECT_FALSE(busbw_factor(OpKind::kBarrier, 8).has_value());
}

TEST(Table, FlagsABusBandwidthAboveTheBound) {
  // Field report B74: 1 GiB all-reduce of 8 ranks at 400G takes at least 38.333 ms.
  TableOptions options;
  options.busbw_bound_gbytes_per_s = 49.0186693;
  Summary s;
  s.ops = {row(OpKind::kAllReduce, 1u << 30, 8, 38'333'400'000_ps)};
  EXPECT_EQ(summary_table(s, options).find('!'), std::string::npos);
  s.ops = {row(OpKind::kAllReduce, 1u << 30, 8, 38'300'000'000_ps)};
  EXPECT_NE(summary_table(s, options).find("above the bound of 49.019 GB/s"), std::string::npos);
}

TEST(Table, ShowsRowsThenWhatGotInTheWay) {
  TableOptions options;
  options.run_directory = "runs/x";
  const std::string text = summary_table(sample(), options);
  std::size_t at = 0;
  for (const std::string part :
       {"all_reduce", "1048576", "100.000", "10.486", "18.350", "n/a",
        "drops          5 (fcs 2, pool_full 3)", "4 XOFF, 3 XON, 2.000 us", "0 ECN",
        "100 of 4096 cells", "1 ops, 4 B: zero bytes", "run directory  runs/x\n"}) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " after " << at << " in\n" << text;
    at = found;
  }
  EXPECT_EQ(text.find("no_route"), std::string::npos);
}

TEST(AddRecorded, TakesRowsAndABalancedLedger) {
  Workload workload;
  workload.ranks.resize(2);
  workload.groups.push_back({"world", {0, 1}});
  Op op;
  op.kind = OpKind::kAllReduce;
  op.group = 0;
  op.bytes = 64;
  for (auto& stream : workload.ranks) stream.ops.push_back(op);
  workload.ledger.bytes_in = 128;
  const WorkloadPlan plan(workload);
  RunRecorder recorder(plan);
  Summary stopped;
  stopped.verdict = Verdict::kStopped;
  add_recorded(stopped, recorder);
  EXPECT_EQ(stopped.bytes_simulated, 0u);
  EXPECT_EQ(stopped.ledger.bytes_skipped, 128u);
  EXPECT_EQ(stopped.ledger.skipped.at(0).reason, "not ended: run stopped");
  Summary ok;
  EXPECT_THROW(add_recorded(ok, recorder), InvariantError);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recorder.collective_started(0, op, 2, 1_us);
    recorder.collective_ended(0, 3_us);
    recorder.op_ended(rank, 0, op, 3_us);
  }
  add_recorded(ok, recorder);
  EXPECT_EQ(ok.bytes_simulated, 128u);
  ASSERT_EQ(ok.ops.size(), 1u);
  EXPECT_EQ(ok.ops[0].mean(), 2_us);
}

}  // namespace
}  // namespace sluice
