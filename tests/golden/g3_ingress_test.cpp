// SPDX-License-Identifier: Apache-2.0
// Golden rows G3-80 .. G3-85 in a running chip: N ingress ports at 400 Gb/s into one egress of the
// same rate, one lossless priority group each, alpha 1, the pool of an SN5600 in T1 role; what a
// group holds when it sends XOFF, and when. Leaves out: what the pause then does.
#include <gtest/gtest.h>

#include <string>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

constexpr double kPool = 52'161'690;
constexpr std::uint32_t kCell = 192;
constexpr std::uint32_t kFrame = 16 * kCell;
constexpr std::uint8_t kPriority = 3;

FabricSpec senders(std::uint32_t n) {
  std::string yaml = fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: 400Gbps, length: 30m}}}}
switch:
  preset: spectrum4
  freq_offset_ppm: 0
  mmu: {{policy: broadcom, pool_bytes: {}B, xoff_bytes: 0, xon_bytes: 0, port_alpha_enabled: false}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  obey_pfc: false
  streams:
)",
                                 n + 1, static_cast<std::uint64_t>(kPool));
  for (std::uint32_t host = 1; host <= n; ++host) {
    yaml += fmt::format(
        "    - {{source: {}, destination: 0, frame_bytes: {}, dscp: 26, priority: 3, start: "
        "10us}}\n",
        host, kFrame);
  }
  return fabric_of(yaml);
}

void expect_xoff(std::uint32_t n, double bytes, double microseconds) {
  const auto fabric = RunningFabric::of(senders(n));
  const SwitchChip& chip = fabric->chip(0);
  // The first frame is admitted when it has crossed 30 m of cable and the chip's front.
  const double start = 10 + 0.15 + chip.params().latency.to_admission().microseconds();
  fabric->run(Ps{static_cast<std::uint64_t>((start + 1.1 * microseconds) * 1e6)});
  // The table counts bytes in the buffer at the line's rate; the line also carries 20 B a frame.
  const double expected = microseconds * (kFrame + 20) / kFrame;
  for (std::uint32_t port = 1; port <= n; ++port) {
    const PgWatermarks& mark = chip.watermarks().pg(port, kPriority);
    ASSERT_NE(mark.first_xoff_ps, 0u) << "port " << port;
    const double held = static_cast<double>(mark.first_xoff_cells) * kCell;
    EXPECT_NEAR(held / bytes, 1, 0.02) << "port " << port;
    const double at = static_cast<double>(mark.first_xoff_ps) / 1e6 - start;
    EXPECT_NEAR(at / expected, 1, 0.02) << "port " << port;
  }
}

TEST(G3Ingress, G3_80) { expect_xoff(2, 17'387'230, 695.49); }
TEST(G3Ingress, G3_81) { expect_xoff(4, 10'432'338, 278.20); }
TEST(G3Ingress, G3_82) { expect_xoff(8, 5'795'743, 132.47); }
TEST(G3Ingress, G3_83) { expect_xoff(16, 3'068'334, 65.46); }
TEST(G3Ingress, G3_84) { expect_xoff(32, 1'580'657, 32.63); }
TEST(G3Ingress, G3_85) { expect_xoff(63, 815'026, 16.56); }

}  // namespace
}  // namespace sluice::golden
