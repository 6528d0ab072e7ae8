// SPDX-License-Identifier: Apache-2.0
// The blocks of NICs that RTL stands in for. Leaves out: those of chips (rtl_swap.cpp).
#include "rtl/dcqcn_rp/dcqcn_rp_swap.h"
#include "rtl/swap/rtl_swap.h"

namespace sluice::rtl {

std::unique_ptr<RateControl> RtlSwap::dcqcn_rp(std::unique_ptr<Dcqcn> model,
                                               const DcqcnParams& params, BitsPerSecond line_rate,
                                               const BlockPlace& place) {
  const SwapMode how = mode("dcqcn_rp", place);
  if (!how.rtl && how.record.empty()) return model;
  return swap_dcqcn_rp(std::move(model), params, line_rate, place, how);
}

}  // namespace sluice::rtl
