// SPDX-License-Identifier: Apache-2.0
// PFC at the NIC: which class stops, when, and for how long (IEEE 802.1Qbb; golden G4).
#include <gtest/gtest.h>

#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

TEST(PauseState, G4_01_To_04_QuantaAre512BitTimes) {
  for (const auto& [gbps, ps] : {std::pair{100ull, 335'539'200ull},
                                 {200ull, 167'769'600ull},
                                 {400ull, 83'884'800ull},
                                 {800ull, 41'942'400ull}}) {
    PauseState pause({gbps * 1'000'000'000});
    pause.apply(1u << 3, 65535, 0_ps);
    EXPECT_EQ(pause.paused_until(3), Ps{ps});
    EXPECT_EQ(pause.paused_until(2), 0_ps);
  }
}

TEST(PauseState, B23_ASecondXoffRestartsTheTimerRatherThanAddingToIt) {
  PauseState pause({400'000'000'000});
  EXPECT_EQ(pause.apply(8, 1000, 0_ps), 0_ps);
  EXPECT_EQ(pause.apply(8, 1000, 1_us), 1_us);
  EXPECT_EQ(pause.paused_until(3), 1_us + 1'280_ns);
  EXPECT_EQ(pause.apply(8, 0, 1500_ns), 500_ns);
  EXPECT_FALSE(pause.paused(3, 1500_ns));
  EXPECT_EQ(pause.apply(8, 10, 3_us), 0_ps);
  EXPECT_EQ(pause.settle(10_us), 12'800_ps);
  EXPECT_EQ(pause.settle(11_us), 0_ps);
}

struct Gap {
  Ps last_before;
  Ps first_after;
};
/// The longest silence on node 0's wire, as tail of the last frame and MAC start of the next.
Gap longest_gap(const std::vector<std::pair<Ps, std::uint32_t>>& tails, const NicRig& rig) {
  Gap gap{};
  Ps longest{};
  for (std::size_t i = 1; i < tails.size(); ++i) {
    if (tails[i].first - tails[i - 1].first <= longest) continue;
    longest = tails[i].first - tails[i - 1].first;
    const Ps serial{(tails[i].second + 8) * 20ull};  // 20 ps a byte at 400G
    gap = {tails[i - 1].first - rig.propagation - 50_ns,
           tails[i].first - serial - rig.propagation - 50_ns};
  }
  return gap;
}

TEST(NicPause, B23_XonResumesAtOnceNotAfter83Microseconds) {
  NicRig rig(exact_params(400));
  std::vector<std::pair<Ps, std::uint32_t>> tails;
  rig[0].look = [&](Packet& packet, Ps now) {
    tails.emplace_back(now, packet.frame_bytes);
    return true;
  };
  rig.write(0, 1, 4096 * 1000);
  rig.pause(0, 10_us, 1u << 3, 65535);
  rig.pause(0, 11_us, 1u << 3, 0);
  rig.run();
  const Gap gap = longest_gap(tails, rig);
  // The frame in flight ends first; the next begins at XON exactly.
  EXPECT_GE(gap.last_before, 10_us - 1_ns);
  EXPECT_LT(gap.last_before, 10_us + 83'560_ps);
  EXPECT_EQ(gap.first_after, 11_us);
  EXPECT_EQ(rig[0].nic.port_counters(0).pause_frames, 2u);
  EXPECT_EQ(rig[0].nic.port_counters(0).paused_ps, 1'000'000u);
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST(NicPause, ExpiresByItselfAndCountsWhenSettled) {
  NicRig rig(exact_params(400));
  std::vector<std::pair<Ps, std::uint32_t>> tails;
  rig[0].look = [&](Packet& packet, Ps now) {
    tails.emplace_back(now, packet.frame_bytes);
    return true;
  };
  rig.write(0, 1, 4096 * 1000);
  rig.pause(0, 10_us, 1u << 3, 65535);
  rig.run();
  EXPECT_EQ(longest_gap(tails, rig).first_after, 10_us + 83'884'800_ps);
  rig[0].nic.settle_pauses();
  EXPECT_EQ(rig[0].nic.port_counters(0).paused_ps, 83'884'800u);
}

TEST(NicPause, StopsOnlyTheClassesWhosePriorityIsPaused) {
  NicParams params = exact_params(400);
  params.ack_priority = 5;
  for (const auto& [priority, data_flows, acks_flow] :
       {std::tuple{3u, false, true}, {5u, true, false}, {1u, true, true}}) {
    NicRig rig(params);
    rig.pause(0, 0_ps, static_cast<std::uint8_t>(1u << priority), 65535);
    rig.write(0, 1, 8, 1);  // node 0's data
    rig.write(1, 0, 8, 2);  // node 0 must acknowledge
    rig.run_until(50_us);
    EXPECT_EQ(rig[1].received.size(), data_flows ? 1u : 0u) << priority;
    EXPECT_EQ(rig[1].acked.size(), acks_flow ? 1u : 0u) << priority;
    rig.run();
    EXPECT_EQ(rig[1].received.size(), 1u);
    EXPECT_EQ(rig[1].acked.size(), 1u);
  }
}

TEST(NicPause, DataPriorityIsAParameter) {
  NicParams params = exact_params(400);
  params.data_priority = 4;
  NicRig rig(params);
  rig.pause(0, 0_ps, 1u << 4, 65535);
  rig.write(0, 1, 8);
  rig.run_until(50_us);
  EXPECT_TRUE(rig[1].received.empty());
}

TEST(NicPause, ResponseIsPartOfThePfcPath) {
  NicParams params = exact_params(400);
  NicRig rig(params);
  EXPECT_EQ(rig[0].nic.receive_path(0).pfc_delay, 250_ns);
  params.pfc_response = 300_ns;
  NicRig slower(params);
  EXPECT_EQ(slower[0].nic.receive_path(0).pfc_delay, 350_ns);
}

}  // namespace
}  // namespace sluice
