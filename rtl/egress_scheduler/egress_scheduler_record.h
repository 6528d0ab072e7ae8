// SPDX-License-Identifier: Apache-2.0
// The scheduler's requests as lines of text: what a running chip records and the bench replays.
// First "profile" and "port" lines with the configuration, then the requests in their order.
#pragma once

#include <string>
#include <vector>

#include "rtl/egress_scheduler/egress_scheduler_twin.h"

namespace sluice::rtl {

/// "profile STRICT_MASK QUANTUM 8 weights PORT_RATE PORT_BURST 8 rates 8 bursts"
std::string profile_line(const SchedulerParams& params);

/// "pick PORT READY 8 heads", "emptied PORT QUEUE", "sent PORT QUEUE BYTES PS" or "held PORT PS".
std::string request_line(const EgressSchedulerTwin::Request& request);
}  // namespace sluice::rtl
