// SPDX-License-Identifier: Apache-2.0
// The 64-bit words of a host's memory that atomics have touched; all others are 0. Leaves out:
// everything that WRITEs and SENDs put there, since messages carry no bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/flat_index.h"

namespace sluice {

class AtomicMemory {
 public:
  std::uint64_t& operator[](std::uint64_t address) {
    std::uint32_t at = index_.find(address);
    if (at == FlatIndex::kNone) {
      at = static_cast<std::uint32_t>(words_.size());
      words_.push_back(0);
      index_.insert(address, at);
    }
    return words_[at];
  }

 private:
  FlatIndex index_;
  std::vector<std::uint64_t> words_;
};

}  // namespace sluice
