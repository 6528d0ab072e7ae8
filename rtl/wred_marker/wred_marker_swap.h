// SPDX-License-Identifier: Apache-2.0
// The WRED marker in a running chip: RTL in its place, the model beside it, its requests recorded.
#pragma once

#include <memory>
#include <vector>

#include "rtl/swap/watch.h"
#include "switch/ecn/ecn.h"

namespace sluice::rtl {

std::unique_ptr<EcnMarker> swap_wred_marker(std::unique_ptr<EcnMarker> model,
                                            const std::vector<EcnParams>& profiles,
                                            const std::vector<std::uint8_t>& profile_of_queue,
                                            const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
