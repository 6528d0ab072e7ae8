// SPDX-License-Identifier: Apache-2.0
// A flow's hash computed by the switch itself from a packet's header fields, by CRC-32, XOR or
// Toeplitz. Leaves out: MAC addresses, flow labels, the ingress port.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/parameter.h"
#include "packet/packet.h"

namespace sluice {

enum class HashAlgorithm : std::uint8_t { kCrc32, kXor, kToeplitz };

/// Which header fields count; they enter in this order, in network byte order.
struct HashFields {
  bool src_ip = true;
  bool dst_ip = true;
  bool protocol = true;
  bool src_port = true;
  bool dst_port = true;
  bool dst_qp = false;

  void describe(ParameterVisitor& visitor);
  bool none() const { return !(src_ip || dst_ip || protocol || src_port || dst_port || dst_qp); }
  bool operator==(const HashFields&) const = default;
};

/// What a parser hands to the hash. IPv4 addresses are in the first four bytes.
struct HashInput {
  std::array<std::uint8_t, 16> source{};
  std::array<std::uint8_t, 16> destination{};
  bool ipv6 = false;
  std::uint8_t protocol = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t qp = 0;  ///< 24 bits

  static HashInput of(const Packet& packet, bool ipv6);
};

class HeaderHash {
 public:
  HeaderHash(HashAlgorithm algorithm, HashFields fields, bool ipv6)
      : algorithm_(algorithm), fields_(fields), ipv6_(ipv6) {}

  std::uint32_t operator()(const Packet& packet) const { return of(HashInput::of(packet, ipv6_)); }
  std::uint32_t of(const HashInput& input) const;

 private:
  HashAlgorithm algorithm_;
  HashFields fields_;
  bool ipv6_;
};

}  // namespace sluice
