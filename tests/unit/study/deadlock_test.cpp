// SPDX-License-Identifier: Apache-2.0
// Field report B32: PFC deadlocks of running fabrics are found and named, and nothing else is taken
// for one. Leaves out: cycles in routes (unit/fabric/routing_cycle_test.cpp).
#include <gtest/gtest.h>

#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

/// `n` switches that hand what is for the last switch's host round in a circle.
std::string loop(std::uint32_t n, std::uint32_t gbit, const std::string& more = "") {
  std::string chips;
  std::string links;
  std::string routes;
  for (std::uint32_t i = 0; i < n; ++i) {
    chips += fmt::format("{}s{}", i == 0 ? "" : ", ", i);
    if (n > 2 || i == 0) links += fmt::format("{{between: [s{}, s{}]}}, ", i, (i + 1) % n);
    routes += fmt::format("s{}: {{host1: [s{}]}}, ", i, (i + 1) % n);
  }
  return fmt::format(
      "fabric: {{type: graph, chips: [{}], hosts: {{s0: 1, s1: 1}}, link: {{rate: 400Gbps, length: "
      "10m}}, links: [{}], routes: {{{}}}}}\n"
      "switch: {{preset: spectrum4, mmu: {{port_alpha_enabled: false, pg_alpha_exp: -7}}{}}}\n"
      "workload: {{type: raw, streams: [{{source: 0, destination: 1, frame_bytes: 4158, dscp: 26, "
      "priority: 3, ttl: 16, rate: {}Gbps}}]}}\n",
      chips, links.substr(0, links.size() - 2), routes.substr(0, routes.size() - 2), more, gbit);
}

RunOptions until(Ps time) {
  RunOptions options;
  options.until = time;
  return options;
}

TEST(FieldReport, B32_ARoutingLoopOfTwoSwitchesDeadlocksAbove50GAndNotBelow) {
  const RunOutcome below = outcome_of(loop(2, 45), until(5_ms));
  EXPECT_EQ(below.exit, ExitCode::kOk) << below.message;
  EXPECT_EQ(below.summary.verdict, Verdict::kStopped);
  const RunOutcome above = outcome_of(loop(2, 55), until(5_ms));
  EXPECT_EQ(above.exit, ExitCode::kStalled);
  EXPECT_EQ(above.summary.verdict, Verdict::kDeadlock);
  EXPECT_NE(above.message.find("s0.port1 prio 3 -> s1.port1 prio 3 -> s0.port1"), std::string::npos)
      << above.message;
  EXPECT_LT(above.summary.simulated, 5_ms) << "found while it runs";
}

TEST(FieldReport, B32_ARoutingLoopOfFourSwitchesDeadlocksAbove100G) {
  // n * B / TTL = 4 * 400 / 16.
  EXPECT_EQ(outcome_of(loop(4, 90), until(5_ms)).exit, ExitCode::kOk);
  const RunOutcome above = outcome_of(loop(4, 110), until(5_ms));
  EXPECT_EQ(above.summary.verdict, Verdict::kDeadlock) << above.message;
  EXPECT_NE(above.message.find("s0.port1 prio 3 -> s1.port2 prio 3 -> s2.port1 prio 3 -> s3.port1 "
                               "prio 3 -> s0.port1"),
            std::string::npos)
      << above.message;
}

TEST(FieldReport, B32_UpDownRoutingUnderHeavyPausesIsNoDeadlock) {
  SmallRun run(R"(
fabric: {type: leaf_spine, leaves: 3, spines: 2, hosts_per_leaf: 4, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, mmu: {port_alpha_enabled: false, pg_alpha_exp: -7}}
nic: {preset: cx8, congestion_control: none}
deadlock: {interval: 5us}
workload: {type: incast, dst: 0, first: 1, count: 11, bytes: 4MiB}
)");
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kOk) << outcome.message;
  EXPECT_GT(outcome.summary.pfc.xoff_frames, 100u);
}

TEST(Deadlock, AHostThatPausesForGoodIsNone) {
  SmallRun run(R"(
fabric: {type: graph, chips: [s0, s1], hosts: {s0: 1, s1: 1}, link: {rate: 400Gbps}, links: [{between: [s0, s1]}]}
switch: {preset: spectrum4, mmu: {port_alpha_enabled: false, pg_alpha_exp: -7}}
workload: {type: raw, pause_hosts: [1], pause_priorities: 8, streams: [{source: 0, destination: 1, frame_bytes: 4158, dscp: 26, priority: 3}]}
)",
               until(2_ms));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kStopped) << outcome.message;
  EXPECT_GT(outcome.summary.pfc.paused, 1_ms);
}

TEST(Deadlock, LookingForOneChangesNoResult) {
  const std::string off = "deadlock: {enabled: false}\n";
  const RunOutcome with = outcome_of(loop(2, 45), until(2_ms));
  const RunOutcome without = outcome_of(loop(2, 45) + off, until(2_ms));
  EXPECT_EQ(with.summary.result_hash, without.summary.result_hash);
  EXPECT_EQ(with.summary.events, without.summary.events);
  const RunOutcome ends = outcome_of(kIncast);
  const RunOutcome ends_without = outcome_of(kIncast + off);
  EXPECT_EQ(ends.summary.result_hash, ends_without.summary.result_hash);
  EXPECT_EQ(ends.summary.simulated, ends_without.summary.simulated);
}

TEST(Deadlock, IsFoundAtTheSameInstantWhateverTheWheelsBuckets) {
  RunOptions fine = until(5_ms);
  fine.bucket_shift = 8;
  const RunOutcome one = outcome_of(loop(2, 55), until(5_ms));
  const RunOutcome other = outcome_of(loop(2, 55), fine);
  EXPECT_EQ(one.message, other.message);
  EXPECT_EQ(one.summary.result_hash, other.summary.result_hash);
}

TEST(Deadlock, AWatchdogThatDropsBreaksIt) {
  SmallRun run(loop(2, 55,
                    ", watchdog: {enabled: true, detection_time: 300us, restoration_time: 100us, "
                    "poll_interval: 50us}"),
               until(5_ms));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kStopped) << outcome.message;
  EXPECT_GT(run.sum("watchdog", "storms_detected"), 0u);
}

}  // namespace
}  // namespace sluice::test
