// SPDX-License-Identifier: Apache-2.0
// Golden table G9: check values of CRC-32C, the CRC-16s and the Toeplitz hash, and the 802.3x PAUSE
// frame. The Toeplitz rows are Microsoft's "Verifying the RSS hash calculation".
#include <gtest/gtest.h>

#include <string>

#include "packet/wire/crc.h"
#include "packet/wire/frames.h"
#include "packet/wire/toeplitz.h"

namespace sluice::wire {
namespace {

Buffer digits() {
  const std::string_view text = "123456789";
  return {text.begin(), text.end()};
}

TEST(GoldenG9, G9_04_Crc32cOfTheDigits) { EXPECT_EQ(crc32c(digits()), 0xE3069283U); }

TEST(GoldenG9, G9_05_Crc16sOfTheDigits) {
  EXPECT_EQ(crc16_ccitt_false(digits()), 0x29B1U);
  EXPECT_EQ(crc16_arc(digits()), 0xBB3DU);
  EXPECT_EQ(crc16_xmodem(digits()), 0x31C3U);
}

struct ToeplitzRow {
  const char* id;
  std::vector<std::uint16_t> source;  ///< four bytes, or eight groups of IPv6
  std::uint16_t source_port;
  std::vector<std::uint16_t> destination;
  std::uint16_t destination_port;
  std::uint32_t addresses_only;
  std::uint32_t with_ports;
};
void PrintTo(const ToeplitzRow& row, std::ostream* out) { *out << row.id; }

const ToeplitzRow kRows[] = {
    {"G9_15", {66, 9, 149, 187}, 2794, {161, 142, 100, 80}, 1766, 0x323e8fc2, 0x51ccc178},
    {"G9_16", {199, 92, 111, 2}, 14230, {65, 69, 140, 83}, 4739, 0xd718262a, 0xc626b0ea},
    {"G9_17", {24, 19, 198, 95}, 12898, {12, 22, 207, 184}, 38024, 0xd2d0a5de, 0x5c2b394a},
    {"G9_18", {38, 27, 205, 30}, 48228, {209, 142, 163, 6}, 2217, 0x82989176, 0xafc7327f},
    {"G9_19", {153, 39, 163, 191}, 44251, {202, 188, 127, 2}, 1303, 0x5d1809c5, 0x10e828a2},
    {"G9_20",
     {0x3ffe, 0x2501, 0x200, 0x1fff, 0, 0, 0, 7},
     2794,
     {0x3ffe, 0x2501, 0x200, 3, 0, 0, 0, 1},
     1766,
     0x2cc18cd5,
     0x40207d3d},
    {"G9_21",
     {0x3ffe, 0x501, 8, 0, 0x260, 0x97ff, 0xfe40, 0xefab},
     14230,
     {0xff02, 0, 0, 0, 0, 0, 0, 1},
     4739,
     0x0f0c461c,
     0xdde51bbf},
    {"G9_22",
     {0x3ffe, 0x1900, 0x4545, 3, 0x200, 0xf8ff, 0xfe21, 0x67cf},
     44251,
     {0xfe80, 0, 0, 0, 0x200, 0xf8ff, 0xfe21, 0x67cf},
     38024,
     0x4b61e985,
     0x02d1feef},
};

void put_address(Buffer& out, const std::vector<std::uint16_t>& parts) {
  for (const std::uint16_t part : parts) put_big(out, part, parts.size() == 4 ? 1 : 2);
}

class GoldenG9Toeplitz : public testing::TestWithParam<ToeplitzRow> {};

TEST_P(GoldenG9Toeplitz, HashesAsPublished) {
  const ToeplitzRow& row = GetParam();
  Buffer input;
  put_address(input, row.source);
  put_address(input, row.destination);
  EXPECT_EQ(toeplitz(input), row.addresses_only);
  put_big(input, row.source_port, 2);
  put_big(input, row.destination_port, 2);
  EXPECT_EQ(toeplitz(input), row.with_ports);
}

INSTANTIATE_TEST_SUITE_P(Rows, GoldenG9Toeplitz, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(GoldenG9, G9_31_BuildsAPause) {
  std::string hex;
  for (const std::uint8_t byte : pause_frame({0x02, 0, 0, 0, 0, 0x01}, 0xffff)) {
    hex += fmt::format("{:02x}", byte);
  }
  EXPECT_EQ(hex,
            "0180c200000102000000000188080001ffff00000000000000000000000000000000000000000000000000"
            "0000000000000000000000000000000000"
            "dd7cb2ff");
}

}  // namespace
}  // namespace sluice::wire
