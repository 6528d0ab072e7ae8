// SPDX-License-Identifier: Apache-2.0
// Captures written and read: what goes in comes out, other writers' byte orders and clocks are
// understood, and damage is named by its byte or, at the tail, reported.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "kernel/error.h"
#include "packet/pcapng/reader.h"
#include "packet/pcapng/seen_packet.h"
#include "packet/pcapng/writer.h"

namespace sluice::pcapng {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Builds files word by word in either byte order.
class FileText {
 public:
  explicit FileText(bool big) : big_(big) {}
  FileText& word(std::uint64_t value, unsigned bytes = 4) {
    for (unsigned i = 0; i < bytes; ++i) {
      text_ += static_cast<char>(value >> (8 * (big_ ? bytes - 1 - i : i)));
    }
    return *this;
  }
  FileText& raw(const std::string& bytes) {
    text_ += bytes;
    while (text_.size() % 4 != 0) text_ += '\0';
    return *this;
  }
  FileText& section() {
    return word(0x0A0D0D0A).word(28).word(0x1A2B3C4D).word(1, 2).word(0, 2).word(~0ULL, 8).word(28);
  }
  /// One option of one byte.
  FileText& interface(unsigned code, unsigned value) {
    word(1).word(32).word(1, 2).word(0, 2).word(0);
    word(code, 2).word(1, 2).word(value, 1).word(0, 3);
    return word(0, 2).word(0, 2).word(32);
  }
  FileText& packet(unsigned interface, std::uint64_t ticks, const std::string& frame) {
    const std::size_t padded = (frame.size() + 3) / 4 * 4;
    word(6).word(32 + padded).word(interface).word(ticks >> 32).word(ticks & 0xFFFFFFFF);
    return word(frame.size()).word(frame.size() + 100).raw(frame).word(32 + padded);
  }
  const std::string& text() const { return text_; }

 private:
  bool big_;
  std::string text_;
};

struct Outcome {
  std::vector<CapturedFrame> frames;
  std::string torn;
  std::string error;
};

Outcome read_all(const std::string& text) {
  Outcome out;
  std::istringstream in(text);
  try {
    Reader reader(in, "file");
    for (CapturedFrame frame; reader.next(frame);) out.frames.push_back(frame);
    out.torn = reader.torn();
  } catch (const TraceError& error) {
    out.error = error.what();
  }
  return out;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class WrittenCapture : public testing::Test {
 protected:
  ~WrittenCapture() override { std::filesystem::remove(path_); }
  std::string written() const {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  std::string path_ = testing::TempDir() + "capture_test_" + std::to_string(::getpid());
};

TEST_F(WrittenCapture, ComesBackFrameByFrame) {
  Writer writer(path_);
  EXPECT_EQ(writer.add_interface("leaf0.port3", BitsPerSecond{800'000'000'000}), 0u);
  EXPECT_EQ(writer.add_interface("nic5.port0", BitsPerSecond{400'000'000'000}), 1u);
  const Bytes first(64, 0xAB);
  const Bytes second(77, 0xCD);
  writer.write(1, Ps{1'999}, first);
  // Past 2^32 ns, so that both halves of the time count.
  writer.write(0, Ps{5'000'000'001'000}, second, false);
  EXPECT_EQ(writer.frames(), 2u);
  writer.close();

  std::istringstream in(written());
  Reader reader(in, path_);
  EXPECT_EQ(reader.format(), "pcapng");
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.interface, 1u);
  EXPECT_EQ(frame.time, (CaptureTime{0, 1000}));  // down to the nanosecond
  EXPECT_EQ(frame.bytes, first);
  EXPECT_EQ(frame.wire_bytes, 64u);
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.interface, 0u);
  EXPECT_EQ(frame.time, (CaptureTime{5, 1000}));
  EXPECT_EQ(frame.bytes, second);
  EXPECT_FALSE(reader.next(frame));
  EXPECT_EQ(reader.torn(), "");
  EXPECT_EQ(reader.interface(0).name, "leaf0.port3");
  EXPECT_EQ(reader.interface(1).name, "nic5.port0");
  EXPECT_EQ(reader.interface(1).link_type, 1u);
  EXPECT_EQ(reader.interface(1).fcs_bytes, 4u);
}

TEST_F(WrittenCapture, SaysWhereItIsTornAndKeepsWhatWasBefore) {
  Writer writer(path_);
  writer.add_interface("p", BitsPerSecond{1});
  const Bytes frame(60, 1);
  for (int i = 0; i < 3; ++i) writer.write(0, Ps{}, frame);
  writer.close();
  const std::string whole = written();
  std::size_t last_count = 0;
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const Outcome out = read_all(whole.substr(0, bytes));
    if (bytes < 44) {  // the section header with its one option
      EXPECT_TRUE(contains(out.error, "file: byte ")) << bytes << ": " << out.error;
      continue;
    }
    EXPECT_EQ(out.error, "") << bytes;
    EXPECT_GE(out.frames.size(), last_count);
    last_count = out.frames.size();
    // Cuts between blocks cannot be told from an end.
    if (out.torn.empty()) continue;
    EXPECT_TRUE(contains(out.torn, "byte ")) << out.torn;
  }
  EXPECT_EQ(last_count, 2u);
  EXPECT_NE(read_all(whole.substr(0, whole.size() - 1)).torn, "");
}

class ByteOrder : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Both, ByteOrder, testing::Bool(), [](const auto& order) {
  return std::string(order.param ? "Big" : "Little");
});

TEST_P(ByteOrder, IsUnderstoodInPcapng) {
  FileText file(GetParam());
  file.section().interface(9, 9).packet(0, 7'000'000'123, "abcde");
  const Outcome out = read_all(file.text());
  ASSERT_EQ(out.error, "");
  ASSERT_EQ(out.frames.size(), 1u);
  EXPECT_EQ(out.frames[0].time, (CaptureTime{7, 123'000}));
  EXPECT_EQ(out.frames[0].bytes, (Bytes{'a', 'b', 'c', 'd', 'e'}));
  EXPECT_EQ(out.frames[0].wire_bytes, 105u);
  EXPECT_EQ(out.frames[0].position, 28u + 32u);
}

TEST_P(ByteOrder, IsUnderstoodInPcap) {
  for (const bool nanoseconds : {false, true}) {
    FileText file(GetParam());
    file.word(nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4).word(2, 2).word(4, 2).word(0).word(0);
    file.word(65535).word(1).word(1'650'970'174).word(376'937).word(3).word(90);
    const Outcome out = read_all(file.text() + "abc");
    ASSERT_EQ(out.error, "");
    ASSERT_EQ(out.frames.size(), 1u);
    EXPECT_EQ(out.frames[0].time,
              (CaptureTime{1'650'970'174, nanoseconds ? 376'937'000u : 376'937'000'000u}));
    EXPECT_EQ(out.frames[0].bytes.size(), 3u);
    EXPECT_EQ(out.frames[0].wire_bytes, 90u);
  }
}

TEST(CaptureTimes, FollowTheResolutionOfTheInterface) {
  const auto time = [](unsigned code, unsigned value, std::uint64_t ticks) {
    FileText file(false);
    file.section().interface(code, value).packet(0, ticks, "x");
    const Outcome out = read_all(file.text());
    EXPECT_EQ(out.error, "");
    return out.frames.at(0).time;
  };
  EXPECT_EQ(time(2, 'n', 1'500'000), (CaptureTime{1, 500'000'000'000}));  // none: microseconds
  EXPECT_EQ(time(9, 3, 1'001), (CaptureTime{1, 1'000'000'000}));
  EXPECT_EQ(time(9, 12, 2'000'000'000'007), (CaptureTime{2, 7}));
  EXPECT_EQ(time(9, 0x80 | 10, 1024 + 512), (CaptureTime{1, 500'000'000'000}));
  EXPECT_EQ(time(9, 0, 9), (CaptureTime{9, 0}));
}

TEST(CaptureTimes, AreCountedFromOneToTheOther) {
  EXPECT_EQ(picoseconds_between({1, 5}, {2, 3}), 999'999'999'998);
  EXPECT_EQ(picoseconds_between({2, 3}, {1, 5}), -999'999'999'998);
  EXPECT_EQ(picoseconds_between({INT64_MIN, 0}, {INT64_MAX, 0}), INT64_MAX);
}

TEST(CaptureFile, WithSectionsCountsInterfacesOfEach) {
  FileText file(true);
  file.section().interface(9, 9).packet(0, 1, "a");
  FileText other(false);
  other.section().interface(9, 6).packet(0, 1, "b");
  const Outcome out = read_all(file.text() + other.text());
  ASSERT_EQ(out.error, "");
  ASSERT_EQ(out.frames.size(), 2u);
  EXPECT_EQ(out.frames[1].interface, 1u);
  EXPECT_EQ(out.frames[1].time, (CaptureTime{0, 1'000'000}));
}

TEST(CaptureFile, IsRefusedAtTheByteThatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& part) {
    const Outcome out = read_all(text);
    EXPECT_TRUE(contains(out.error, part)) << out.error;
    EXPECT_TRUE(out.error.starts_with("file: byte ")) << out.error;
    EXPECT_EQ(out.error.find('\n'), std::string::npos);
  };
  refused("", "byte 0: the file has 0 B, expected a pcapng or pcap capture");
  refused("hello, world", "byte 0: 0x6c6c6568, expected a pcapng or pcap capture");
  FileText magic(false);
  magic.word(0x0A0D0D0A).word(28).word(0x11223344).word(1).word(~0ULL, 8).word(28);
  refused(magic.text(), "byte 8: byte-order magic");
  FileText version(false);
  version.word(0x0A0D0D0A).word(28).word(0x1A2B3C4D).word(2, 2).word(0, 2).word(~0ULL, 8).word(28);
  refused(version.text(), "byte 12: pcapng version 2, expected 1");
  refused(FileText(false).section().packet(0, 0, "x").text(),
          "byte 36: a frame of interface 0, but 0 are described before it");
  refused(FileText(false).section().word(6).word(13).text(), "byte 32: a block of 13 B");
  std::string tail = FileText(false).section().interface(9, 9).text();
  tail[tail.size() - 4] = 99;
  refused(tail, "byte 56: the block ends with length 99, expected 32");
  std::string room = FileText(false).section().interface(9, 9).packet(0, 0, "abcd").text();
  room[60 + 20] = 5;
  refused(room, "byte 80: a frame of 5 B in a block that has room for 4 B");
  refused(FileText(false).section().interface(9, 20).text(), "times in 10 to the power of -20");
  FileText classic(false);
  classic.word(0xA1B2C3D4).word(2, 2).word(4, 2).word(0).word(0).word(65535).word(1);
  refused(classic.text() + FileText(false).word(0).word(1'000'000).word(0).word(0).text(),
          "byte 28: 1000000 parts of a second, expected fewer than 1000000");
  refused(classic.text() + FileText(false).word(0).word(0).word(0x7FFFFFFF).word(0).text(),
          "byte 32: a record of 2147483647 B");
}

TEST(CaptureFile, WithAnyByteChangedIsReadOrRefusedInOneLine) {
  FileText file(false);
  file.section().interface(9, 9).packet(0, 5, "abcdefg").packet(0, 6, "hi");
  FileText classic(true);
  classic.word(0xA1B2C3D4).word(2, 2).word(4, 2).word(0).word(0).word(65535).word(1);
  classic.word(1).word(2).word(4).word(4).raw("wxyz");
  for (const std::string& whole : {file.text(), classic.text()}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const unsigned change : {0x01u, 0x80u, 0xFFu}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ change);
        const Outcome out = read_all(damaged);
        EXPECT_LE(out.frames.size(), 2u);
        EXPECT_EQ(out.error.find('\n'), std::string::npos);
      }
    }
  }
}

/// A WRITE First of 8 B behind a service tag and a VLAN tag, without FCS and with a damaged ICRC.
const Bytes& tagged_write() {
  static const Bytes bytes = [] {
    Bytes out(12, 0x02);
    const auto add = [&out](std::initializer_list<unsigned> more) {
      for (const unsigned byte : more) out.push_back(static_cast<std::uint8_t>(byte));
    };
    add({0x88, 0xA8, 0, 1, 0x81, 0x00, 0x60, 2, 0x08, 0x00});
    add({0x45, 0x6B, 0, 68, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 1, 1});
    add({0xC1, 0x23, 0x12, 0xB7, 0, 48, 0, 0});
    add({0x06, 0, 0xFF, 0xFF, 0, 0, 0, 0x11, 0x80, 0, 1, 0});
    add({0, 0, 0, 0, 0x12, 0x34, 0x50, 0, 0xDE, 0xAD, 0xBE, 0xEF, 0, 1, 0, 0});
    add({0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9});
    return out;
  }();
  return bytes;
}

TEST(SeenPacket, IsFoundBehindTagsAndWithoutFcs) {
  const SeenPacket seen = look_at(tagged_write(), 90, 0);
  EXPECT_EQ(seen.kind, SeenKind::kRoce);
  EXPECT_EQ(seen.fcs, Check::kNotSeen);
  EXPECT_EQ(seen.icrc, Check::kBad);
  EXPECT_EQ(seen.source.text(), "10.0.0.1");
  EXPECT_EQ(seen.destination.text(), "10.0.1.1");
  EXPECT_EQ(seen.ecn, 3);
  EXPECT_EQ(seen.dscp, 26);
  EXPECT_EQ(seen.udp_source_port, 0xC123);
  EXPECT_EQ(seen.extensions.reth->dma_bytes, 0x10000u);
  EXPECT_EQ(seen.payload_bytes, 8u);
}

TEST(SeenPacket, CutShortKeepsItsLengthAndLosesItsIcrc) {
  // As a capture that keeps 80 B of each frame has it: headers whole, payload not.
  const auto cut = std::span(tagged_write()).first(80);
  const SeenPacket seen = look_at(cut, 90, 0);
  EXPECT_EQ(seen.kind, SeenKind::kRoce);
  EXPECT_EQ(seen.icrc, Check::kNotSeen);
  EXPECT_EQ(seen.payload_bytes, 8u);
}

TEST(SeenPacket, OfAnyCutOrChangedFrameIsToldWithoutTrouble) {
  const Bytes& whole = tagged_write();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const SeenPacket seen = look_at(std::span(whole).first(bytes), 90, 0);
    if (bytes >= 78) {
      EXPECT_EQ(seen.kind, SeenKind::kRoce) << bytes;
    } else {
      EXPECT_NE(seen.kind, SeenKind::kRoce) << bytes;
    }
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned value = 0; value < 256; value += 5) {
      Bytes changed = whole;
      changed[at] = static_cast<std::uint8_t>(value);
      const SeenPacket seen = look_at(changed, 90, 0);
      EXPECT_LE(seen.payload_bytes, 0xFFFFu);
    }
  }
}

}  // namespace
}  // namespace sluice::pcapng
