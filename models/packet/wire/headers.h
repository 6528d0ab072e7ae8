// SPDX-License-Identifier: Apache-2.0
// Headers of a RoCEv2 frame as small structs with encode and decode (IEEE 802.3, RFC 791, 768,
// 8200, IBTA volume 1 chapter 9 and annex A17). Leaves out: IP options and extension headers.
#pragma once

#include <array>
#include <cstdint>

#include "packet/wire/byte_order.h"

namespace sluice::wire {

using Mac = std::array<std::uint8_t, 6>;
using Ipv6Address = std::array<std::uint8_t, 16>;

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86DD;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;
inline constexpr std::uint16_t kEtherTypeMacControl = 0x8808;
inline constexpr std::uint16_t kRoceUdpPort = 4791;
inline constexpr std::uint8_t kIpProtocolUdp = 17;

struct Ethernet {
  Mac destination{};
  Mac source{};
  bool vlan = false;
  std::uint8_t pcp = 0;       ///< 802.1Q priority, 3 bits
  std::uint16_t vlan_id = 0;  ///< 12 bits
  std::uint16_t ether_type = 0;

  void encode(Buffer& out) const;
  static Ethernet decode(Reader& in);
  bool operator==(const Ethernet&) const = default;
};

struct Ipv4 {
  std::uint8_t dscp = 0;
  std::uint8_t ecn = 0;
  std::uint16_t total_bytes = 0;  ///< header included
  std::uint16_t identification = 0;
  bool dont_fragment = true;
  std::uint8_t ttl = 64;
  std::uint8_t protocol = kIpProtocolUdp;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;

  /// The checksum is computed when encoding and must be right when decoding.
  void encode(Buffer& out) const;
  static Ipv4 decode(Reader& in);
  bool operator==(const Ipv4&) const = default;
};

struct Ipv6 {
  std::uint8_t dscp = 0;
  std::uint8_t ecn = 0;
  std::uint32_t flow_label = 0;     ///< 20 bits
  std::uint16_t payload_bytes = 0;  ///< header not included
  std::uint8_t next_header = kIpProtocolUdp;
  std::uint8_t hop_limit = 64;
  Ipv6Address source{};
  Ipv6Address destination{};

  void encode(Buffer& out) const;
  static Ipv6 decode(Reader& in);
  bool operator==(const Ipv6&) const = default;
};

struct Udp {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = kRoceUdpPort;
  std::uint16_t bytes = 0;  ///< header included
  std::uint16_t checksum = 0;

  void encode(Buffer& out) const;
  static Udp decode(Reader& in);
  bool operator==(const Udp&) const = default;
};

/// Opcodes that the model sends (IBTA table 38): all of reliable connection but the two SENDs with
/// invalidate, unreliable datagram, and the CNP's.
enum class Opcode : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImmediate = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImmediate = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImmediate = 0x09,
  kWriteOnly = 0x0A,
  kWriteOnlyImmediate = 0x0B,
  kReadRequest = 0x0C,
  kReadResponseFirst = 0x0D,
  kReadResponseMiddle = 0x0E,
  kReadResponseLast = 0x0F,
  kReadResponseOnly = 0x10,
  kAcknowledge = 0x11,
  kAtomicAcknowledge = 0x12,
  kCompareSwap = 0x13,
  kFetchAdd = 0x14,
  kUdSendOnly = 0x64,
  kCnp = 0x81,
};

struct Bth {
  std::uint8_t opcode = 0;
  bool solicited = false;
  bool mig_req = false;
  std::uint8_t pad_count = 0;  ///< 2 bits
  std::uint16_t partition_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint32_t destination_qp = 0;  ///< 24 bits
  bool ack_request = false;
  std::uint32_t psn = 0;  ///< 24 bits

  void encode(Buffer& out) const;
  static Bth decode(Reader& in);
  bool operator==(const Bth&) const = default;
};

struct Reth {
  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t dma_bytes = 0;

  void encode(Buffer& out) const;
  static Reth decode(Reader& in);
  bool operator==(const Reth&) const = default;
};

/// Syndromes (IBTA 9.7.5.2): acknowledge without credit count, and NAK for a PSN sequence error.
inline constexpr std::uint8_t kSyndromeAck = 0x1F;
inline constexpr std::uint8_t kSyndromeNakSequence = 0x60;

struct Aeth {
  std::uint8_t syndrome = kSyndromeAck;
  std::uint32_t msn = 0;  ///< 24 bits

  void encode(Buffer& out) const;
  static Aeth decode(Reader& in);
  bool operator==(const Aeth&) const = default;
};

/// What every datagram carries after its BTH (IBTA 9.3.2).
struct Deth {
  std::uint32_t queue_key = 0;
  std::uint32_t source_qp = 0;  ///< 24 bits

  void encode(Buffer& out) const;
  static Deth decode(Reader& in);
  bool operator==(const Deth&) const = default;
};

/// What an atomic asks for: swap with compare, or add, in which case `compare` is 0 (IBTA 9.3.4).
struct AtomicEth {
  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;

  void encode(Buffer& out) const;
  static AtomicEth decode(Reader& in);
  bool operator==(const AtomicEth&) const = default;
};

/// One's complement sum of RFC 1071 over `bytes`, not yet complemented; starts from `sum`.
std::uint32_t internet_sum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);
/// Folds and complements an internet_sum.
std::uint16_t internet_checksum(std::uint32_t sum);

}  // namespace sluice::wire
