// SPDX-License-Identifier: Apache-2.0
// Halving for the smallest value at which something happens, a question at a time so that many go
// on at once. Leaves out: what happens; it is taken to happen from some value on.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel/error.h"

namespace sluice {

class Halving {
 public:
  Halving(std::uint64_t from, std::uint64_t to) : low_(from), high_(to), at_(to) {}

  /// The value to try next; nothing when the search has ended.
  std::optional<std::uint64_t> next() const {
    return ended_ ? std::nullopt : std::optional<std::uint64_t>(at_);
  }
  /// It happened, or not, at next().
  void answer(bool happened) {
    SLUICE_CHECK(!ended_, "an answer after the end of a search");
    if (happened) {
      high_ = at_;
      found_ = true;
    } else if (at_ == high_) {
      ended_ = true;  // not even at the largest value
      return;
    } else {
      low_ = at_ + 1;
    }
    ended_ = low_ == high_;
    at_ = low_ + (high_ - low_) / 2;
  }
  /// The smallest value at which it happened; nothing when it never did.
  std::optional<std::uint64_t> found() const {
    return found_ ? std::optional<std::uint64_t>(high_) : std::nullopt;
  }

 private:
  std::uint64_t low_;
  std::uint64_t high_;  ///< it happens here, once found_
  std::uint64_t at_;
  bool found_ = false;
  bool ended_ = false;
};

}  // namespace sluice
