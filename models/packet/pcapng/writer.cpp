// SPDX-License-Identifier: Apache-2.0
#include "packet/pcapng/writer.h"

#include <array>
#include <string_view>

#include "kernel/error.h"
#include "packet/pcapng/format.h"
#include "packet/serialisation.h"

namespace sluice::pcapng {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr std::uint8_t kNanoseconds = 9;  // 10^-9 s
constexpr std::string_view kApplication = "Sluice";

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Least significant byte first, as the whole file is.
std::array<std::uint8_t, 8> little64(std::uint64_t value) {
  std::array<std::uint8_t, 8> out{};
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(value), value >>= 8;
  return out;
}

}  // namespace

Writer::Writer(const std::string& path) : path_(path), out_(path, std::ios::binary) {
  if (!out_) throw ConfigError(fmt::format("--capture: {} cannot be created", path));
  const std::size_t block = begin_block(kSectionHeader);
  put32(kByteOrderMagic);
  put16(1);  // version 1.0
  put16(0);
  put32(UINT32_MAX);  // length of the section: not given
  put32(UINT32_MAX);
  put_option(kSectionApplication, bytes_of(kApplication));
  put_option(kEndOfOptions, {});
  end_block(block);
}

void Writer::put16(std::uint32_t value) {
  buffer_.push_back(static_cast<std::uint8_t>(value));
  buffer_.push_back(static_cast<std::uint8_t>(value >> 8));
}

void Writer::put32(std::uint64_t value) {
  put16(static_cast<std::uint16_t>(value));
  put16(static_cast<std::uint16_t>(value >> 16));
}

void Writer::pad() {
  while (buffer_.size() % 4 != 0) buffer_.push_back(0);
}

void Writer::put_option(std::uint16_t code, std::span<const std::uint8_t> value) {
  put16(code);
  put16(static_cast<std::uint32_t>(value.size()));
  buffer_.insert(buffer_.end(), value.begin(), value.end());
  pad();
}

/// The length follows in end_block.
std::size_t Writer::begin_block(std::uint32_t type) {
  const std::size_t start = buffer_.size();
  put32(type);
  put32(0);
  return start;
}

void Writer::end_block(std::size_t start) {
  const std::uint64_t length = buffer_.size() - start + 4;
  for (unsigned i = 0; i < 4; ++i) {
    buffer_[start + 4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }
  put32(length);
  if (buffer_.size() >= kFlushBytes) flush();
}

std::uint32_t Writer::add_interface(const std::string& name, BitsPerSecond speed) {
  const std::size_t block = begin_block(kInterfaceDescription);
  put16(kLinkTypeEthernet);
  put16(0);
  put32(0);  // frames are never cut
  put_option(kInterfaceName, bytes_of(name));
  put_option(kInterfaceSpeed, little64(speed.value));
  put_option(kTimeResolution, std::array{kNanoseconds});
  put_option(kFcsLength, std::array{static_cast<std::uint8_t>(kFcsBytes)});
  put_option(kEndOfOptions, {});
  end_block(block);
  return interfaces_++;
}

void Writer::write(std::uint32_t interface, Ps time, std::span<const std::uint8_t> frame,
                   bool fcs_good) {
  const std::size_t block = begin_block(kEnhancedPacket);
  const std::uint64_t ns = time.value / 1000;
  put32(interface);
  put32(ns >> 32);
  put32(ns);
  put32(frame.size());
  put32(frame.size());
  buffer_.insert(buffer_.end(), frame.begin(), frame.end());
  pad();
  put16(kPacketFlags);
  put16(4);
  put32(kFlagOutbound | (fcs_good ? 0 : kFlagCrcError));
  put_option(kEndOfOptions, {});
  end_block(block);
  ++frames_;
}

void Writer::flush() {
  out_.write(reinterpret_cast<const char*>(buffer_.data()),
             static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_) throw ConfigError(fmt::format("--capture: the disk did not take all of {}", path_));
}

void Writer::close() {
  flush();
  out_.close();
  if (!out_) throw ConfigError(fmt::format("--capture: the disk did not take all of {}", path_));
}

}  // namespace sluice::pcapng
