// SPDX-License-Identifier: Apache-2.0
// An egress queue waits when its peer's priority group is XOFF; it waits for the queues of the peer
// that hold that group's packets. Queues of which one may still move are taken out until none is
// left to take out: what remains cannot move, and any walk along it comes round.
#include "fabric/deadlock.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {

DeadlockDetector::DeadlockDetector(const DeadlockParams& params, const Topology& topology,
                                   std::span<const std::unique_ptr<SwitchChip>> chips)
    : params_(params), chips_(chips), peers_(chips.size()) {
  for (std::size_t chip = 0; chip < chips.size(); ++chip) {
    peers_[chip].resize(topology.chip_ports[chip]);
  }
  for (const Cable& cable : topology.cables) {
    if (cable.a.is_chip) peers_[cable.a.node][cable.a.port] = cable.b;
    if (cable.b.is_chip) peers_[cable.b.node][cable.b.port] = cable.a;
  }
}

/// Keeps the time since which each queue has been silent under pause.
void DeadlockDetector::follow(Ps now) {
  std::map<StuckQueue, Watched> next;
  for (std::uint32_t chip = 0; chip < chips_.size(); ++chip) {
    for (const PausedQueue& paused : chips_[chip]->paused_queues_at(now)) {
      if (paused.watchdog_acts || !peers_[chip][paused.port].is_chip) continue;
      const StuckQueue queue{chip, paused.port, paused.queue, paused.priority};
      const auto before = watched_.find(queue);
      const bool silent = before != watched_.end() && before->second.tx_frames == paused.tx_frames;
      next[queue] = {paused.tx_frames, silent ? before->second.since : now};
    }
  }
  watched_ = std::move(next);
}

/// For each queue that has been silent long enough, the queues that it waits for, as far as those
/// are silent too; one that waits for a queue which may move is left out.
DeadlockDetector::Waits DeadlockDetector::waits_of(Ps now, Ps patience) const {
  Waits waits;
  std::map<std::uint32_t, std::vector<QueueSource>> sources;
  for (const auto& [queue, state] : watched_) {
    if (now - state.since < patience) continue;
    const PortRef& peer = peers_[queue.chip][queue.port];
    const SwitchChip& other = *chips_[peer.node];
    if (!other.holds_off(peer.port, queue.priority)) continue;
    auto [found, fresh] = sources.try_emplace(peer.node);
    if (fresh) found->second = other.queue_sources();
    std::vector<StuckQueue> holders;
    bool may_move = false;
    for (const QueueSource& source : found->second) {
      if (source.ingress_port != peer.port || source.priority_group != queue.priority) continue;
      bool silent = false;
      for (auto at = watched_.lower_bound({peer.node, source.port, source.queue, 0});
           at != watched_.end() && at->first.chip == peer.node && at->first.port == source.port &&
           at->first.queue == source.queue;
           ++at) {
        if (now - at->second.since < patience) continue;
        holders.push_back(at->first);
        silent = true;
      }
      may_move |= !silent;
    }
    if (!may_move && !holders.empty()) waits[queue] = std::move(holders);
  }
  return waits;
}

std::vector<StuckQueue> DeadlockDetector::find(Ps now, Ps patience) {
  follow(now);
  if (watched_.empty()) return {};
  Waits waits = waits_of(now, patience);
  for (bool changed = true; changed;) {
    changed = std::erase_if(waits, [&waits](const auto& entry) {
                return std::any_of(entry.second.begin(), entry.second.end(),
                                   [&](const StuckQueue& next) { return !waits.contains(next); });
              }) != 0;
  }
  if (waits.empty()) return {};
  std::vector<StuckQueue> walk{waits.begin()->first};
  for (;;) {
    const StuckQueue& next = waits.at(walk.back()).front();
    const auto seen = std::find(walk.begin(), walk.end(), next);
    if (seen == walk.end()) {
      walk.push_back(next);
      continue;
    }
    std::vector<StuckQueue> circle(seen, walk.end());
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    return circle;
  }
}

std::string DeadlockDetector::describe(const std::vector<StuckQueue>& circle) const {
  const auto port_name = [this](const StuckQueue& queue) {
    return fmt::format("{}.port{}", chips_[queue.chip]->basename(), queue.port);
  };
  std::string text;
  for (const StuckQueue& queue : circle) {
    text += fmt::format("{} prio {} -> ", port_name(queue), queue.priority);
  }
  return text + port_name(circle.front());
}

}  // namespace sluice
