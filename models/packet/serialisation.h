// SPDX-License-Identifier: Apache-2.0
// How long frames are and how long they take: sizes of each packet kind, bytes on the wire,
// goodput, pause quanta, bytes in flight (IEEE 802.3, IBTA annex A17). Leaves out: PHY and FEC
// latency.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/clock_rate.h"
#include "kernel/parameter.h"
#include "kernel/time.h"
#include "packet/packet.h"

namespace sluice {

inline constexpr std::uint32_t kEthernetBytes = 14;
inline constexpr std::uint32_t kVlanBytes = 4;
inline constexpr std::uint32_t kIpv4Bytes = 20;
inline constexpr std::uint32_t kIpv6Bytes = 40;
inline constexpr std::uint32_t kUdpBytes = 8;
inline constexpr std::uint32_t kBthBytes = 12;
inline constexpr std::uint32_t kRethBytes = 16;
inline constexpr std::uint32_t kAethBytes = 4;
inline constexpr std::uint32_t kDethBytes = 8;
inline constexpr std::uint32_t kImmediateBytes = 4;
inline constexpr std::uint32_t kAtomicEthBytes = 28;
inline constexpr std::uint32_t kAtomicAckEthBytes = 8;
inline constexpr std::uint32_t kCnpReservedBytes = 16;
inline constexpr std::uint32_t kIcrcBytes = 4;
inline constexpr std::uint32_t kFcsBytes = 4;
inline constexpr std::uint32_t kMinFrameBytes = 64;
/// A PFC frame is padded to the minimum.
inline constexpr std::uint32_t kPfcFrameBytes = kMinFrameBytes;

/// What surrounds a RoCEv2 packet.
struct Encapsulation {
  bool ipv6 = false;
  bool vlan = false;
};

/// IBTA transport payloads end on a 4-byte boundary; the BTH counts these bytes.
constexpr std::uint32_t pad_bytes(std::uint32_t payload_bytes) { return (0U - payload_bytes) & 3U; }

/// Frame bytes of a RoCEv2 packet whose BTH is followed by `after_bth` bytes (before the ICRC).
constexpr std::uint32_t roce_frame_bytes(std::uint32_t after_bth, Encapsulation around = {}) {
  return std::max(kMinFrameBytes, kEthernetBytes + (around.vlan ? kVlanBytes : 0) +
                                      (around.ipv6 ? kIpv6Bytes : kIpv4Bytes) + kUdpBytes +
                                      kBthBytes + after_bth + kIcrcBytes + kFcsBytes);
}

/// One packet of an RDMA WRITE; `reth` on the first and only (or on every) packet.
constexpr std::uint32_t write_frame_bytes(std::uint32_t payload_bytes, bool reth,
                                          Encapsulation around = {}) {
  return roce_frame_bytes((reth ? kRethBytes : 0) + payload_bytes + pad_bytes(payload_bytes),
                          around);
}
/// One packet of a SEND.
constexpr std::uint32_t send_frame_bytes(std::uint32_t payload_bytes, Encapsulation around = {}) {
  return write_frame_bytes(payload_bytes, false, around);
}
/// An unreliable datagram (UD SEND_ONLY).
constexpr std::uint32_t ud_send_frame_bytes(std::uint32_t payload_bytes,
                                            Encapsulation around = {}) {
  return roce_frame_bytes(kDethBytes + payload_bytes + pad_bytes(payload_bytes), around);
}
constexpr std::uint32_t ack_frame_bytes(Encapsulation around = {}) {
  return roce_frame_bytes(kAethBytes, around);
}
constexpr std::uint32_t cnp_frame_bytes(Encapsulation around = {}) {
  return roce_frame_bytes(kCnpReservedBytes, around);
}
constexpr std::uint32_t read_request_frame_bytes(Encapsulation around = {}) {
  return roce_frame_bytes(kRethBytes, around);
}
/// First, last or only packet of a READ response; middle ones are as long as those of a SEND.
constexpr std::uint32_t read_response_frame_bytes(std::uint32_t payload_bytes,
                                                  Encapsulation around = {}) {
  return roce_frame_bytes(kAethBytes + payload_bytes + pad_bytes(payload_bytes), around);
}
constexpr std::uint32_t atomic_request_frame_bytes(Encapsulation around = {}) {
  return roce_frame_bytes(kAtomicEthBytes, around);
}
constexpr std::uint32_t atomic_ack_frame_bytes(Encapsulation around = {}) {
  return roce_frame_bytes(kAethBytes + kAtomicAckEthBytes, around);
}

/// Bytes of line time that a frame takes: preamble and inter-packet gap added.
constexpr std::uint32_t wire_bytes(std::uint32_t frame_bytes,
                                   std::uint32_t gap_bytes = kInterPacketGapBytes) {
  return frame_bytes + kPreambleBytes + gap_bytes;
}

/// Packets of a message; one of 0 bytes takes one.
constexpr std::uint64_t packets_of_message(std::uint64_t message_bytes, std::uint32_t mtu_bytes) {
  return message_bytes == 0 ? 1 : (message_bytes + mtu_bytes - 1) / mtu_bytes;
}

/// What a round-trip probe and its reply carry, as UD SEND_ONLY to `kProbeQp`: when the probe left,
/// 8 B of ps; the answering NIC's own time, 4 B of ps, 0 in a probe; 4 B of 0. Big-endian.
inline constexpr std::uint32_t kProbePayloadBytes = 16;
/// Destination QP of a probe. Choice: NVIDIA's format is not public.
inline constexpr std::uint32_t kProbeQp = 0xFFFFFD;
constexpr std::uint32_t probe_frame_bytes(Encapsulation around = {}) {
  return ud_send_frame_bytes(kProbePayloadBytes, around);
}

/// Line time in bytes of an RDMA WRITE of a whole message (golden table G1).
constexpr std::uint64_t write_wire_bytes(std::uint64_t message_bytes, std::uint32_t mtu_bytes,
                                         bool reth_every_packet = false,
                                         Encapsulation around = {}) {
  const std::uint64_t packets = packets_of_message(message_bytes, mtu_bytes);
  const auto last_bytes =
      static_cast<std::uint32_t>(message_bytes - (packets - 1) * std::uint64_t{mtu_bytes});
  const auto wire = [around](std::uint32_t payload, bool reth) {
    return std::uint64_t{wire_bytes(write_frame_bytes(payload, reth, around))};
  };
  if (packets == 1) return wire(last_bytes, true);
  return wire(mtu_bytes, true) + (packets - 2) * wire(mtu_bytes, reth_every_packet) +
         wire(last_bytes, reth_every_packet);
}

/// Share of the MAC rate that is payload.
constexpr double goodput_share(std::uint32_t payload_bytes, std::uint32_t frame_bytes,
                               std::uint32_t gap_bytes = kInterPacketGapBytes) {
  return static_cast<double>(payload_bytes) /
         static_cast<double>(wire_bytes(frame_bytes, gap_bytes));
}

/// Buffer cells that a frame occupies.
constexpr std::uint32_t cells_of_frame(std::uint32_t frame_bytes, std::uint32_t cell_bytes) {
  return (frame_bytes + cell_bytes - 1) / cell_bytes;
}

/// Duration of `bits` bit times, rounded down to a picosecond.
constexpr Ps bit_times(std::uint64_t bits, BitsPerSecond rate) {
  return Ps{static_cast<std::uint64_t>(static_cast<__uint128_t>(bits) * 1'000'000'000'000ULL /
                                       rate.value)};
}

/// Bit times of one pause quantum (IEEE 802.3 annex 31B.2).
inline constexpr std::uint32_t kPauseQuantumBits = 512;

/// Duration of pause quanta at the speed of the port that was told to pause.
constexpr Ps pause_duration(std::uint32_t quanta, BitsPerSecond rate) {
  return bit_times(std::uint64_t{quanta} * kPauseQuantumBits, rate);
}

/// Light and copper alike: 5 ns/m (group index about 1.5).
inline constexpr std::uint64_t kPropagationPsPerMetre = 5000;

constexpr Ps propagation_delay(Millimetres length,
                               std::uint64_t ps_per_metre = kPropagationPsPerMetre) {
  return Ps{length.value * ps_per_metre / 1000};
}

/// Bytes that one direction of a cable holds at full rate.
constexpr std::uint64_t bytes_in_flight(Millimetres length, BitsPerSecond rate,
                                        std::uint64_t ps_per_metre = kPropagationPsPerMetre) {
  return static_cast<std::uint64_t>(
      static_cast<__uint128_t>(propagation_delay(length, ps_per_metre).value) * rate.value /
      8'000'000'000'000ULL);
}

}  // namespace sluice
