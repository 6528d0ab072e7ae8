// SPDX-License-Identifier: Apache-2.0
// PFC of a chip: real 64-byte frames that go ahead of data at the next frame boundary, their
// repetition while a priority group is XOFF, and obeying what the peer sends.
#include <algorithm>

#include "packet/packet.h"
#include "switch/chip.h"

namespace sluice {
namespace {
constexpr std::uint32_t kPfcFrameBytes = 64;
}

void SwitchChip::request_pfc(std::uint32_t port, PfcFrame frame) {
  if (frame.empty()) return;
  EgressPort& egress = egress_[port];
  const std::uint8_t classes = frame.class_enable;
  // What was asked for and has not gone out yet is overtaken by the newer word on the same class.
  if (frame.quanta != 0) {
    egress.xoff_pending |= classes;
    egress.xon_pending = static_cast<std::uint8_t>(egress.xon_pending & ~classes);
    arm_refresh(port);
  } else {
    // A class whose XOFF never left needs no XON.
    egress.xon_pending |= static_cast<std::uint8_t>(classes & egress.peer_stopped);
    egress.xoff_pending = static_cast<std::uint8_t>(egress.xoff_pending & ~classes);
  }
  if (!egress.busy && (egress.xoff_pending | egress.xon_pending) != 0) send_pfc(port);
}

void SwitchChip::send_pfc(std::uint32_t port) {
  EgressPort& egress = egress_[port];
  const bool xoff = egress.xoff_pending != 0;
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = Packet{};
  packet.kind = PacketKind::kPfc;
  packet.frame_bytes = kPfcFrameBytes;
  packet.pcp = xoff ? egress.xoff_pending : egress.xon_pending;
  packet.offset_bytes = xoff ? params_.pfc.quanta : 0;
  if (xoff) {
    egress.peer_stopped |= egress.xoff_pending;
    egress.xoff_pending = 0;
    ++egress.tx_pfc_xoff_frames;
  } else {
    egress.peer_stopped = static_cast<std::uint8_t>(egress.peer_stopped & ~egress.xon_pending);
    egress.xon_pending = 0;
    ++egress.tx_pfc_xon_frames;
  }
  show_tap(port, id);
  const Ps now = wheel_.now();
  egress.busy = true;
  packet.tail = now + egress.pfc_delay + egress.clock.peek(kPfcFrameBytes + kPreambleBytes);
  wheel_.post(packet.tail, egress.peer, egress.peer_pfc_kind, id);
  wheel_.post(now + egress.clock.take(kPfcFrameBytes + kWireOverheadBytes), egress_target(port),
              kTxDone);
}

std::uint8_t SwitchChip::paused_queues(std::uint32_t port) {
  std::uint8_t paused =
      ingress_[port].classes->queues_of(pfc_receiver_->paused(port, wheel_.now()));
  if (watchdog_) paused = static_cast<std::uint8_t>(paused & ~watchdog_->forwarding(port));
  if (shapes_) paused |= scheduler_->held(port, wheel_.now());
  return paused;
}

void SwitchChip::take_pfc(std::uint32_t port, PacketId id) {
  const Packet& packet = packets_[id];
  const PfcFrame frame{packet.pcp, static_cast<std::uint16_t>(packet.offset_bytes)};
  packets_.release(id);
  const Ps now = wheel_.now();
  pfc_receiver_->receive(port, frame, now);
  EgressPort& egress = egress_[port];
  egress.paused = paused_queues(port);
  if (watchdog_ && frame.quanta != 0) watch_pauses(port);
  if (!egress.busy) serve(port);
}

void SwitchChip::arm_refresh(std::uint32_t port) {
  const Ps due = pfc_sender_->refresh_due(port);
  if (due == kNever || refresh_at_[port] <= due) return;
  refresh_at_[port] = due;
  wheel_.post(due, egress_target(port), kRefresh);
}

void SwitchChip::refresh_pfc(std::uint32_t port) {
  refresh_at_[port] = kNever;
  const PfcFrame frame = pfc_sender_->refresh(port, wheel_.now());
  request_pfc(port, frame);
  arm_refresh(port);
}

void SwitchChip::arm_resume(std::uint32_t port) {
  Ps resume = pfc_receiver_->next_resume(port, wheel_.now());
  if (shapes_) {
    resume = std::min(resume, scheduler_->next_open(port, egress_[port].ready, wheel_.now()));
  }
  if (resume == kNever || resume_at_[port] <= resume) return;
  resume_at_[port] = resume;
  wheel_.post(resume, egress_target(port), kResume);
}

}  // namespace sluice
