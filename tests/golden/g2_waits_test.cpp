// SPDX-License-Identifier: Apache-2.0
// Golden section G2, what a frame waits for in a chip: its own tail where the egress is faster,
// frames ahead of it, a frame of lower priority under way. Frequency offsets are off.
// Leaves out: waiting times of whole loads (section G13).
#include <gtest/gtest.h>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

constexpr std::uint64_t kPath = 4 * 150'000 + 3 * 600'000;  // four cables, three chips

/// One 4158-B frame over leaf, spine and leaf: first bit at the sender to last bit at the receiver.
Ps across(std::uint64_t host_gbps, std::uint64_t uplink_gbps) {
  const FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 1, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{port_rate: {}Gbps, frequency_offset_ppm: 0}}
workload:
  type: raw
  streams:
    - {{source: 0, destination: 1, frame_bytes: 4158, frames: 1}}
)",
                                                uplink_gbps, host_gbps));
  const auto fabric = RunningFabric::of(spec);
  fabric->run();
  EXPECT_EQ(fabric->raw(1).received(0).frames, 1u);
  return fabric->raw(1).received(0).latency_max;
}

// The first leaf waits until the faster uplink cannot run dry; the last leaf, whose egress is the
// slower one, does not wait, and the tail leaves s_out after the head (G2-22).
TEST(G2Wait, G2_19_From400To800GCutThrough) {
  EXPECT_EQ(across(400, 800), Ps{kPath + 41'660 + 83'320});
}
TEST(G2Wait, G2_20_From200To400GCutThrough) {
  EXPECT_EQ(across(200, 400), Ps{kPath + 83'320 + 166'640});
}
TEST(G2Wait, G2_21_From200To800GCutThrough) {
  EXPECT_EQ(across(200, 800), Ps{kPath + 124'980 + 166'640});
}
TEST(G2Wait, G2_22_From800To400GTheTailLeavesASlowFrameTimeAfterTheHead) {
  // 800 -> 400 costs no wait; 400 -> 800 at the last leaf waits 41.66 ns, so that the tail, a fast
  // frame time of 41.66 ns behind the head, comes 83.32 ns after an unhindered head.
  EXPECT_EQ(across(800, 400), Ps{kPath + 83'320});
}

/// Eleven frames of eleven hosts meet at one port in the same instant.
Ps wait_behind_ten(std::uint64_t gbps) {
  std::string yaml = fmt::format(R"(
fabric: {{type: single_switch, hosts: 12, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  streams:
)",
                                 gbps);
  for (int host = 1; host <= 11; ++host) {
    yaml += fmt::format(
        "    - {{source: {}, destination: 0, frame_bytes: 4158, frames: 1, start: 1us}}\n", host);
  }
  const auto fabric = RunningFabric::of(fabric_of(yaml));
  fabric->run();
  const RawReceived& at = fabric->raw(0).received(0);
  EXPECT_EQ(at.frames, 11u);
  EXPECT_EQ(at.latency_min, Ps{2 * 150'000 + 600'000 + 8 * 4166 * 1000 / gbps});
  return at.latency_max - at.latency_min;
}

TEST(G2Wait, G2_23_BehindTenFramesAt400G) { EXPECT_EQ(wait_behind_ten(400), 835'600_ps); }
TEST(G2Wait, G2_23_BehindTenFramesAt800G) { EXPECT_EQ(wait_behind_ten(800), 417'800_ps); }

struct StrictWait {
  double mean_ns;
  double longest_ns;
};

/// Poisson arrivals of single cells in the strict class while two hosts saturate the port below it.
StrictWait strict_wait(std::uint32_t frame_bytes) {
  constexpr std::uint64_t kSamples = 10'000;
  const FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 4, link: {{rate: 400Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  streams:
    - {{source: 1, destination: 0, frame_bytes: {0}, stop: 20ms}}
    - {{source: 2, destination: 0, frame_bytes: {0}, stop: 20ms}}
    - {{source: 3, destination: 0, frame_bytes: 64, dscp: 48, frames: {1}, rate: 1Gbps,
        arrivals: poisson, start: 10us}}
)",
                                                frame_bytes, kSamples));
  const auto fabric = RunningFabric::of(spec);
  fabric->run(10_ms);
  const RawReceived& at = fabric->raw(0).received(48);
  EXPECT_EQ(at.frames, kSamples) << "all samples fell into the saturated time";
  const double idle = 2 * 150 + 600 + 72 * 8 / 400.0;
  return {static_cast<double>(at.latency_sum.value) / 1000 / kSamples - idle,
          static_cast<double>(at.latency_max.value) / 1000 - idle};
}

TEST(G2Wait, G2_24_OfAStrictFrameIsHalfASlotOnAverage) {
  const StrictWait wait = strict_wait(4158);
  EXPECT_NEAR(wait.mean_ns / 41.78, 1, 0.02);
  // Two strict frames may meet in one slot: the later waits for the earlier, 1.68 ns each.
  EXPECT_GT(wait.longest_ns, 82.0);
  EXPECT_LT(wait.longest_ns, 83.56 + 3 * 1.68);
}

TEST(G2Wait, G2_24_OfAStrictFrameIsAJumboFrameAtMost) {
  const StrictWait wait = strict_wait(9216);
  EXPECT_NEAR(wait.mean_ns / 92.36, 1, 0.02);
  EXPECT_LT(wait.longest_ns, 184.72 + 4 * 1.68);
}

}  // namespace
}  // namespace sluice::golden
