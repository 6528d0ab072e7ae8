// SPDX-License-Identifier: Apache-2.0
// Which wake-up events of one target are pending on the wheel, so that the wheel never holds two at
// the same instant. Events cannot be cancelled: a later one stays below an earlier one and fires
// too.
#pragma once

#include <vector>

#include "kernel/time.h"

namespace sluice {

class WakeupStack {
 public:
  /// True when the caller must post an event at `time`: nothing pending is as early.
  bool request(Ps time) {
    if (earliest_ <= time) return false;
    if (earliest_ != kNever) [[unlikely]]
      keep_later();
    earliest_ = time;
    return true;
  }
  /// The earliest pending event is being executed.
  void fired() {
    if (later_.empty()) {
      earliest_ = kNever;
    } else {
      earliest_ = later_.back();
      later_.pop_back();
    }
  }
  Ps earliest() const { return earliest_; }

 private:
  // Out of line, so that the common case stays a few instructions.
  [[gnu::noinline]] void keep_later() { later_.push_back(earliest_); }

  Ps earliest_ = kNever;
  std::vector<Ps> later_;  // strictly decreasing
};

}  // namespace sluice
