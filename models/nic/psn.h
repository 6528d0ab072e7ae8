// SPDX-License-Identifier: Apache-2.0
// Arithmetic of packet sequence numbers: 24 bits, modulo (IBTA vol. 1, 9.7.2).
// Leaves out: message sequence numbers, which no model here needs.
#pragma once

#include <cstdint>

namespace sluice {

inline constexpr std::uint32_t kPsnMask = 0xFFFFFF;
/// Half the PSN space: no more packets than this may be outstanding on one QP.
inline constexpr std::uint32_t kPsnWindow = 1u << 23;

constexpr std::uint32_t psn_add(std::uint32_t psn, std::uint32_t packets) {
  return (psn + packets) & kPsnMask;
}
/// Packets from `b` forward to `a`, modulo 2^24.
constexpr std::uint32_t psn_distance(std::uint32_t a, std::uint32_t b) {
  return (a - b) & kPsnMask;
}
/// True when `a` is `b` or comes less than 2^23 after it.
constexpr bool psn_at_or_after(std::uint32_t a, std::uint32_t b) {
  return psn_distance(a, b) < kPsnWindow;
}

}  // namespace sluice
