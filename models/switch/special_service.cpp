// SPDX-License-Identifier: Apache-2.0
// Service of ports that do more than send the chosen head: shapers, taps, a cell buffer, frames
// that came in slower than they go out, and the FIFO behind the scheduler. Leaves out: the plain
// case (egress_service.h).
#include "switch/egress_service.h"

namespace sluice {

/// A frame that came in slower than it goes out may start only when its tail will be there in time.
bool SwitchChip::start_delayed(std::uint32_t port, const Packet& packet) {
  EgressPort& egress = egress_[port];
  if (egress_[packet.claim.ingress_port].rate_gbps >= egress.rate_gbps) return false;
  const Ps needed = egress.clock.peek(packet.frame_bytes + kPreambleBytes);
  if (packet.tail <= wheel_.now() + needed) return false;
  egress.busy = true;
  wheel_.post(packet.tail - needed, egress_target(port), kStart);
  return true;
}

void SwitchChip::show_tap(std::uint32_t port, PacketId id) const {
  if (taps_.empty()) return;
  taps_[port].frame(packets_[id], wheel_.now() + params_.latency.from_scheduler());
}

/// Takes and sends the chosen queue's head as serve_port does, and tells who looks on.
void SwitchChip::send_tapped(std::uint32_t port, std::uint32_t q) {
  EgressPort& egress = egress_[port];
  PacketId id = dequeue(port, egress, q);
  if (cells_) id = cells_->dequeue(port * kQueues + q, id);
  egress.held = packets_[id].claim;
  show_tap(port, id);
  transmit(egress, port, id);
}

/// The chosen queue's head with all that few chips have. True: it starts later, or has started.
bool SwitchChip::start_specially(std::uint32_t port, std::uint32_t q) {
  const Packet& head = packets_[queues_[port * kQueues + q].head];
  if (mixed_rates_ && start_delayed(port, head)) {
    egress_[port].chosen = static_cast<std::uint8_t>(q);  // charged already: not chosen afresh
    return true;
  }
  if (shapes_) charge_shapers(port, q, head);
  if (taps_.empty() && !cells_) return false;
  send_tapped(port, q);
  return true;
}

/// An overdrawn shaper holds its queue like a pause.
void SwitchChip::charge_shapers(std::uint32_t port, std::uint32_t q, const Packet& packet) {
  if (!scheduler_->shapes(port)) return;
  scheduler_->sent(port, q, packet.frame_bytes + kWireOverheadBytes, wheel_.now());
  egress_[port].paused |= scheduler_->held(port, wheel_.now());
}

/// Moves frames from the queues into the FIFO while it has room; their cells return to the MMU.
void SwitchChip::fill_fifo(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  while (egress.fifo_cells < fifo_limit_cells_ && egress.ready != 0) {
    const std::uint32_t ready = eligible(port);
    if (ready == 0) return;
    const std::uint32_t q = choose(port, ready);
    const Packet& head = packets_[queues_[port * kQueues + q].head];
    // The FIFO takes whole frames; one frame always fits into an empty one.
    if (egress.fifo_cells != 0 && egress.fifo_cells + head.claim.cells > fifo_limit_cells_) return;
    if (shapes_) [[unlikely]]
      charge_shapers(port, q, head);
    const PacketId id = dequeue(port, egress, q);
    Packet& packet = packets_[id];
    if (special_starts_ && cells_) [[unlikely]] {
      cells_->dequeue(port * kQueues + q, id);
      cells_->release(port * kQueues + q);
    }
    packet.next = kNoPacket;
    if (egress.fifo_cells == 0) {
      egress.fifo_head = id;
    } else {
      packets_[egress.fifo_tail].next = id;
    }
    egress.fifo_tail = id;
    egress.fifo_cells += packet.claim.cells;
    release(packet.claim);
  }
}

void SwitchChip::serve_fifo(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  if (egress.fifo_cells == 0) fill_fifo(port);
  // A release above may have asked for a PFC frame, which this idle port has then already started.
  if (egress.busy || egress.fifo_cells == 0) return;
  const PacketId id = egress.fifo_head;
  Packet& packet = packets_[id];
  if (mixed_rates_ && start_delayed(port, packet)) return;
  egress.fifo_head = packet.next;
  egress.fifo_cells -= packet.claim.cells;
  show_tap(port, id);
  transmit(egress, port, id);
  fill_fifo(port);
}

}  // namespace sluice
