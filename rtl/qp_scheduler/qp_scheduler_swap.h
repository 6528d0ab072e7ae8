// SPDX-License-Identifier: Apache-2.0
// The QP scheduler of a running NIC's port: RTL in its place, the model beside it, its requests
// recorded.
#pragma once

#include <memory>

#include "nic/requester/qp_schedule.h"
#include "rtl/swap/watch.h"

namespace sluice::rtl {

std::unique_ptr<QpSchedule> swap_qp_scheduler(std::uint32_t burst_packets, const BlockPlace& place,
                                              const SwapMode& mode);

}  // namespace sluice::rtl
