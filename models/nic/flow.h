// SPDX-License-Identifier: Apache-2.0
// What names a flow on the wire and what both ends of a connection agree on without a message: UDP
// source port, hash of the 5-tuple and first PSN, which a connection manager would have exchanged.
#pragma once

#include <cstdint>

namespace sluice {

/// UDP source port from a 20-bit flow label as Linux' RDMA core derives it: 0xC000 .. 0xFFFF.
constexpr std::uint16_t udp_source_port_of_label(std::uint32_t flow_label) {
  return static_cast<std::uint16_t>(((flow_label & 0x3FFF) ^ (flow_label >> 14 & 0x3F)) | 0xC000);
}

/// Port of the flow from `source` to `destination`, from a label mixed of the two.
std::uint16_t flow_source_port(std::uint32_t source, std::uint32_t destination);

/// CRC-32 (IEEE 802.3) of source address, destination address, protocol 17, source port and
/// destination port 4791 in network order; endpoint n has address 10.0.0.0 + n.
std::uint32_t flow_hash_of(std::uint32_t source, std::uint32_t destination);

/// First PSN of the QP from `source` to `destination`: `configured` when it is below 2^24.
std::uint32_t first_psn_of(std::uint32_t configured, std::uint64_t seed, std::uint32_t source,
                           std::uint32_t destination);

}  // namespace sluice
