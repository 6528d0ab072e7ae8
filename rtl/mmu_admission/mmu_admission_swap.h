// SPDX-License-Identifier: Apache-2.0
// The MMU in a running chip: RTL in its place, the model beside it, its requests recorded.
#pragma once

#include <memory>

#include "rtl/swap/watch.h"
#include "switch/mmu/mmu.h"

namespace sluice::rtl {

std::unique_ptr<Mmu> swap_mmu_admission(std::unique_ptr<Mmu> model, const MmuParams& params,
                                        const MmuGeometry& geometry, const BlockPlace& place,
                                        const SwapMode& mode);

}  // namespace sluice::rtl
