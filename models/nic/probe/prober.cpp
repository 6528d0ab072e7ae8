// SPDX-License-Identifier: Apache-2.0
#include "nic/probe/prober.h"

namespace sluice {
namespace {

constexpr std::uint32_t kSequenceMask = (1u << 24) - 1;  // what the BTH's PSN holds

}  // namespace

void Prober::wake_at(std::uint32_t index, Ps time) {
  lanes_[index].wake = time;
  heap_.push_back({time, index});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void Prober::start(std::uint32_t index, Ps when) {
  if (index >= lanes_.size()) lanes_.resize(index + 1);
  Lane& lane = lanes_[index];
  if (lane.state != State::kResting) return;
  lane.state = State::kWaiting;
  wake_at(index, lane.sent == kNever ? when : std::max(when, lane.sent + config_.interval));
}

void Prober::make_ready(std::uint32_t index) {
  lanes_[index].state = State::kReady;
  lanes_[index].next_ready = kNone;
  if (first_ready_ == kNone) {
    first_ready_ = index;
  } else {
    lanes_[last_ready_].next_ready = index;
  }
  last_ready_ = index;
}

/// When to look at a flying lane again: where its reply is overdue, or its timeout.
Ps Prober::next_look(const Lane& lane, Ps now) const {
  const Ps deadline = lane.sent + config_.timeout;
  if (config_.overdue == kNever) return deadline;
  const std::uint64_t seen = (now - lane.sent).value / config_.overdue.value;
  return std::min(deadline, lane.sent + config_.overdue * (seen + 1));
}

/// A flying lane is looked at when its next probe would be due, and after that only where its reply
/// is late, so that a lane whose replies are quick has one entry in the heap.
void Prober::woken(std::uint32_t index, Ps now) {
  Lane& lane = lanes_[index];
  lane.wake = kNever;
  if (lane.state == State::kWaiting) return make_ready(index);
  if (lane.state != State::kFlying) return;
  const Ps age = now - lane.sent;
  const bool overdue =
      config_.overdue != kNever && age >= config_.overdue && age.value % config_.overdue.value == 0;
  if (age < config_.timeout) {
    wake_at(index, next_look(lane, now));
    if (overdue) listener_.on_probe_overdue(index, age, now);
    return;
  }
  const Ps next = lane.sent + config_.interval;
  ++lane.missed;
  lane.state = State::kWaiting;
  wake_at(index, std::max(now, next));
  if (overdue) listener_.on_probe_overdue(index, age, now);
  listener_.on_probe_missed(index, lanes_[index].missed, now);
}

void Prober::on_timer(Ps now) {
  while (!heap_.empty() && heap_.front().time <= now) {
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (lanes_[entry.lane].wake == entry.time) woken(entry.lane, now);
  }
  while (first_ready_ != kNone && next_slot_ <= now) {
    const std::uint32_t index = first_ready_;
    first_ready_ = lanes_[index].next_ready;
    if (!sender_.wants_probe(index)) {
      lanes_[index].state = State::kResting;
      continue;
    }
    Lane& lane = lanes_[index];
    lane.state = State::kQueued;
    lane.sequence = (lane.sequence + 1) & kSequenceMask;
    next_slot_ = now + config_.spacing;
    sender_.send_probe(index, lane.sequence, now);
  }
}

void Prober::sent(std::uint32_t index, Ps now) {
  Lane& lane = lanes_[index];
  lane.state = State::kFlying;
  lane.sent = now;
  wake_at(index, now + std::min({config_.interval, config_.timeout, config_.overdue}));
}

bool Prober::on_reply(std::uint32_t index, std::uint32_t sequence, Ps rtt, Ps now) {
  if (index >= lanes_.size()) return false;
  Lane& lane = lanes_[index];
  if (lane.state != State::kFlying || lane.sequence != sequence) return false;
  lane.state = State::kWaiting;
  lane.missed = 0;
  const Ps next = lane.sent + config_.interval;
  if (next <= now) {
    wake_at(index, now);
  } else if (lane.wake != next) {
    wake_at(index, next);
  }
  listener_.on_probe_rtt(index, rtt, now);
  return true;
}

}  // namespace sluice
