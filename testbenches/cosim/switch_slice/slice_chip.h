// SPDX-License-Identifier: Apache-2.0
// The SystemC chip with a trace at its ports, and the parameters that it shares with the slice.
// Leaves out: the RTL (slice_rtl.h).
#pragma once

#include "switch/switch_params.h"
#include "testbenches/cosim/switch_slice/slice_rtl.h"

namespace sluice::cosim {

/// Four ports of 800 Gb/s at one pipe; no frequency offsets, no lossless priority
/// groups: the chip sends no PFC frames. A buffer of `cells`. `pauses`: PFC frames that come are
/// obeyed for kSliceMarkedQueue.
SwitchParams slice_params(std::uint32_t cells, bool pauses = false);

/// When the chip starts each frame, in core clocks from the same zero as the trace.
SliceDepartures run_slice_chip(const SwitchParams& params, const SliceTrace& trace);

}  // namespace sluice::cosim
