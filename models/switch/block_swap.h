// SPDX-License-Identifier: Apache-2.0
// Where another implementation of a chip's blocks (an RTL twin, a recorder) is put in place of the
// C++ one, at construction. Leaves out: any such implementation (rtl/).
#pragma once

#include <memory>
#include <vector>

#include "kernel/block_place.h"
#include "switch/ecn/ecn.h"
#include "switch/mmu/mmu.h"
#include "switch/scheduler/scheduler.h"

namespace sluice {

/// Each function takes the C++ block and gives back what the chip uses; here: the same.
class SwitchBlockSwap {
 public:
  virtual ~SwitchBlockSwap() = default;

  virtual std::unique_ptr<EcnMarker> wred_marker(std::unique_ptr<EcnMarker> model,
                                                 const std::vector<EcnParams>& profiles,
                                                 const std::vector<std::uint8_t>& profile_of_queue,
                                                 const BlockPlace& place) = 0;
};

}  // namespace sluice
