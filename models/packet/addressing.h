// SPDX-License-Identifier: Apache-2.0
// The address plan: which addresses and UDP source ports a fabric's endpoints have, so that NICs,
// switches and captures agree without a message. Leaves out: subnets, and addresses of switches.
#pragma once

#include <cstdint>

#include "packet/wire/headers.h"

namespace sluice {

/// Endpoint n has 10.0.0.0 + n.
inline constexpr std::uint32_t kFirstIpv4Address = 10u << 24;
/// Endpoint n has fd53:6c75:6963::/96 with n as its lowest 32 bits (unique local, RFC 4193).
inline constexpr wire::Ipv6Address kIpv6Prefix{0xfd, 0x53, 0x6c, 0x75, 0x69, 0x63};

constexpr std::uint32_t ipv4_address_of(std::uint32_t endpoint) {
  return kFirstIpv4Address + endpoint;
}
constexpr wire::Ipv6Address ipv6_address_of(std::uint32_t endpoint) {
  wire::Ipv6Address address = kIpv6Prefix;
  for (unsigned i = 0; i < 4; ++i) {
    address[12 + i] = static_cast<std::uint8_t>(endpoint >> (24 - 8 * i));
  }
  return address;
}

/// 02:00 and the endpoint's number: locally administered, as a number of 48 bits.
constexpr std::uint64_t mac_of(std::uint32_t endpoint) { return 0x020000000000ULL | endpoint; }
/// What Packet::destination is for ff:ff:ff:ff:ff:ff in a fabric of so many endpoints. Only
/// switches in layer 2 mode send such frames on.
constexpr std::uint32_t broadcast_of(std::uint32_t endpoints) { return endpoints; }

/// UDP source port from a 20-bit flow label as Linux' RDMA core derives it: 0xC000 .. 0xFFFF.
constexpr std::uint16_t udp_source_port_of_label(std::uint32_t flow_label) {
  return static_cast<std::uint16_t>(((flow_label & 0x3FFF) ^ (flow_label >> 14 & 0x3F)) | 0xC000);
}

/// Port of the flow from `source` to `destination`, from a label mixed of the two.
std::uint16_t flow_source_port(std::uint32_t source, std::uint32_t destination);

}  // namespace sluice
