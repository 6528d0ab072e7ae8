// SPDX-License-Identifier: Apache-2.0
// Faults that users of other transports reported, with the packet sequences that show them
// (field reports B34, B36, B37, B41, B42, B45).
#include <gtest/gtest.h>

#include "nic/responder/responder.h"
#include "packet/aeth.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

/// A PSN and what kind of packet has it, as it left a node.
using Sequence = std::vector<std::pair<PacketKind, std::uint32_t>>;
constexpr PacketKind kWrite = PacketKind::kWriteData;
constexpr PacketKind kReadRequest = PacketKind::kReadRequest;
constexpr PacketKind kResponse = PacketKind::kReadResponse;
constexpr PacketKind kAck = PacketKind::kAck;

/// Near the wrap, and half way, every PSN of a report is moved by the same distance.
class FieldReport : public testing::TestWithParam<std::uint32_t> {
 protected:
  NicParams params(std::uint32_t first_psn) const {
    NicParams params = exact_params();
    params.start_psn = moved(first_psn);
    return params;
  }
  std::uint32_t moved(std::uint32_t psn) const { return psn_add(psn, GetParam()); }
  Sequence moved(Sequence sequence) const {
    for (auto& [kind, psn] : sequence) psn = moved(psn);
    return sequence;
  }
};
INSTANTIATE_TEST_SUITE_P(StartPsn, FieldReport,
                         testing::Values(0u, (1u << 24) - 21, (1u << 24) - 42, (1u << 23) - 21,
                                         (1u << 23) - 42));

TEST_P(FieldReport, B34_ADuplicateReadInTheMiddleOfAWriteDisturbsNothing) {
  NicRig rig(params(20));
  Packet read;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (packet.kind == kReadRequest) read = packet;
    // The READ comes again between the first and the second packet of the WRITE.
    if (packet.psn == moved(23)) rig.inject(0, read, now + 1_ns);
    return true;
  };
  Sequence answers;
  rig[1].look = [&](Packet& packet, Ps) {
    answers.emplace_back(packet.kind, packet.psn);
    return answers.size() > 3;  // the first answer is lost
  };
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 3 * 4096, .cookie = 0});
  rig.run_until(10_us);
  EXPECT_EQ(answers.size(), 3u);
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 3 * 4096, .cookie = 1});
  rig.run();
  EXPECT_EQ(answers, moved({{kResponse, 20},
                            {kResponse, 21},
                            {kResponse, 22},
                            {kResponse, 20},
                            {kResponse, 21},
                            {kResponse, 22},
                            {kAck, 25}}));
  EXPECT_EQ(rig[1].nic.counters().naks_sent, 0u);
  EXPECT_EQ(rig[1].nic.counters().repeated_requests, 1u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 3u);
  EXPECT_EQ(rig[0].nic.counters().delivered_packets, 3u);
  EXPECT_EQ(rig[0].completions.size(), 2u);
}

TEST_P(FieldReport, B34_TheResponderStaysAtTheWritesNextPacket) {
  MessagePool messages;
  const MessageId write = messages.allocate();
  ResponderConfig config;
  config.start_psn = moved(20);
  Responder responder(config, &messages);
  const auto packet = [&](PacketKind kind, std::uint32_t psn, std::uint8_t flags) {
    Packet made;
    made.kind = kind;
    made.psn = moved(psn);
    made.flags = flags;
    made.message = write;
    if (kind == kReadRequest) made.offset_bytes = 3 * 4096;
    return made;
  };
  constexpr auto kBoth = packet_flag::kFirst | packet_flag::kLast;
  const Packet read = packet(kReadRequest, 20, kBoth);
  EXPECT_TRUE(responder.on_request(read, 0, 0_ps, 0).responds);
  const Packet first = packet(kWrite, 23, packet_flag::kFirst);
  EXPECT_EQ(responder.on_data(first, 0, 0_ps).verdict, Responder::Verdict::kAccepted);
  const auto again = responder.on_request(read, 0, 0_ps, 0);
  EXPECT_EQ(again.verdict, Responder::Verdict::kDuplicate);
  EXPECT_TRUE(again.responds);
  EXPECT_EQ(again.response.psn, moved(20));
  EXPECT_EQ(again.response.packets, 3u);
  EXPECT_EQ(again.reply, Responder::Reply::kNone);
  EXPECT_EQ(responder.on_data(first, 0, 0_ps).verdict, Responder::Verdict::kDuplicate);
  const Packet middle = packet(kWrite, 24, 0);
  EXPECT_EQ(responder.on_data(middle, 0, 0_ps).verdict, Responder::Verdict::kAccepted);
}

TEST_P(FieldReport, B34_AWriteThatComesAgainIsAcknowledgedUpToTheReadBehindItAlone) {
  MessagePool messages;
  ResponderConfig config;
  config.start_psn = moved(19);
  Responder responder(config, &messages);
  Packet packet;
  packet.message = messages.allocate();
  packet.flags = packet_flag::kFirst | packet_flag::kLast | packet_flag::kAckReq;
  for (const std::uint32_t psn : {19u, 20u}) {
    packet.psn = moved(psn);
    EXPECT_EQ(responder.on_data(packet, 0, 0_ps).reply_psn, moved(psn));
  }
  Packet read = packet;
  read.kind = kReadRequest;
  read.psn = moved(21);
  read.offset_bytes = 3 * 4096;
  EXPECT_TRUE(responder.on_request(read, 0, 0_ps, 0).responds);
  for (const std::uint32_t psn : {19u, 20u}) {
    packet.psn = moved(psn);
    const auto again = responder.on_data(packet, 0, 0_ps);
    EXPECT_EQ(again.verdict, Responder::Verdict::kDuplicate);
    EXPECT_EQ(again.reply_psn, moved(20)) << "the READ has to be answered again";
  }
}

TEST_P(FieldReport, B36_AnAckThatSkipsOverAReadDoesNotCompleteIt) {
  NicRig rig(params(40));
  Sequence sent;
  rig[0].look = [&](Packet& packet, Ps) {
    sent.emplace_back(packet.kind, packet.psn);
    return true;
  };
  bool lost = false;
  rig[1].look = [&](Packet& packet, Ps) {
    if (packet.kind != kResponse || lost) return true;
    lost = true;
    return false;
  };
  std::vector<std::uint64_t> completed_when_asked_again;
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 100, .cookie = 40});
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 100, .cookie = 41});
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 100, .cookie = 42});
  rig.run();
  EXPECT_EQ(
      sent,
      moved({{kWrite, 40}, {kReadRequest, 41}, {kWrite, 42}, {kReadRequest, 41}, {kWrite, 42}}));
  ASSERT_EQ(rig[0].completions.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(rig[0].completions[i].cookie, 40 + i);
  // WRITE 40 needs no answer: it was complete with the ACK that skipped the READ, or before.
  EXPECT_LT(rig[0].completion_times[0], rig[0].completion_times[1]);
  EXPECT_EQ(rig[0].nic.counters().implied_naks, 1u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
}

TEST_P(FieldReport, B36_AReadIsAskedForAgainFromItsFirstMissingPacket) {
  NicRig rig(params(40));
  std::vector<std::pair<std::uint32_t, std::uint64_t>> requests;
  rig[0].look = [&](Packet& packet, Ps) {
    if (packet.kind == kReadRequest) requests.emplace_back(packet.psn, packet.offset_bytes);
    return true;
  };
  unsigned responses = 0;
  rig[1].look = [&](Packet& packet, Ps) {
    if (packet.kind != kResponse) return true;
    ++responses;
    return responses != 3 && responses != 4;
  };
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 100, .cookie = 0});
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 3 * 4096 + 7, .cookie = 1});
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 100, .cookie = 2});
  rig.run();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], std::pair(moved(41), std::uint64_t{3 * 4096 + 7}));
  // Two packets have come; what is left begins 8192 B into the message.
  EXPECT_EQ(requests[1], std::pair(moved(43), std::uint64_t{8192} << 32 | (4096 + 7)));
  ASSERT_EQ(rig[0].completions.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(rig[0].completions[i].cookie, i);
  EXPECT_EQ(rig[0].nic.counters().delivered_bytes, 3u * 4096 + 7);
  EXPECT_EQ(responses, 6u);
}

TEST(FieldReport, B37_PsnsWrapAndOneAckCompletesAllFour) {
  NicParams params = exact_params();
  params.start_psn = 0xFFFFFE;
  NicRig rig(params);
  Sequence sent;
  Sequence answers;
  rig[0].look = [&](Packet& packet, Ps) {
    sent.emplace_back(packet.kind, packet.psn);
    return true;
  };
  rig[1].look = [&](Packet& packet, Ps) {
    answers.emplace_back(packet.kind, packet.psn);
    return true;
  };
  rig.write(0, 1, 4 * 4096);
  rig.run();
  EXPECT_EQ(sent, (Sequence{{kWrite, 0xFFFFFE}, {kWrite, 0xFFFFFF}, {kWrite, 0}, {kWrite, 1}}));
  EXPECT_EQ(answers, (Sequence{{kAck, 1}}));
  EXPECT_EQ(rig[0].acked.size(), 1u);
}

/// A requester by itself, its packets acknowledged as they ask for it.
TEST(FieldReport, B37_ThirtyThreeWritesOf2GiBPassTheWrapWithAtMost2To23PacketsOutstanding) {
  struct Told final : Completions {
    void on_acknowledged(std::uint64_t cookie) override { cookies.push_back(cookie); }
    void on_active(std::uint32_t, Ps) override {}
    void on_completed(const Completion&) override {}
    void on_qp_failed(const std::string&) override {}
    std::vector<std::uint64_t> cookies;
  } told;
  PacketPool packets;
  MessagePool messages;
  NoRateControl none;
  NicCounters counters;
  RequesterConfig config;
  config.endpoint = 1;
  config.start_psn = 0xFFFFFE;
  config.window_packets = NicParams::kMostPacketsOutstanding;
  config.ack_every = 256;
  Requester requester(config, packets, messages, none, counters, told);
  for (std::uint64_t i = 0; i < 33; ++i) {
    requester.post(WriteRequest{.destination = 0, .bytes = kMaxMessageBytes, .cookie = i}, 0_ps);
  }
  // Nothing is acknowledged at first: the window ends it.
  std::uint64_t sent = 0;
  std::uint32_t expected = 0xFFFFFE;
  std::uint32_t asked = 0;
  const auto send = [&]() {
    const PacketId id = requester.next_packet(0, 0_ps);
    if (id == kNoPacket) return false;
    EXPECT_EQ(packets[id].psn, expected);
    if ((packets[id].flags & packet_flag::kAckReq) != 0) asked = expected;
    expected = psn_add(expected, 1);
    ++sent;
    packets.release(id);
    return true;
  };
  while (send()) {
  }
  EXPECT_EQ(sent, 1u << 23);
  EXPECT_TRUE(told.cookies.empty());
  requester.on_ack(0, asked);
  while (send()) {
    if (asked == psn_add(expected, kPsnMask)) requester.on_ack(0, asked);
  }
  EXPECT_EQ(sent, 33u * 524'288);  // more than 2^24: the wrap was passed twice
  ASSERT_EQ(told.cookies.size(), 33u);
  for (std::uint64_t i = 0; i < 33; ++i) EXPECT_EQ(told.cookies[i], i);
}

TEST(FieldReport, B41_AcksAreCoalescedThroughoutAndTheTailIsAcked) {
  for (const std::uint32_t psn : test::kPsnStarts) {
    for (const auto& [packets, acks] : {std::pair{160u, 10u}, std::pair{163u, 11u}}) {
      for (const bool dcqcn : {true, false}) {
        // The first ACK of 160 packets, or the last.
        NicParams params = test::with_psn(exact_params(), psn, dcqcn ? 15 : packets - 1);
        params.ack_every = 16;
        params.congestion_control = dcqcn ? CongestionControl::kDcqcn : CongestionControl::kNone;
        NicRig rig(params);
        rig.write(0, 1, packets * 4096ull);
        rig.run();
        EXPECT_EQ(rig[1].nic.counters().acks_sent, acks);
        EXPECT_EQ(rig[0].acked.size(), 1u);
      }
    }
  }
}

TEST(FieldReport, B42_TheTimerRepairsALostTailAfterItsTimeAndOnePacketIsSentAgain) {
  for (const std::uint32_t psn : test::kPsnStarts) {
    NicParams params = test::with_psn(exact_params(), psn, 9);
    params.ack_every = 1;
    params.timeout_code = 14;
    const test::TailLoss loss = test::lose_the_tail(params);
    EXPECT_EQ(loss.repaired_after, 67'108'864_ns);
    EXPECT_EQ(loss.packets_sent_again, 1u);
  }
}

TEST(FieldReport, B42_WithoutATimerTheRunEndsAndNamesTheQp) {
  NicParams params = exact_params();
  params.timeout_code = 0;
  NicRig rig(params);
  rig.write(0, 1, 10 * 4096);
  rig[0].look = [](Packet& packet, Ps) { return (packet.flags & packet_flag::kLast) == 0; };
  rig.run();
  EXPECT_NE(rig[0].nic.stalled_qp().find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos);
  EXPECT_LT(rig.wheel.now(), 20_us);
}

/// Two SENDs to a host with one receive request, which it posts again after 10 us.
Ps second_send_after_first(std::uint32_t rnr_code, std::uint32_t start_psn) {
  NicParams params = exact_params();
  params.start_psn = start_psn;
  params.verbs.receive_queue_depth = 1;
  params.verbs.receive_repost_delay = 10_us;
  params.verbs.min_rnr_timer = rnr_code;
  NicRig rig(params);
  rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 100, .cookie = 0});
  rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 100, .cookie = 1});
  rig.run();
  EXPECT_EQ(rig[0].completions.size(), 2u);
  EXPECT_EQ(rig[1].arrivals.size(), 2u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  EXPECT_GE(rig[1].nic.counters().rnr_naks_sent, 1u);
  return rig[0].completion_times.at(1) - rig[0].completion_times.at(0);
}

TEST(FieldReport, B45_RnrTimerCodeZeroIsTheLongest) {
  constexpr Ps kRoundTrip = 3_us;  // of NAK and repetition, generously
  for (const std::uint32_t start : test::kPsnStarts) {
    for (const auto& [code, wait] :
         {std::pair{0u, 655'360_us}, std::pair{12u, 640_us}, std::pair{13u, 960_us}}) {
      const Ps time = second_send_after_first(code, start);
      EXPECT_GT(time, wait) << code;
      EXPECT_LT(time, wait + kRoundTrip) << code;
    }
    // 10 us, and the first retry comes that long after a NAK that itself took a while: it succeeds.
    const Ps time = second_send_after_first(1, start);
    EXPECT_GT(time, 10_us);
    EXPECT_LT(time, 10_us + kRoundTrip);
  }
}

}  // namespace
}  // namespace sluice
