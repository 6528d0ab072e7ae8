// SPDX-License-Identifier: Apache-2.0
// Field report B22 in whole fabrics: ports of different speeds on one chip lose nothing, each host
// gets its own rate. Leaves out: pause quanta by speed (unit/switch/chip_pfc_test.cpp).
#include <gtest/gtest.h>

#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

const std::string kMixed =
    "fabric: {type: single_switch, cages: [1x800G, 2x400G, 4x200G], link: {length: 30m}}\n"
    "nic: {congestion_control: none}\n"
    "switch: {mmu: {port_alpha_enabled: false, pg_alpha_exp: -6}}\n";

class UnequalPorts : public ::testing::TestWithParam<const char*> {};

TEST_P(UnequalPorts, FieldReport_B22_LoseNothing) {
  for (const char* mode : {"ecmp", "spray"}) {
    SmallRun run(fmt::format("{}workload: {{{}}}\n", kMixed, GetParam()) +
                 fmt::format("chips: {{switch0: {{routing: {{mode: {}}}}}}}\n", mode));
    const RunOutcome outcome = run.run();
    EXPECT_EQ(outcome.summary.verdict, Verdict::kOk) << outcome.message;
    for (const auto& [reason, drops] : outcome.summary.drops) EXPECT_EQ(drops, 0u) << reason;
    EXPECT_EQ(outcome.summary.ledger.bytes_in, outcome.summary.bytes_simulated);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, UnequalPorts,
                         ::testing::Values("type: permutation, bytes: 4MiB",
                                           "type: incast, dst: 3, first: 0, count: 3, bytes: 2MiB",
                                           "type: all_to_all, bytes: 7MiB",
                                           "type: all_reduce, bytes: 4MiB"));

/// 4096 of 4178 B on the wire are payload (golden G1-03), at the rate of the receiver's port.
TEST(FieldReport, B22_EachHostReceivesAtTheRateOfItsOwnPort) {
  for (const auto& [host, gbit] : {std::pair{1, 400}, {3, 200}}) {
    const std::uint64_t bytes = 32 << 20;
    const RunOutcome outcome = outcome_of(
        kMixed +
        fmt::format("workload: {{type: incast, dst: {}, first: 0, count: 1, bytes: {}B}}\n", host,
                    bytes));
    ASSERT_EQ(outcome.summary.ops.size(), 1u);
    const double seconds = outcome.summary.ops[0].mean().seconds();
    const double rate = static_cast<double>(bytes) * 8 / seconds / 1e9;
    const double goodput = gbit * 4096.0 / 4178;
    EXPECT_LT(rate, goodput * 1.0001);
    EXPECT_GT(rate, goodput * 0.985) << "latency of a 32 MiB write apart";
  }
}

}  // namespace
}  // namespace sluice::test
