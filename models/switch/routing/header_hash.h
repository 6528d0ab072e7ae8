// SPDX-License-Identifier: Apache-2.0
// A flow's hash computed by the switch itself from a packet's header fields, by CRC-32, XOR or
// Toeplitz. Leaves out: MAC addresses, flow labels, the ingress port.
#pragma once

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

class HeaderHash {
 public:
  HeaderHash(HashAlgorithm algorithm, HashFields fields, bool ipv6)
      : algorithm_(algorithm), fields_(fields), ipv6_(ipv6) {}

  std::uint32_t operator()(const Packet& packet) const;

 private:
  HashAlgorithm algorithm_;
  HashFields fields_;
  bool ipv6_;
};

}  // namespace sluice
