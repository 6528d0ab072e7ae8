// SPDX-License-Identifier: Apache-2.0
// CRC-32 of Ethernet frames and the RoCEv2 invariant CRC (IBTA annex A17.3.1), by zlib; CRC-32C and
// three CRC-16s bit by bit.
// Leaves out: InfiniBand's VCRC; it has no place in an Ethernet frame.
#pragma once

#include <cstdint>
#include <span>

namespace sluice::wire {

/// CRC-32 as zlib and IEEE 802.3 define it: reflected 04C11DB7, initial and final XOR with ones.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t previous = 0);

/// The shift register behind crc32(), without the final complement.
constexpr std::uint32_t crc32_register(std::uint32_t crc) { return ~crc; }

/// crc32() of a frame with its FCS, whatever the frame (IEEE 802.3 3.2.9).
inline constexpr std::uint32_t kGoodFrameCrc32 = 0x2144DF1C;

/// crc32() of the eight bytes of ones that stand for the masked LRH at the start of every ICRC.
std::uint32_t icrc_seed();

/// CRC-32C (Castagnoli): reflected 1EDC6F41, initial and final XOR with ones.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

/// CRC-16s by their names in use: CCITT-FALSE (1021 from FFFF), XMODEM (1021 from 0) and ARC
/// (reflected 8005 from 0).
std::uint16_t crc16_ccitt_false(std::span<const std::uint8_t> bytes);
std::uint16_t crc16_xmodem(std::span<const std::uint8_t> bytes);
std::uint16_t crc16_arc(std::span<const std::uint8_t> bytes);

/// ICRC of a packet from the first byte of its IP header to the last before the ICRC. Sent least
/// significant byte first. Fields that routers may change count as ones.
std::uint32_t icrc(std::span<const std::uint8_t> ip_packet);

}  // namespace sluice::wire
