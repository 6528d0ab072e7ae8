// SPDX-License-Identifier: Apache-2.0
// What a captured frame is, told without trust: RoCEv2 with its headers, PFC, or something else.
// Leaves out: fragments, IP options' meaning, and RoCE version 1 beyond its EtherType.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "packet/wire/extensions.h"
#include "packet/wire/headers.h"

namespace sluice::pcapng {

struct IpAddress {
  bool ipv6 = false;
  wire::Ipv6Address bytes{};  ///< IPv4: the first four

  auto operator<=>(const IpAddress&) const = default;
  /// Dotted, or groups of hexadecimal digits without abbreviation.
  std::string text() const;
};

enum class SeenKind : std::uint8_t {
  kRoce,
  kPfc,
  kRoceV1,     ///< EtherType 0x8915
  kMalformed,  ///< to UDP port 4791, but its headers do not hold together
  kOther,
};

enum class Check : std::uint8_t { kGood, kBad, kNotSeen };

struct SeenPacket {
  SeenKind kind = SeenKind::kOther;
  Check fcs = Check::kNotSeen;
  // RoCE:
  IpAddress source;
  IpAddress destination;
  std::uint8_t dscp = 0;
  std::uint8_t ecn = 0;
  std::uint8_t ttl = 0;
  std::uint16_t udp_source_port = 0;
  wire::Bth bth;
  wire::Extensions extensions;
  std::uint32_t payload_bytes = 0;  ///< of the packet as it was sent, pad excluded
  std::uint32_t icrc_value = 0;
  Check icrc = Check::kNotSeen;  ///< not seen: the capture cut the frame before it
};

/// `bytes` is what was captured of a frame; `fcs_bytes` of those it was sent with are an FCS.
SeenPacket look_at(std::span<const std::uint8_t> bytes, std::uint32_t wire_bytes,
                   std::uint32_t fcs_bytes);

}  // namespace sluice::pcapng
