// SPDX-License-Identifier: Apache-2.0
// Which QP of a port sends next: round robin over a ring of ready QPs with a burst a turn, beside a
// heap of QPs that wait for a time. Ring links and states lie in records of the caller's, found by
// QP number. Leaves out: weights; every QP has the same share of turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nic/requester/qp.h"
#include "nic/requester/qp_schedule.h"

namespace sluice {

class QpScheduler {
 public:
  explicit QpScheduler(std::uint32_t burst_packets = 1)
      : burst_packets_(burst_packets), burst_left_(burst_packets) {}

  /// From now on `schedule` keeps the order and this shows it; before any QP. Outlives it.
  void keep_elsewhere(QpSchedule* schedule) {
    elsewhere_ = schedule;
    first_ = {kNever, 0};
    burst_left_ = 1;  // so that count_packet takes a look each time
  }

  bool ring_empty() const { return current_ == kNoQp; }
  std::uint32_t current() const { return current_; }
  Ps earliest_waiting() const { return first_.time; }
  /// Packets of the current QP's turn.
  std::uint32_t burst_left() const { return burst_left_; }

  /// Puts a QP at the end of the ring.
  template <class Records>
  void make_ready(Records&& qps, std::uint32_t qp) {
    qps[qp].state = QpState::kReady;
    if (elsewhere_ != nullptr) [[unlikely]]
      return show(elsewhere_->make_ready(qp));
    if (current_ == kNoQp) {
      current_ = previous_ = qps[qp].ring_next = qp;
      burst_left_ = burst_packets_;
      return;
    }
    qps[qp].ring_next = current_;
    qps[previous_].ring_next = qp;
    previous_ = qp;
  }
  /// Takes the current QP out of the ring; the next one has its turn.
  template <class Records>
  void remove_current(Records&& qps, QpState state) {
    qps[current_].state = state;
    if (elsewhere_ != nullptr) [[unlikely]]
      return show(elsewhere_->remove_current());
    const std::uint32_t next = qps[current_].ring_next;
    if (next == current_) {
      current_ = previous_ = kNoQp;
      return;
    }
    qps[previous_].ring_next = next;
    current_ = next;
    burst_left_ = burst_packets_;
  }
  /// The current QP sent a packet; after a burst the turn passes on.
  template <class Records>
  void count_packet(const Records& qps) {
    if (--burst_left_ != 0) return;
    if (elsewhere_ != nullptr) [[unlikely]] {
      burst_left_ = 1;
      return show(elsewhere_->count_packet());
    }
    previous_ = current_;
    current_ = qps[current_].ring_next;
    burst_left_ = burst_packets_;
  }
  /// A QP outside the ring becomes ready at `time`.
  template <class Records>
  void wait(Records&& qps, std::uint32_t qp, Ps time) {
    qps[qp].state = QpState::kWaiting;
    push_waiting({time, qp});
  }
  /// Moves QPs whose time has come into the ring, earliest first, ties by number.
  template <class Records>
  void wake_due(Records&& qps, Ps now) {
    while (first_.time <= now) [[unlikely]] {
        if (elsewhere_ != nullptr) [[unlikely]]
          return wake_elsewhere(qps, now);
        make_ready(qps, pop_waiting());
      }
  }

 private:
  struct Waiting {
    Ps time = kNever;
    std::uint32_t qp = kNoQp;
  };
  static bool later(const Waiting& a, const Waiting& b) {
    return a.time != b.time ? a.time > b.time : a.qp > b.qp;
  }
  template <class Records>
  void wake_elsewhere(Records&& qps, Ps now) {
    std::vector<std::uint32_t> woken;
    show(elsewhere_->wake_due(now, woken));
    for (const std::uint32_t qp : woken) qps[qp].state = QpState::kReady;
  }
  void show(const QpSchedule::View& view) {
    current_ = view.current;
    // The number goes unused but for being one: what waits, waits elsewhere.
    first_ = {view.earliest_waiting, 0};
  }
  // A port with one paced QP, the common case, never touches the heap.
  void push_waiting(Waiting entry) {
    if (first_.qp != kNoQp) return push_behind(entry);
    first_ = entry;
  }
  std::uint32_t pop_waiting() {
    const std::uint32_t qp = first_.qp;
    if (behind_.empty()) {
      first_ = {};
    } else {
      take_next();
    }
    return qp;
  }
  void push_behind(Waiting entry);
  void take_next();

  std::uint32_t current_ = kNoQp;
  std::uint32_t previous_ = kNoQp;  ///< the QP before the current one in the ring
  std::uint32_t burst_packets_;
  std::uint32_t burst_left_;
  Waiting first_;                    // the earliest of those that wait
  std::vector<Waiting> behind_;      // min-heap of the others
  QpSchedule* elsewhere_ = nullptr;  ///< keeps all of the above instead
};

}  // namespace sluice
