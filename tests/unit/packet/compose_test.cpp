// SPDX-License-Identifier: Apache-2.0
// Descriptors as frames: every kind in every envelope has the length that its descriptor says, good
// check sums, and the headers that the standards ask for.
#include "packet/wire/compose.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernel/error.h"
#include "kernel/random.h"
#include "packet/addressing.h"
#include "packet/pcapng/seen_packet.h"
#include "packet/serialisation.h"
#include "packet/wire/crc.h"
#include "packet/wire/frames.h"

namespace sluice::wire {
namespace {

class ComposedFrame : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  ComposedFrame() {
    context_.ipv6 = around_.ipv6;
    context_.endpoints = 16;
    context_.destination_qp = 0x000123;
    context_.message = {.remote_address = 0x7F0000001003,
                        .remote_key = 0xBEEF,
                        .bytes = 10'000,
                        .immediate = 0xDECADE,
                        .fetch_add = true,
                        .swap_or_add = 42,
                        .compare = 0};
  }
  Packet packet(PacketKind kind, std::uint32_t frame_bytes, std::uint8_t flags = 0) const {
    Packet packet;
    packet.kind = kind;
    packet.source = 3;
    packet.destination = 11;
    packet.psn = 0xFFFFFE;
    packet.dscp = 26;
    packet.pcp = 3;
    packet.ecn = Ecn::kEct0;
    packet.ttl = 61;
    packet.flags = flags;
    if (around_.vlan) packet.flags |= packet_flag::kTagged;
    packet.frame_bytes = static_cast<std::uint16_t>(frame_bytes);
    return packet;
  }
  Packet data(PacketKind kind, std::uint32_t payload, std::uint32_t frame_bytes,
              std::uint8_t flags) const {
    Packet out = packet(kind, frame_bytes, flags);
    out.payload_bytes = static_cast<std::uint16_t>(payload);
    return out;
  }
  /// The frame, looked at with nothing of its descriptor known.
  pcapng::SeenPacket seen(const Packet& packet) {
    frame_ = compose_frame(packet, context_);
    EXPECT_EQ(frame_.size(), packet.frame_bytes);
    const auto wire_bytes = static_cast<std::uint32_t>(frame_.size());
    const pcapng::SeenPacket out = pcapng::look_at(frame_, wire_bytes, kFcsBytes);
    EXPECT_EQ(out.fcs, pcapng::Check::kGood);
    EXPECT_EQ(out.kind, pcapng::SeenKind::kRoce);
    EXPECT_EQ(out.icrc, pcapng::Check::kGood);
    EXPECT_EQ(out.source.ipv6, around_.ipv6);
    EXPECT_EQ(out.dscp, packet.dscp);
    EXPECT_EQ(out.ecn, static_cast<std::uint8_t>(packet.ecn));
    EXPECT_EQ(out.ttl, 61);
    EXPECT_EQ(out.udp_source_port, flow_source_port(3, 11));
    EXPECT_EQ(out.bth.destination_qp, 0x123u);
    EXPECT_EQ(out.payload_bytes, packet.payload_bytes);
    EXPECT_TRUE(decode_roce(frame_).udp_checksum_good);
    EXPECT_EQ(decode_roce(frame_).ethernet.vlan, around_.vlan);
    EXPECT_EQ(decode_roce(frame_).ethernet.pcp, around_.vlan ? 3 : 0);
    return out;
  }
  std::uint8_t opcode(const Packet& packet) { return seen(packet).bth.opcode; }

  Encapsulation around_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  FrameContext context_;
  Buffer frame_;
};
INSTANTIATE_TEST_SUITE_P(Forms, ComposedFrame, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& form) {
                           return std::string(std::get<0>(form.param) ? "Ipv6" : "Ipv4") +
                                  (std::get<1>(form.param) ? "Vlan" : "");
                         });

using namespace packet_flag;

TEST_P(ComposedFrame, OfAWriteHasTheOpcodeOfItsPlaceAndARethInFront) {
  const auto kind = PacketKind::kWriteData;
  const auto bytes = [&](std::uint32_t payload, bool reth) {
    return write_frame_bytes(payload, reth, around_);
  };
  EXPECT_EQ(opcode(data(kind, 4096, bytes(4096, true), kFirst)), 0x06);
  EXPECT_EQ(opcode(data(kind, 4096, bytes(4096, false), 0)), 0x07);
  EXPECT_EQ(opcode(data(kind, 77, bytes(77, false), kLast)), 0x08);
  EXPECT_EQ(opcode(data(kind, 77, bytes(77, false) + 4, kLast | kImmediate)), 0x09);
  EXPECT_EQ(opcode(data(kind, 0, bytes(0, true) + 4, kFirst | kLast | kImmediate)), 0x0B);
  const auto only = seen(data(kind, 1, bytes(1, true), kFirst | kLast | kAckReq));
  EXPECT_EQ(only.bth.opcode, 0x0A);
  EXPECT_TRUE(only.bth.ack_request);
  EXPECT_EQ(only.bth.psn, 0xFFFFFEu);
  EXPECT_EQ(only.bth.pad_count, 3);
  ASSERT_TRUE(only.extensions.reth);
  EXPECT_EQ(*only.extensions.reth, (Reth{0x7F0000001003, 0xBEEF, 10'000}));
}

TEST_P(ComposedFrame, OfASendHasTheOpcodeOfItsPlaceAndTheImmediateAtItsEnd) {
  const auto kind = PacketKind::kSendData;
  const std::uint32_t bytes = send_frame_bytes(256, around_);
  EXPECT_EQ(opcode(data(kind, 256, bytes, kFirst)), 0x00);
  EXPECT_EQ(opcode(data(kind, 256, bytes, 0)), 0x01);
  EXPECT_EQ(opcode(data(kind, 256, bytes, kLast)), 0x02);
  EXPECT_EQ(opcode(data(kind, 256, bytes + 4, kLast | kImmediate)), 0x03);
  EXPECT_EQ(opcode(data(kind, 256, bytes, kFirst | kLast)), 0x04);
  const auto immediate = seen(data(kind, 256, bytes + 4, kFirst | kLast | kImmediate));
  EXPECT_EQ(immediate.bth.opcode, 0x05);
  EXPECT_EQ(immediate.extensions.immediate, 0xDECADEu);
}

TEST_P(ComposedFrame, OfAReadAsksForAllAndIsAnsweredWithAnAeth) {
  Packet asking = packet(PacketKind::kReadRequest, read_request_frame_bytes(around_));
  asking.offset_bytes = 4096ULL << 32 | 5904;  // again, for what is missing
  const auto request = seen(asking);
  EXPECT_EQ(request.bth.opcode, 0x0C);
  EXPECT_EQ(*request.extensions.reth, (Reth{0x7F0000002003, 0xBEEF, 5904}));
  const std::uint32_t outer = read_response_frame_bytes(1024, around_);
  const auto response = [&](std::uint32_t bytes, std::uint8_t flags) {
    Packet out = data(PacketKind::kReadResponse, 1024, bytes, flags);
    out.message = 0x1F000007;
    return seen(out);
  };
  const auto first = response(outer, kFirst);
  EXPECT_EQ(first.bth.opcode, 0x0D);
  EXPECT_EQ(first.extensions.aeth, (Aeth{0x1F, 7}));
  EXPECT_EQ(response(send_frame_bytes(1024, around_), 0).bth.opcode, 0x0E);
  EXPECT_EQ(response(outer, kLast).bth.opcode, 0x0F);
  EXPECT_EQ(response(outer, kFirst | kLast).bth.opcode, 0x10);
}

TEST_P(ComposedFrame, OfAnAtomicCarriesItsOperandsAndItsResult) {
  const Packet request = packet(PacketKind::kAtomicRequest, atomic_request_frame_bytes(around_));
  const auto add = seen(request);
  EXPECT_EQ(add.bth.opcode, 0x14);
  EXPECT_EQ(*add.extensions.atomic, (AtomicEth{0x7F0000001003, 0xBEEF, 42, 0}));
  context_.message.fetch_add = false;
  context_.message.compare = 7;
  const auto swap = seen(request);
  EXPECT_EQ(swap.bth.opcode, 0x13);
  EXPECT_EQ(swap.extensions.atomic->compare, 7u);
  Packet response = packet(PacketKind::kAtomicResponse, atomic_ack_frame_bytes(around_));
  response.message = 0x1F000001;
  response.offset_bytes = 0x0123456789ABCDEF;
  const auto found = seen(response);
  EXPECT_EQ(found.bth.opcode, 0x12);
  EXPECT_EQ(found.extensions.atomic_ack, 0x0123456789ABCDEFu);
}

TEST_P(ComposedFrame, OfAnAnswerCarriesSyndromeAndMsn) {
  Packet nak = packet(PacketKind::kNak, ack_frame_bytes(around_));
  nak.message = 0x60000005;
  const auto out = seen(nak);
  EXPECT_EQ(out.bth.opcode, 0x11);
  EXPECT_EQ(out.extensions.aeth, (Aeth{0x60, 5}));
  const auto cnp = seen(packet(PacketKind::kCnp, cnp_frame_bytes(around_)));
  EXPECT_EQ(cnp.bth.opcode, 0x81);
  EXPECT_TRUE(cnp.bth.becn);
}

TEST_P(ComposedFrame, OfADatagramNamesItsSender) {
  context_.source_qp = 0x777;
  const auto out = seen(data(PacketKind::kUdSend, 100, ud_send_frame_bytes(100, around_), 0));
  EXPECT_EQ(out.bth.opcode, 0x64);
  EXPECT_EQ(out.extensions.deth->source_qp, 0x777u);
}

TEST_P(ComposedFrame, OfAProbeTellsItsTimesToTheProbeQp) {
  context_.destination_qp = 0x123;
  Packet reply = data(PacketKind::kProbeReply, 16, ud_send_frame_bytes(16, around_), 0);
  reply.offset_bytes = 0x0000001122334455;
  reply.message = 0x66778899;
  EXPECT_EQ(seen(reply).bth.opcode, 0x64);
  const auto payload = decode_roce(frame_).after_bth.subspan(8);
  EXPECT_EQ(Buffer(payload.begin(), payload.end()),
            (Buffer{0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0, 0, 0, 0}));
  reply.kind = PacketKind::kProbe;
  seen(reply);
  EXPECT_EQ(decode_roce(frame_).after_bth[16], 0);
}

TEST_P(ComposedFrame, OfASprayingSenderMayHaveTheRethOnEveryPacket) {
  Packet middle = data(PacketKind::kWriteData, 4096, write_frame_bytes(4096, true, around_), 0);
  middle.offset_bytes = 4096;
  frame_ = compose_frame(middle, context_);
  const RoceFrame out = decode_roce(frame_);
  EXPECT_EQ(out.bth.opcode, 0x07);
  Reader rest(out.after_bth);
  EXPECT_EQ(Reth::decode(rest), (Reth{0x7F0000002003, 0xBEEF, 10'000 - 4096}));
  EXPECT_EQ(rest.left(), 4096u);
}

TEST_P(ComposedFrame, CarriesTheBytesOfItsAddresses) {
  Packet middle = data(PacketKind::kWriteData, 33, write_frame_bytes(33, false, around_), kLast);
  middle.offset_bytes = 13;
  frame_ = compose_frame(middle, context_);
  const auto payload = decode_roce(frame_).after_bth;
  ASSERT_EQ(payload.size(), 36u);
  for (std::size_t i = 0; i < 33; ++i) {
    const std::uint64_t address = 0x7F0000001003 + 13 + i;
    const std::uint64_t group = mix64(address / 8) | 0x0101010101010101;
    EXPECT_EQ(payload[i], static_cast<std::uint8_t>(group >> (8 * (address % 8)))) << i;
    EXPECT_EQ(payload[i], payload_byte(address));
  }
}

TEST_P(ComposedFrame, HasABrokenFcsWhereItsPacketIsCorrupt) {
  Packet ack = packet(PacketKind::kAck, ack_frame_bytes(around_));
  const Buffer good = compose_frame(ack, context_);
  ack.flags |= kCorrupt;
  const Buffer bad = compose_frame(ack, context_);
  EXPECT_NE(crc32(bad), kGoodFrameCrc32);
  EXPECT_TRUE(std::equal(good.begin(), good.end() - 4, bad.begin()));
}

TEST_P(ComposedFrame, ThatIsNotAsLongAsItsDescriptorSaysIsAnInvariantBroken) {
  EXPECT_THROW(compose_frame(packet(PacketKind::kAck, 100), context_), InvariantError);
}

TEST_P(ComposedFrame, OfATesterIsADatagramToTheDiscardPort) {
  for (const std::uint32_t bytes : {64u, 1518u, 9216u}) {
    const Packet raw = packet(PacketKind::kRaw, bytes + (around_.vlan ? 4 : 0));
    const Buffer frame = compose_frame(raw, context_);
    EXPECT_EQ(crc32(frame), kGoodFrameCrc32);
    Reader in(frame);
    const Ethernet ethernet = Ethernet::decode(in);
    EXPECT_EQ(ethernet.source, mac_bytes(mac_of(3)));
    const Ipv4 ip = Ipv4::decode(in);
    EXPECT_EQ(ip.total_bytes, bytes - 18);
    EXPECT_EQ(ip.destination, ipv4_address_of(11));
    EXPECT_EQ(Udp::decode(in).destination_port, 9);
  }
}

TEST(ComposedPause, TellsClassesAndTimesFromTheDescriptor) {
  Packet packet;
  packet.kind = PacketKind::kPfc;
  packet.frame_bytes = 64;
  packet.pcp = 0b0000'1010;
  packet.offset_bytes = 0x1234;
  FrameContext context;
  context.pfc_source = {2, 1, 0, 0, 0, 9};
  const Pfc pfc = decode_pfc(compose_frame(packet, context));
  EXPECT_EQ(pfc.enabled, 0b0000'1010);
  EXPECT_EQ(pfc.quanta, (std::array<std::uint16_t, 8>{0, 0x1234, 0, 0x1234, 0, 0, 0, 0}));
}

TEST(ComposedBroadcast, GoesToAllOnes) {
  Packet packet;
  packet.kind = PacketKind::kRaw;
  packet.frame_bytes = 64;
  packet.destination = broadcast_of(16);
  FrameContext context;
  context.endpoints = 16;
  const Buffer frame = compose_frame(packet, context);
  EXPECT_EQ(Buffer(frame.begin(), frame.begin() + 6), Buffer(6, 0xff));
}

}  // namespace
}  // namespace sluice::wire
