// SPDX-License-Identifier: Apache-2.0
// The datapath of a chip: admission, queues, scheduling, transmission. Hot: every packet-hop runs
// admit() once and tx_done() once.
#include <algorithm>

#include "kernel/error.h"
#include "switch/chip.h"

namespace sluice {

void SwitchChip::drop(std::uint32_t port, PacketId id, ChipDrop reason) {
  ++ingress_[port].drops[static_cast<std::size_t>(reason)];
  packets_.release(id);
}

/// A lossless priority group must not lose a frame to the buffer: remembers the first that did.
void SwitchChip::note_loss(std::uint32_t port, std::uint8_t pg, ChipDrop reason) {
  if (!mmu_raw_->lossless(static_cast<std::uint16_t>(port), pg)) return;
  if (lossless_drops_++ == 0) first_loss_ = {port, pg, reason, wheel_.now()};
}

void SwitchChip::drop_from_mmu(MmuRequest request, PacketId id, DropReason why) {
  const ChipDrop reason = why == DropReason::kIngressPg        ? ChipDrop::kIngressPg
                          : why == DropReason::kSharedHeadroom ? ChipDrop::kSharedHeadroom
                          : why == DropReason::kEgressQueue    ? ChipDrop::kEgressQueue
                                                               : ChipDrop::kNoCells;
  note_loss(request.ingress_port, request.pg, reason);
  drop(request.ingress_port, id, reason);
}

void SwitchChip::release(const MmuRequest& request) {
  if (mmu_raw_->release(request) && (ingress_[request.ingress_port].pfc_enable >> request.pg & 1u))
      [[unlikely]] {
    request_pfc(request.ingress_port, pfc_sender_->xon(request.ingress_port, request.pg));
  }
}

/// Queues of an idle port that hold a packet and may send now; arranges a wake-up for paused ones.
std::uint32_t SwitchChip::eligible(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  if (egress.paused != 0 && (egress.ready & egress.paused) != 0) [[unlikely]] {
    egress.paused = paused_queues(port);
    if ((egress.ready & egress.paused) != 0) arm_resume(port);
  }
  return egress.ready & ~static_cast<std::uint32_t>(egress.paused);
}

std::uint32_t SwitchChip::choose(std::uint32_t port, std::uint32_t ready) {
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

EcnAction SwitchChip::decide(EgressQueue& queue, std::uint32_t index, Packet& packet,
                             std::uint32_t depth) {
  EcnRequest request;
  request.queue = index;
  request.queue_bytes = depth;
  request.ect = packet.ecn != Ecn::kNotEct;
  request.random = ecn_->draws(index, depth) ? ecn_random_.next_u32() : 0;
  const EcnAction action = ecn_->decide(request);
  if (action == EcnAction::kMark && packet.ecn != Ecn::kCe) {
    packet.ecn = Ecn::kCe;
    ++queue.ecn_marked;
    watermarks_.marked(index, wheel_.now());
  }
  return action;
}

/// Takes the head of a queue; marks it by the depth it leaves behind.
PacketId SwitchChip::dequeue(std::uint32_t port, EgressPort& egress, std::uint32_t q) {
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

void SwitchChip::transmit(EgressPort& egress, std::uint32_t port, PacketId id) {
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

/// Takes and sends the chosen queue's head as serve_port does, and tells who looks on.
void SwitchChip::send_tapped(std::uint32_t port, std::uint32_t q) {
  EgressPort& egress = egress_[port];
  PacketId id = dequeue(port, egress, q);
  if (cells_) id = cells_->dequeue(port * kQueues + q, id);
  egress.held = packets_[id].claim;
  show_tap(port, id);
  transmit(egress, port, id);
}

void SwitchChip::show_tap(std::uint32_t port, PacketId id) const {
  if (taps_.empty()) return;
  taps_[port].frame(packets_[id], wheel_.now() + params_.latency.from_scheduler());
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

/// Sends the head of one of an idle port's queues.
void SwitchChip::send_head(std::uint32_t port, EgressPort& egress, std::uint32_t q) {
  const PacketId id = dequeue(port, egress, q);
  egress.held = packets_[id].claim;
  transmit(egress, port, id);
}

/// Starts the next frame of an idle port.
void SwitchChip::serve_port(std::uint32_t port, EgressPort& egress) {
  const std::uint32_t ready = egress.ready_and_more();
  if (ready > 0xff || !plain_service_) [[unlikely]]
    return serve_with_care(port);
  if (ready != 0) send_head(port, egress, choose(port, ready));
}

/// PFC first, then the FIFO, then the queues.
[[gnu::noinline]] void SwitchChip::serve_with_care(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  if ((egress.xoff_pending | egress.xon_pending) != 0) return send_pfc(port);
  if (fifo_limit_cells_ != 0) return serve_fifo(port);
  if (egress.ready == 0) return;
  const std::uint32_t ready = eligible(port);
  if (ready == 0) return;
  std::uint32_t q = egress.chosen;
  if ((ready >> q & 1u) == 0) q = choose(port, ready);
  egress.chosen = kNoneChosen;
  if (special_starts_ && start_specially(port, q)) return;
  send_head(port, egress, q);
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

void SwitchChip::enqueue(const Entering& frame, std::uint32_t out, std::uint32_t q,
                         EgressQueue& queue) {
  EgressPort& egress = egress_[out];
  frame.packet.next = kNoPacket;
  if (queue.packets == 0) {
    queue.head = frame.id;
    egress.ready = static_cast<std::uint8_t>(egress.ready | 1u << q);
  } else {
    packets_[queue.tail].next = frame.id;
  }
  queue.tail = frame.id;
  ++queue.packets;
  queue.bytes += frame.packet.frame_bytes;
  if (queue.bytes > queue.peak_bytes) queue.peak_bytes = queue.bytes;
  if (!egress.busy) {
    serve_port(out, egress);
  } else if (fifo_limit_cells_ != 0 && egress.fifo_cells < fifo_limit_cells_) {
    fill_fifo(out);
  }
}

/// Whether the packet is classified now; otherwise it has been lost or comes again as kPiped.
inline bool SwitchChip::enter_pipe(std::uint32_t port, PacketId id, Ps now) {
  const Ps start = pipes_.enter(ingress_[port].pipe, now);
  if (start == now) [[likely]]
    return true;
  if (start != kNever) {
    wheel_.post(start, first_target_ + port, kPiped, id);
    return false;
  }
  IngressPort& ingress = ingress_[port];
  ++ingress.rx_frames;
  ingress.rx_bytes += packets_[id].frame_bytes;
  note_loss(port, class_of(ingress, packets_[id]).pg, ChipDrop::kPipeOversubscribed);
  drop(port, id, ChipDrop::kPipeOversubscribed);
  return false;
}

template <bool kWatched>
void SwitchChip::admit(std::uint32_t port, PacketId id) {
  Packet& packet = packets_[id];
  IngressPort& ingress = ingress_[port];
  ++ingress.rx_frames;
  ingress.rx_bytes += packet.frame_bytes;
  // Cut-through has forwarded the head before the bad FCS is seen: the next store or NIC drops it.
  if ((packet.flags & packet_flag::kCorrupt) != 0 && stores_frames_) [[unlikely]]
    return drop(port, id, ChipDrop::kCorrupt);
  std::uint32_t out = routes_.pick(packet);
  if (out >= RouteTable::kAdaptive) [[unlikely]] {
    if (out != RouteTable::kNoRoute) out = pick_adaptive(port, packet, out);
    if (out == RouteTable::kNoRoute) return forward_unrouted(port, id);
  }
  admit_to<true, kWatched>({port, id, packet, ingress}, out);
}

void SwitchChip::admit_bridged(std::uint32_t port, PacketId id, std::uint32_t out) {
  const Entering frame{port, id, packets_[id], ingress_[port]};
  if (gate_ == Gate::kWatched) return admit_to<false, true>(frame, out);
  admit_to<false, false>(frame, out);
}

/// Asks the buffer for room on the way to port `out`.
template <bool kRouted, bool kWatched>
void SwitchChip::admit_to(const Entering& frame, std::uint32_t out) {
  const auto& [port, id, packet, ingress] = frame;
  FrameClass cls = class_of(ingress, packet);
  if (queue_maps_differ_) [[unlikely]]
    cls.queue = ingress_[out].classes->queue_of(cls.tc);
  // RFC 1812 5.3.1: a router does not send on what arrives with a TTL of 1.
  if (kRouted && --packet.ttl == 0) [[unlikely]]
    return drop(port, id, ChipDrop::kTtlExpired);
  const MmuRequest request{static_cast<std::uint16_t>(port), cls.pg,
                           static_cast<std::uint16_t>(out), cls.queue,
                           cells_of(packet.frame_bytes)};
  packet.claim = request;
  if constexpr (kWatched) {
    if (watchdog_drops(request)) return drop(port, id, ChipDrop::kPfcWatchdog);
  }
  const std::uint32_t index = out * kQueues + cls.queue;
  EgressQueue& queue = queues_[index];
  if (queue.bytes > queue.ecn_floor) [[unlikely]] {
    // What cannot be marked is dropped on the curve when it comes in, wherever marking happens.
    const bool ect = packet.ecn != Ecn::kNotEct;
    if ((queue.marks_at_enqueue || (!ect && queue.wred_drops)) &&
        decide(queue, index, packet, queue.bytes) == EcnAction::kDrop) {
      note_loss(port, cls.pg, ChipDrop::kWred);
      return drop(port, id, ChipDrop::kWred);
    }
  }
  const AdmitResult result = mmu_raw_->admit(request);
  if (result.xoff) [[unlikely]] {
    watermarks_.xoff(port, cls.pg, wheel_.now(), ingress.rx_frames, *mmu_);
    if (ingress.pfc_enable >> cls.pg & 1u) {
      request_pfc(port, pfc_sender_->xoff(port, cls.pg, wheel_.now()));
    }
  }
  if (result.drop != DropReason::kNone) [[unlikely]] {
    return drop_from_mmu(request, id, result.drop);
  }
  if constexpr (kWatched) {
    if (cells_) cells_->enqueue(index, id, request.cells);
  }
  enqueue(frame, out, cls.queue, queue);
}

void SwitchChip::admit_watched(std::uint32_t port, PacketId id) {
  if (pipes_limit_ && !enter_pipe(port, id, wheel_.now())) return;
  admit<true>(port, id);
}

void SwitchChip::admit_piped(std::uint32_t port, PacketId id) {
  if (gate_ == Gate::kWatched) return admit<true>(port, id);
  admit<false>(port, id);
}

void SwitchChip::release_cells(const MmuRequest& request) { release(request); }

void SwitchChip::tx_done(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  egress.busy = false;
  if (egress.held.cells != 0) {
    const MmuRequest request = egress.held;
    egress.held.cells = 0;
    if (special_starts_ && cells_) [[unlikely]]
      cells_->release(port * kQueues + request.queue);
    release(request);
  }
  // The release may have started a PFC frame here, when the frame came in on this very port.
  if (!egress.busy) serve_port(port, egress);
}

void SwitchChip::serve(std::uint32_t port) { serve_port(port, egress_[port]); }

void SwitchChip::handle(Event event) {
  // Receive targets come first, then those of the transmit side.
  if (event.kind() == kTxDone) return tx_done(event.target() - first_egress_target_);
  if (event.kind() != kFrame) [[unlikely]]
    return handle_uncommon(event);
  const std::uint32_t port = event.target() - first_target_;
  if (gate_ != Gate::kOpen) {
    if (gate_ == Gate::kWatched) [[unlikely]]
      return admit_watched(port, event.argument);
    if (!enter_pipe(port, event.argument, event.time)) [[unlikely]]
      return;
  }
  admit<false>(port, event.argument);
}

[[gnu::noinline]] void SwitchChip::handle_uncommon(Event event) {
  const std::uint32_t port = event.target() - first_target_;
  const std::uint32_t out = event.target() - first_egress_target_;
  switch (event.kind()) {
    case kPiped:
      return admit_piped(port, event.argument);
    case kPoll:
      return poll_watchdog(out);
    case kPfc:
      return take_pfc(port, event.argument);
    case kRefresh:
      return refresh_pfc(out);
    case kResume:
      resume_at_[out] = kNever;
      if (!egress_[out].busy) serve(out);
      return;
    case kAdaptiveTick:
      return adaptive_->tick();
    case kNotice:
      return take_notice(port, event.argument);
    case kStart:
      egress_[out].busy = false;
      return serve(out);
    default:
      SLUICE_CHECK(false, "{}: event of unknown kind {}", name(), event.kind());
  }
}

void SwitchChip::prefetch(const Event& event) const {
  if (event.kind() == kFrame) {
    const Packet& packet = packets_[event.argument];
    const std::uint32_t port = event.target() - first_target_;
    const FrameClass cls = class_of(ingress_[port], packet);
    __builtin_prefetch(mmu_lines_.pg(port, cls.pg), 1);
    const std::uint32_t out = routes_.peek(packet);
    if (out == RouteTable::kNoRoute) return;
    __builtin_prefetch(&egress_[out], 1);
    __builtin_prefetch(&queues_[out * kQueues + cls.queue], 1);
    __builtin_prefetch(mmu_lines_.queue(out, cls.queue), 1);
  } else if (event.kind() == kTxDone) {
    const std::uint32_t port = event.target() - first_egress_target_;
    const BufferClaim& held = egress_[port].held;
    __builtin_prefetch(&queues_[port * kQueues + held.queue], 1);
    __builtin_prefetch(mmu_lines_.pg(held.ingress_port, held.pg), 1);
    __builtin_prefetch(mmu_lines_.queue(port, held.queue), 1);
  }
}

}  // namespace sluice
