// SPDX-License-Identifier: Apache-2.0
#include "switch/pfc/watchdog.h"

#include <algorithm>

namespace sluice {

Watchdog::Watchdog(std::vector<WatchdogParams> params)
    : queues_(params.size() * kQueues), counters_(params.size() * kQueues) {
  for (const WatchdogParams& port : params) {
    port.validate();
    ports_.push_back({port});
  }
}

void Watchdog::pause_begins(std::uint32_t port, std::uint32_t queue, const WatchdogView& view,
                            Ps now) {
  Port& p = ports_[port];
  if (!p.params.enabled || (p.watched >> queue & 1u) != 0) return;
  p.watched = static_cast<std::uint8_t>(p.watched | 1u << queue);
  queues_[port * kQueues + queue] = {now, now, view.paused, view.tx_frames};
}

WatchdogEvent Watchdog::poll(std::uint32_t port, std::uint32_t queue, const WatchdogView& view,
                             Ps now) {
  Port& p = ports_[port];
  if ((p.watched >> queue & 1u) == 0) return WatchdogEvent::kNone;
  const std::uint32_t index = port * kQueues + queue;
  if (p.stormed >> queue & 1u) return look_for_end(p, index, view, now);
  Queue& q = queues_[index];
  const Ps interval = now - q.at;
  const Ps paused = view.paused - q.paused;
  const bool stuck =
      view.occupied && view.tx_frames == q.tx_frames && paused * 100 >= interval * 99;
  q.at = now;
  q.paused = view.paused;
  q.tx_frames = view.tx_frames;
  if (!stuck) {
    q.since = now;
    if (paused == Ps{0}) p.watched = static_cast<std::uint8_t>(p.watched & ~(1u << queue));
    return WatchdogEvent::kNone;
  }
  if (now - q.since <= p.params.detection_time) return WatchdogEvent::kNone;
  p.stormed = static_cast<std::uint8_t>(p.stormed | 1u << queue);
  q.since = now;
  ++counters_[index].storms_detected;
  return WatchdogEvent::kStorm;
}

WatchdogEvent Watchdog::look_for_end(Port& port, std::uint32_t index, const WatchdogView& view,
                                     Ps now) {
  Queue& q = queues_[index];
  if (view.paused != q.paused) q.since = std::min(now, view.pause_end);
  q.at = now;
  q.paused = view.paused;
  q.tx_frames = view.tx_frames;
  if (view.pause_end > now || now - q.since < port.params.restoration_time) {
    return WatchdogEvent::kNone;
  }
  const auto bit = static_cast<std::uint8_t>(1u << index % kQueues);
  port.stormed = static_cast<std::uint8_t>(port.stormed & ~bit);
  port.watched = static_cast<std::uint8_t>(port.watched & ~bit);
  ++counters_[index].storms_restored;
  return WatchdogEvent::kRestored;
}

}  // namespace sluice
