// SPDX-License-Identifier: Apache-2.0
#include "nic/flow.h"

#include "kernel/random.h"
#include "nic/psn.h"
#include "packet/wire/crc.h"

namespace sluice {
namespace {

std::uint64_t pair_key(std::uint32_t source, std::uint32_t destination) {
  return (std::uint64_t{source} << 32) | destination;
}

}  // namespace

std::uint32_t flow_hash_of(std::uint32_t source, std::uint32_t destination, bool ipv6) {
  wire::Buffer tuple;
  for (const std::uint32_t endpoint : {source, destination}) {
    if (ipv6) {
      wire::put_bytes(tuple, ipv6_address_of(endpoint));
    } else {
      wire::put_big(tuple, ipv4_address_of(endpoint), 4);
    }
  }
  wire::put_big(tuple, wire::kIpProtocolUdp, 1);
  wire::put_big(tuple, flow_source_port(source, destination), 2);
  wire::put_big(tuple, wire::kRoceUdpPort, 2);
  return wire::crc32(tuple);
}

std::uint32_t first_psn_of(std::uint32_t configured, std::uint64_t seed, std::uint32_t source,
                           std::uint32_t destination) {
  if (configured <= kPsnMask) return configured;
  return static_cast<std::uint32_t>(mix64(mix64(seed + 1) ^ pair_key(source, destination))) &
         kPsnMask;
}

}  // namespace sluice
