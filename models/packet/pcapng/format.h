// SPDX-License-Identifier: Apache-2.0
// Numbers of the pcapng file format (draft-ietf-opsawg-pcapng) and of classic pcap that reader and
// writer share. Leaves out: blocks and options that neither uses.
#pragma once

#include <cstdint>

namespace sluice::pcapng {

inline constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
inline constexpr std::uint32_t kInterfaceDescription = 1;
inline constexpr std::uint32_t kObsoletePacket = 2;
inline constexpr std::uint32_t kSimplePacket = 3;
inline constexpr std::uint32_t kEnhancedPacket = 6;

inline constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;

inline constexpr std::uint16_t kEndOfOptions = 0;
inline constexpr std::uint16_t kSectionApplication = 4;
inline constexpr std::uint16_t kInterfaceName = 2;
inline constexpr std::uint16_t kInterfaceSpeed = 8;
inline constexpr std::uint16_t kTimeResolution = 9;
inline constexpr std::uint16_t kFcsLength = 13;
inline constexpr std::uint16_t kTimeOffset = 14;
inline constexpr std::uint16_t kPacketFlags = 2;

inline constexpr std::uint16_t kLinkTypeEthernet = 1;

/// Bits of the flags of a packet.
inline constexpr std::uint32_t kFlagOutbound = 2;
inline constexpr std::uint32_t kFlagCrcError = 1U << 24;

/// First word of a classic pcap file, in the order of its writer.
inline constexpr std::uint32_t kPcapMicroseconds = 0xA1B2C3D4;
inline constexpr std::uint32_t kPcapNanoseconds = 0xA1B23C4D;

}  // namespace sluice::pcapng
