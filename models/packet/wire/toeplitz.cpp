// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/toeplitz.h"

namespace sluice::wire {

std::uint32_t toeplitz(std::span<const std::uint8_t> input, std::span<const std::uint8_t> key) {
  const auto key_byte = [key](std::size_t i) { return std::uint32_t{key[i % key.size()]}; };
  std::uint32_t window = key_byte(0) << 24 | key_byte(1) << 16 | key_byte(2) << 8 | key_byte(3);
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const std::uint32_t coming = key_byte(i + 4);
    for (unsigned bit = 8; bit-- > 0;) {
      if ((input[i] >> bit & 1U) != 0) hash ^= window;
      window = window << 1 | (coming >> bit & 1U);
    }
  }
  return hash;
}

}  // namespace sluice::wire
