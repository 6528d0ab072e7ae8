// SPDX-License-Identifier: Apache-2.0
// The obeying side of PFC in a running chip: RTL in its place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>
#include <vector>

#include "rtl/swap/watch.h"
#include "switch/pfc/pfc.h"

namespace sluice::rtl {

/// The record: "port RATE LOSSLESS" for each port, then "frame PORT CLASSES QUANTA PS" and
/// "look PORT PS".
std::unique_ptr<PfcReceiver> swap_pfc_rx(const std::vector<BitsPerSecond>& rates,
                                         const std::vector<std::uint8_t>& lossless,
                                         const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
