// SPDX-License-Identifier: Apache-2.0
// The blocks of NICs that RTL stands in for. Leaves out: those of chips (rtl_swap.cpp).
#include "rtl/dcqcn_rp/dcqcn_rp_swap.h"
#include "rtl/psn_tracker/psn_tracker_swap.h"
#include "rtl/qp_scheduler/qp_scheduler_swap.h"
#include "rtl/swap/rtl_swap.h"

namespace sluice::rtl {

std::unique_ptr<RateControl> RtlSwap::dcqcn_rp(std::unique_ptr<Dcqcn> model,
                                               const DcqcnParams& params, BitsPerSecond line_rate,
                                               const BlockPlace& place) {
  const SwapMode how = mode("dcqcn_rp", place);
  if (how.plain()) return model;
  return swap_dcqcn_rp(std::move(model), params, line_rate, place, how);
}

std::unique_ptr<PsnTrackerBank> RtlSwap::psn_tracker(const PsnTrackerConfig& config,
                                                     const BlockPlace& place) {
  const SwapMode how = mode("psn_tracker", place);
  if (how.plain()) return nullptr;
  return swap_psn_tracker(config, place, how);
}

std::unique_ptr<QpSchedule> RtlSwap::qp_scheduler(std::uint32_t burst_packets, std::uint32_t port,
                                                  const BlockPlace& place) {
  SwapMode how = mode("qp_scheduler", place);
  if (how.plain()) return nullptr;
  // A plane has a scheduler of its own.
  if (port != 0 && !how.record.empty()) {
    how.record.insert(how.record.rfind(".txt"), fmt::format(".port{}", port));
  }
  return swap_qp_scheduler(burst_packets, place, how);
}

}  // namespace sluice::rtl
