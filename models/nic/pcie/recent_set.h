// SPDX-License-Identifier: Apache-2.0
// A cache of names alone: which of the last so many distinct keys were used, least recently used
// out first. Leaves out: what the cached records hold, sets and ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace sluice {

class RecentSet {
 public:
  explicit RecentSet(std::size_t capacity) : capacity_(capacity) {}

  /// Uses `key`. True: it was there.
  bool use(std::uint64_t key) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    if (places_.size() == capacity_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    order_.push_front(key);
    places_.emplace(key, order_.begin());
    return false;
  }
  std::size_t size() const { return places_.size(); }

 private:
  std::size_t capacity_;
  std::list<std::uint64_t> order_;  // most recent first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace sluice
