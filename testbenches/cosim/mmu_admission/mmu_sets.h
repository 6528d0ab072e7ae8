// SPDX-License-Identifier: Apache-2.0
// The MMUs that the bench of mmu_admission drives: small ones, in which a few packets reach every
// limit, and the published presets. Leaves out: the stimulus (mmu_admission_bench.cpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "switch/mmu/mmu.h"

namespace sluice::cosim {

struct MmuSet {
  std::string_view name;
  MmuParams params;
  MmuGeometry geometry;
  std::uint32_t small = 1;  ///< cells of most packets, at most
  std::uint32_t large = 1;  ///< of one in eight
};

std::vector<MmuSet> mmu_sets();

}  // namespace sluice::cosim
