// SPDX-License-Identifier: Apache-2.0
// Acknowledgement timers of all QPs of a NIC in one heap. A QP is in it at most once; its deadline
// moves in the QP's own record without touching the heap, which is corrected when it gets there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

/// Acknowledgement timeout of a code (IBTA 9.7.6.1.3): 4.096 us * 2^code; kNever for 0, which turns
/// the timer off.
constexpr Ps ack_timeout(std::uint32_t code) {
  return code == 0 ? kNever : Ps{std::uint64_t{4'096'000} << code};
}

class RetryTimer {
 public:
  struct Entry {
    Ps deadline;
    std::uint32_t qp;
  };

  void push(Entry entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
    earliest_ = heap_.front().deadline;
  }
  Ps earliest() const { return earliest_; }
  Entry pop() {
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    earliest_ = heap_.empty() ? kNever : heap_.front().deadline;
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) {
    return a.deadline != b.deadline ? a.deadline > b.deadline : a.qp > b.qp;
  }
  Ps earliest_ = kNever;
  std::vector<Entry> heap_;
};

}  // namespace sluice
