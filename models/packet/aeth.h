// SPDX-License-Identifier: Apache-2.0
// The acknowledge extended header as one word, its syndromes, and the tables behind them (IBTA vol.
// 1, 9.7.5.2: RNR timers, end-to-end credits). Leaves out: the header's bytes (packet/wire).
#pragma once

#include <array>
#include <cstdint>

#include "kernel/time.h"

namespace sluice::aeth {

inline constexpr std::uint32_t kMsnMask = 0xFFFFFF;

/// ACK: 000ccccc, a credit code. RNR NAK: 001ttttt, a timer code. NAK: 011nnnnn.
inline constexpr std::uint8_t kAckUnlimited = 0x1F;  ///< credits are not used
inline constexpr std::uint8_t kRnrNak = 0x20;        ///< plus the timer code
inline constexpr std::uint8_t kNakSequence = 0x60;
inline constexpr std::uint8_t kNakInvalidRequest = 0x61;
inline constexpr std::uint8_t kNakRemoteAccess = 0x62;
inline constexpr std::uint8_t kNakRemoteOperational = 0x63;
inline constexpr std::uint8_t kCodeMask = 0x1F;

constexpr std::uint32_t word(std::uint8_t syndrome, std::uint32_t msn) {
  return std::uint32_t{syndrome} << 24 | (msn & kMsnMask);
}
constexpr std::uint8_t syndrome_of(std::uint32_t word) {
  return static_cast<std::uint8_t>(word >> 24);
}
constexpr std::uint32_t msn_of(std::uint32_t word) { return word & kMsnMask; }
constexpr bool is_rnr(std::uint8_t syndrome) { return (syndrome & 0xE0) == kRnrNak; }

/// Receive requests that a credit code stands for; code 31 is kAckUnlimited.
inline constexpr std::array<std::uint32_t, 31> kCredits{
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

/// The largest code that promises no more than `credits`.
constexpr std::uint8_t credit_code(std::uint64_t credits) {
  std::uint8_t code = 0;
  while (code + 1u < kCredits.size() && kCredits[code + 1u] <= credits) ++code;
  return code;
}

/// RNR timer of each code in units of 10 us; code 0 is the longest.
inline constexpr std::array<std::uint32_t, 32> kRnrTimers{
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
constexpr Ps rnr_timer(std::uint32_t code) {
  return Ps{std::uint64_t{kRnrTimers[code & kCodeMask]} * 10'000'000};
}

}  // namespace sluice::aeth
