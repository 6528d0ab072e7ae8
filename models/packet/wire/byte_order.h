// SPDX-License-Identifier: Apache-2.0
// Big-endian fields in a byte buffer: a writer that appends and a reader that checks its bounds.
// Leaves out: bit fields; headers compose and split their own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/error.h"

namespace sluice::wire {

using Buffer = std::vector<std::uint8_t>;

/// Appends the low `count` bytes of `value`, most significant first.
inline void put_big(Buffer& out, std::uint64_t value, unsigned count) {
  for (unsigned i = count; i-- > 0;) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

inline void put_bytes(Buffer& out, std::span<const std::uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

  std::uint64_t big(unsigned count) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : take(count)) value = value << 8 | byte;
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(big(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(big(2)); }
  std::uint32_t u24() { return static_cast<std::uint32_t>(big(3)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(big(4)); }
  std::uint64_t u64() { return big(8); }
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> out;
    const auto from = take(N);
    std::copy(from.begin(), from.end(), out.begin());
    return out;
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > left()) {
      throw TraceError(fmt::format("byte {}: the frame ends, {} more bytes expected", position_,
                                   count - left()));
    }
    const auto out = bytes_.subspan(position_, count);
    position_ += count;
    return out;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
};

}  // namespace sluice::wire
