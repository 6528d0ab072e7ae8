// SPDX-License-Identifier: Apache-2.0
// The packet descriptor (64 bytes, one cache line) and the pool it lives in. A packet is an index;
// wire bytes are made only when a capture asks (packet/wire). Units are in the names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/time.h"

namespace sluice {

using PacketId = std::uint32_t;
inline constexpr PacketId kNoPacket = UINT32_MAX;

/// Wire overhead outside the frame: preamble and SFD 8 B, minimum inter-packet gap 12 B
/// (IEEE 802.3 clause 3 and 4.4.2).
inline constexpr std::uint32_t kPreambleBytes = 8;
inline constexpr std::uint32_t kInterPacketGapBytes = 12;
inline constexpr std::uint32_t kWireOverheadBytes = kPreambleBytes + kInterPacketGapBytes;

enum class PacketKind : std::uint8_t {
  kRaw,            ///< frame of the raw source
  kWriteData,      ///< RDMA WRITE first, middle, last or only
  kAck,            ///< RC acknowledge, AETH syndrome 0x1F
  kNak,            ///< AETH syndrome 0x60, PSN sequence error
  kCnp,            ///< congestion notification, BTH opcode 0x81
  kPfc,            ///< IEEE 802.1Qbb priority-based flow control; never leaves the link
  kRouteNotice,    ///< adaptive routing: all paths to `destination` are busy; never leaves the link
  kUdSend,         ///< unreliable datagram, SEND_ONLY; nobody answers it
  kSendData,       ///< RC SEND first, middle, last or only
  kReadRequest,    ///< RDMA READ request; uses as many PSNs as its response has packets
  kReadResponse,   ///< first, middle, last or only
  kAtomicRequest,  ///< compare-and-swap or fetch-and-add
  kAtomicResponse,  ///< atomic acknowledge with the value found
  kProbe,           ///< round-trip probe; the other NIC's hardware answers it
  kProbeReply,
};

/// Codepoints of the IP ECN field (RFC 3168).
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

namespace packet_flag {
inline constexpr std::uint8_t kFirst = 1;       ///< first packet of its message
inline constexpr std::uint8_t kLast = 2;        ///< last packet of its message
inline constexpr std::uint8_t kAckReq = 4;      ///< BTH AckReq
inline constexpr std::uint8_t kTagged = 8;      ///< carries a VLAN tag; PCP in `pcp`
inline constexpr std::uint8_t kCorrupt = 16;    ///< bad FCS or stomped; dropped at the next store
inline constexpr std::uint8_t kImmediate = 32;  ///< last packet: carries immediate data
}  // namespace packet_flag

/// What a frame takes of a chip's shared buffer: where it came from, where it goes, its cells.
struct BufferClaim {
  constexpr BufferClaim() = default;
  constexpr BufferClaim(std::uint16_t in, std::uint8_t priority_group, std::uint16_t out,
                        std::uint8_t out_queue, std::uint32_t frame_cells)
      : ingress_port(in),
        egress_port(out),
        cells(static_cast<std::uint16_t>(frame_cells)),
        pg(priority_group),
        queue(out_queue) {}

  std::uint16_t ingress_port = 0;
  std::uint16_t egress_port = 0;
  std::uint16_t cells = 0;  ///< at least 1 of a frame in a buffer
  std::uint8_t pg = 0;
  std::uint8_t queue = 0;
};
static_assert(sizeof(BufferClaim) == 8, "travels in one register");

struct alignas(64) Packet {
  PacketId next = kNoPacket;      ///< link in the queue or free list that holds it
  std::uint32_t source = 0;       ///< sending endpoint, global number
  std::uint32_t destination = 0;  ///< receiving endpoint, global number
  std::uint32_t flow = 0;         ///< QP at the sender (data) or at the receiver (ack, nak, cnp)
  std::uint32_t flow_hash = 0;    ///< CRC-32 of the 5-tuple, computed once a flow
  std::uint32_t psn = 0;          ///< 24 bits; of a probe and its reply: the probe's number
  /// Requests: handle of the message at its sender, valid on the last packet. Replies that carry an
  /// AETH: that header's word, syndrome in the upper 8 bits and MSN in the lower 24 (IBTA 9.3.5).
  /// Probe reply: picoseconds that the answering NIC held the probe.
  std::uint32_t message = 0;
  std::uint16_t frame_bytes = 0;  ///< from destination MAC to FCS
  std::uint16_t payload_bytes = 0;
  BufferClaim claim;  ///< in the chip that holds it now
  PacketKind kind = PacketKind::kRaw;
  Ecn ecn = Ecn::kNotEct;
  std::uint8_t flags = 0;
  std::uint8_t dscp = 0;  ///< 6 bits
  std::uint8_t pcp = 0;   ///< 802.1Q priority; in a PFC frame the class-enable vector
  std::uint8_t ttl = 64;  ///< IPv4 TTL or IPv6 hop limit
  std::uint8_t hops = 0;  ///< links crossed so far
  Ps tail{};              ///< when its last bit reaches the place that holds it now
  /// Data: bytes of the message before this packet. PFC: pause quanta of the enabled classes.
  /// ACK and NAK of a NIC that keeps packets ahead of their turn: requester/repair.h.
  /// READ request: bytes of the message before what it wants << 32 | bytes it wants. CNP: 1 when it
  /// is about READ responses, `flow` then being the QP at its sender. Atomic response: the value
  /// found. Probe and its reply: when the probe was sent.
  std::uint64_t offset_bytes = 0;
};
static_assert(sizeof(Packet) == 64);

/// Pool of descriptors with stable addresses and a LIFO free list (a freed line is a warm line).
/// Address space for `kCapacity` descriptors is reserved once and committed as it is first used.
class PacketPool {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 26;

  PacketPool();
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// A descriptor with unspecified contents; the caller writes every field it uses.
  PacketId allocate() {
    if (free_ != kNoPacket) {
      const PacketId id = free_;
      free_ = base_[id].next;
      ++live_;
      return id;
    }
    return grow();
  }
  void release(PacketId id) {
    base_[id].next = free_;
    free_ = id;
    --live_;
  }
  Packet& operator[](PacketId id) { return base_[id]; }
  const Packet& operator[](PacketId id) const { return base_[id]; }

  const Packet* base() const { return base_; }
  std::size_t live() const { return live_; }        ///< descriptors in use now
  std::size_t created() const { return created_; }  ///< most descriptors ever in use

 private:
  PacketId grow();

  Packet* base_ = nullptr;
  PacketId free_ = kNoPacket;
  std::size_t live_ = 0;
  std::size_t created_ = 0;
};

}  // namespace sluice
