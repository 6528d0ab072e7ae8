// SPDX-License-Identifier: Apache-2.0
// The adaptive selector in a running chip: RTL picks, the model keeps the grades and the clock, and
// picks beside it; its requests recorded.
#pragma once

#include <memory>

#include "rtl/swap/watch.h"
#include "switch/routing/adaptive_selector.h"

namespace sluice::rtl {

/// `model` is one of make_dlb_selector or make_ar_selector without groups so far.
std::unique_ptr<AdaptiveSelector> swap_ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                 const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
