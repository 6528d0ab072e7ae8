// SPDX-License-Identifier: Apache-2.0
// Hot state of one port's transmit side and of its queues, laid out by cache line.
// Leaves out: decisions; the chip makes them.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/clock_rate.h"
#include "packet/packet.h"
#include "switch/drop_reason.h"

namespace sluice {

class ClassTable;  // switch/qos

/// One egress queue: one cache line, intrusive list of packets through Packet::next.
struct alignas(64) EgressQueue {
  PacketId head = kNoPacket;
  PacketId tail = kNoPacket;
  std::uint32_t bytes = 0;  ///< frame bytes held
  std::uint32_t packets = 0;
  std::uint32_t ecn_floor = UINT32_MAX;  ///< the marker need not be asked at or below this depth
  bool marks_at_enqueue = false;
  bool wred_drops = false;  ///< what cannot be marked follows the curve as drops
  std::uint16_t pad = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t ecn_marked = 0;
};
static_assert(sizeof(EgressQueue) == 64);

/// Above any queue number, so that no ready mask has its bit.
inline constexpr std::uint8_t kNoneChosen = 31;

struct alignas(64) EgressPort {
  // First line: every transmission.
  ByteClock clock;
  Ps head_delay{};         ///< scheduler to the peer's event, head of the frame
  std::uint32_t peer = 0;  ///< event target at the other end
  std::uint8_t peer_frame_kind = 0;
  std::uint8_t peer_pfc_kind = 0;
  bool peer_at_tail = false;
  bool busy = false;       ///< a frame is on its way out, or a delayed start is posted
  std::uint8_t ready = 0;  ///< mask of queues that hold a packet
  std::uint8_t paused =
      0;  ///< mask of queues that may not send (refreshed when it may have changed)
  std::uint8_t xoff_pending = 0;  ///< PFC classes to pause in the next frame
  std::uint8_t xon_pending = 0;
  std::uint32_t fifo_cells = 0;
  /// What the frame in transmission gives back to the MMU when its last bit has left; no cells:
  /// nothing (PFC frame, or already released into the FIFO).
  BufferClaim held;
  PacketId fifo_head = kNoPacket;
  PacketId fifo_tail = kNoPacket;
  // Second line: PFC and wake-ups.
  Ps pfc_delay{};
  bool contended = false;  ///< two queues have competed: the scheduler may hold deficits
  std::uint32_t rate_gbps = 0;
  std::uint8_t chosen = kNoneChosen;  ///< queue whose head waits for a delayed start
  std::uint8_t peer_stopped = 0;      ///< PFC classes whose last frame to the peer was an XOFF
  std::uint64_t tx_pfc_xoff_frames = 0;
  std::uint64_t tx_pfc_xon_frames = 0;

  /// `ready`, with higher bits when a queue is paused or a PFC frame waits. The compiler makes one
  /// load of it.
  std::uint32_t ready_and_more() const {
    return ready | static_cast<std::uint32_t>(paused) << 8 |
           static_cast<std::uint32_t>(xoff_pending) << 16 |
           static_cast<std::uint32_t>(xon_pending) << 24;
  }
};
static_assert(sizeof(EgressPort) == 128);

/// Counters of one port's receive side, and its drops by reason.
struct alignas(64) IngressPort {
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  const ClassTable* classes = nullptr;
  std::uint32_t pipe = 0;
  std::uint8_t pfc_enable = 0;  ///< priorities that this port pauses and is paused on
  std::uint8_t pad[35] = {};
  // Second line on: by ChipDrop.
  std::array<std::uint64_t, kChipDropReasons> drops{};

  std::uint64_t dropped(ChipDrop reason) const { return drops[static_cast<std::size_t>(reason)]; }
};
static_assert(sizeof(IngressPort) % 64 == 0);

}  // namespace sluice
