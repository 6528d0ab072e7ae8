// SPDX-License-Identifier: Apache-2.0
// Field report B31: one NIC of 16 drains at half its rate or not at all. 2 leaves of 8 hosts, 2
// spines; hosts 0-7 on leaf0, 8-15 on leaf1. Leaves out: naming the root of the pause tree and its
// victims.
#include <gtest/gtest.h>

#include <array>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

constexpr Ps kEnd = 1_ms;

/// What a run of 1 ms shows; the rates are those of the second half, in Gb/s of wire.
struct Seen {
  double slow = 0;      ///< host 8 to host 5
  double sharing = 0;   ///< host 8 to host 6: the same sender and, by chance or not, uplink
  double disjoint = 0;  ///< host 10 to host 11, on the senders' leaf
  std::uint64_t disjoint_packets = 0;
  std::uint64_t leaf_of_the_receiver_xoff = 0;
  std::uint64_t leaf_of_the_senders_xoff = 0;
  std::uint64_t nic_xoff = 0;
  std::uint64_t nic_xon = 0;
  std::uint64_t sender_pauses = 0;
  std::uint64_t bystander_pauses = 0;
  std::uint64_t drops = 0;
};

Seen run(const std::string& nic_of_5) {
  const auto fabric = RunningFabric::of(fabric_of(fmt::format(R"(
fabric: {{type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {{rate: 400Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0, ecn: {{enabled: false}},
         mmu: {{port_alpha_enabled: false, pg_alpha_exp: -7}}}}
nic: {{frequency_offset_ppm: 0}}
nics: {{host5: {{{}}}}}
workload:
  type: ud
  streams:
    - {{source: 8, destination: 5, payload_bytes: 4096, rate: 300Gbps}}
    - {{source: 8, destination: 6, payload_bytes: 4096, rate: 90Gbps}}
    - {{source: 10, destination: 11, payload_bytes: 4096}}
)",
                                                              nic_of_5)));
  constexpr double kWireBits = (4096 + 70 + 20) * 8.0;
  const auto received = [&](std::size_t host) {
    return fabric->nic(host).counters().datagrams_received;
  };
  std::array<std::uint64_t, 3> half{};
  fabric->run_beside([&] {
    fabric->pass(kEnd / 2);
    half = {received(5), received(6), received(11)};
    fabric->pass(kEnd / 2);
  });
  const auto gbps = [&](std::size_t host, std::uint64_t before) {
    return static_cast<double>(received(host) - before) * kWireBits / ((kEnd / 2).seconds() * 1e9);
  };
  const NicPortCounters& slow_port = fabric->nic(5).port_counters(0);
  return {.slow = gbps(5, half[0]),
          .sharing = gbps(6, half[1]),
          .disjoint = gbps(11, half[2]),
          .disjoint_packets = received(11),
          .leaf_of_the_receiver_xoff = fabric->chip(0).report().pfc_xoff_frames,
          .leaf_of_the_senders_xoff = fabric->chip(1).report().pfc_xoff_frames,
          .nic_xoff = slow_port.xoff_sent,
          .nic_xon = slow_port.xon_sent,
          .sender_pauses = fabric->nic(8).port_counters(0).pause_frames,
          .bystander_pauses = fabric->nic(10).port_counters(0).pause_frames,
          .drops = fabric->drops() + slow_port.rx_overflow_drops};
}

TEST(FieldReport, B31_AFlowToAHostThatDrainsAtHalfTheRateGetsHalf) {
  const Seen seen = run("rx_drain_percent: 50");
  EXPECT_NEAR(seen.slow, 200, 2);
  EXPECT_LE(seen.sharing, 90 * 1.001);
  EXPECT_LT(seen.sharing, 75) << "it waits behind the paused flow";
  EXPECT_GT(seen.nic_xoff, 0u);
  EXPECT_GT(seen.nic_xon, 0u);
  EXPECT_EQ(seen.drops, 0u);
}

TEST(FieldReport, B31_PausesOfAHostThatDrainsNothingReachTheSendersLeafAndNobodyElse) {
  const Seen quiet = run("rx_drain_percent: 100");
  EXPECT_NEAR(quiet.slow, 300, 1);
  EXPECT_NEAR(quiet.sharing, 90, 1);
  EXPECT_EQ(quiet.nic_xoff + quiet.leaf_of_the_senders_xoff, 0u);

  const Seen seen = run("rx_drain_percent: 0");
  EXPECT_EQ(seen.slow, 0);
  EXPECT_GT(seen.nic_xoff, 10u) << "refreshed every 41.9 us";
  EXPECT_EQ(seen.nic_xon, 0u);
  EXPECT_GT(seen.leaf_of_the_receiver_xoff, 0u);
  EXPECT_GT(seen.leaf_of_the_senders_xoff, 0u);
  EXPECT_GT(seen.sender_pauses, 0u);
  EXPECT_EQ(seen.sharing, 0) << "the victim: its sender is paused";
  EXPECT_EQ(seen.bystander_pauses, 0u);
  EXPECT_EQ(seen.disjoint_packets, quiet.disjoint_packets);
  EXPECT_EQ(seen.drops, 0u);
}

}  // namespace
}  // namespace sluice::golden
