// SPDX-License-Identifier: Apache-2.0
// What one endpoint still has to answer to one QP of another, in order: READ responses, atomic
// acknowledges, and the ACKs and NAKs that must not overtake them. Leaves out: when each may leave.
#pragma once

#include <cstdint>
#include <deque>

#include "nic/response.h"

namespace sluice {

struct ResponseQueue {
  std::deque<Response> queue;
  std::uint32_t qp = 0;    ///< what paces and schedules it
  std::uint32_t flow = 0;  ///< the QP at the other end
};

}  // namespace sluice
