// SPDX-License-Identifier: Apache-2.0
// Reliable transport: PSNs, packet split, ACK coalescing, loss, timeouts (golden G8, G13;
// IBTA 9.7).
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/error.h"
#include "nic/psn.h"
#include "nic/requester/retry_timer.h"
#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

TEST(Psn, G13_01_ComparesModulo24Bits) {
  EXPECT_TRUE(psn_at_or_after(0x000001, 0xFFFFFF));
  EXPECT_FALSE(psn_at_or_after(0xFFFFFF, 0x000001));
  EXPECT_FALSE(psn_at_or_after(0x800000, 0x000000));
  EXPECT_TRUE(psn_at_or_after(0x7FFFFF, 0x000000));
  EXPECT_EQ(psn_add(0xFFFFFF, 2), 1u);
}

TEST(Message, G13_02_SplitsIntoPackets) {
  EXPECT_EQ(packets_of(1 << 20, 4096), 256u);
  EXPECT_EQ(packets_of(0, 4096), 1u);
  EXPECT_EQ(packets_of(4097, 4096), 2u);
}

TEST(Message, B37_WritesAbove2GiBBecomeSeveralWorkRequests) {
  EXPECT_EQ(work_requests_of(0), 1u);
  EXPECT_EQ(work_requests_of(std::uint64_t{1} << 31), 1u);
  EXPECT_EQ(work_requests_of((std::uint64_t{1} << 31) + 1), 2u);
  EXPECT_EQ(work_requests_of(std::uint64_t{33} << 31), 33u);
  NicRig rig(exact_params());
  rig.write(0, 1, (std::uint64_t{5} << 31) + 1);
  EXPECT_EQ(rig.messages.live(), 6u);
  EXPECT_EQ(rig[0].nic.counters().messages_sent, 6u);
}

TEST(AckTimeout, G13_05_To_14_Codes) {
  EXPECT_EQ(ack_timeout(0), kNever);
  EXPECT_EQ(ack_timeout(1), 8'192_ns);
  EXPECT_EQ(ack_timeout(8), 1'048'576_ns);
  EXPECT_EQ(ack_timeout(10), 4'194'304_ns);
  EXPECT_EQ(ack_timeout(14), 67'108'864_ns);
  EXPECT_EQ(ack_timeout(16), 268'435'456_ns);
  EXPECT_EQ(ack_timeout(18), 1'073'741'824_ns);
  EXPECT_EQ(ack_timeout(20), 4'294'967'296_ns);
  EXPECT_EQ(ack_timeout(22), 17'179'869'184_ns);
  EXPECT_EQ(ack_timeout(31), 8'796'093'022'208_ns);
}

struct Frame {
  PacketKind kind;
  std::uint32_t psn;
  std::uint32_t frame_bytes;
  std::uint32_t payload_bytes;
  std::uint8_t flags;
};
auto record(std::vector<Frame>& frames) {
  return [&frames](Packet& p, Ps) {
    frames.push_back({p.kind, p.psn, p.frame_bytes, p.payload_bytes, p.flags});
    return true;
  };
}

TEST(Requester, G13_03_Pads4097BytesAsFirstAndLast) {
  NicRig rig(exact_params());
  std::vector<Frame> frames;
  rig[0].look = record(frames);
  rig.write(0, 1, 4097);
  rig.run();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].frame_bytes, 4174u);
  EXPECT_EQ(frames[0].flags, packet_flag::kFirst);
  EXPECT_EQ(frames[1].frame_bytes, 66u);
  EXPECT_EQ(frames[1].payload_bytes, 1u);
  EXPECT_EQ(frames[1].flags, packet_flag::kLast | packet_flag::kAckReq);
}

TEST(Requester, EmptyWriteIsOnePacketWithoutPayload) {
  NicRig rig(exact_params());
  std::vector<Frame> frames;
  rig[0].look = record(frames);
  rig.write(0, 1, 0, 5);
  rig.run();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].frame_bytes, 78u);
  ASSERT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[1].received[0].bytes, 0u);
  EXPECT_EQ(rig[1].received[0].immediate, (std::array<std::uint32_t, 4>{1, 2, 3, 4}));
  EXPECT_EQ(rig[0].acked.at(0).cookie, 5u);
}

TEST(Responder, B37_LatePacketBeforeTheWrapIsADuplicateNotAGap) {
  ResponderConfig config;
  config.start_psn = 0xFFFFFE;
  Responder responder(config);
  Packet packet;
  packet.source = 3;
  for (const std::uint32_t psn : {0xFFFFFEu, 0xFFFFFFu, 0u, 1u}) {
    packet.psn = psn;
    EXPECT_EQ(responder.on_data(packet, 0, 0_ps).verdict, Responder::Verdict::kAccepted);
  }
  packet.psn = 0xFFFFFF;
  packet.flags = packet_flag::kAckReq;
  const auto late = responder.on_data(packet, 0, 0_ps);
  EXPECT_EQ(late.verdict, Responder::Verdict::kDuplicate);
  EXPECT_EQ(late.reply, Responder::Reply::kAck);
  EXPECT_EQ(late.reply_psn, 1u);
}

TEST(Responder, RepliesCarryTheSyndromeAndTheMessagesCompleted) {
  NicParams params = exact_params();
  params.timeout_code = 4;
  NicRig rig(params);
  std::vector<std::uint32_t> words;
  rig[1].look = [&](Packet& packet, Ps) {
    words.push_back(packet.message);
    return true;
  };
  rig.write(0, 1, 4096);
  rig.write(0, 1, 64 * 4096);
  rig.run();
  // The second message asks at its 32nd packet (the first message counted as one) and at its end.
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], 0x1F000001u);
  EXPECT_EQ(words[1], 0x1F000001u);
  EXPECT_EQ(words[2], 0x1F000002u);
  unsigned data = 0;
  rig[0].look = [&](Packet&, Ps) { return ++data != 1; };
  rig.write(0, 1, 2 * 4096);
  rig.run();
  EXPECT_EQ(words.at(3), 0x60000002u);
}

TEST(Responder, NaksOncePerGap) {
  ResponderConfig config;
  config.start_psn = 100;
  Responder responder(config);
  Packet packet;
  for (const std::uint32_t psn : {101u, 102u, 103u}) {
    packet.psn = psn;
    const auto decision = responder.on_data(packet, 0, 0_ps);
    EXPECT_EQ(decision.verdict, Responder::Verdict::kOutOfOrder);
    EXPECT_EQ(decision.reply, psn == 101 ? Responder::Reply::kNak : Responder::Reply::kNone);
    if (psn == 101) {
      EXPECT_EQ(decision.reply_psn, 100u);
    }
  }
  packet.psn = 100;
  EXPECT_EQ(responder.on_data(packet, 0, 0_ps).verdict, Responder::Verdict::kAccepted);
  packet.psn = 105;
  EXPECT_EQ(responder.on_data(packet, 0, 0_ps).reply, Responder::Reply::kNak);
}

/// Loses the last of ten packets; returns the packets sent again.
std::uint64_t lose_the_tail(std::uint32_t ack_every) {
  NicParams params = exact_params();
  params.ack_every = ack_every;
  NicRig rig(params);
  Ps lost{};
  Ps repeated{};
  unsigned data = 0;
  rig[0].look = [&](Packet&, Ps now) {
    if (++data == 10) {
      lost = now;
      return false;
    }
    if (data == 11) repeated = now;
    return true;
  };
  rig.write(0, 1, 10 * 4096);
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().timeouts, 1u);
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[0].acked.size(), 1u);
  // Times are those of tails; when the first packet is repeated it has 16 B more, 320 ps.
  EXPECT_EQ(repeated - lost, 67'108'864_ns + (ack_every == 1 ? 0_ps : 320_ps));
  return rig[0].nic.counters().retransmitted_packets;
}

TEST(Requester, B42_TailLossIsRepairedByTheTimerFromTheOldestUnacknowledgedPacket) {
  EXPECT_EQ(lose_the_tail(1), 1u);    // the first nine are acknowledged
  EXPECT_EQ(lose_the_tail(32), 10u);  // nobody asked for an ACK of the first nine
}

TEST(Requester, B42_CodeZeroMeansNoTimerAndAStalledQp) {
  NicParams params = exact_params();
  params.timeout_code = 0;
  NicRig rig(params);
  rig.write(0, 1, 4096);
  rig[0].look = [](Packet&, Ps) { return false; };
  rig.run();
  EXPECT_FALSE(rig[0].nic.idle());
  EXPECT_NE(rig[0].nic.stalled_qp().find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos);
  EXPECT_LT(rig.wheel.now(), 10_us);
}

TEST(Requester, ThrowsStallErrorWhenRetriesAreUsedUp) {
  NicParams params = exact_params();
  params.timeout_code = 8;
  params.retry_count = 3;
  params.start_psn = 5;
  NicRig rig(params);
  rig[0].look = [](Packet&, Ps) { return false; };
  rig.write(0, 1, 4096);
  try {
    rig.run();
    FAIL() << "a black hole was not noticed";
  } catch (const StallError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos) << text;
    EXPECT_NE(text.find("0x000005"), std::string::npos) << text;
  }
  // The first transmission and three retries, each T after the one before.
  EXPECT_EQ(rig[0].nic.counters().data_packets_sent, 4u);
  EXPECT_GE(rig.wheel.now(), 4 * 1'048'576_ns);
  EXPECT_LT(rig.wheel.now(), 4 * 1'048'576_ns + 2_us);
}

TEST(Requester, LostAckIsRepairedByADuplicate) {
  NicParams params = exact_params();
  params.timeout_code = 8;
  NicRig rig(params);
  unsigned acks = 0;
  rig[1].look = [&](Packet&, Ps) { return ++acks != 1; };
  rig.write(0, 1, 3 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().duplicates, 3u);
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[0].acked.size(), 1u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 3u);
}

TEST(Requester, G8_16_OneIsolatedLossRepeatsWhatWasInFlight) {
  NicParams params = exact_params(400);
  NicRig rig(params, 2, 2_us);
  Ps lost{};
  Ps repeated{};
  unsigned data = 0;
  std::uint32_t lost_psn = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    ++data;
    if (data == 500) {
      lost = now;
      lost_psn = packet.psn;
      return false;
    }
    if (packet.psn == lost_psn && lost.value != 0) repeated = now;
    return true;
  };
  rig.write(0, 1, 2000 * 4096);
  rig.run();
  // Round trip from the MAC's slot on: data needs the transmit PHY alone, the NAK all of its 400
  // ns.
  const double rtt_ns = (50 + 2000 + 83.32 + 400) + (400 + 2000 + 1.48 + 400);
  const double n = std::ceil(rtt_ns / 83.56);
  EXPECT_EQ(rig[1].nic.counters().naks_sent, 1u);
  EXPECT_EQ(rig[0].nic.counters().naks_received, 1u);
  EXPECT_NEAR(static_cast<double>(rig[0].nic.counters().retransmitted_packets), n, 1.0);
  EXPECT_NEAR(static_cast<double>((repeated - lost).value) / 83'560.0, n, 1.0);
  EXPECT_EQ(rig[1].nic.counters().duplicates, 0u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 2000u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
}

TEST(Requester, ManyLossesStillDeliverEverythingOnceAndInOrder) {
  NicParams params = exact_params(400);
  params.timeout_code = 4;
  params.ack_every = 7;
  NicRig rig(params);
  RandomStream random(3, 0, RandomPurpose::kTest);
  rig[0].look = [&](Packet&, Ps) { return random.below(50) != 0; };
  rig[1].look = [&](Packet&, Ps) { return random.below(20) != 0; };
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
  EXPECT_TRUE(rig[0].nic.idle());
  EXPECT_EQ(rig.messages.live(), 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
}

TEST(Requester, NeverHasMoreThanTheWindowOutstanding) {
  NicParams params = exact_params(400);
  params.window_bytes = {40 * 4096};
  NicRig rig(params, 2, 10_us);
  std::uint32_t sent = 0;
  std::uint32_t most = 0;
  rig[0].look = [&](Packet& p, Ps) {
    ++sent;
    most = std::max(most, psn_distance(p.psn + 1, rig[0].nic.requester().qp(0).una_psn));
    return true;
  };
  rig.write(0, 1, 400 * 4096);
  rig.run();
  EXPECT_EQ(sent, 400u);
  EXPECT_EQ(most, 40u);
  EXPECT_EQ(rig[1].received.size(), 1u);
}

TEST(Requester, CorruptAndForeignFramesAreDroppedAndCounted) {
  NicParams params = exact_params(400);
  params.timeout_code = 4;
  NicRig rig(params);
  unsigned n = 0;
  rig[0].look = [&](Packet& packet, Ps) {
    if (++n == 3) packet.flags |= packet_flag::kCorrupt;
    return true;
  };
  rig.write(0, 1, 10 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().corrupt_drops, 1u);
  EXPECT_EQ(rig[1].received.size(), 1u);
  rig[0].look = [&](Packet& packet, Ps) {
    packet.kind = PacketKind::kRaw;
    return true;
  };
  rig.write(0, 1, 8);
  rig.run_until(rig.wheel.now() + 10_us);
  EXPECT_EQ(rig[1].nic.counters().foreign_drops, 1u);
}

TEST(Requester, HostMayPostFromInsideItsCallback) {
  NicRig rig(exact_params());
  rig[0].when_acked = [&](std::uint64_t cookie) {
    if (cookie < 50) {
      rig.write(0, 1, 5000, cookie + 1);
      rig.write(0, 1, 3, 1000 + cookie);
    }
  };
  rig.write(0, 1, 5000, 0);
  rig.run();
  EXPECT_EQ(rig[0].acked.size(), 101u);
  EXPECT_EQ(rig[1].received.size(), 101u);
}

}  // namespace
}  // namespace sluice
