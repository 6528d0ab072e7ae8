// SPDX-License-Identifier: Apache-2.0
// Bit fields of pins that are wider than 64 bits, which Verilator keeps as words of 32.
// Leaves out: fields of more than 64 bits.
#pragma once

#include <cstdint>

namespace sluice::rtl {

/// `width` bits from `low` on, 64 at most.
template <class Words>
std::uint64_t get_bits(const Words& words, unsigned low, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned bit = (low + done) % 32;
    const unsigned part = width - done < 32 - bit ? width - done : 32 - bit;
    const std::uint64_t mask = (std::uint64_t{1} << part) - 1;
    value |= (std::uint64_t{words[(low + done) / 32]} >> bit & mask) << done;
    done += part;
  }
  return value;
}

template <class Words>
void put_bits(Words& words, unsigned low, unsigned width, std::uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const unsigned bit = (low + done) % 32;
    const unsigned part = width - done < 32 - bit ? width - done : 32 - bit;
    const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << part) - 1) << bit);
    auto& word = words[(low + done) / 32];
    word = (word & ~mask) | (static_cast<std::uint32_t>(value >> done << bit) & mask);
    done += part;
  }
}

}  // namespace sluice::rtl
