// SPDX-License-Identifier: Apache-2.0
// Open-addressing hash table from a 64-bit key to a 32-bit index, 16 bytes a slot, linear probing.
// Nothing is ever removed: connections live as long as the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/random.h"

namespace sluice {

class FlatIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  FlatIndex() : slots_(16) {}

  /// Index stored under `key`, kNone when there is none.
  std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.index == kNone || slot.key == key) return slot.index;
    }
  }
  /// Stores `index` under a key that is not there yet.
  void insert(std::uint64_t key, std::uint32_t index) {
    if (++used_ * 2 > slots_.size()) grow();
    place(key, index);
  }
  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t index = kNone;
  };

  std::size_t home(std::uint64_t key) const { return mix64(key) & (slots_.size() - 1); }
  void place(std::uint64_t key, std::uint32_t index) {
    std::size_t at = home(key);
    while (slots_[at].index != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {key, index};
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.index != kNone) place(slot.key, slot.index);
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace sluice
