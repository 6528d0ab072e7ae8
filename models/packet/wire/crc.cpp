// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/crc.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "kernel/error.h"
#include "packet/serialisation.h"

namespace sluice::wire {
namespace {

/// Least significant bit first; `polynomial` is written reflected.
template <class Register>
Register reflected_crc(std::span<const std::uint8_t> bytes, Register polynomial, Register crc) {
  for (const std::uint8_t byte : bytes) {
    crc = static_cast<Register>(crc ^ byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = static_cast<Register>(crc >> 1 ^ ((crc & 1U) != 0 ? polynomial : Register{0}));
    }
  }
  return crc;
}

/// CRC-16 by polynomial 1021, most significant bit first.
std::uint16_t crc16_1021(std::span<const std::uint8_t> bytes, std::uint16_t crc) {
  for (const std::uint8_t byte : bytes) {
    crc = static_cast<std::uint16_t>(crc ^ byte << 8);
    for (int bit = 0; bit < 8; ++bit) {
      crc = static_cast<std::uint16_t>(crc << 1 ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U));
    }
  }
  return crc;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  return ~reflected_crc<std::uint32_t>(bytes, 0x82F63B78U, UINT32_MAX);
}

std::uint16_t crc16_ccitt_false(std::span<const std::uint8_t> bytes) {
  return crc16_1021(bytes, 0xFFFF);
}

std::uint16_t crc16_xmodem(std::span<const std::uint8_t> bytes) { return crc16_1021(bytes, 0); }

std::uint16_t crc16_arc(std::span<const std::uint8_t> bytes) {
  return reflected_crc<std::uint16_t>(bytes, 0xA001, 0);
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t previous) {
  return static_cast<std::uint32_t>(::crc32_z(previous, bytes.data(), bytes.size()));
}

std::uint32_t icrc_seed() {
  std::array<std::uint8_t, 8> ones{};
  ones.fill(0xff);
  return crc32(ones);
}

std::uint32_t icrc(std::span<const std::uint8_t> ip_packet) {
  const bool ipv6 = !ip_packet.empty() && (ip_packet[0] >> 4) == 6;
  const std::size_t ip_bytes = ipv6 ? kIpv6Bytes : kIpv4Bytes;
  const std::size_t masked_bytes = ip_bytes + kUdpBytes + kBthBytes;
  SLUICE_CHECK(ip_packet.size() >= masked_bytes, "an ICRC over {} bytes, less than IP, UDP and BTH",
               ip_packet.size());
  std::array<std::uint8_t, kIpv6Bytes + kUdpBytes + kBthBytes> head{};
  std::copy_n(ip_packet.begin(), masked_bytes, head.begin());
  if (ipv6) {
    head[0] |= 0x0f;                                       // traffic class, upper half
    std::fill_n(head.begin() + 1, 3, std::uint8_t{0xff});  // its lower half and the flow label
    head[7] = 0xff;                                        // hop limit
  } else {
    head[1] = 0xff;              // type of service
    head[8] = 0xff;              // time to live
    head[10] = head[11] = 0xff;  // header checksum
  }
  head[ip_bytes + 6] = head[ip_bytes + 7] = 0xff;  // UDP checksum
  head[ip_bytes + kUdpBytes + 4] = 0xff;           // FECN, BECN and reserved bits of the BTH
  const std::uint32_t crc = crc32(std::span(head).first(masked_bytes), icrc_seed());
  return crc32(ip_packet.subspan(masked_bytes), crc);
}

}  // namespace sluice::wire
