// SPDX-License-Identifier: Apache-2.0
// Golden section G10, ring column: a ring all-reduce over NICs, cables and chips takes
// 2 (n - 1) / n S / B + 2 (n - 1) a. The NIC's tx cost is set so that the idle latency a is 5 us;
// where hops differ, a is its mean around the ring. Frequency offsets and start jitter are off,
// DCQCN is on. Rel 1 %, with no allowance for a chunk.
#include <gtest/gtest.h>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

const std::string kOneSwitch8 = "type: single_switch, hosts: 8";
const std::string kLeafSpine64 = "type: leaf_spine, leaves: 8, spines: 4, hosts_per_leaf: 8";
const std::string kLeafSpine2048 = "type: leaf_spine, leaves: 64, spines: 32, hosts_per_leaf: 32";

/// From a post to the receiver told without serialisation, mean over the neighbours of a linear
/// ring, times the number of hosts (a whole number of picoseconds).
std::uint64_t idle_ps_around_ring(const FabricSpec& spec) {
  const TopologyParams& shape = spec.topology;
  const std::uint32_t hosts = make_topology(shape).endpoints;
  const Ps ends = spec.nic.t_tx() + spec.nic.t_rx() + spec.host_link.propagation() * 2;
  const Ps chip = spec.chips[0].latency.total();
  // A ring enters each leaf once; that hop takes two cables and two chips more.
  const std::uint32_t crossings = shape.type == FabricType::kLeafSpine ? shape.leaves : 0;
  return (hosts * (ends + chip) + crossings * (spec.link.propagation() * 2 + chip * 2)).value;
}

struct Ring {
  Ps time;
  std::uint64_t drops;
};

Ring all_reduce(const std::string& topology, std::uint64_t gbps, const std::string& bytes) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{{}, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{preset: cx8, frequency_offset_ppm: 0}}
host: {{start_jitter: 0}}
workload: {{type: all_reduce, bytes: {}}}
)",
                                          topology, gbps, bytes));
  const std::uint32_t hosts = make_topology(spec.topology).endpoints;
  const Ps mean{idle_ps_around_ring(spec) / hosts};
  EXPECT_LT(mean, 5_us);
  spec.nic.tx_processing_latency += 5_us - mean;
  const auto fabric = RunningFabric::of(spec);
  fabric->run();
  const std::vector<OpRow> rows = fabric->recorder().rows();
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.at(0).ranks, hosts);
  EXPECT_EQ(rows.at(0).count, 1u);
  return {rows.at(0).mean(), fabric->drops()};
}

/// `microseconds` as the table has it.
void expect_time(const std::string& topology, std::uint64_t gbps, const std::string& bytes,
                 double microseconds) {
  const Ring ring = all_reduce(topology, gbps, bytes);
  EXPECT_NEAR(ring.time.microseconds() / microseconds, 1, 0.01) << ring.time.microseconds();
  EXPECT_EQ(ring.drops, 0u);
  testing::Test::RecordProperty("microseconds", fmt::format("{:.3f}", ring.time.microseconds()));
}

TEST(G10Ring, G10_09_400G_8Ranks_1MiB) { expect_time(kOneSwitch8, 400, "1MiB", 107.435); }
TEST(G10Ring, G10_10_400G_8Ranks_64MiB) { expect_time(kOneSwitch8, 400, "64MiB", 2465.83); }
TEST(G10Ring, G10_11_400G_8Ranks_1GiB) { expect_time(kOneSwitch8, 400, "1GiB", 38403.3); }
TEST(G10Ring, G10_14_400G_64Ranks_64MiB) { expect_time(kLeafSpine64, 400, "64MiB", 3325.31); }
TEST(G10Ring, G10_25_800G_8Ranks_1MiB) { expect_time(kOneSwitch8, 800, "1MiB", 88.7174); }
TEST(G10Ring, G10_26_800G_8Ranks_64MiB) { expect_time(kOneSwitch8, 800, "64MiB", 1267.92); }
TEST(G10Ring, G10_27_800G_8Ranks_1GiB) { expect_time(kOneSwitch8, 800, "1GiB", 19236.7); }
TEST(G10Ring, G10_30_800G_64Ranks_64MiB) { expect_time(kLeafSpine64, 800, "64MiB", 1977.66); }
TEST(G10Ring, G10_33_800G_1MiB_Of2048Ranks) { expect_time(kLeafSpine2048, 800, "1MiB", 20491.4); }

}  // namespace
}  // namespace sluice::golden
