// SPDX-License-Identifier: Apache-2.0
// The datapath of a chip: admission, queues, the events of a frame. Hot: every packet-hop runs
// admit() once and tx_done() once. Leaves out: the start of a frame (egress_service.h,
// special_service.cpp).
#include "kernel/error.h"
#include "switch/egress_service.h"

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
