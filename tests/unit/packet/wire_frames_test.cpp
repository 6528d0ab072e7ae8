// SPDX-License-Identifier: Apache-2.0
// Frames in all their forms: sizes agree with the size functions, headers come back as they went
// in, check sums catch damage, and the ICRC ignores exactly what routers may change.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>

#include "packet/serialisation.h"
#include "packet/wire/crc.h"
#include "packet/wire/frames.h"

namespace sluice::wire {
namespace {

RoceEnvelope envelope(bool ipv6, bool vlan) {
  RoceEnvelope around;
  around.ethernet = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, vlan, 3, 0x123, 0};
  if (!vlan) around.ethernet.pcp = 0, around.ethernet.vlan_id = 0;
  around.ipv6 = ipv6;
  around.v4.dscp = 26;
  around.v4.ecn = 2;
  around.v4.identification = 0xbeef;
  around.v4.source = 0x0a000001;
  around.v4.destination = 0x0a000102;
  around.v6.dscp = 26;
  around.v6.ecn = 1;
  around.v6.flow_label = 0x12345;
  around.v6.source = {0x20, 0x01, 0x0d, 0xb8, 1};
  around.v6.destination = {0x20, 0x01, 0x0d, 0xb8, 2};
  around.udp_source_port = 0xe341;
  return around;
}

Bth data_header(bool first, bool last) {
  Bth bth;
  bth.opcode = static_cast<std::uint8_t>(write_opcode(first, last));
  bth.destination_qp = 0xabcdef;
  bth.psn = 0xfffffe;
  bth.ack_request = last;
  return bth;
}

TEST(WriteOpcode, FollowsThePlaceInTheMessage) {
  EXPECT_EQ(static_cast<int>(write_opcode(true, false)), 0x06);
  EXPECT_EQ(static_cast<int>(write_opcode(false, false)), 0x07);
  EXPECT_EQ(static_cast<int>(write_opcode(false, true)), 0x08);
  EXPECT_EQ(static_cast<int>(write_opcode(true, true)), 0x0A);
}

class FrameForm : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  bool ipv6_ = std::get<0>(GetParam());
  bool vlan_ = std::get<1>(GetParam());
  RoceEnvelope around_ = envelope(ipv6_, vlan_);
  Encapsulation form_{ipv6_, vlan_};
};
INSTANTIATE_TEST_SUITE_P(Forms, FrameForm, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& form) {
                           return std::string(std::get<0>(form.param) ? "Ipv6" : "Ipv4") +
                                  (std::get<1>(form.param) ? "Vlan" : "");
                         });

TEST_P(FrameForm, IsAsLongAsTheSizeFunctionsSay) {
  for (std::uint32_t payload : {0U, 1U, 2U, 3U, 4U, 255U, 1024U, 4096U}) {
    const Buffer data(payload, 0x5a);
    EXPECT_EQ(write_frame(around_, data_header(true, false), Reth{1, 2, payload}, data).size(),
              write_frame_bytes(payload, true, form_));
    EXPECT_EQ(write_frame(around_, data_header(false, false), std::nullopt, data).size(),
              write_frame_bytes(payload, false, form_));
  }
  EXPECT_EQ(ack_frame(around_, Bth{}, Aeth{}).size(), ack_frame_bytes(form_));
  EXPECT_EQ(ud_send_frame(around_, Bth{}, Deth{}, Buffer(1001)).size(),
            ud_send_frame_bytes(1001, form_));
  EXPECT_EQ(cnp_frame(around_, 5).size(), cnp_frame_bytes(form_));
}

TEST_P(FrameForm, ComesBackAsItWentIn) {
  const Buffer payload{1, 2, 3, 4, 5};
  const Reth reth{0x123456789abcdef0, 0xdeadbeef, 5};
  const Bth bth = data_header(true, true);
  const Buffer frame = write_frame(around_, bth, reth, payload);
  const RoceFrame out = decode_roce(frame);
  EXPECT_TRUE(out.icrc_good);
  EXPECT_TRUE(out.fcs_good);
  EXPECT_TRUE(out.udp_checksum_good);
  EXPECT_EQ(out.ipv6, ipv6_);
  Ethernet ethernet = around_.ethernet;
  ethernet.ether_type = ipv6_ ? 0x86dd : 0x0800;
  EXPECT_EQ(out.ethernet, ethernet);
  if (ipv6_) {
    Ipv6 ip = around_.v6;
    ip.payload_bytes = 8 + 12 + 16 + 8 + 4;
    EXPECT_EQ(out.v6, ip);
    EXPECT_NE(out.udp.checksum, 0) << "IPv6 forbids a datagram without checksum";
  } else {
    Ipv4 ip = around_.v4;
    ip.total_bytes = 20 + 8 + 12 + 16 + 8 + 4;
    EXPECT_EQ(out.v4, ip);
    EXPECT_EQ(out.udp.checksum, 0);
  }
  Bth padded = bth;
  padded.pad_count = 3;
  EXPECT_EQ(out.bth, padded);
  EXPECT_EQ(out.udp.source_port, 0xe341);
  EXPECT_EQ(out.udp.destination_port, 4791);
  Reader rest(out.after_bth);
  EXPECT_EQ(Reth::decode(rest), reth);
  const auto data = rest.take(5);
  EXPECT_EQ(Buffer(data.begin(), data.end()), payload);
  EXPECT_EQ(rest.left(), 3U);
}

TEST_P(FrameForm, CarriesADatagramBehindItsDeth) {
  const Buffer payload{1, 2, 3, 4, 5};
  const Deth deth{0x80010000, 0x123456};
  Bth bth;
  bth.destination_qp = 7;
  const Buffer frame = ud_send_frame(around_, bth, deth, payload);
  const RoceFrame out = decode_roce(frame);
  EXPECT_TRUE(out.icrc_good);
  EXPECT_EQ(out.bth.opcode, 0x64);  // UD 0x60 + SEND_ONLY 0x04
  EXPECT_EQ(out.bth.pad_count, 3);
  EXPECT_EQ(out.after_bth.size(), 8U + 5 + 3);
  Reader rest(out.after_bth);
  EXPECT_EQ(Deth::decode(rest), deth);
  const auto data = rest.take(5);
  EXPECT_EQ(Buffer(data.begin(), data.end()), payload);
}

TEST_P(FrameForm, NoticesEveryFlippedBit) {
  const Buffer frame = ack_frame(around_, Bth{}, Aeth{kSyndromeNakSequence, 77});
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    Buffer damaged = frame;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_NE(crc32(damaged), kGoodFrameCrc32) << "bit " << bit;
  }
}

TEST_P(FrameForm, EndsOnEveryTruncation) {
  const Buffer frame = ack_frame(around_, Bth{}, Aeth{});
  for (std::size_t length = 0; length < frame.size(); ++length) {
    EXPECT_THROW(decode_roce(std::span(frame).first(length)), TraceError) << length << " B";
  }
}

/// ICRC of an ACK whose envelope and BTH were changed.
std::uint32_t icrc_after(bool ipv6, const std::function<void(RoceEnvelope&, Bth&)>& change) {
  RoceEnvelope around = envelope(ipv6, false);
  Bth bth = data_header(false, false);
  change(around, bth);
  const Buffer frame = write_frame(around, bth, std::nullopt, Buffer{9, 8, 7, 6});
  const RoceFrame out = decode_roce(frame);
  EXPECT_TRUE(out.icrc_good);
  return out.icrc;
}

// Field report B39: what a switch changes on the way must leave the ICRC as it was.
TEST(Icrc, IgnoresWhatRoutersMayChange) {
  for (bool ipv6 : {false, true}) {
    const std::uint32_t sent = icrc_after(ipv6, [](RoceEnvelope&, Bth&) {});
    const auto same = [&](const std::function<void(RoceEnvelope&, Bth&)>& change) {
      EXPECT_EQ(icrc_after(ipv6, change), sent);
    };
    same([](RoceEnvelope& e, Bth&) { e.v4.ecn = e.v6.ecn = 3; });
    same([](RoceEnvelope& e, Bth&) { e.v4.dscp = e.v6.dscp = 0; });
    same([](RoceEnvelope& e, Bth&) { e.v4.ttl = e.v6.hop_limit = 63; });
    same([](RoceEnvelope& e, Bth&) { e.v6.flow_label = 0xfffff; });
    same([](RoceEnvelope& e, Bth&) { e.udp_checksum = true; });
    same([](RoceEnvelope&, Bth& b) { b.becn = b.fecn = true; });
    same([](RoceEnvelope& e, Bth&) { e.ethernet.vlan = true; });
    same([](RoceEnvelope& e, Bth&) { e.ethernet.source[5] = 99; });
  }
}

TEST(Icrc, ProtectsWhatMustArriveUnchanged) {
  for (bool ipv6 : {false, true}) {
    const std::uint32_t sent = icrc_after(ipv6, [](RoceEnvelope&, Bth&) {});
    const auto differs = [&](const std::function<void(RoceEnvelope&, Bth&)>& change) {
      EXPECT_NE(icrc_after(ipv6, change), sent);
    };
    differs([](RoceEnvelope&, Bth& b) { b.destination_qp ^= 1; });
    differs([](RoceEnvelope&, Bth& b) { b.psn ^= 1; });
    differs([](RoceEnvelope&, Bth& b) { b.opcode ^= 1; });
    differs([](RoceEnvelope&, Bth& b) { b.ack_request = !b.ack_request; });
    differs([](RoceEnvelope& e, Bth&) { e.udp_source_port ^= 1; });
    differs([](RoceEnvelope& e, Bth&) { e.v4.source ^= 1, e.v6.source[15] ^= 1; });
    differs([](RoceEnvelope& e, Bth&) { e.v4.destination ^= 1, e.v6.destination[15] ^= 1; });
  }
}

TEST(Icrc, ProtectsThePayload) {
  Buffer payload(64);
  const auto crc = [&] {
    return decode_roce(write_frame(envelope(false, false), data_header(false, false), std::nullopt,
                                   payload))
        .icrc;
  };
  const std::uint32_t sent = crc();
  for (std::uint8_t& byte : payload) {
    byte ^= 0x10;
    EXPECT_NE(crc(), sent);
    byte ^= 0x10;
  }
}

// RFC 1071 section 3: the sum of 00 01 f2 03 f4 f5 f6 f7 is ddf2.
TEST(InternetChecksum, MatchesTheExampleOfRfc1071) {
  const Buffer bytes{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(internet_sum(bytes), 0xddf2U);
  EXPECT_EQ(internet_checksum(internet_sum(bytes)), 0x220d);
}

// Field report B25: a pause frame must be a legal frame.
TEST(PfcFrame, HasTheLayoutOfTheStandard) {
  Pfc pfc;
  pfc.enabled = 0b1000'1001;
  for (unsigned i = 0; i < 8; ++i) pfc.quanta[i] = static_cast<std::uint16_t>(0x100 + i);
  const Buffer frame = pfc_frame({2, 0, 0, 0, 0, 9}, pfc);
  ASSERT_EQ(frame.size(), 64U);
  EXPECT_EQ(Buffer(frame.begin(), frame.begin() + 6), (Buffer{0x01, 0x80, 0xc2, 0, 0, 1}));
  EXPECT_EQ(Buffer(frame.begin() + 12, frame.begin() + 18),
            (Buffer{0x88, 0x08, 0x01, 0x01, 0x00, 0x89}));
  EXPECT_EQ(frame[18 + 14], 0x01);
  EXPECT_EQ(frame[18 + 15], 0x07);
  EXPECT_EQ(crc32(frame), kGoodFrameCrc32);
  EXPECT_EQ(decode_pfc(frame), pfc);
  Buffer other = frame;
  other[15] = 0x02;
  EXPECT_THROW(decode_pfc(other), TraceError);
  EXPECT_THROW(decode_pfc(std::span(frame).first(30)), TraceError);
}

}  // namespace
}  // namespace sluice::wire
