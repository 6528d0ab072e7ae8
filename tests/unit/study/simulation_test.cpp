// SPDX-License-Identifier: Apache-2.0
// A run as a whole: same inputs, same result; what may not change it; verdicts and why a run that
// cannot go on stops. Leaves out: throughput (throughput_test.cpp) and heap (allocation_test.cpp).
#include "study/simulation.h"

#include "kernel/error.h"
#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

/// Counts how often it is called.
class Counting : public WheelWatcher {
 public:
  void tick() override { ++ticks; }
  std::uint64_t ticks = 0;
};

std::uint64_t hash_of(const std::string& yaml, const RunOptions& options = {}) {
  const RunOutcome outcome = outcome_of(yaml, options);
  EXPECT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
  return outcome.summary.result_hash;
}

TEST(Simulation, RepeatsItselfForASeedAndNotForAnother) {
  for (const std::string& yaml : {kPermutation, kIncast}) {
    const std::uint64_t first = hash_of(yaml, {.seed = 3});
    EXPECT_EQ(hash_of(yaml, {.seed = 3}), first);
    EXPECT_NE(hash_of(yaml, {.seed = 4}), first);
  }
}

TEST(Simulation, AWatcherChangesNothing) {
  Counting watcher;
  EXPECT_EQ(hash_of(kPermutation, {.watcher = &watcher}), hash_of(kPermutation));
  EXPECT_GT(watcher.ticks, 0u);
}

TEST(Simulation, BucketsOfAnySpanGiveTheSameResult) {
  for (const std::string& yaml : {kPermutation, kIncast}) {
    const std::uint64_t usual = hash_of(yaml);
    for (const unsigned shift : {6u, 8u, 13u, 20u}) {
      EXPECT_EQ(hash_of(yaml, {.bucket_shift = shift}), usual) << "2^" << shift << " ps";
    }
  }
}

TEST(Simulation, EveryByteOfAnIncastArrivesWithoutADrop) {
  const Summary summary = outcome_of(kIncast).summary;
  EXPECT_EQ(summary.verdict, Verdict::kOk);
  EXPECT_EQ(summary.bytes_delivered, 15u * 2'097'152);
  EXPECT_EQ(summary.packets_delivered, 15u * 512);
  EXPECT_EQ(summary.packet_hops, 2u * 15 * 512);
  EXPECT_EQ(summary.drops_total(), 0u);
  EXPECT_GT(summary.pfc.xoff_frames, 0u);
  EXPECT_GT(summary.buffer.peak_headroom_cells, 0u);
}

TEST(Simulation, UntilEndsItWithVerdictStopped) {
  const RunOutcome outcome = outcome_of(kPermutation, {.until = 3_us});
  EXPECT_EQ(outcome.summary.verdict, Verdict::kStopped);
  EXPECT_EQ(outcome.exit, ExitCode::kOk);
  EXPECT_EQ(outcome.summary.simulated, 3_us);
  EXPECT_GT(outcome.summary.ledger.bytes_skipped, 0u);
}

TEST(Simulation, ABoundBehindTheEndChangesNothing) {
  const Summary whole = outcome_of(kPermutation).summary;
  // 1 ms: all writes have ended, retransmission timers of 67 ms have not.
  for (const Ps until : {1_ms, 1'000_ms}) {
    const Summary summary = outcome_of(kPermutation, {.until = until}).summary;
    EXPECT_EQ(summary.verdict, Verdict::kOk);
    EXPECT_EQ(summary.simulated, whole.simulated);
    EXPECT_EQ(summary.result_hash, whole.result_hash);
  }
}

TEST(Simulation, DropsInALosslessClassAreNotLossless) {
  const RunOutcome outcome = outcome_of(R"(
fabric: {type: single_switch, hosts: 8, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4, mmu: {port_alpha_enabled: false, pg_alpha_exp: -7}, pfc: {enabled: false}}
nic: {preset: cx8, congestion_control: none}
workload: {type: incast, dst: 0, first: 1, count: 7, bytes: 8MiB}
)",
                                        {.until = 300_us});
  EXPECT_EQ(outcome.summary.verdict, Verdict::kNotLossless);
  EXPECT_EQ(outcome.exit, ExitCode::kNotLossless);
  EXPECT_NE(outcome.message.find("fabric.switch0"), std::string::npos) << outcome.message;
  // Writes that have not ended by then are listed, not forgotten.
  const Ledger& ledger = outcome.summary.ledger;
  EXPECT_EQ(ledger.bytes_in, outcome.summary.bytes_simulated + ledger.bytes_skipped);
}

/// 8 ranks with 3 all-reduces each; rank 5 lacks the last.
Workload with_a_missing_collective() {
  SyntheticParams params;
  params.type = SyntheticType::kAllReduce;
  params.bytes = {8192};
  params.repeat = 3;
  Workload workload = make_synthetic(params, 8);
  workload.ledger.bytes_in -= bytes_put_in(workload, 5, workload.ranks[5].ops.back());
  workload.ranks[5].ops.pop_back();
  return workload;
}

const std::string kEightHosts =
    "fabric: {type: single_switch, hosts: 8, link: {rate: 800Gbps, length: 30m}}\n";

TEST(Simulation, AMissingCollectiveStallsItNamingRankOpAndGroup) {
  SmallRun run(kEightHosts, with_a_missing_collective());
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kStalled);
  EXPECT_EQ(outcome.exit, ExitCode::kStalled);
  for (const char* part : {"rank 5 lacks op 3", "all_reduce 3", "7 of 8 ranks wait"}) {
    EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message;
  }
  EXPECT_EQ(outcome.message.find('\n'), std::string::npos);
}

/// Something that never ends and moves nothing, as refreshed pauses do not.
class Idler : public EventHandler {
 public:
  explicit Idler(EventWheel& wheel) : wheel_(wheel) {
    target_ = wheel.add_targets(*this, 1, this, 0);
    wheel.post(Ps{}, target_, 0);
  }
  void handle(Event event) override { wheel_.post(event.time + 5_us, target_, 0); }

 private:
  EventWheel& wheel_;
  TargetId target_;
};

TEST(Simulation, EventsThatMoveNothingForASecondStallIt) {
  SmallRun run(kEightHosts, with_a_missing_collective());
  Idler idler(run.simulation().context().wheel);
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kStalled);
  EXPECT_EQ(outcome.exit, ExitCode::kStalled);
  for (const char* part : {"no packet was delivered", "rank 5 lacks op 3"}) {
    EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message;
  }
  EXPECT_GE(run.simulation().now(), 1'000_ms);
  EXPECT_LT(run.simulation().now(), 2'100_ms);  // looked at now and then
}

TEST(Simulation, ALongComputationIsNoStall) {
  Workload workload = make_synthetic({}, 8);
  Op compute;
  compute.compute = 3'000_ms;
  workload.ranks.resize(8);
  workload.ranks[2].ops.push_back(compute);
  SmallRun run(kEightHosts, std::move(workload));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.verdict, Verdict::kOk) << outcome.message;
  EXPECT_GE(run.simulation().now(), 3'000_ms);
}

TEST(Simulation, MoreRanksThanHostsAreRefused) {
  SyntheticParams params;
  params.type = SyntheticType::kAllReduce;
  EXPECT_THROW(SmallRun(kEightHosts, make_synthetic(params, 9)), ConfigError);
}

TEST(Simulation, MorePortsThanAChipHasAreRefused) {
  EXPECT_THROW(SmallRun("fabric: {type: single_switch, hosts: 65, link: {rate: 800Gbps}}\n"
                        "workload: {type: permutation}\n"),
               ConfigError);
}

TEST(Simulation, AChipThatDiffersBehavesDifferently) {
  // Two leaves hold one incast each; only leaf1's limit makes PFC necessary.
  Workload workload = make_synthetic({}, 16);
  workload.ranks.resize(16);
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    if (rank % 8 == 0) continue;
    Op write;
    write.kind = OpKind::kWrite;
    write.peer = rank < 8 ? 0 : 8;
    write.bytes = 4 << 20;
    workload.ranks[rank].ops.push_back(write);
    workload.ledger.bytes_in += write.bytes;
  }
  SmallRun run(R"(
fabric: {type: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 8, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4, mmu: {port_alpha_enabled: false}}
chips: {leaf1: {mmu: {pg_alpha_exp: -7}}}
nic: {preset: cx8, congestion_control: none}
)",
               std::move(workload));
  EXPECT_EQ(run.run().exit, ExitCode::kOk);
  EXPECT_EQ(run.fabric().chips()[0]->report().pfc_xoff_frames, 0u);
  EXPECT_GT(run.fabric().chips()[1]->report().pfc_xoff_frames, 0u);
}

}  // namespace
}  // namespace sluice::test
