// SPDX-License-Identifier: Apache-2.0
// Golden table G9: CRC check values and complete frames, byte for byte. G9-23 is a frame captured
// from a ConnectX-4 Lx; the others follow the standards.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "packet/serialisation.h"
#include "packet/wire/crc.h"
#include "packet/wire/frames.h"

namespace sluice::wire {
namespace {

Buffer bytes_of(std::string_view hex) {
  Buffer out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Buffer text_bytes(std::string_view text) { return {text.begin(), text.end()}; }

TEST(GoldenG9, G9_01_Crc32OfTheDigits) { EXPECT_EQ(crc32(text_bytes("123456789")), 0xCBF43926U); }

TEST(GoldenG9, G9_02_Crc32Residue) {
  Buffer frame = text_bytes("any frame whatever, longer than the sixty bytes of the minimum size");
  append_fcs(frame);
  EXPECT_EQ(crc32_register(crc32(frame)), 0xDEBB20E3U);
  EXPECT_EQ(crc32(frame), 0x2144DF1CU);
  EXPECT_EQ(kGoodFrameCrc32, 0x2144DF1CU);
}

TEST(GoldenG9, G9_03_Crc32OfZeros) {
  EXPECT_EQ(crc32(Buffer(64)), 0x758D6336U);
  EXPECT_EQ(crc32(Buffer(1500)), 0x6F246CBFU);
}

TEST(GoldenG9, G9_07_IcrcStartState) { EXPECT_EQ(crc32_register(icrc_seed()), 0xDEBB20E3U); }

struct PacketRow {
  const char* id;
  const char* bytes;  ///< without FCS
  const char* icrc;   ///< as transmitted
  const char* fcs;    ///< as transmitted
};
void PrintTo(const PacketRow& row, std::ostream* out) { *out << row.id; }

const PacketRow kPackets[] = {
    {"G9_23",
     "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b70028"
     "00008100ffff40000118000000000000000000000000000000000000000082fd002a",
     "82fd002a", "49f43de5"},
    {"G9_24",
     "248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002c"
     "aca22460ffff000000d300cf17104630818be28935d90e9a95505401be885e50000078f353f3",
     "78f353f3", "b9d09392"},
    {"G9_25",
     "248a07a8fa22248a07a8fa2286dd6e21face002c11ff202200000000000000000000000010232023"
     "0000000000000000000000001024c00012b7002ce7c52460ffff000000d300cf17104630818be289"
     "35d90e9a95505401be885e5000003e5b743b",
     "3e5b743b", "282d545c"},
    {"G9_26",
     "0200000000b10200000000a10800456a0044000040004011253e0a0000010a000101c12312b70030"
     "00000a40ffff00000011800001000000000012345000deadbeef0000000800010203040506071473"
     "4ff0",
     "14734ff0", "54d3183c"},
    {"G9_27",
     "0200000000b10200000000a10800456a003000004000401125520a0001010a000001c12312b7001c"
     "00001140ffff00000022000001001f000001815dedda",
     "815dedda", "b34e610f"},
    {"G9_28",
     "0200000000b10200000000a1080045c2003c00004000401124ee0a0001010a000001c12312b70028"
     "00008100ffff400000220000000000000000000000000000000000000000da81fafb",
     "da81fafb", "85fd78d4"},
};

const PacketRow& row(std::string_view id) {
  for (const PacketRow& entry : kPackets) {
    if (entry.id == id) return entry;
  }
  throw std::out_of_range(std::string(id));
}

std::string whole(const PacketRow& packet) { return std::string(packet.bytes) + packet.fcs; }

class GoldenG9Packet : public testing::TestWithParam<PacketRow> {};

TEST_P(GoldenG9Packet, HasTheIcrcAndFcsOfTheTable) {
  const PacketRow& packet = GetParam();
  const Buffer bytes = bytes_of(packet.bytes);
  const auto ip = std::span(bytes).subspan(kEthernetBytes, bytes.size() - kEthernetBytes - 4);
  const std::uint32_t crc = icrc(ip);
  EXPECT_EQ(fmt::format("{:08x}", __builtin_bswap32(crc)), packet.icrc);
  Buffer frame = bytes;
  append_fcs(frame);
  EXPECT_EQ(hex_of(frame), whole(packet));
  const RoceFrame decoded = decode_roce(frame);
  EXPECT_TRUE(decoded.icrc_good);
  EXPECT_TRUE(decoded.fcs_good);
  EXPECT_TRUE(decoded.udp_checksum_good);
}

INSTANTIATE_TEST_SUITE_P(Rows, GoldenG9Packet, testing::ValuesIn(kPackets),
                         [](const auto& packet) { return std::string(packet.param.id); });

/// The envelope that rows 26 to 28 share: 10.0.0.1 to 10.0.1.1 and back.
RoceEnvelope constructed(bool back) {
  RoceEnvelope around;
  around.ethernet.destination = {0x02, 0, 0, 0, 0, 0xb1};
  around.ethernet.source = {0x02, 0, 0, 0, 0, 0xa1};
  around.v4.source = back ? 0x0a000101 : 0x0a000001;
  around.v4.destination = back ? 0x0a000001 : 0x0a000101;
  around.v4.dscp = 26;
  around.v4.ecn = 2;
  around.udp_source_port = 0xc123;
  return around;
}

TEST(GoldenG9, G9_26_BuildsAWriteOnly) {
  Bth bth;
  bth.opcode = static_cast<std::uint8_t>(write_opcode(true, true));
  bth.mig_req = true;
  bth.destination_qp = 0x11;
  bth.ack_request = true;
  bth.psn = 0x100;
  Buffer payload(8);
  std::iota(payload.begin(), payload.end(), std::uint8_t{0});
  const Buffer frame =
      write_frame(constructed(false), bth, Reth{0x12345000, 0xDEADBEEF, 8}, payload);
  EXPECT_EQ(hex_of(frame), whole(row("G9_26")));
  EXPECT_EQ(frame.size(), write_frame_bytes(8, true));
}

TEST(GoldenG9, G9_27_BuildsAnAck) {
  RoceEnvelope around = constructed(true);
  Bth bth;
  bth.mig_req = true;
  bth.destination_qp = 0x22;
  bth.psn = 0x100;
  const Buffer frame = ack_frame(around, bth, Aeth{kSyndromeAck, 1});
  EXPECT_EQ(hex_of(frame), whole(row("G9_27")));
  EXPECT_EQ(frame.size(), ack_frame_bytes());
}

TEST(GoldenG9, G9_28_BuildsACnp) {
  RoceEnvelope around = constructed(true);
  around.v4.dscp = 48;
  const Buffer frame = cnp_frame(around, 0x22);
  EXPECT_EQ(hex_of(frame), whole(row("G9_28")));
  EXPECT_EQ(frame.size(), cnp_frame_bytes());
}

TEST(GoldenG9, G9_23_BuildsTheCnpThatAConnectX4Sent) {
  RoceEnvelope around;
  around.ethernet.destination = {0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2};
  around.ethernet.source = {0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32};
  around.v4.dscp = 48;
  around.v4.ecn = 2;
  around.v4.identification = 0x718c;
  around.v4.source = 0x0a001101;
  around.v4.destination = 0x0a001201;
  EXPECT_EQ(hex_of(cnp_frame(around, 0x118)), whole(row("G9_23")));
}

TEST(GoldenG9, G9_29_BuildsAPfcXoff) {
  Pfc pfc;
  pfc.enabled = 1 << 3;
  pfc.quanta[3] = 0xffff;
  const Buffer frame = pfc_frame({0x02, 0, 0, 0, 0, 0x01}, pfc);
  EXPECT_EQ(hex_of(frame),
            "0180c2000001020000000001880801010008000000000000ffff0000000000000000000000000000000000"
            "0000000000000000000000000000000000"
            "b0b229c3");
  EXPECT_EQ(frame.size(), 64U);
  EXPECT_EQ(decode_pfc(frame), pfc);
}

TEST(GoldenG9, G9_30_BuildsAPfcXon) {
  Pfc pfc;
  pfc.enabled = 1 << 3;
  const Buffer frame = pfc_frame({0x02, 0, 0, 0, 0, 0x01}, pfc);
  EXPECT_EQ(hex_of(frame),
            "0180c200000102000000000188080101000800000000000000000000000000000000000000000000000000"
            "0000000000000000000000000000000000"
            "d13178ac");
  EXPECT_EQ(decode_pfc(frame), pfc);
}

}  // namespace
}  // namespace sluice::wire
