// SPDX-License-Identifier: Apache-2.0
// The Toeplitz hash of receive-side scaling, with Microsoft's verification key.
// Leaves out: symmetric keys.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace sluice::wire {

/// The key of "Verifying the RSS hash calculation".
inline constexpr std::array<std::uint8_t, 40> kToeplitzKey{
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

/// XOR of the 32 key bits that begin at each set bit of the input, first bit first. Input that is
/// longer than the key reaches meets the key's start again.
std::uint32_t toeplitz(std::span<const std::uint8_t> input,
                       std::span<const std::uint8_t> key = kToeplitzKey);

}  // namespace sluice::wire
