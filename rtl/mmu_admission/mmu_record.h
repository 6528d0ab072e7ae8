// SPDX-License-Identifier: Apache-2.0
// Text of an MMU's parameters and requests: what a running chip writes with --rtl-record and the
// bench reads back (testbenches/cosim/mmu_admission/mmu_replay.h). Leaves out: ports without
// reserves (MmuGeometry::active), which no chip has.
#pragma once

#include <string>
#include <vector>

#include "switch/mmu/mmu.h"

namespace sluice::rtl {

/// Lines that rebuild the MMU; the first word of each tells what it is.
std::vector<std::string> mmu_setup_lines(const MmuParams& params, const MmuGeometry& geometry);

/// "admit" or "release", ingress port, PG, egress port, queue, cells.
std::string mmu_request_line(const MmuRequest& request, bool release);

}  // namespace sluice::rtl
