// SPDX-License-Identifier: Apache-2.0
// Golden table G1: frame and wire bytes, goodput, slots and packet rates of RoCEv2 frames, and
// bytes in flight. Numbers are compared to the last digit that the table prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "kernel/clock_rate.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

constexpr std::uint64_t kGbps = 1'000'000'000;
constexpr std::array<std::uint64_t, 3> kRates{200, 400, 800};  // Gb/s, the table's columns

std::string nanoseconds(Ps time) {
  return fmt::format("{}.{:02}", time.value / 1000, time.value % 1000 / 10);
}

/// The slot by the byte clock, which must be exact at these rates, also in its last digit.
void expect_slots(std::uint32_t wire, const std::array<const char*, 3>& slots_ns) {
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    ByteClock clock(BitsPerSecond{kRates[i] * kGbps}, 0);
    const Ps slot = clock.take(wire);
    EXPECT_EQ(nanoseconds(slot), slots_ns[i]) << kRates[i] << " Gb/s";
    EXPECT_EQ(slot.value % 10, 0U) << "the table's two decimals are not the whole value";
    EXPECT_EQ(slot, bit_times(std::uint64_t{wire} * 8, BitsPerSecond{kRates[i] * kGbps}));
  }
}

template <class Row>
std::string row_name(const testing::TestParamInfo<Row>& row) {
  return row.param.id;
}

struct DataFrameRow {
  const char* id;
  std::uint32_t payload;
  Encapsulation around;
  std::uint32_t frame, wire;
  const char* goodput_percent;
  std::array<const char*, 3> goodput_gbps, slot_ns, mega_packets;
};
void PrintTo(const DataFrameRow& row, std::ostream* out) { *out << row.id; }

class GoldenG1DataFrame : public testing::TestWithParam<DataFrameRow> {};

TEST_P(GoldenG1DataFrame, HasTheSizeAndTheRate) {
  const DataFrameRow& row = GetParam();
  const std::uint32_t frame = write_frame_bytes(row.payload, false, row.around);
  EXPECT_EQ(frame, row.frame);
  EXPECT_EQ(wire_bytes(frame), row.wire);
  const double share = goodput_share(row.payload, frame);
  EXPECT_EQ(fmt::format("{:.3f}", share * 100), row.goodput_percent);
  expect_slots(row.wire, row.slot_ns);
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    const auto rate = static_cast<double>(kRates[i]);
    EXPECT_EQ(fmt::format("{:.2f}", share * rate), row.goodput_gbps[i]);
    EXPECT_EQ(fmt::format("{:.3f}", rate * 1000 / (8.0 * row.wire)), row.mega_packets[i]);
  }
}

const DataFrameRow kDataFrames[] = {
    {"G1_01",
     256,
     {false, false},
     318,
     338,
     "75.740",
     {"151.48", "302.96", "605.92"},
     {"13.52", "6.76", "3.38"},
     {"73.964", "147.929", "295.858"}},
    {"G1_02",
     256,
     {false, true},
     322,
     342,
     "74.854",
     {"149.71", "299.42", "598.83"},
     {"13.68", "6.84", "3.42"},
     {"73.099", "146.199", "292.398"}},
    {"G1_03",
     256,
     {true, false},
     338,
     358,
     "71.508",
     {"143.02", "286.03", "572.07"},
     {"14.32", "7.16", "3.58"},
     {"69.832", "139.665", "279.330"}},
    {"G1_04",
     256,
     {true, true},
     342,
     362,
     "70.718",
     {"141.44", "282.87", "565.75"},
     {"14.48", "7.24", "3.62"},
     {"69.061", "138.122", "276.243"}},
    {"G1_05",
     512,
     {false, false},
     574,
     594,
     "86.195",
     {"172.39", "344.78", "689.56"},
     {"23.76", "11.88", "5.94"},
     {"42.088", "84.175", "168.350"}},
    {"G1_06",
     1024,
     {false, false},
     1086,
     1106,
     "92.586",
     {"185.17", "370.34", "740.69"},
     {"44.24", "22.12", "11.06"},
     {"22.604", "45.208", "90.416"}},
    {"G1_07",
     1024,
     {false, true},
     1090,
     1110,
     "92.252",
     {"184.50", "369.01", "738.02"},
     {"44.40", "22.20", "11.10"},
     {"22.523", "45.045", "90.090"}},
    {"G1_08",
     1024,
     {true, false},
     1106,
     1126,
     "90.941",
     {"181.88", "363.77", "727.53"},
     {"45.04", "22.52", "11.26"},
     {"22.202", "44.405", "88.810"}},
    {"G1_09",
     1024,
     {true, true},
     1110,
     1130,
     "90.619",
     {"181.24", "362.48", "724.96"},
     {"45.20", "22.60", "11.30"},
     {"22.124", "44.248", "88.496"}},
    {"G1_10",
     2048,
     {false, false},
     2110,
     2130,
     "96.150",
     {"192.30", "384.60", "769.20"},
     {"85.20", "42.60", "21.30"},
     {"11.737", "23.474", "46.948"}},
    {"G1_11",
     4096,
     {false, false},
     4158,
     4178,
     "98.037",
     {"196.07", "392.15", "784.30"},
     {"167.12", "83.56", "41.78"},
     {"5.984", "11.967", "23.935"}},
    {"G1_12",
     4096,
     {false, true},
     4162,
     4182,
     "97.944",
     {"195.89", "391.77", "783.55"},
     {"167.28", "83.64", "41.82"},
     {"5.978", "11.956", "23.912"}},
    {"G1_13",
     4096,
     {true, false},
     4178,
     4198,
     "97.570",
     {"195.14", "390.28", "780.56"},
     {"167.92", "83.96", "41.98"},
     {"5.955", "11.910", "23.821"}},
    {"G1_14",
     4096,
     {true, true},
     4182,
     4202,
     "97.477",
     {"194.95", "389.91", "779.82"},
     {"168.08", "84.04", "42.02"},
     {"5.950", "11.899", "23.798"}},
};
INSTANTIATE_TEST_SUITE_P(Rows, GoldenG1DataFrame, testing::ValuesIn(kDataFrames),
                         row_name<DataFrameRow>);

struct FrameRow {
  const char* id;
  std::vector<std::uint32_t> frames;  ///< every frame that the row speaks of
  std::uint32_t frame, wire;
  std::array<const char*, 3> slot_ns;
};
void PrintTo(const FrameRow& row, std::ostream* out) { *out << row.id; }

class GoldenG1Frame : public testing::TestWithParam<FrameRow> {};

TEST_P(GoldenG1Frame, HasTheSizeAndTheSlot) {
  const FrameRow& row = GetParam();
  for (const std::uint32_t frame : row.frames) {
    EXPECT_EQ(frame, row.frame);
    EXPECT_EQ(wire_bytes(frame), row.wire);
  }
  expect_slots(row.wire, row.slot_ns);
}

const FrameRow kFrames[] = {
    {"G1_15",
     {kMinFrameBytes, kPfcFrameBytes},
     64,
     84,
     {"3.36", "1.68", "0.84"}},                                        // 64-B minimum, PFC, PAUSE
    {"G1_16", {ack_frame_bytes()}, 66, 86, {"3.44", "1.72", "0.86"}},  // RC ACK / NAK (v4)
    {"G1_17", {atomic_ack_frame_bytes()}, 74, 94, {"3.76", "1.88", "0.94"}},  // atomic ACK
    {"G1_18",
     {cnp_frame_bytes(), read_request_frame_bytes()},
     78,
     98,
     {"3.92", "1.96", "0.98"}},  // CNP; READ request
    {"G1_19", {atomic_request_frame_bytes()}, 90, 110, {"4.40", "2.20", "1.10"}},  // atomic request
    {"G1_20", {256}, 256, 276, {"11.04", "5.52", "2.76"}},                         // 256 B
    {"G1_21", {512}, 512, 532, {"21.28", "10.64", "5.32"}},                        // 512 B
    {"G1_22", {1024}, 1024, 1044, {"41.76", "20.88", "10.44"}},                    // 1024 B
    {"G1_23", {1518}, 1518, 1538, {"61.52", "30.76", "15.38"}},                    // 1518 B
    {"G1_24",
     {write_frame_bytes(4096, false), send_frame_bytes(4096)},
     4158,
     4178,
     {"167.12", "83.56", "41.78"}},  // WRITE MIDDLE/LAST, SEND 4096
    {"G1_25",
     {read_response_frame_bytes(4096)},
     4162,
     4182,
     {"167.28", "83.64", "41.82"}},  // READ RESP FIRST/LAST/ONLY 4096
    {"G1_26",
     {write_frame_bytes(4096, true)},
     4174,
     4194,
     {"167.76", "83.88", "41.94"}},                                // WRITE FIRST/ONLY 4096 (RETH)
    {"G1_27", {9216}, 9216, 9236, {"369.44", "184.72", "92.36"}},  // 9216 B jumbo
};
INSTANTIATE_TEST_SUITE_P(Rows, GoldenG1Frame, testing::ValuesIn(kFrames), row_name<FrameRow>);

struct MessageRow {
  const char* id;
  std::uint64_t bytes, packets, wire;
  const char *goodput_percent, *gbytes_400, *gbytes_800, *us_400, *us_800;
};
void PrintTo(const MessageRow& row, std::ostream* out) { *out << row.id; }

class GoldenG1Message : public testing::TestWithParam<MessageRow> {};

TEST_P(GoldenG1Message, HasTheWireBytesAndTheTime) {
  const MessageRow& row = GetParam();
  EXPECT_EQ(packets_of_message(row.bytes, 4096), row.packets);
  const std::uint64_t wire = write_wire_bytes(row.bytes, 4096);
  EXPECT_EQ(wire, row.wire);
  const double share = static_cast<double>(row.bytes) / static_cast<double>(wire);
  EXPECT_EQ(fmt::format("{:.4f}", share * 100), row.goodput_percent);
  EXPECT_EQ(fmt::format("{:.3f}", share * 50), row.gbytes_400);
  EXPECT_EQ(fmt::format("{:.3f}", share * 100), row.gbytes_800);
  const auto us = [wire](std::uint64_t gbps) {
    return fmt::format("{:.3f}", bit_times(wire * 8, BitsPerSecond{gbps * kGbps}).microseconds());
  };
  EXPECT_EQ(us(400), row.us_400);
  EXPECT_EQ(us(800), row.us_800);
}

const MessageRow kMessages[] = {
    {"G1_28", 4096, 1, 4194, "97.6633", "48.832", "97.663", "0.084", "0.042"},
    {"G1_29", 65536, 16, 66864, "98.0139", "49.007", "98.014", "1.337", "0.669"},
    {"G1_30", 1048576, 256, 1069584, "98.0359", "49.018", "98.036", "21.392", "10.696"},
    {"G1_31", 1073741824, 262144, 1095237648, "98.0373", "49.019", "98.037", "21904.753",
     "10952.376"},
};
INSTANTIATE_TEST_SUITE_P(Rows, GoldenG1Message, testing::ValuesIn(kMessages), row_name<MessageRow>);

TEST(GoldenG1, G1_32_GoodputWithAGapOf25Bytes) {
  const double share = goodput_share(4096, write_frame_bytes(4096, false), 25);
  EXPECT_EQ(fmt::format("{:.2f}", share * 400), "390.93");
  EXPECT_EQ(fmt::format("{:.3f}", share * 100), "97.733");
}

TEST(GoldenG1, G1_33_GoodputWithAGapOf33Bytes) {
  const double share = goodput_share(4096, write_frame_bytes(4096, false), 33);
  EXPECT_EQ(fmt::format("{:.2f}", share * 400), "390.19");
  EXPECT_EQ(fmt::format("{:.3f}", share * 100), "97.547");
}

TEST(GoldenG1, G1_34_GoodputWithARethInEveryPacket) {
  constexpr std::uint64_t kPackets = 1000;
  const std::uint64_t wire = write_wire_bytes(kPackets * 4096, 4096, true);
  EXPECT_EQ(wire, kPackets * 4194);
  const double share = static_cast<double>(kPackets * 4096) / static_cast<double>(wire);
  EXPECT_EQ(fmt::format("{:.3f}", share * 100), "97.663");
  EXPECT_EQ(fmt::format("{:.2f}", share * 400), "390.65");
  EXPECT_EQ(fmt::format("{:.2f}", share * 800), "781.31");
}

void expect_in_flight(std::uint64_t metres, std::uint64_t bytes_400, std::uint64_t bytes_800) {
  const Millimetres length{metres * 1000};
  EXPECT_EQ(propagation_delay(length).value, metres * 5000);
  EXPECT_EQ(bytes_in_flight(length, BitsPerSecond{400 * kGbps}), bytes_400);
  EXPECT_EQ(bytes_in_flight(length, BitsPerSecond{800 * kGbps}), bytes_800);
}

TEST(GoldenG1, G1_43_BytesInFlightOver5Metres) { expect_in_flight(5, 1250, 2500); }
TEST(GoldenG1, G1_44_BytesInFlightOver30Metres) { expect_in_flight(30, 7500, 15000); }
TEST(GoldenG1, G1_45_BytesInFlightOver100Metres) { expect_in_flight(100, 25000, 50000); }

// IBTA 9.2.5: a payload is padded to 4 bytes (golden G13-04).
TEST(GoldenG13, G13_04_PadCount) {
  EXPECT_EQ(pad_bytes(1), 3U);
  EXPECT_EQ(pad_bytes(2), 2U);
  EXPECT_EQ(pad_bytes(3), 1U);
  EXPECT_EQ(pad_bytes(4), 0U);
  EXPECT_EQ(write_frame_bytes(1, false), 62U + 4);
}

TEST(GoldenG13, G13_03_APacketMoreForTheLastByte) {
  EXPECT_EQ(packets_of_message(4097, 4096), 2U);
  EXPECT_EQ(packets_of_message(4096, 4096), 1U);
  EXPECT_EQ(packets_of_message(0, 4096), 1U);
  // FIRST with RETH and 4096 B, LAST with 1 B and 3 of padding.
  EXPECT_EQ(write_wire_bytes(4097, 4096), 4194U + 62 + 4 + 20);
  EXPECT_EQ(write_wire_bytes(0, 4096), 62U + 16 + 20);
}

TEST(GoldenG13, G13_48_CellsOfAFrame) {
  EXPECT_EQ(cells_of_frame(64, 192), 1U);
  EXPECT_EQ(cells_of_frame(64, 254), 1U);
  EXPECT_EQ(cells_of_frame(4158, 192), 22U);
  EXPECT_EQ(cells_of_frame(4158, 254), 17U);
  EXPECT_EQ(cells_of_frame(9216, 192), 48U);
  EXPECT_EQ(cells_of_frame(9216, 254), 37U);
}

void expect_quantum(std::uint64_t gbps, std::uint64_t quantum_ps, std::uint64_t longest_ps) {
  EXPECT_EQ(pause_duration(1, BitsPerSecond{gbps * kGbps}).value, quantum_ps);
  EXPECT_EQ(pause_duration(65535, BitsPerSecond{gbps * kGbps}).value, longest_ps);
}

TEST(GoldenG4, G4_01_PauseQuantumAt100G) { expect_quantum(100, 5120, 335'539'200); }
TEST(GoldenG4, G4_02_PauseQuantumAt200G) { expect_quantum(200, 2560, 167'769'600); }
TEST(GoldenG4, G4_03_PauseQuantumAt400G) { expect_quantum(400, 1280, 83'884'800); }
TEST(GoldenG4, G4_04_PauseQuantumAt800G) { expect_quantum(800, 640, 41'942'400); }

}  // namespace
}  // namespace sluice
