// SPDX-License-Identifier: Apache-2.0
// Service of a chip's egress port, in line where a frame starts: what may send, which queue, its
// head on the wire. Hot, and so in a header: datapath.cpp for every frame, special_service.cpp for
// the few ports with more. Leaves out: who calls, the buffer.
#pragma once
#include <array>

#include "switch/chip.h"

namespace sluice {

inline void SwitchChip::release(const MmuRequest& request) {
  if (mmu_raw_->release(request) && (ingress_[request.ingress_port].pfc_enable >> request.pg & 1u))
      [[unlikely]] {
    request_pfc(request.ingress_port, pfc_sender_->xon(request.ingress_port, request.pg));
  }
}

/// Queues of an idle port that hold a packet and may send now; arranges a wake-up for paused ones.
inline std::uint32_t SwitchChip::eligible(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  if (egress.paused != 0 && (egress.ready & egress.paused) != 0) [[unlikely]] {
    egress.paused = paused_queues(port);
    if ((egress.ready & egress.paused) != 0) arm_resume(port);
  }
  return egress.ready & ~static_cast<std::uint32_t>(egress.paused);
}

inline std::uint32_t SwitchChip::choose(std::uint32_t port, std::uint32_t ready) {
  // One candidate needs no choice: DWRR shares only among queues that compete.
  if ((ready & (ready - 1)) == 0) [[likely]] {
    return static_cast<std::uint32_t>(__builtin_ctz(ready));
  }
  std::array<std::uint32_t, kSchedulerQueues> head_bytes{};
  for (std::uint32_t rest = ready; rest != 0; rest &= rest - 1) {
    const auto q = static_cast<std::uint32_t>(__builtin_ctz(rest));
    head_bytes[q] = packets_[queues_[port * kQueues + q].head].frame_bytes + kWireOverheadBytes;
  }
  egress_[port].contended = true;
  return scheduler_->pick(port, ready, head_bytes);
}

/// Takes the head of a queue; marks it by the depth it leaves behind.
inline PacketId SwitchChip::dequeue(std::uint32_t port, EgressPort& egress, std::uint32_t q) {
  EgressQueue& queue = queues_[port * kQueues + q];
  const PacketId id = queue.head;
  Packet& packet = packets_[id];
  queue.head = packet.next;
  --queue.packets;
  queue.bytes -= packet.frame_bytes;
  ++queue.tx_frames;
  queue.tx_bytes += packet.frame_bytes;
  if (queue.packets == 0) {
    egress.ready = static_cast<std::uint8_t>(egress.ready & ~(1u << q));
    // A queue that never had to compete has no deficit to lose.
    if (egress.contended) scheduler_->emptied(port, q);
  } else {
    __builtin_prefetch(&packets_[queue.head], 1);
  }
  if (queue.bytes > queue.ecn_floor) [[unlikely]] {
    if (!queue.marks_at_enqueue && packet.ecn != Ecn::kNotEct)
      decide(queue, port * kQueues + q, packet, queue.bytes);
  }
  return id;
}

inline void SwitchChip::transmit(EgressPort& egress, std::uint32_t port, PacketId id) {
  Packet& packet = packets_[id];
  const Ps now = wheel_.now();
  const std::uint32_t frame = packet.frame_bytes;
  const ByteClock::FrameTimes times =
      egress.clock.take_frame(frame + kPreambleBytes, frame + kWireOverheadBytes);
  const Ps arrival = now + egress.head_delay;
  packet.tail = arrival + times.tail;
  ++packet.hops;
  egress.busy = true;
  wheel_.post(egress.peer_at_tail ? packet.tail : arrival, egress.peer, egress.peer_frame_kind, id);
  wheel_.post(now + times.next, egress_target(port), kTxDone);
}

/// Sends the head of one of an idle port's queues.
inline void SwitchChip::send_head(std::uint32_t port, EgressPort& egress, std::uint32_t q) {
  const PacketId id = dequeue(port, egress, q);
  egress.held = packets_[id].claim;
  transmit(egress, port, id);
}

/// Starts the next frame of an idle port.
inline void SwitchChip::serve_port(std::uint32_t port, EgressPort& egress) {
  const std::uint32_t ready = egress.ready_and_more();
  if (ready > 0xff || !plain_service_) [[unlikely]]
    return serve_with_care(port);
  if (ready != 0) send_head(port, egress, choose(port, ready));
}

}  // namespace sluice
