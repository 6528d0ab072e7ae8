// SPDX-License-Identifier: Apache-2.0
// The egress scheduler in a running chip: RTL in its place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>
#include <vector>

#include "rtl/swap/watch.h"
#include "switch/scheduler/scheduler.h"

namespace sluice::rtl {

std::unique_ptr<Scheduler> swap_egress_scheduler(std::unique_ptr<Scheduler> model,
                                                 const std::vector<SchedulerParams>& profiles,
                                                 const std::vector<std::uint16_t>& profile_of_port,
                                                 const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
