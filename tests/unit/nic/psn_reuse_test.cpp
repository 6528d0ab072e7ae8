// SPDX-License-Identifier: Apache-2.0
// A PSN comes back 2^24 packets later: what either end remembers of the packet that had it before
// must be forgotten by then. Leaves out: the wrap itself, which every transport test crosses.
#include <gtest/gtest.h>

#include "nic/psn.h"
#include "nic/requester/requester.h"
#include "nic/responder/responder.h"

namespace sluice {
namespace {

constexpr std::uint8_t kBothEnds = packet_flag::kFirst | packet_flag::kLast;
constexpr std::uint32_t kStart = 0xFFFFFD;
constexpr std::uint32_t kPsns = kPsnMask + 1;

/// A responder of packets of 256 B that keeps four executed requests, and requests to it in turn.
struct Requested {
  explicit Requested() : responder(config(), &messages) {
    message = messages.allocate();
    messages[message].op = Operation::kFetchAdd;
    messages.detail(message).operand = 1;
  }
  static ResponderConfig config() {
    ResponderConfig config;
    config.start_psn = kStart;
    config.mtu_bytes = 256;
    config.outstanding_reads = 4;
    return config;
  }
  Responder::Answer request(PacketKind kind, std::uint32_t psn, std::uint64_t bytes = 0) {
    Packet packet;
    packet.kind = kind;
    packet.psn = psn;
    packet.flags = kBothEnds;
    packet.message = message;
    packet.offset_bytes = bytes;
    return responder.on_request(packet, 0, 0_ps, 0);
  }
  Responder::Answer add(std::uint32_t number) {
    return request(PacketKind::kAtomicRequest, psn_add(kStart, number));
  }
  Responder::Answer read(std::uint32_t number, std::uint32_t packets) {
    return request(PacketKind::kReadRequest, psn_add(kStart, number), packets * 256ull);
  }
  Responder::Decision write(std::uint32_t number, std::uint8_t flags) {
    Packet packet;
    packet.psn = psn_add(kStart, number);
    packet.flags = flags;
    packet.message = message;
    return responder.on_data(packet, 0, 0_ps);
  }
  MessagePool messages;
  MessageId message = 0;
  Responder responder;
};

TEST(PsnReuse, AnAtomicIsAnsweredAgainWithItsOwnResultNotWithThatOfTheLastRound) {
  Requested to;
  for (std::uint32_t number = 0; number < 4; ++number) EXPECT_TRUE(to.add(number).responds);
  EXPECT_TRUE(to.read(4, kPsnWindow).responds);
  EXPECT_TRUE(to.read(4 + kPsnWindow, kPsnWindow - 1).responds);
  EXPECT_EQ(to.add(kPsns + 3).response.value, 4u);  // four additions came before
  const Responder::Answer again = to.add(kPsns + 3);
  EXPECT_EQ(again.verdict, Responder::Verdict::kDuplicate);
  EXPECT_TRUE(again.responds);
  EXPECT_EQ(again.response.value, 4u);
}

TEST(PsnReuse, ARequestIsRememberedWhile2To23PacketsAreOutstanding) {
  Requested to;
  EXPECT_TRUE(to.add(0).responds);
  EXPECT_TRUE(to.read(1, kPsnWindow - 1).responds);
  const Responder::Answer again = to.add(0);
  EXPECT_EQ(again.verdict, Responder::Verdict::kDuplicate);
  EXPECT_TRUE(again.responds);
  EXPECT_EQ(again.response.value, 0u);
}

TEST(PsnReuse, AWriteWithThePsnOfAReadOfTheLastRoundIsAcknowledgedWhenRepeated) {
  Requested to;
  EXPECT_TRUE(to.read(0, 1).responds);
  constexpr std::uint32_t kMessage = 1u << 19;
  for (std::uint32_t number = 1; number < kPsns; ++number) {
    const bool first = number % kMessage == 0 || number == 1;
    const bool last = number % kMessage == kMessage - 1;
    const auto flags = static_cast<std::uint8_t>((first ? packet_flag::kFirst : 0) |
                                                 (last ? packet_flag::kLast : 0));
    ASSERT_EQ(to.write(number, flags).verdict, Responder::Verdict::kAccepted);
  }
  constexpr auto kAsks = static_cast<std::uint8_t>(kBothEnds | packet_flag::kAckReq);
  for (const auto verdict : {Responder::Verdict::kAccepted, Responder::Verdict::kDuplicate}) {
    const Responder::Decision decision = to.write(kPsns, kAsks);
    EXPECT_EQ(decision.verdict, verdict);
    EXPECT_EQ(decision.reply, Responder::Reply::kAck);
    EXPECT_EQ(decision.reply_psn, kStart);
  }
}

/// A requester by itself.
struct Asking final : Completions {
  Asking() : requester(config(), packets, messages, none, counters, *this) {}
  static RequesterConfig config() {
    RequesterConfig config;
    config.endpoint = 1;
    config.start_psn = kStart;
    config.window_packets = kPsnWindow;
    config.ack_every = 256;
    return config;
  }
  void on_acknowledged(std::uint64_t) override {}
  void on_active(std::uint32_t, Ps) override {}
  void on_completed(const Completion&) override { ++completed; }
  void on_qp_failed(const std::string&) override {}
  void post(Operation op, std::uint64_t bytes) {
    requester.post(WorkRequest{.destination = 0, .op = op, .bytes = bytes}, 0_ps);
  }
  /// Sends all there is; returns how many packets that were.
  std::uint32_t send(bool acknowledged) {
    std::uint32_t count = 0;
    for (PacketId id; (id = requester.next_packet(0, 0_ps)) != kNoPacket; ++count) {
      const Packet packet = packets[id];
      packets.release(id);
      if (acknowledged && (packet.flags & packet_flag::kAckReq) != 0) {
        requester.on_ack(0, packet.psn);
      }
    }
    return count;
  }
  PacketPool packets;
  MessagePool messages;
  NoRateControl none;
  NicCounters counters;
  unsigned completed = 0;
  Requester requester;
};

TEST(PsnReuse, ALostAnswerIsNoticedAlthoughTheOneWithItsPsnInTheLastRoundWasLostToo) {
  Asking asking;
  for (const std::uint64_t round : {0u, 1u}) {
    asking.post(Operation::kRead, 8);
    asking.post(Operation::kWrite, 8);
    EXPECT_EQ(asking.send(false), 2u);
    asking.requester.on_ack(0, psn_add(kStart, 1));  // passes over the answer
    EXPECT_EQ(asking.counters.implied_naks, round + 1);
    EXPECT_EQ(asking.send(false), 2u);
    Packet response;
    response.kind = PacketKind::kReadResponse;
    response.psn = kStart;
    response.payload_bytes = 8;
    EXPECT_TRUE(asking.requester.on_response(response, 0_ps));
    asking.requester.on_ack(0, psn_add(kStart, 1));
    EXPECT_EQ(asking.completed, 2 * (round + 1));
    if (round == 1) return;
    asking.post(Operation::kWrite, (kPsns - 2) * 4096ull);
    EXPECT_EQ(asking.send(true), kPsns - 2);
    asking.completed = 2;
  }
}

}  // namespace
}  // namespace sluice
