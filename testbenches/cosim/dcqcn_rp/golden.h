// SPDX-License-Identifier: Apache-2.0
// The golden traces of DCQCN (G7.1, A to D) played on the RTL. Leaves out: the C++ block, which has
// the same test of its own (tests/unit/nic/dcqcn_test.cpp).
#pragma once

#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {

/// Differs where the RTL leaves a trace's tolerance.
void play_golden(BenchRun& run);

}  // namespace sluice::cosim
