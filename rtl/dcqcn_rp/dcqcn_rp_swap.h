// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point in a running NIC: RTL in its place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>

#include "nic/congestion/dcqcn.h"
#include "rtl/swap/watch.h"

namespace sluice::rtl {

std::unique_ptr<RateControl> swap_dcqcn_rp(std::unique_ptr<Dcqcn> model, const DcqcnParams& params,
                                           BitsPerSecond line_rate, const BlockPlace& place,
                                           const SwapMode& mode);

}  // namespace sluice::rtl
