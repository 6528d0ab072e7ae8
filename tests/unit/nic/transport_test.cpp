// SPDX-License-Identifier: Apache-2.0
// Reliable transport: PSNs, packet split, ACK coalescing, loss, timeouts (golden G8, G13;
// IBTA 9.7).
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernel/error.h"
#include "nic/requester/retry_timer.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::Frame;
using test::lose;
using test::NicRig;
using test::record;
using Verdict = sluice::Responder::Verdict;
using Reply = sluice::Responder::Reply;

class Requester : public test::AtPsn {};
class Responder : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, Requester, test::each_psn_start(), test::psn_name);
INSTANTIATE_TEST_SUITE_P(StartPsn, Responder, test::each_psn_start(), test::psn_name);

TEST(Psn, G13_01_ComparesModulo24Bits) {
  EXPECT_TRUE(psn_at_or_after(0x000001, 0xFFFFFF));
  EXPECT_FALSE(psn_at_or_after(0xFFFFFF, 0x000001));
  EXPECT_FALSE(psn_at_or_after(0x800000, 0x000000));
  EXPECT_TRUE(psn_at_or_after(0x7FFFFF, 0x000000));
  EXPECT_EQ(psn_add(0xFFFFFF, 2), 1u);
}

TEST(Psn, EachQpHasAStartOfItsOwnThatTheSeedDecidesUnlessOneIsGiven) {
  std::set<std::uint32_t> starts;
  for (const std::uint64_t seed : {1u, 2u}) {
    NicParams params = exact_params();
    params.start_psn = 1u << 24;
    NicRig rig(params, 3, 150_ns, seed);
    for (std::uint32_t from = 0; from < 3; ++from) {
      rig[from].look = [&](Packet& packet, Ps) {
        if (packet.kind == PacketKind::kWriteData) starts.insert(packet.psn);
        return true;
      };
      rig.write(from, (from + 1) % 3, 8);
      rig.write(from, (from + 2) % 3, 8);
    }
    rig.run();
    for (std::uint32_t to = 0; to < 3; ++to) {
      EXPECT_EQ(rig[to].received.size(), 2u) << "both ends know it";
      EXPECT_EQ(rig[to].nic.counters().naks_sent, 0u);
    }
  }
  EXPECT_EQ(starts.size(), 12u);
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

TEST_P(Requester, G13_03_Pads4097BytesAsFirstAndLast) {
  NicRig rig(at_psn(exact_params(), 1));
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
  EXPECT_EQ(frames[1].psn, psn(0));
}

TEST_P(Requester, EmptyWriteIsOnePacketWithoutPayload) {
  NicRig rig(at_psn(exact_params()));
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

TEST_P(Responder, B37_LatePacketBeforeTheWrapIsADuplicateNotAGap) {
  ResponderConfig config;
  config.start_psn = psn(0);
  sluice::Responder responder(config);
  Packet packet;
  packet.source = 3;
  for (std::uint32_t number = 0; number < 4; ++number) {
    packet.psn = psn(number);
    EXPECT_EQ(responder.on_data(packet, 0, 0_ps).verdict, Verdict::kAccepted);
  }
  packet.flags = packet_flag::kAckReq;
  // The last that has come, the first, and the oldest of all that can be late.
  for (const std::uint32_t number : {3u, 0u, 4u - (1u << 23)}) {
    packet.psn = psn(number);
    const auto late = responder.on_data(packet, 0, 0_ps);
    EXPECT_EQ(late.verdict, Verdict::kDuplicate);
    EXPECT_EQ(late.reply, Reply::kAck);
    EXPECT_EQ(late.reply_psn, psn(3));
  }
  packet.psn = psn(4 + (1u << 23) - 1);
  EXPECT_EQ(responder.on_data(packet, 0, 0_ps).verdict, Verdict::kOutOfOrder) << "half minus one";
}

TEST_P(Responder, RepliesCarryTheSyndromeAndTheMessagesCompleted) {
  NicRig rig(impatient());
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
  rig[0].look = lose(1);
  rig.write(0, 1, 2 * 4096);
  rig.run();
  EXPECT_EQ(words.at(3), 0x60000002u);
}

TEST_P(Responder, NaksOncePerGap) {
  ResponderConfig config;
  config.start_psn = psn(0);
  sluice::Responder responder(config);
  Packet packet;
  for (const std::uint32_t number : {1u, 2u, 3u}) {
    packet.psn = psn(number);
    const auto decision = responder.on_data(packet, 0, 0_ps);
    EXPECT_EQ(decision.verdict, Verdict::kOutOfOrder);
    EXPECT_EQ(decision.reply, number == 1 ? Reply::kNak : Reply::kNone);
    if (number == 1) {
      EXPECT_EQ(decision.reply_psn, psn(0));
    }
  }
  packet.psn = psn(0);
  EXPECT_EQ(responder.on_data(packet, 0, 0_ps).verdict, Verdict::kAccepted);
  packet.psn = psn(5);
  EXPECT_EQ(responder.on_data(packet, 0, 0_ps).reply, Reply::kNak);
}

TEST_P(Requester, B42_TailLossIsRepairedByTheTimerFromTheOldestUnacknowledgedPacket) {
  NicParams params = at_psn(exact_params(), 9);
  params.ack_every = 1;  // the first nine are acknowledged
  test::TailLoss loss = test::lose_the_tail(params);
  EXPECT_EQ(loss.repaired_after, 67'108'864_ns);
  EXPECT_EQ(loss.packets_sent_again, 1u);
  params.ack_every = 32;  // nobody asked for an ACK of the first nine
  loss = test::lose_the_tail(params);
  // Times are those of tails, and the first packet has 16 B more.
  EXPECT_EQ(loss.repaired_after, 67'108'864_ns + 320_ps);
  EXPECT_EQ(loss.packets_sent_again, 10u);
}

TEST_P(Requester, B42_CodeZeroMeansNoTimerAndAStalledQp) {
  NicParams params = at_psn(exact_params());
  params.timeout_code = 0;
  NicRig rig(params);
  rig.write(0, 1, 4096);
  rig[0].look = [](Packet&, Ps) { return false; };
  rig.run();
  EXPECT_FALSE(rig[0].nic.idle());
  EXPECT_NE(rig[0].nic.stalled_qp().find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos);
  EXPECT_LT(rig.wheel.now(), 10_us);
}

TEST_P(Requester, ThrowsStallErrorWhenRetriesAreUsedUp) {
  NicParams params = at_psn(exact_params());
  params.timeout_code = 8;
  params.retry_count = 3;
  NicRig rig(params);
  rig[0].look = [](Packet&, Ps) { return false; };
  rig.write(0, 1, 4096);
  try {
    rig.run();
    FAIL() << "a black hole was not noticed";
  } catch (const StallError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos) << text;
    EXPECT_NE(text.find(fmt::format("0x{:06x}", psn(0))), std::string::npos) << text;
  }
  // The first transmission and three retries, each T after the one before.
  EXPECT_EQ(rig[0].nic.counters().data_packets_sent, 4u);
  EXPECT_GE(rig.wheel.now(), 4 * 1'048'576_ns);
  EXPECT_LT(rig.wheel.now(), 4 * 1'048'576_ns + 2_us);
}

TEST_P(Requester, LostAckIsRepairedByADuplicate) {
  NicParams params = at_psn(exact_params());
  params.timeout_code = 8;
  NicRig rig(params);
  rig[1].look = lose(1);
  rig.write(0, 1, 3 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().duplicates, 3u);
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[0].acked.size(), 1u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 3u);
}

TEST_P(Requester, G8_16_OneIsolatedLossRepeatsWhatWasInFlight) {
  NicRig rig(at_psn(exact_params(400), 499), 2, 2_us);
  Ps lost{};
  Ps repeated{};
  unsigned data = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    ++data;
    if (data == 500) {
      lost = now;
      return false;
    }
    if (packet.psn == psn(0)) repeated = now;
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

TEST_P(Requester, NeverHasMoreThanTheWindowOutstanding) {
  NicParams params = at_psn(exact_params(400), 200);
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

TEST_P(Requester, CorruptAndForeignFramesAreDroppedAndCounted) {
  NicRig rig(impatient());
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

TEST_P(Requester, HostMayPostFromInsideItsCallback) {
  NicRig rig(at_psn(exact_params()));
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
