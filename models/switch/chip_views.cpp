// SPDX-License-Identifier: Apache-2.0
// What an observer of a running chip asks: which queues are held by a pause, and whose packets they
// hold. Cold; changes nothing.
#include <algorithm>

#include "switch/chip.h"

namespace sluice {

std::vector<PausedQueue> SwitchChip::paused_queues_at(Ps now) const {
  std::vector<PausedQueue> result;
  for (std::uint32_t port = 0; port < ports(); ++port) {
    const EgressPort& egress = egress_[port];
    if (egress.paused == 0) continue;
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      if (pfc_receiver_->until(port, priority) <= now) continue;
      const std::uint8_t stopped =
          ingress_[port].classes->queues_of(static_cast<std::uint8_t>(1u << priority)) &
          egress.paused;
      for (std::uint32_t q = 0; q < kQueues; ++q) {
        const EgressQueue& held = queues_[port * kQueues + q];
        if ((stopped >> q & 1u) == 0 || held.packets == 0) continue;
        result.push_back({port, q, priority, held.tx_frames, watchdog_acts(port)});
      }
    }
  }
  return result;
}

std::vector<QueueSource> SwitchChip::queue_sources() const {
  std::vector<QueueSource> sources;
  for (std::uint32_t index = 0; index < queues_.size(); ++index) {
    const std::size_t first = sources.size();
    for (PacketId id = queues_[index].head; id != kNoPacket; id = packets_[id].next) {
      const QueueSource source{index / kQueues, index % kQueues, packets_[id].claim.ingress_port,
                               packets_[id].claim.pg};
      const auto begin = sources.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::find(begin, sources.end(), source) == sources.end()) sources.push_back(source);
    }
  }
  return sources;
}

}  // namespace sluice
