// SPDX-License-Identifier: Apache-2.0
#include "packet/pcapng/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernel/error.h"
#include "packet/pcapng/format.h"

namespace sluice::pcapng {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
/// No frame and no block that matters is longer; a damaged length is.
constexpr std::uint32_t kLongestBlock = 64U << 20;
constexpr std::size_t kBlockHead = 8;     // type and length
constexpr std::size_t kClassicHead = 24;  // of the file
constexpr std::size_t kRecordHead = 16;   // of a classic record
constexpr std::size_t kOptionHead = 4;
constexpr std::size_t kSmallestBlock = 12;

}  // namespace

std::int64_t picoseconds_between(const CaptureTime& earlier, const CaptureTime& later) {
  const __int128 difference =
      (static_cast<__int128>(later.seconds) - earlier.seconds) * kPicosecondsPerSecond +
      static_cast<__int128>(later.picoseconds) - static_cast<__int128>(earlier.picoseconds);
  constexpr __int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(difference, -kMost, kMost));
}

void Reader::refuse(std::uint64_t at, const std::string& what) const {
  throw TraceError(fmt::format("{}: byte {}: {}", name_, at, what));
}

std::size_t Reader::fill(std::uint8_t* to, std::size_t bytes) {
  in_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(bytes));
  const auto got = static_cast<std::size_t>(in_.gcount());
  position_ += got;
  return got;
}

/// A number in the block that was read last.
std::uint64_t Reader::field(std::size_t at, unsigned bytes) const {
  if (at + bytes > block_.size()) {
    refuse(block_start_ + at,
           fmt::format("a field of {} B is outside its block of {} B", bytes, block_.size()));
  }
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    const std::uint64_t byte = block_[at + (big_endian_ ? i : bytes - 1 - i)];
    value = value << 8 | byte;
  }
  return value;
}

Reader::Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  block_.resize(4);
  if (fill(block_.data(), 4) < 4) {
    refuse(0, fmt::format("the file has {} B, expected a pcapng or pcap capture", position_));
  }
  const auto word = static_cast<std::uint32_t>(field(0, 4));
  if (word == kSectionHeader) {  // a palindrome: the same in either byte order
    format_ = "pcapng";
    read_section();
    return;
  }
  format_ = "pcap";
  for (const std::uint32_t magic : {kPcapMicroseconds, kPcapNanoseconds}) {
    if (word != magic && word != __builtin_bswap32(magic)) continue;
    big_endian_ = word != magic;
    start_classic(magic);
    return;
  }
  refuse(0, fmt::format("0x{:08x}, expected a pcapng or pcap capture", word));
}

void Reader::start_classic(std::uint32_t magic) {
  block_.resize(kClassicHead);
  if (fill(block_.data() + 4, kClassicHead - 4) < kClassicHead - 4) {
    refuse(position_, fmt::format("the file ends in its head of {} B", kClassicHead));
  }
  if (const auto major = field(4, 2); major != 2) {
    refuse(4, fmt::format("pcap version {}, expected 2", major));
  }
  const auto network = static_cast<std::uint32_t>(field(20, 4));
  Interface interface;
  interface.what.link_type = network & 0xFFFF;
  constexpr std::uint32_t kFcsLengthGiven = 1U << 26;
  if ((network & kFcsLengthGiven) != 0) interface.what.fcs_bytes = (network >> 28) * 2;
  interface.ticks_per_second = magic == kPcapNanoseconds ? 1'000'000'000 : 1'000'000;
  interfaces_.push_back(interface);
}

/// The rest of the first section header, of which the type has been read.
void Reader::read_section() {
  block_.resize(kSmallestBlock);
  if (fill(block_.data() + 4, 8) < 8) refuse(position_, "the file ends in its section header");
  start_section();
}

/// type, length and byte-order magic are there; the rest of the block follows.
void Reader::start_section() {
  big_endian_ = false;
  if (field(8, 4) != kByteOrderMagic) big_endian_ = true;
  if (field(8, 4) != kByteOrderMagic) {
    refuse(block_start_ + 8, fmt::format("byte-order magic 0x{:08x}, expected 0x{:08x}",
                                         field(8, 4), kByteOrderMagic));
  }
  const auto length = static_cast<std::uint32_t>(field(4, 4));
  constexpr std::uint32_t kSectionHead = 28;
  if (length < kSectionHead || length % 4 != 0 || length > kLongestBlock) {
    refuse(block_start_ + 4, fmt::format("a section header of {} B", length));
  }
  block_.resize(length);
  const std::size_t rest = length - kSmallestBlock;
  if (fill(block_.data() + kSmallestBlock, rest) < rest) {
    refuse(position_, "the file ends in its section header");
  }
  if (const auto major = field(12, 2); major != 1) {
    refuse(block_start_ + 12, fmt::format("pcapng version {}, expected 1", major));
  }
  first_interface_ = static_cast<std::uint32_t>(interfaces_.size());
}

bool Reader::next(CapturedFrame& frame) {
  if (!torn_.empty()) return false;
  return format_ == "pcap" ? next_record(frame) : next_block(frame);
}

bool Reader::next_record(CapturedFrame& frame) {
  block_start_ = position_;
  block_.resize(kRecordHead);
  const std::size_t got = fill(block_.data(), kRecordHead);
  if (got == 0) return false;
  if (got < kRecordHead) {
    torn_ = fmt::format("byte {}: the file ends {} B into the head of a record", block_start_, got);
    return false;
  }
  const auto seconds = static_cast<std::uint32_t>(field(0, 4));
  const auto fraction = static_cast<std::uint32_t>(field(4, 4));
  const auto captured = static_cast<std::uint32_t>(field(8, 4));
  const auto original = static_cast<std::uint32_t>(field(12, 4));
  if (captured > kLongestBlock) {
    refuse(block_start_ + 8,
           fmt::format("a record of {} B, expected at most {}", captured, kLongestBlock));
  }
  if (fraction >= interfaces_[0].ticks_per_second) {
    refuse(block_start_ + 4, fmt::format("{} parts of a second, expected fewer than {}", fraction,
                                         interfaces_[0].ticks_per_second));
  }
  frame.interface = 0;
  frame.time = {seconds, fraction * (kPicosecondsPerSecond / interfaces_[0].ticks_per_second)};
  frame.wire_bytes = original;
  frame.position = block_start_;
  frame.bytes.resize(captured);
  const std::size_t have = fill(frame.bytes.data(), captured);
  if (have == captured) return true;
  torn_ =
      fmt::format("byte {}: the file ends {} B into a frame of {} B", block_start_, have, captured);
  return false;
}

/// Whole block into `block_`; false at the end of the file, torn or not.
bool Reader::read_block(std::uint32_t& type) {
  block_start_ = position_;
  block_.resize(kBlockHead);
  const std::size_t got = fill(block_.data(), kBlockHead);
  if (got == 0) return false;
  if (got < kBlockHead) {
    torn_ = fmt::format("byte {}: the file ends {} B into the head of a block", block_start_, got);
    return false;
  }
  type = static_cast<std::uint32_t>(field(0, 4));
  if (type == kSectionHeader) {
    block_.resize(kSmallestBlock);
    if (fill(block_.data() + kBlockHead, 4) < 4) {
      torn_ = fmt::format("byte {}: the file ends in a section header", block_start_);
      return false;
    }
    start_section();
    return true;
  }
  const auto length = static_cast<std::uint32_t>(field(4, 4));
  if (length < kSmallestBlock || length % 4 != 0 || length > kLongestBlock) {
    refuse(block_start_ + 4, fmt::format("a block of {} B, expected a multiple of 4 from {} to {}",
                                         length, kSmallestBlock, kLongestBlock));
  }
  block_.resize(length);
  const std::size_t rest = length - kBlockHead;
  const std::size_t have = fill(block_.data() + kBlockHead, rest);
  if (have < rest) {
    torn_ = fmt::format("byte {}: the file ends {} B into a block of {} B", block_start_,
                        have + kBlockHead, length);
    return false;
  }
  if (const auto again = field(length - 4, 4); again != length) {
    refuse(
        block_start_ + length - 4,
        fmt::format("the block ends with length {}, expected {} as at its start", again, length));
  }
  return true;
}

bool Reader::next_block(CapturedFrame& frame) {
  std::uint32_t type = 0;
  while (read_block(type)) {
    if (type == kInterfaceDescription) {
      add_interface();
    } else if (type == kEnhancedPacket || type == kObsoletePacket || type == kSimplePacket) {
      take_packet(type, frame);
      return true;
    }
  }
  return false;
}

void Reader::add_interface() {
  constexpr std::size_t kOptions = 16;
  Interface interface;
  interface.what.link_type = static_cast<std::uint32_t>(field(8, 2));
  take_options(kOptions, interface);
  interfaces_.push_back(interface);
}

void Reader::take_options(std::size_t at, Interface& interface) {
  const std::size_t end = block_.size() - 4;
  while (at + kOptionHead <= end) {
    const auto code = static_cast<std::uint16_t>(field(at, 2));
    const auto length = static_cast<std::size_t>(field(at + 2, 2));
    if (code == kEndOfOptions) return;
    at += kOptionHead;
    if (at + length > end) {
      refuse(block_start_ + at - 2,
             fmt::format("option {} of {} B reaches over its block's end", code, length));
    }
    take_option(code, at, length, interface);
    at += (length + 3) / 4 * 4;
  }
}

void Reader::take_option(std::uint16_t code, std::size_t at, std::size_t length,
                         Interface& interface) {
  if (code == kInterfaceName) {
    interface.what.name.assign(block_.begin() + static_cast<std::ptrdiff_t>(at),
                               block_.begin() + static_cast<std::ptrdiff_t>(at + length));
  } else if (code == kFcsLength && length == 1) {
    interface.what.fcs_bytes = static_cast<std::uint32_t>(field(at, 1));
  } else if (code == kTimeOffset && length == 8) {
    interface.offset_seconds = static_cast<std::int64_t>(field(at, 8));
  } else if (code == kTimeResolution && length == 1) {
    const auto value = static_cast<unsigned>(field(at, 1));
    const unsigned exponent = value & 0x7F;
    const bool binary = (value & 0x80) != 0;
    if (exponent > (binary ? 63U : 19U)) {
      refuse(block_start_ + at,
             fmt::format("times in {} to the power of -{}", binary ? 2 : 10, exponent));
    }
    interface.ticks_per_second = 1;
    for (unsigned i = 0; i < exponent; ++i) interface.ticks_per_second *= binary ? 2 : 10;
  }
}

CaptureTime Reader::time_of(const Interface& interface, std::uint64_t ticks) const {
  const std::uint64_t second = interface.ticks_per_second;
  const auto fraction = static_cast<std::uint64_t>(static_cast<unsigned __int128>(ticks % second) *
                                                   kPicosecondsPerSecond / second);
  const std::uint64_t seconds =
      ticks / second + static_cast<std::uint64_t>(interface.offset_seconds);
  return {static_cast<std::int64_t>(seconds), fraction};
}

void Reader::take_packet(std::uint32_t type, CapturedFrame& frame) {
  std::uint32_t interface = 0;
  if (type == kEnhancedPacket) interface = static_cast<std::uint32_t>(field(8, 4));
  if (type == kObsoletePacket) interface = static_cast<std::uint32_t>(field(8, 2));
  const std::size_t known = interfaces_.size() - first_interface_;
  if (interface >= known) {
    refuse(block_start_ + 8, fmt::format("a frame of interface {}, but {} are described before it",
                                         interface, known));
  }
  frame.interface = first_interface_ + interface;
  frame.position = block_start_;
  if (type == kSimplePacket) {
    constexpr std::size_t kAround = 16;
    const auto original = static_cast<std::uint32_t>(field(8, 4));
    frame.time = last_time_;  // it has none of its own
    frame.wire_bytes = original;
    const auto room = static_cast<std::uint32_t>(block_.size() - kAround);
    return take_bytes(kSmallestBlock, std::min(original, room), frame);
  }
  const std::uint64_t ticks = field(12, 4) << 32 | field(16, 4);
  frame.time = last_time_ = time_of(interfaces_[frame.interface], ticks);
  frame.wire_bytes = static_cast<std::uint32_t>(field(24, 4));
  take_bytes(28, static_cast<std::uint32_t>(field(20, 4)), frame);
}

void Reader::take_bytes(std::size_t from, std::uint32_t captured, CapturedFrame& frame) {
  const std::size_t room = block_.size() - std::min(block_.size(), from + 4);
  if (captured > room) {
    refuse(block_start_ + 20,
           fmt::format("a frame of {} B in a block that has room for {} B", captured, room));
  }
  const auto begin = block_.begin() + static_cast<std::ptrdiff_t>(from);
  frame.bytes.assign(begin, begin + captured);
}

}  // namespace sluice::pcapng
