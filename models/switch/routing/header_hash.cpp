// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/header_hash.h"

#include <array>
#include <span>
#include <string_view>

#include "packet/addressing.h"
#include "packet/wire/crc.h"
#include "packet/wire/toeplitz.h"

namespace sluice {
namespace {

/// The chosen fields one after the other; IPv6 addresses, ports, protocol and QP at most.
class Key {
 public:
  void put(std::uint32_t value, unsigned bytes) {
    while (bytes-- > 0) bytes_[size_++] = static_cast<std::uint8_t>(value >> (8 * bytes));
  }
  void put_address(const std::array<std::uint8_t, 16>& address, bool ipv6) {
    for (std::size_t i = 0; i < (ipv6 ? 16u : 4u); ++i) bytes_[size_++] = address[i];
  }
  std::span<const std::uint8_t> bytes() const { return std::span(bytes_).first(size_); }

 private:
  std::array<std::uint8_t, 40> bytes_{};
  std::size_t size_ = 0;
};

/// UDP source port. A raw frame has none of its own: its stream's hash stands for it.
std::uint16_t source_port_of(const Packet& packet) {
  if (packet.kind == PacketKind::kRaw) return udp_source_port_of_label(packet.flow_hash & 0x3FFF);
  return flow_source_port(packet.source, packet.destination);
}

/// Folds to 32 bits; fields of fewer bytes fall where their place in the key puts them.
std::uint32_t xor_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    hash ^= std::uint32_t{bytes[i]} << (24 - 8 * (i % 4));
  }
  return hash;
}

}  // namespace

void HashFields::describe(ParameterVisitor& visitor) {
  const std::string_view source = "SAI saihash.h native fields";
  visitor.visit("src_ip", src_ip, {"source address", source});
  visitor.visit("dst_ip", dst_ip, {"destination address", source});
  visitor.visit("protocol", protocol, {"IP protocol", source});
  visitor.visit("src_port", src_port, {"UDP source port", source});
  visitor.visit("dst_port", dst_port, {"UDP destination port", source});
  visitor.visit("dst_qp", dst_qp,
                {"destination QP: splits the QPs of one pair (enhanced ECMP)",
                 "SAI_NATIVE_HASH_FIELD_RDMA_BTH_DEST_QP"});
}

HashInput HashInput::of(const Packet& packet, bool ipv6) {
  HashInput input;
  input.ipv6 = ipv6;
  if (ipv6) {
    input.source = ipv6_address_of(packet.source);
    input.destination = ipv6_address_of(packet.destination);
  } else {
    for (unsigned i = 0; i < 4; ++i) {
      input.source[i] = static_cast<std::uint8_t>(ipv4_address_of(packet.source) >> (24 - 8 * i));
      input.destination[i] =
          static_cast<std::uint8_t>(ipv4_address_of(packet.destination) >> (24 - 8 * i));
    }
  }
  input.protocol = wire::kIpProtocolUdp;
  input.source_port = source_port_of(packet);
  input.destination_port = wire::kRoceUdpPort;
  // Both ends of a connection number it alike, so Packet::flow is what the BTH carries.
  input.qp = packet.flow & 0xFFFFFF;
  return input;
}

std::uint32_t HeaderHash::of(const HashInput& input) const {
  Key key;
  if (fields_.src_ip) key.put_address(input.source, input.ipv6);
  if (fields_.dst_ip) key.put_address(input.destination, input.ipv6);
  if (fields_.protocol) key.put(input.protocol, 1);
  if (fields_.src_port) key.put(input.source_port, 2);
  if (fields_.dst_port) key.put(input.destination_port, 2);
  if (fields_.dst_qp) key.put(input.qp, 3);
  switch (algorithm_) {
    case HashAlgorithm::kXor:
      return xor_of(key.bytes());
    case HashAlgorithm::kToeplitz:
      return wire::toeplitz(key.bytes());
    case HashAlgorithm::kCrc32:
      break;
  }
  return wire::crc32(key.bytes());
}

}  // namespace sluice
