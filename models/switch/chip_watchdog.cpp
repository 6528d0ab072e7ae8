// SPDX-License-Identifier: Apache-2.0
// The PFC storm watchdog inside a chip: looks at paused queues, drops or forwards what a storm
// holds, and goes back when it is over (SONiC PFC_WD). Cold, and silent while nothing is paused.
#include <algorithm>

#include "switch/chip.h"

namespace sluice {

WatchdogView SwitchChip::watchdog_view(std::uint32_t port, std::uint32_t q) const {
  const EgressQueue& queue = queues_[port * kQueues + q];
  WatchdogView view{queue.packets != 0, queue.tx_frames, Ps{0}, Ps{0}};
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    const auto bit = static_cast<std::uint8_t>(1u << priority);
    if ((ingress_[port].classes->queues_of(bit) >> q & 1u) == 0) continue;
    view.paused = std::max(view.paused, Ps{pfc_receiver_->counters(port, priority).paused_ps});
    view.pause_end = std::max(view.pause_end, pfc_receiver_->until(port, priority));
  }
  return view;
}

/// A pause has come in: its queues are looked at from the next multiple of the poll interval on.
void SwitchChip::watch_pauses(std::uint32_t port) {
  if (!watchdog_->enabled(port)) return;
  const Ps now = wheel_.now();
  pfc_receiver_->settle(port, now);
  const std::uint8_t paused = ingress_[port].classes->queues_of(pfc_receiver_->paused(port, now));
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    if (paused >> q & 1u) watchdog_->pause_begins(port, q, watchdog_view(port, q), now);
  }
  if (watchdog_->watched(port) == 0 || poll_at_[port] != kNever) return;
  poll_at_[port] = watchdog_->next_poll(port, now);
  wheel_.post(poll_at_[port], egress_target(port), kPoll);
}

void SwitchChip::poll_watchdog(std::uint32_t port) {
  const Ps now = wheel_.now();
  poll_at_[port] = kNever;
  pfc_receiver_->settle(port, now);
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    const WatchdogEvent event = watchdog_->poll(port, q, watchdog_view(port, q), now);
    if (event == WatchdogEvent::kStorm && (watchdog_->dropping(port) >> q & 1u) != 0) {
      flush_queue(port, q);
    }
  }
  open_gate();
  for (std::uint32_t other = 0; other < ports(); ++other) {
    if (watchdog_->dropping(other) != 0) gate_ = Gate::kWatched;
  }
  egress_[port].paused = paused_queues(port);
  if (!egress_[port].busy) serve(port);
  if (watchdog_->watched(port) == 0) return;
  poll_at_[port] = watchdog_->next_poll(port, now);
  wheel_.post(poll_at_[port], egress_target(port), kPoll);
}

/// What stands before admission while no storm is.
void SwitchChip::open_gate() {
  gate_ = cells_ ? Gate::kWatched : pipes_limit_ ? Gate::kPipes : Gate::kOpen;
}

/// Drops all that a stormed queue holds, which frees its senders.
void SwitchChip::flush_queue(std::uint32_t port, std::uint32_t q) {
  EgressPort& egress = egress_[port];
  EgressQueue& queue = queues_[port * kQueues + q];
  PacketId id = queue.packets != 0 ? queue.head : kNoPacket;
  queue.head = kNoPacket;
  queue.packets = 0;
  queue.bytes = 0;
  egress.ready = static_cast<std::uint8_t>(egress.ready & ~(1u << q));
  if (egress.chosen == q) egress.chosen = kNoneChosen;
  if (egress.contended) scheduler_->emptied(port, q);
  while (id != kNoPacket) {
    const PacketId next = packets_[id].next;
    const MmuRequest request = packets_[id].claim;
    if (cells_) {
      cells_->dequeue(port * kQueues + q, id);
      cells_->release(port * kQueues + q);
    }
    drop(request.ingress_port, id, ChipDrop::kPfcWatchdog);
    release_cells(request);
    id = next;
  }
}

/// SONiC drops what goes to a stormed queue and what comes in on its port with its priority.
bool SwitchChip::watchdog_drops(const MmuRequest& request) const {
  if (!watchdog_) return false;
  const auto priority = static_cast<std::uint8_t>(1u << request.pg);
  const std::uint8_t back = ingress_[request.ingress_port].classes->queues_of(priority);
  return (watchdog_->dropping(request.egress_port) >> request.queue & 1u) != 0 ||
         (watchdog_->dropping(request.ingress_port) & back) != 0;
}

}  // namespace sluice
