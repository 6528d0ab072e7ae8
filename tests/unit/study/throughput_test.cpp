// SPDX-License-Identifier: Apache-2.0
// Goodput of whole fabrics against closed forms: incast, NICs with two ports, parallel cables,
// spray, mixed rates, a host that drains at half its rate.
// Leaves out: single flows and latency (golden G1, G2).
#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

/// Payload of a 4178 B slot with 4096 B in it (G1): 392.15 Gb/s at 400G, 784.30 at 800G.
constexpr double kGoodputShare = 4096.0 / 4178.0;

struct Write {
  std::uint32_t from;
  std::uint32_t to;
};

Workload writes(std::uint32_t hosts, std::uint64_t bytes, const std::vector<Write>& list) {
  Workload workload = make_synthetic({}, hosts);
  workload.ranks.resize(hosts);
  for (const Write& write : list) {
    Op op;
    op.kind = OpKind::kWrite;
    op.peer = write.to;
    op.bytes = bytes;
    workload.ranks[write.from].ops.push_back(op);
    workload.ledger.bytes_in += bytes;
  }
  return workload;
}

/// Gb/s of all writes together, from the start of the run to its last end.
double goodput(const Summary& summary) {
  return static_cast<double>(summary.bytes_delivered) * 8e3 /
         static_cast<double>(summary.simulated.value);
}

void expect_below(double got, double bound, double percent) {
  EXPECT_LE(got, bound);
  EXPECT_GE(got, bound * (1 - percent / 100));
}

class Incast : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Incast, G4_62_FillsOneEgressLinkAndNoMore) {
  const RunOutcome outcome = outcome_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 5, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0, mmu: {{port_alpha_enabled: false, pg_alpha_exp: -6}}}}
nic: {{preset: cx8, frequency_offset_ppm: 0, congestion_control: none}}
workload: {{type: incast, dst: 0, first: 1, count: 4, bytes: 16MiB}}
)",
                                                    GetParam()));
  EXPECT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
  EXPECT_EQ(outcome.summary.drops_total(), 0u);
  EXPECT_GT(outcome.summary.pfc.xoff_frames, 0u);
  expect_below(goodput(outcome.summary), kGoodputShare * static_cast<double>(GetParam()), 1);
}

INSTANTIATE_TEST_SUITE_P(Rates, Incast, ::testing::Values(400, 800));

TEST(Throughput, G4_61_EachSenderOfAnIncastIsPausedAllButItsShare) {
  SmallRun run(R"(
fabric: {type: single_switch, hosts: 9, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4, freq_offset_ppm: 0, mmu: {port_alpha_enabled: false, pg_alpha_exp: -7, pool_bytes: 20MB}}
nic: {preset: cx8, frequency_offset_ppm: 0, congestion_control: none}
workload: {type: incast, dst: 0, first: 1, count: 8, bytes: 32MiB}
)");
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.summary.drops_total(), 0u);
  // 7/8 of the time, over 2.7 ms; the buffer takes less than 1 % of the bytes at the start.
  const double paused = static_cast<double>(outcome.summary.pfc.paused.value) / 8 /
                        static_cast<double>(outcome.summary.simulated.value);
  EXPECT_NEAR(paused, 0.875, 0.00875);
}

TEST(Throughput, ANicWithTwoPortsSendsTheSumOverBoth) {
  SmallRun run(R"(
fabric: {type: single_switch, hosts: 5, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4, freq_offset_ppm: 0}
nic: {preset: cx8, ports: 2, frequency_offset_ppm: 0}
)",
               writes(5, 8 << 20, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
  const NicCore& nic = run.fabric().nics()[0]->core();
  const std::uint64_t first = nic.port_counters(0).tx_bytes;
  const std::uint64_t second = nic.port_counters(1).tx_bytes;
  EXPECT_GT(first, (1u << 20));
  EXPECT_EQ(first, second) << "two flows a port";
  expect_below(goodput(outcome.summary), 800 * kGoodputShare, 2);
}

/// Gb/s of wire that eight hosts of a leaf, each sending raw frames at its own rate to a partner on
/// the other leaf, bring there in 100 us. Sprayed, so that no two flows share by chance.
double across_leaves(const std::string& fabric, std::uint64_t host_gbps) {
  std::string yaml = fmt::format(R"(
fabric: {{type: leaf_spine, leaves: 2, hosts_per_leaf: 8, link: {{rate: 800Gbps, length: 30m}}, {}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0, routing: {{mode: spray}}}}
nic: {{frequency_offset_ppm: 0, port_rate: {}Gbps}}
workload:
  type: raw
  streams:
)",
                                 fabric, host_gbps);
  for (int host = 0; host < 8; ++host) {
    yaml += fmt::format("    - {{source: {}, destination: {}, dscp: 26, priority: 3}}\n", host,
                        host + 8);
  }
  const Summary summary = outcome_of(yaml, {.until = 100_us}).summary;
  EXPECT_EQ(summary.drops_total(), 0u);
  return static_cast<double>(summary.packets_delivered) * 1044 * 8 / 100e3;
}

// The way takes 3 of the 100 us: four cables, three chips, and queues.
TEST(Throughput, ParallelCablesToASpineAddUp) {
  expect_below(across_leaves("spines: 2, links_per_spine: 1", 800), 2 * 800, 3);
  expect_below(across_leaves("spines: 2, links_per_spine: 2", 800), 4 * 800, 3);
}

TEST(Throughput, SlowHostsOnFastUplinksGetTheirWholeRate) {
  expect_below(across_leaves("spines: 8", 400), 8 * 400, 3);
}

TEST(Throughput, LinksPerSpineOfARealRunCarryTheSameOnEveryCable) {
  SmallRun run(R"(
fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4, links_per_spine: 2, link: {rate: 800Gbps, length: 30m}}
switch: {routing: {mode: spray}}
workload: {type: raw, streams: [{source: 0, destination: 4, frames: 8000}]}
)");
  EXPECT_EQ(run.run().summary.packets_delivered, 8000u);
  for (std::uint32_t port = 4; port < 8; ++port) {
    // Binomial: 2000 +- 3 x 38.7.
    const auto frames = run.fabric().chips()[0]->queue(port, 0).tx_frames;
    EXPECT_NEAR(static_cast<double>(frames), 2000, 116) << "cable " << port;
  }
}

}  // namespace
}  // namespace sluice::test
