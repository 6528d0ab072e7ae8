// SPDX-License-Identifier: Apache-2.0
// A NIC with two ports under one QP: which plane sends what, congestion control and pauses of each
// plane apart. Leaves out: planes that fail (plane_failure_test.cpp).
#include <gtest/gtest.h>

#include <map>

#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

class Planes : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, Planes, test::each_psn_start(), test::psn_name);

NicParams two_planes(PlaneChoice choice = PlaneChoice::kPerPacket) {
  NicParams params = exact_params(400);
  params.ports = 2;
  params.plane_choice = choice;
  params.out_of_order_placement = true;
  params.plane_failure_threshold = 0;
  return params;
}

std::uint64_t tx_frames(NicRig& rig, std::uint32_t node, std::uint32_t port) {
  return rig[node].nic.port_counters(port).tx_frames;
}

TEST_P(Planes, APacketEachInTurnDoublesTheRate) {
  constexpr std::uint64_t kPackets = 2000;
  NicRig rig(at_psn(two_planes(), 1000));
  rig.write(0, 1, kPackets * 4096);
  rig.run();
  ASSERT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(tx_frames(rig, 0, 0), kPackets / 2);
  EXPECT_EQ(tx_frames(rig, 0, 1), kPackets / 2);
  EXPECT_EQ(rig[1].nic.counters().naks_sent, 0u);
  // 1000 slots of 83.56 ns on each plane and the way of the last one.
  EXPECT_NEAR(rig[1].received[0].time.seconds() * 1e9, 1000 * 83.56 + 950, 2);
}

TEST_P(Planes, AMessageKeepsToItsPlaneAndTheNextTakesTheOther) {
  NicRig rig(at_psn(two_planes(PlaneChoice::kPerMessage), 40));
  std::map<MessageId, std::map<std::uint32_t, unsigned>> ports;
  rig[0].look_at_port = [&](Packet& packet, std::uint32_t port, Ps) {
    ++ports[packet.message][port];
    return true;
  };
  for (std::uint64_t i = 0; i < 8; ++i) rig.write(0, 1, 10 * 4096, i);
  rig.run();
  EXPECT_EQ(rig[0].acked.size(), 8u);
  ASSERT_EQ(ports.size(), 8u);
  for (const auto& [message, by_port] : ports) EXPECT_EQ(by_port.size(), 1u) << message;
  EXPECT_EQ(tx_frames(rig, 0, 0), 40u);
  EXPECT_EQ(tx_frames(rig, 0, 1), 40u);
}

TEST_P(Planes, AQpKeepsToItsPlane) {
  NicParams params = at_psn(two_planes(PlaneChoice::kPerQp), 50);
  params.out_of_order_placement = false;
  NicRig rig(params, 4);
  for (std::uint32_t to = 1; to < 4; ++to) rig.write(0, to, 100 * 4096);
  rig.run();
  EXPECT_EQ(tx_frames(rig, 0, 0), 200u);
  EXPECT_EQ(tx_frames(rig, 0, 1), 100u);
  EXPECT_EQ(rig[0].nic.counters().naks_received, 0u);
}

TEST_P(Planes, SinglePacketsGoWhereLeastIsOutstanding) {
  NicRig rig(at_psn(two_planes()), 3, 5_us);
  rig.write(0, 1, 4000);
  rig.run_until(1_us);
  const std::uint32_t first = tx_frames(rig, 0, 0) == 1 ? 0 : 1;
  // Unacknowledged for 12 us: a short one and then another go to the plane without it.
  rig.write(0, 2, 100);
  rig.run_until(2_us);
  rig.write(0, 2, 100);
  rig.run_until(3_us);
  EXPECT_EQ(tx_frames(rig, 0, first), 1u);
  EXPECT_EQ(tx_frames(rig, 0, 1 - first), 2u);
  EXPECT_GT(rig[0].nic.requester().lanes()->outstanding_bytes(first),
            rig[0].nic.requester().lanes()->outstanding_bytes(1 - first));
  rig.run();
  EXPECT_EQ(rig[0].nic.requester().lanes()->outstanding_bytes(0), 0u);
  EXPECT_EQ(rig[0].nic.requester().lanes()->outstanding_bytes(1), 0u);
}

TEST_P(Planes, APausedPlaneSendsNothingAndTheOtherGoesOn) {
  NicRig rig(at_psn(two_planes(), 250));
  rig.pause(0, 0_ns, 1 << 3, 65535);  // 83.9 us of port 0
  rig.write(0, 1, 500 * 4096);
  rig.run_until(60_us);
  EXPECT_EQ(tx_frames(rig, 0, 0), 0u);
  EXPECT_EQ(tx_frames(rig, 0, 1), 500u);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST_P(Planes, CongestionOfOnePlaneSlowsThatPlaneAlone) {
  NicRig rig(at_psn(two_planes(), 500));
  rig[0].look_at_port = [](Packet& packet, std::uint32_t port, Ps) {
    if (port == 0 && packet.kind == PacketKind::kWriteData) packet.ecn = Ecn::kCe;
    return true;
  };
  rig.write(0, 1, 8000 * 4096);
  rig.run_until(300_us);
  // A plane's line rate is 11.97 packets a microsecond.
  EXPECT_NEAR(static_cast<double>(tx_frames(rig, 0, 1)), 300 * 11.967, 10);
  EXPECT_LT(tx_frames(rig, 0, 0), 1000u);
  EXPECT_GT(tx_frames(rig, 0, 0), 20u);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST_P(Planes, UnequalPlanesReorderAndNothingIsAskedForAgain) {
  NicRig rig(at_psn(two_planes(), 100));
  rig[0].skew = {0_us, 3_us};
  for (std::uint64_t i = 0; i < 50; ++i) rig.write(0, 1, 7 * 4096 + 13 * i, i);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().naks_sent, 0u);
  EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, 0u);
  EXPECT_GT(rig[1].nic.counters().placed_out_of_order, 100u);
  ASSERT_EQ(rig[0].acked.size(), 50u);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(rig[0].acked[i].cookie, i);
  EXPECT_EQ(rig.packets.live(), 0u);
}

TEST_P(Planes, G8_18_SprayToAnInOrderNicCollapses) {
  const auto goodput = [](bool placement) {
    NicParams params = at_psn(two_planes(), 100);
    params.out_of_order_placement = placement;
    NicRig rig(params, 2, 1_us);
    rig[0].skew = {0_ns, 84_ns};  // one slot
    rig.write(0, 1, 4000 * 4096);
    rig.run();
    EXPECT_EQ(rig[1].received.size(), 1u);
    EXPECT_EQ(rig[1].nic.counters().naks_sent > 0, !placement);
    EXPECT_EQ(rig[0].nic.counters().retransmitted_packets > 0, !placement);
    return 4000 * 4096 * 8 / (rig[1].received.at(0).time.seconds() * 1e9);
  };
  EXPECT_NEAR(goodput(true), 2 * 392.1, 10);
  EXPECT_LT(goodput(false), 0.5 * 2 * 392.1);
}

TEST_P(Planes, LossesOnAPlaneAreRepairedOneByOne) {
  NicParams params = at_psn(two_planes(), 199);
  params.loss_recovery = LossRecovery::kSelectiveRepeat;
  params.reorder_packets = 32;
  NicRig rig(params, 2, 1_us);
  unsigned data = 0;
  unsigned lost = 0;
  rig[0].look_at_port = [&](Packet&, std::uint32_t port, Ps) {
    // None of the last, which a timer would have to repair.
    if (port != 0 || ++data % 100 != 0 || data > 1900) return true;
    ++lost;
    return false;
  };
  rig.write(0, 1, 4000 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, lost);
  EXPECT_EQ(lost, 19u);
  EXPECT_EQ(rig[1].nic.counters().duplicates, 0u);
}

}  // namespace
}  // namespace sluice
