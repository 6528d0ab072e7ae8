// SPDX-License-Identifier: Apache-2.0
// From a packet descriptor to the complete frame it stands for, preamble and gap aside; everything
// that the descriptor lacks comes in a FrameContext. Addresses follow packet/addressing.h. Leaves
// out: what routers do to MAC addresses (both ends' stay), and contents: payload is a pattern.
#pragma once

#include <cstdint>

#include "packet/packet.h"
#include "packet/wire/headers.h"

namespace sluice::wire {

/// A request message as its headers describe it.
struct WireMessage {
  std::uint64_t remote_address = 0;  ///< SEND: a place of its own, for its payload alone
  bool has_address = true;           ///< false: a capture gives it a place of its own
  std::uint32_t remote_key = 0;
  std::uint64_t bytes = 0;
  std::uint32_t immediate = 0;
  bool fetch_add = false;  ///< atomics: else compare and swap
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
};

struct FrameContext {
  bool ipv6 = false;
  std::uint32_t endpoints = 0;       ///< of the fabric; broadcast_of them is the broadcast
  std::uint32_t destination_qp = 0;  ///< 24 bits
  std::uint32_t source_qp = 0;       ///< datagrams say it
  WireMessage message;               ///< that the packet belongs to or answers
  Mac pfc_source{};                  ///< of the port that sends a PFC frame
};

/// Throws InvariantError where the frame does not come out as long as the descriptor says. A
/// corrupt packet gets an FCS with all bits inverted.
Buffer compose_frame(const Packet& packet, const FrameContext& context);

/// The byte at `address` in every capture: byte k of the aligned group of eight at address a is
/// bits 8 k to 8 k + 7 of mix64(a / 8) with the lowest bit of each byte set.
std::uint8_t payload_byte(std::uint64_t address);
/// Appends those of `bytes` addresses from `address` on.
void put_payload(Buffer& out, std::uint64_t address, std::uint32_t bytes);

/// Queue key of the model's datagrams, and the UDP port (discard, RFC 863) of raw frames.
inline constexpr std::uint32_t kDatagramQueueKey = 0x11111111;
inline constexpr std::uint16_t kRawUdpPort = 9;

constexpr Mac mac_bytes(std::uint64_t mac) {
  Mac out{};
  for (unsigned i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
  return out;
}

}  // namespace sluice::wire
