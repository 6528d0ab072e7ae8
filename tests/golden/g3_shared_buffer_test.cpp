// SPDX-License-Identifier: Apache-2.0
// Golden section G3 in a running chip: n hosts overload n priority groups whose egress a pausing
// endpoint holds closed, with frames of 16 cells, until nothing more is admitted. One pool: one
// slice, policy broadcom, no minima, no headroom, port level off. Frequency offsets are off.
// Leaves out: transients (G3-32 on).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kFrameCells = 16;
constexpr std::uint8_t kPriority = 3;
constexpr std::array<std::uint32_t, 8> kCounts{1, 2, 3, 4, 8, 16, 32, 64};

struct Pool {
  std::uint32_t cell;
  std::uint64_t bytes;
};

/// Host 0 receives, hosts 1 to `senders` overload its chip.
FabricSpec one_pool(const Pool& pool, int alpha_exp, std::uint32_t senders,
                    const std::string& workload) {
  return fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: 800Gbps, length: 30m}}}}
switch:
  preset: tomahawk5
  capacity: 100Tbps
  freq_offset_ppm: 0
  egress_fifo_cells: 0
  mmu:
    policy: broadcom
    cell_bytes: {}
    total_cells: {}
    pool_bytes: {}B
    num_slices: 1
    shared_headroom_bytes: 0
    pg_min_bytes: 0
    pg_alpha_exp: {}
    port_alpha_enabled: false
    xoff_bytes: 0
    xon_offset_bytes: 0
    lossy_pg_static_bytes: {}B
    lossy_alpha_exp: {}
    queue_min_bytes: 0
    queue_min_count: 0
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  obey_pfc: false
{})",
                               senders + 1, pool.cell, pool.bytes / pool.cell, pool.bytes,
                               alpha_exp, pool.bytes, alpha_exp, workload));
}

/// Cells in each of n priority groups once their sources have sent more than they can hold.
std::vector<std::uint32_t> held_cells(const Pool& pool, int alpha_exp, std::uint32_t n) {
  const std::uint32_t frame = kFrameCells * pool.cell;
  std::string workload = "  pause_hosts: [0]\n  pause_priorities: 8\n  streams:\n";
  const std::uint64_t most = pool.bytes / frame / n + 100;
  for (std::uint32_t host = 1; host <= n; ++host) {
    workload += fmt::format(
        "    - {{source: {}, destination: 0, frame_bytes: {}, dscp: 26, priority: 3, frames: {}, "
        "start: 10us}}\n",
        host, frame, most);
  }
  const auto fabric = RunningFabric::of(one_pool(pool, alpha_exp, n, workload));
  // The last frame has come: 800 Gb/s and, generously, a microsecond a hundred frames.
  fabric->run(20_us + most * Ps{(frame + 20) * 10});
  const SwitchChip& chip = fabric->chip(0);
  EXPECT_EQ(chip.queue(0, kPriority).tx_frames, 0u) << "the egress is closed";
  std::vector<std::uint32_t> held;
  for (std::uint16_t port = 1; port <= n; ++port) {
    EXPECT_EQ(chip.ingress(port).rx_frames, most);
    EXPECT_GT(chip.ingress(port).dropped(ChipDrop::kIngressPg), 0u) << "overloaded";
    held.push_back(chip.mmu().pg(port, kPriority).total());
  }
  return held;
}

/// One frame above, one frame and one cell below (golden.md).
void expect_columns(const Pool& pool, int alpha_exp, const std::array<double, 8>& bytes) {
  const double frame = kFrameCells * pool.cell;
  for (std::size_t column = 0; column < kCounts.size(); ++column) {
    for (const std::uint32_t cells : held_cells(pool, alpha_exp, kCounts[column])) {
      const double held = cells * static_cast<double>(pool.cell);
      EXPECT_LE(held, bytes[column] + frame) << "n = " << kCounts[column];
      EXPECT_GE(held, bytes[column] - frame - pool.cell) << "n = " << kCounts[column];
    }
  }
}

/// Q/B, on a pool of 10^6 cells of 100 B; the table's sixth digit is 50 B of them.
void expect_ratios(int alpha_exp, std::array<double, 8> ratios) {
  constexpr Pool kPool{100, 100'000'000};
  for (double& ratio : ratios) ratio *= static_cast<double>(kPool.bytes);
  expect_columns(kPool, alpha_exp, ratios);
}

constexpr Pool kSpectrum4{192, 158'229'504};
constexpr Pool kTomahawk5{254, 164'505'640};
constexpr Pool kTomahawk4{254, 113'620'296};

TEST(G3InAChip, G3_01) {
  expect_ratios(-6,
                {0.015385, 0.015152, 0.014925, 0.014706, 0.013889, 0.012500, 0.010417, 0.007812});
}
TEST(G3InAChip, G3_02) {
  expect_ratios(-5,
                {0.030303, 0.029412, 0.028571, 0.027778, 0.025000, 0.020833, 0.015625, 0.010417});
}
TEST(G3InAChip, G3_03) {
  expect_ratios(-4,
                {0.058824, 0.055556, 0.052632, 0.050000, 0.041667, 0.031250, 0.020833, 0.012500});
}
TEST(G3InAChip, G3_04) {
  expect_ratios(-3,
                {0.111111, 0.100000, 0.090909, 0.083333, 0.062500, 0.041667, 0.025000, 0.013889});
}
TEST(G3InAChip, G3_05) {
  expect_ratios(-2,
                {0.200000, 0.166667, 0.142857, 0.125000, 0.083333, 0.050000, 0.027778, 0.014706});
}
TEST(G3InAChip, G3_06) {
  expect_ratios(-1,
                {0.333333, 0.250000, 0.200000, 0.166667, 0.100000, 0.055556, 0.029412, 0.015152});
}
TEST(G3InAChip, G3_07) {
  expect_ratios(0,
                {0.500000, 0.333333, 0.250000, 0.200000, 0.111111, 0.058824, 0.030303, 0.015385});
}
TEST(G3InAChip, G3_08) {
  expect_ratios(1,
                {0.666667, 0.400000, 0.285714, 0.222222, 0.117647, 0.060606, 0.030769, 0.015504});
}
TEST(G3InAChip, G3_09) {
  expect_ratios(2,
                {0.800000, 0.444444, 0.307692, 0.235294, 0.121212, 0.061538, 0.031008, 0.015564});
}
TEST(G3InAChip, G3_10) {
  expect_ratios(3,
                {0.888889, 0.470588, 0.320000, 0.242424, 0.123077, 0.062016, 0.031128, 0.015595});
}
TEST(G3InAChip, G3_11) {
  expect_columns(kSpectrum4, -3,
                 {17581056, 15822950, 14384500, 13185792, 9889344, 6592896, 3955737, 2197632});
}
TEST(G3InAChip, G3_12) {
  expect_columns(kSpectrum4, -2,
                 {31645900, 26371584, 22604214, 19778688, 13185792, 7911475, 4395264, 2326904});
}
TEST(G3InAChip, G3_13) {
  expect_columns(kSpectrum4, -1,
                 {52743168, 39557376, 31645900, 26371584, 15822950, 8790528, 4653808, 2397416});
}
TEST(G3InAChip, G3_14) {
  expect_columns(kSpectrum4, 0,
                 {79114752, 52743168, 39557376, 31645900, 17581056, 9307617, 4794833, 2434300});
}
TEST(G3InAChip, G3_15) {
  expect_columns(kSpectrum4, 1,
                 {105486336, 63291801, 45208429, 35162112, 18615235, 9589666, 4868600, 2453170});
}
TEST(G3InAChip, G3_16) {
  expect_columns(kSpectrum4, 2,
                 {126583603, 70324224, 48686001, 37230471, 19179333, 9737200, 4906341, 2462716});
}
TEST(G3InAChip, G3_17) {
  expect_columns(kSpectrum4, 3,
                 {140648448, 74460943, 50633441, 38358667, 19474400, 9812682, 4925432, 2467516});
}
TEST(G3InAChip, G3_18) {
  expect_columns(kTomahawk5, -3,
                 {18278404, 16450564, 14955058, 13708803, 10281602, 6854401, 4112641, 2284800});
}
TEST(G3InAChip, G3_19) {
  expect_columns(kTomahawk5, -2,
                 {32901128, 27417606, 23500805, 20563205, 13708803, 8225282, 4569601, 2419200});
}
TEST(G3InAChip, G3_20) {
  expect_columns(kTomahawk5, -1,
                 {54835213, 41126410, 32901128, 27417606, 16450564, 9139202, 4838401, 2492509});
}
TEST(G3InAChip, G3_21) {
  expect_columns(kTomahawk5, 0,
                 {82252820, 54835213, 41126410, 32901128, 18278404, 9676802, 4985019, 2530856});
}
TEST(G3InAChip, G3_22) {
  expect_columns(kTomahawk5, 1,
                 {109670426, 65802256, 47001611, 36556808, 19353604, 9970038, 5061712, 2550475});
}
TEST(G3InAChip, G3_23) {
  expect_columns(kTomahawk5, 2,
                 {131604512, 73113617, 50617120, 38707209, 19940077, 10123424, 5100950, 2560399});
}
TEST(G3InAChip, G3_24) {
  expect_columns(kTomahawk5, 3,
                 {146227235, 77414418, 52641804, 39880155, 20246848, 10201900, 5120798, 2565390});
}
TEST(G3InAChip, G3_25) {
  expect_columns(kTomahawk4, -3,
                 {12624477, 11362029, 10329117, 9468358, 7101268, 4734179, 2840507, 1578059});
}
TEST(G3InAChip, G3_26) {
  expect_columns(kTomahawk4, -2,
                 {22724059, 18936716, 16231470, 14202537, 9468358, 5681014, 3156119, 1670886});
}
TEST(G3InAChip, G3_27) {
  expect_columns(kTomahawk4, -1,
                 {37873432, 28405074, 22724059, 18936716, 11362029, 6312238, 3341773, 1721519});
}
TEST(G3InAChip, G3_28) {
  expect_columns(kTomahawk4, 0,
                 {56810148, 37873432, 28405074, 22724059, 12624477, 6683546, 3443039, 1748004});
}
TEST(G3InAChip, G3_29) {
  expect_columns(kTomahawk4, 1,
                 {75746864, 45448118, 32462941, 25248954, 13367093, 6886078, 3496009, 1761554});
}
TEST(G3InAChip, G3_30) {
  expect_columns(kTomahawk4, 2,
                 {90896236, 50497909, 34960091, 26734187, 13772157, 6992018, 3523109, 1768409});
}
TEST(G3InAChip, G3_31) {
  expect_columns(kTomahawk4, 3,
                 {100995818, 53468374, 36358494, 27544314, 13984036, 7046219, 3536818, 1771856});
}

/// The same rule on lossy egress queues that drain: two hosts a port keep n queues over their
/// threshold. Whole frames come and go, so that a queue stands some frames beside the fluid value.
void expect_overloaded_queues(int alpha_exp, std::uint32_t n) {
  constexpr Pool kPool{254, 16'000'000};
  const std::uint32_t frame = kFrameCells * kPool.cell;
  std::string workload = "  streams:\n";
  for (std::uint32_t port = 0; port < n; ++port) {
    for (const std::uint32_t source : {n + 2 * port, n + 2 * port + 1}) {
      workload += fmt::format("    - {{source: {}, destination: {}, frame_bytes: {}, dscp: 0}}\n",
                              source, port, frame);
    }
  }
  const auto fabric = RunningFabric::of(one_pool(kPool, alpha_exp, 3 * n - 1, workload));
  const double alpha = std::exp2(alpha_exp);
  const double expected = alpha * static_cast<double>(kPool.bytes) / (1 + n * alpha);
  fabric->run_beside([&] {
    fabric->pass(1_ms);
    double sum = 0;
    constexpr std::uint32_t kSamples = 1000;
    for (std::uint32_t i = 0; i < kSamples; ++i) {
      fabric->pass(97_ns);
      for (std::uint16_t port = 0; port < n; ++port) {
        const double held =
            static_cast<double>(fabric->chip(0).mmu().queue(port, 0).total()) * kPool.cell;
        EXPECT_NEAR(held / expected, 1, 0.01) << "port " << port;
        sum += held;
      }
    }
    EXPECT_NEAR(sum / (kSamples * n) / expected, 1, 0.005);
  });
  EXPECT_GT(fabric->drops(), 0u);
}

TEST(G3OverloadedQueues, OneHoldsAlphaOfWhatIsLeft) { expect_overloaded_queues(0, 1); }
TEST(G3OverloadedQueues, TwoShareAlike) { expect_overloaded_queues(0, 2); }
TEST(G3OverloadedQueues, EightShareAlike) { expect_overloaded_queues(0, 8); }
TEST(G3OverloadedQueues, EightWithALowAlpha) { expect_overloaded_queues(-3, 8); }
TEST(G3OverloadedQueues, FourWithAHighAlpha) { expect_overloaded_queues(2, 4); }

}  // namespace
}  // namespace sluice::golden
