// SPDX-License-Identifier: Apache-2.0
// Users' reports B17 and B18 and golden section G5 in a running chip: marks of frames that leave a
// queue which a pausing endpoint has held closed, over many seeds; congestion control switched off.
// Leaves out: which of the frames are marked (unit/switch/chip_ecn_test.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

struct Curve {
  std::uint64_t kmin;
  std::uint64_t kmax;
  double pmax;
};

/// Host 1 sends `frames` of `bytes` into a queue that host 0 holds closed, and then lets go.
FabricSpec closed_then_open(const Curve& curve, std::uint32_t frames, std::uint32_t bytes) {
  return fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 2, link: {{rate: 800Gbps, length: 30m}}}}
switch:
  preset: spectrum4
  ecn: {{kmin_bytes: {}B, kmax_bytes: {}B, pmax: {}}}
workload:
  type: raw
  pause_hosts: [0]
  pause_priorities: 8
  pause_release: 400us
  streams:
    - {{source: 1, destination: 0, frame_bytes: {}, dscp: 26, priority: 3, ecn: 2, frames: {}}}
)",
                               curve.kmin, curve.kmax, curve.pmax, bytes, frames));
}

std::uint64_t marks(const FabricSpec& spec, std::uint64_t seed, std::uint32_t frames) {
  const auto fabric = RunningFabric::of(spec, seed);
  fabric->run(800_us);
  const RawReceived& received = fabric->raw(0).received(26);
  EXPECT_EQ(received.frames, frames);
  EXPECT_EQ(received.marked, fabric->chip(0).report().ecn_marked);
  return received.marked;
}

/// Sum of the curve over the depths left behind, and its variance.
struct Expected {
  double mean = 0;
  double variance = 0;
};
Expected expected_marks(const Curve& curve, std::uint32_t frames, std::uint32_t bytes) {
  Expected e;
  for (std::uint32_t left = 0; left < frames; ++left) {
    const double q = static_cast<double>(left) * bytes;
    const auto kmin = static_cast<double>(curve.kmin);
    const auto kmax = static_cast<double>(curve.kmax);
    const double p = q < kmin ? 0 : q >= kmax ? 1 : curve.pmax * (q - kmin) / (kmax - kmin);
    e.mean += p;
    e.variance += p * (1 - p);
  }
  return e;
}

TEST(FieldReport, B17_MarksOfTheSlopeOverTwoHundredSeeds) {
  const Curve curve{500'000, 2'000'000, 0.05};
  const FabricSpec spec = closed_then_open(curve, 2010, 1000);
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    sum += static_cast<double>(marks(spec, seed, 2010));
  }
  EXPECT_NEAR(sum / 200, 46.525, 1.28);
}

/// A drained queue walks the whole curve; 20 seeds, 4 sigma.
void expect_curve(const Curve& curve) {
  constexpr std::uint32_t kBytes = 4000;
  const auto frames = static_cast<std::uint32_t>(curve.kmax / kBytes + 21);
  const FabricSpec spec = closed_then_open(curve, frames, kBytes);
  const Expected one = expected_marks(curve, frames, kBytes);
  constexpr std::uint64_t kSeeds = 20;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sum += static_cast<double>(marks(spec, seed, frames));
  }
  EXPECT_NEAR(sum, kSeeds * one.mean, 4 * std::sqrt(kSeeds * one.variance));
}

TEST(G5InAChip, G5_01_Model400G) { expect_curve({400'000, 1'600'000, 0.2}); }
TEST(G5InAChip, G5_02_Model800G) { expect_curve({800'000, 3'200'000, 0.2}); }
TEST(G5InAChip, G5_03_SonicAzureLossless) { expect_curve({1'048'576, 2'097'152, 0.05}); }
TEST(G5InAChip, G5_04_SonicTomahawk5) { expect_curve({131'072, 262'144, 0.05}); }
TEST(G5InAChip, G5_05_OnyxCumulus) { expect_curve({150'000, 1'500'000, 1}); }
TEST(G5InAChip, G5_06_Hpcc25G) { expect_curve({100'000, 400'000, 0.2}); }
TEST(G5InAChip, G5_07_DcqcnPaper40G) { expect_curve({5'000, 200'000, 0.01}); }

struct Signals {
  std::uint64_t xoff;
  std::uint64_t cnps;
};

Signals incast(const std::string& control) {
  const auto fabric = RunningFabric::of(fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 9, link: {{rate: 800Gbps, length: 30m}}}}
switch: {{preset: spectrum4, mmu: {{pg_alpha_exp: -8, port_alpha_enabled: false}}}}
nic: {{preset: cx8, congestion_control: {}}}
workload: {{type: incast, dst: 0, first: 1, count: 8, bytes: 8MiB}}
)",
                                                              control)));
  fabric->run();
  const ChipReport report = fabric->chip(0).report();
  EXPECT_EQ(report.lossless_drops, 0u);
  return {report.pfc_xoff_frames, fabric->nic(0).counters().cnps_sent};
}

TEST(FieldReport, B18_CongestionControlSwitchedOffPausesMore) {
  const Signals on = incast("dcqcn");
  const Signals off = incast("none");
  EXPECT_GT(on.cnps, 0u);
  EXPECT_EQ(off.cnps, 0u);
  EXPECT_GT(off.xoff, on.xoff);
}

}  // namespace
}  // namespace sluice::golden
