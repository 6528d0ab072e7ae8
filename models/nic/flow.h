// SPDX-License-Identifier: Apache-2.0
// What names a flow on the wire and what both ends of a connection agree on without a message: UDP
// source port, hash of the 5-tuple and first PSN, which a connection manager would have exchanged.
#pragma once

#include <cstdint>

#include "packet/addressing.h"

namespace sluice {

/// CRC-32 (IEEE 802.3) of source address, destination address, protocol 17, source port and
/// destination port 4791 in network order, with addresses as packet/addressing.h has them.
std::uint32_t flow_hash_of(std::uint32_t source, std::uint32_t destination, bool ipv6 = false);

/// First PSN of the QP from `source` to `destination`: `configured` when it is below 2^24.
std::uint32_t first_psn_of(std::uint32_t configured, std::uint64_t seed, std::uint32_t source,
                           std::uint32_t destination);

}  // namespace sluice
