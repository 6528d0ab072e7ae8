// SPDX-License-Identifier: Apache-2.0
// A transmitter's byte clock: exact picoseconds per byte at a nominal rate, with a seeded frequency
// offset whose sub-picosecond part is carried, not rounded away (IEEE 802.3 allows +-100 ppm; our
// default is +-50). Leaves out: wander over time.
#pragma once

#include <cstdint>

#include "kernel/time.h"

namespace sluice {

/// Nominal line rate in bit/s of the MAC (400 Gb/s = 400e9), exact.
struct BitsPerSecond {
  std::uint64_t value = 0;
  constexpr auto operator<=>(const BitsPerSecond&) const = default;
};

class ByteClock {
 public:
  /// Keeps the sum over 4 GB of frames within 1 ps; a call's bytes x (ps per byte) must stay below
  /// 2^30 ps: 64 KiB at 1 Gb/s, 53 MB at 400 Gb/s.
  static constexpr unsigned kFractionBits = 34;

  ByteClock() = default;
  /// `offset_ppb`: parts per billion by which this clock runs fast (> 0) or slow (< 0).
  ByteClock(BitsPerSecond rate, std::int64_t offset_ppb);

  /// Duration of `bytes`; carries the remainder into the next call.
  Ps take(std::uint32_t bytes) {
    const std::uint64_t total = bytes * ps_per_byte_ + remainder_;
    remainder_ = total & ((std::uint64_t{1} << kFractionBits) - 1);
    return Ps{total >> kFractionBits};
  }
  /// The clock of a frame: until its tail has left, and until the next frame may start.
  struct FrameTimes {
    Ps tail;
    Ps next;
  };
  /// take(next_bytes), and what `tail_bytes` <= next_bytes of it last.
  FrameTimes take_frame(std::uint32_t tail_bytes, std::uint32_t next_bytes) {
    const std::uint64_t total = next_bytes * ps_per_byte_ + remainder_;
    const std::uint64_t tail = total - (next_bytes - tail_bytes) * ps_per_byte_;
    remainder_ = total & ((std::uint64_t{1} << kFractionBits) - 1);
    return {Ps{tail >> kFractionBits}, Ps{total >> kFractionBits}};
  }
  /// Duration of `bytes` from now, without moving the clock.
  Ps peek(std::uint32_t bytes) const {
    return Ps{(bytes * ps_per_byte_ + remainder_) >> kFractionBits};
  }

 private:
  std::uint64_t ps_per_byte_ = 0;  // Q30.34
  std::uint64_t remainder_ = 0;
};

}  // namespace sluice
