// SPDX-License-Identifier: Apache-2.0
// The packet trackers of a running NIC: RTL in their place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>

#include "nic/responder/psn_tracker_bank.h"
#include "rtl/swap/watch.h"

namespace sluice::rtl {

std::unique_ptr<PsnTrackerBank> swap_psn_tracker(const PsnTrackerConfig& config,
                                                 const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
