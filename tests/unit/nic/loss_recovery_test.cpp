// SPDX-License-Identifier: Apache-2.0
// Selective repeat and out-of-order placement between two NICs (golden G8): what is sent again,
// what is asked for, and that everything still arrives once and completes in order.
#include <gtest/gtest.h>

#include "kernel/random.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::lose;
using test::NicRig;
using test::selective;

class SelectiveRepeat : public test::AtPsn {};
class OutOfOrderPlacement : public test::AtPsn {};
class GoBack0 : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, SelectiveRepeat, test::each_psn_start(), test::psn_name);
INSTANTIATE_TEST_SUITE_P(StartPsn, OutOfOrderPlacement, test::each_psn_start(), test::psn_name);
INSTANTIATE_TEST_SUITE_P(StartPsn, GoBack0, test::each_psn_start(), test::psn_name);

TEST_P(SelectiveRepeat, G8_17_OneIsolatedLossRepeatsOnePacket) {
  for (const bool out_of_order : {false, true}) {
    NicParams params = at_psn(selective(), 499);
    params.out_of_order_placement = out_of_order;
    NicRig rig(params, 2, 2_us);
    rig[0].look = lose(500);
    for (std::uint64_t i = 0; i < 20; ++i) rig.write(0, 1, 100 * 4096, i);
    rig.run();
    const NicCounters& sender = rig[0].nic.counters();
    const NicCounters& receiver = rig[1].nic.counters();
    EXPECT_EQ(sender.data_packets_sent, 2001u);
    EXPECT_EQ(sender.retransmitted_packets, 1u);
    EXPECT_EQ(receiver.naks_sent, 1u);
    EXPECT_EQ(receiver.duplicates, 0u);
    EXPECT_EQ(receiver.out_of_order_drops, 0u);
    EXPECT_EQ(receiver.delivered_packets, 2000u);
    EXPECT_EQ(sender.timeouts, 0u);
    ASSERT_EQ(rig[0].acked.size(), 20u);
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(rig[0].acked[i].cookie, i);
    // The last packet of message 4 was lost: messages 0 to 3 end before, the rest in order after.
    ASSERT_EQ(rig[1].received.size(), 20u);
    for (std::size_t i = 1; i < 20; ++i) {
      EXPECT_GE(rig[1].received[i].time, rig[1].received[i - 1].time);
    }
    EXPECT_GT(rig[1].received[4].time, rig[1].received[3].time + 4_us);
  }
}

TEST_P(SelectiveRepeat, APacketThatIsLostTwiceIsRepeatedTwiceWithoutATimeout) {
  NicRig rig(at_psn(selective(), 99), 2, 2_us);
  unsigned lost = 0;
  rig[0].look = [&](Packet& packet, Ps) { return packet.psn != psn(0) || ++lost > 2; };
  rig.write(0, 1, 1000 * 4096);
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, 2u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  EXPECT_EQ(rig[1].nic.counters().duplicates, 0u);
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST_P(SelectiveRepeat, ALostNakIsMadeUpForByTheNextAck) {
  NicRig rig(at_psn(selective(), 99), 2, 2_us);
  rig[0].look = lose(100);
  rig[1].look = [](Packet& packet, Ps) { return packet.kind != PacketKind::kNak; };
  rig.write(0, 1, 1000 * 4096);
  // With the expected packet asked for, ACKs that are wanted come at once.
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, 1u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST_P(SelectiveRepeat, TailLossCostsATimeoutAndOnePacket) {
  const test::TailLoss loss = test::lose_the_tail(at_psn(selective(), 9));
  // Nobody asked for an ACK of the first nine: the timer starts with the oldest, then 2, 4, 8.
  EXPECT_LE(loss.packets_sent_again, 10u);
}

TEST_P(SelectiveRepeat, ABlackoutIsRepairedInFewRoundTripsAfterTheTimer) {
  NicParams params = at_psn(selective(), 300);  // lost
  params.timeout_code = 6;
  NicRig rig(params, 2, 2_us);
  rig[0].look = [&](Packet&, Ps now) { return now < 20_us || now > 100_us; };
  rig.write(0, 1, 3000 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 3000u);
  // A timer of 262 us from the last AckReq answered, ten doublings of a round trip of about 5 us.
  EXPECT_LT(rig[1].received.at(0).time, 3000 * 84_ns + 20_us + 2 * 262_us + 10 * 6_us + 100_us);
}

class RepairList : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, RepairList, test::each_psn_start(), test::psn_name);

TEST_P(RepairList, KnowsWhatWasRepeatedUntilThatIsAcknowledged) {
  constexpr std::uint32_t kWindow = 64;
  Repairs repairs;
  for (const std::uint32_t number : {4u, 2u}) repairs.want(kWindow, psn(number));
  EXPECT_EQ(repairs.take(kWindow, psn(0), psn(6)), psn(2)) << "the oldest first";
  repairs.note(psn(2), 1, psn(6));
  EXPECT_EQ(repairs.sent_before(psn(2)), psn(6));
  EXPECT_EQ(repairs.sent_before(psn(3)), psn(4));
  repairs.forget_before(kWindow, psn(0), psn(2));
  EXPECT_TRUE(repairs.repeated(psn(2)));
  repairs.forget_before(kWindow, psn(2), psn(3));
  EXPECT_FALSE(repairs.repeated(psn(2)));
  EXPECT_TRUE(repairs.missing(kWindow, psn(4)));
  repairs.forget_before(kWindow, psn(3), psn(5));
  EXPECT_FALSE(repairs.wanted());
}

TEST_P(RepairList, RecoversFromATimeoutUpToItsEnd) {
  Repairs repairs;
  repairs.begin_recovery(psn(4));
  repairs.forget_before(64, psn(0), psn(3));
  EXPECT_TRUE(repairs.recovering());
  repairs.forget_before(64, psn(3), psn(4));
  EXPECT_FALSE(repairs.recovering());
}

struct Chaos {
  bool selective;
  bool placement;
};
class LossRecovery : public testing::TestWithParam<std::tuple<Chaos, std::uint32_t>> {};

/// Loses data and replies, delays data at random so that it overtakes.
TEST_P(LossRecovery, EverythingArrivesOnceAndCompletesInOrder) {
  const auto& [mode, psn] = GetParam();
  NicParams params = test::with_psn(exact_params(400), psn, 500);
  if (mode.selective) params.loss_recovery = sluice::LossRecovery::kSelectiveRepeat;
  params.out_of_order_placement = mode.placement;
  params.reorder_packets = 20;
  params.timeout_code = 4;
  params.ack_every = 7;
  NicRig rig(params);
  RandomStream random(3, 0, RandomPurpose::kTest);
  rig[0].look = [&](Packet&, Ps) { return random.below(50) != 0; };
  rig[1].look = [&](Packet&, Ps) { return random.below(20) != 0; };
  if (mode.placement) {
    rig[0].delay = [&] { return Ps{random.below(4) == 0 ? random.below(1'000'000) : 0}; };
  }
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t bytes = random.below(60'000);
    total += bytes;
    rig.write(0, 1, bytes, i);
  }
  rig.run();
  ASSERT_EQ(rig[0].acked.size(), 300u);
  ASSERT_EQ(rig[1].received.size(), 300u);
  for (std::uint64_t i = 0; i < 300; ++i) EXPECT_EQ(rig[0].acked[i].cookie, i);
  EXPECT_EQ(rig[1].nic.counters().delivered_bytes, total);
  const NicCounters& sent = rig[0].nic.counters();
  EXPECT_EQ(sent.data_packets_sent - sent.retransmitted_packets,
            rig[1].nic.counters().delivered_packets);
  EXPECT_EQ(rig[1].nic.counters().placed_out_of_order > 0, mode.selective || mode.placement);
  EXPECT_TRUE(rig[0].nic.idle());
  EXPECT_EQ(rig.messages.live(), 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, LossRecovery,
                         testing::Combine(testing::Values(Chaos{false, false}, Chaos{true, false},
                                                          Chaos{false, true}, Chaos{true, true}),
                                          test::each_psn_start()));

TEST_P(OutOfOrderPlacement, OvertakingWithinTheThresholdCausesNoNakAndCompletesInOrder) {
  NicParams params = at_psn(exact_params(400), 100);
  params.out_of_order_placement = true;
  NicRig rig(params);
  unsigned data = 0;
  rig[0].delay = [&] { return ++data % 2 == 0 ? 1_us : 0_us; };
  for (std::uint64_t i = 0; i < 8; ++i) rig.write(0, 1, 32 * 4096, i);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().naks_sent, 0u);
  EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, 0u);
  EXPECT_GT(rig[1].nic.counters().placed_out_of_order, 100u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  ASSERT_EQ(rig[0].acked.size(), 8u);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(rig[0].acked[i].cookie, i);
}

TEST_P(OutOfOrderPlacement, ANicWithoutItTakesOvertakingForLoss) {
  NicRig rig(at_psn(exact_params(400), 20));
  unsigned data = 0;
  rig[0].delay = [&] { return ++data % 2 == 0 ? 1_us : 0_us; };
  rig.write(0, 1, 64 * 4096);
  rig.run();
  EXPECT_GT(rig[1].nic.counters().naks_sent, 0u);
  EXPECT_GT(rig[0].nic.counters().retransmitted_packets, 0u);
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST_P(OutOfOrderPlacement, SendersKeepWithinTheWindowOfTheReceiver) {
  for (const std::uint32_t window : {64u, 256u}) {
    NicParams params = at_psn(selective(), 9);
    params.psn_window = window;
    params.reorder_packets = 16;
    NicRig rig(params, 2, 20_us);
    rig[0].look = lose(10);
    rig.write(0, 1, 2000 * 4096);
    rig.run();
    EXPECT_EQ(rig[1].nic.counters().out_of_order_drops, 0u);
    EXPECT_EQ(rig[1].received.size(), 1u);
    // A round trip of 41.7 us a window of 64 x 83.56 ns: the window limits.
    const double windows = 2000.0 / window;
    EXPECT_GT(rig[1].received[0].time.seconds() * 1e6, (windows - 2) * 40);
  }
}

TEST_P(GoBack0, ALossRepeatsItsMessageFromTheStartAndNoOther) {
  NicParams params = at_psn(exact_params(400), 120);  // discarded
  params.loss_recovery = sluice::LossRecovery::kGoBack0;
  NicRig rig(params);
  unsigned data = 0;
  std::vector<std::uint32_t> psns;
  rig[0].look = [&](Packet& packet, Ps) {
    psns.push_back(packet.psn);
    return ++data != 150;
  };
  for (std::uint64_t i = 0; i < 3; ++i) rig.write(0, 1, 100 * 4096, i);
  rig.run();
  const NicCounters& receiver = rig[1].nic.counters();
  EXPECT_EQ(receiver.delivered_packets, 300u);
  EXPECT_EQ(receiver.delivered_bytes, 300u * 4096);
  EXPECT_EQ(receiver.discarded_packets, 49u);  // 100 to 148 of 0 to 299
  EXPECT_EQ(receiver.naks_sent, 1u);
  EXPECT_EQ(receiver.duplicates, 0u);
  EXPECT_EQ(rig[0].acked.size(), 3u);
  // After the packets that were under way the second message begins again.
  const auto again = std::adjacent_find(psns.begin(), psns.end(),
                                        [](auto a, auto b) { return psn_distance(b, a) != 1; });
  ASSERT_NE(again, psns.end());
  EXPECT_EQ(psn_distance(*(again + 1), psns.front()), 100u);
}

}  // namespace
}  // namespace sluice
