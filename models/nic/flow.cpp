// SPDX-License-Identifier: Apache-2.0
#include "nic/flow.h"

#include <zlib.h>

#include <array>

#include "kernel/random.h"
#include "nic/psn.h"

namespace sluice {
namespace {

constexpr std::uint32_t kFirstAddress = 10u << 24;  // 10.0.0.0
constexpr std::uint16_t kRocePort = 4791;
constexpr unsigned char kUdp = 17;

std::uint64_t pair_key(std::uint32_t source, std::uint32_t destination) {
  return (std::uint64_t{source} << 32) | destination;
}

}  // namespace

std::uint16_t flow_source_port(std::uint32_t source, std::uint32_t destination) {
  const std::uint64_t mixed = mix64(pair_key(source, destination) + 0x9e3779b97f4a7c15ULL);
  return udp_source_port_of_label(static_cast<std::uint32_t>(mixed & 0xFFFFF));
}

std::uint32_t flow_hash_of(std::uint32_t source, std::uint32_t destination) {
  const std::uint32_t from = kFirstAddress + source;
  const std::uint32_t to = kFirstAddress + destination;
  const std::uint16_t port = flow_source_port(source, destination);
  const auto byte = [](std::uint32_t value, unsigned shift) {
    return static_cast<unsigned char>(value >> shift);
  };
  const std::array<unsigned char, 13> tuple{
      byte(from, 24), byte(from, 16),     byte(from, 8),     byte(from, 0), byte(to, 24),
      byte(to, 16),   byte(to, 8),        byte(to, 0),       kUdp,          byte(port, 8),
      byte(port, 0),  byte(kRocePort, 8), byte(kRocePort, 0)};
  return static_cast<std::uint32_t>(crc32(0, tuple.data(), static_cast<uInt>(tuple.size())));
}

std::uint32_t first_psn_of(std::uint32_t configured, std::uint64_t seed, std::uint32_t source,
                           std::uint32_t destination) {
  if (configured <= kPsnMask) return configured;
  return static_cast<std::uint32_t>(mix64(mix64(seed + 1) ^ pair_key(source, destination))) &
         kPsnMask;
}

}  // namespace sluice
