// SPDX-License-Identifier: Apache-2.0
// The sending side of PFC in a running chip: RTL in its place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>
#include <vector>

#include "rtl/swap/watch.h"
#include "switch/pfc/pfc.h"

namespace sluice::rtl {

/// The record: "setup ENABLED QUANTA REFRESH_PERCENT", "port RATE" for each port, then
/// "xoff PORT PRIORITY PS", "xon PORT PRIORITY" and "refresh PORT PS".
std::unique_ptr<PfcSender> swap_pfc_tx(const PfcParams& params,
                                       const std::vector<BitsPerSecond>& rates,
                                       const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
