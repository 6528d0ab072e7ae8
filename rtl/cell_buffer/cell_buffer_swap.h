// SPDX-License-Identifier: Apache-2.0
// The cell buffer in a running chip: every packet goes through it cell by cell, in RTL, in the C++
// block or in both, and what is asked of it is recorded.
#pragma once

#include <memory>

#include "rtl/swap/watch.h"
#include "switch/cell_buffer/cell_buffer.h"
#include "switch/cell_buffer/packet_cells.h"

namespace sluice::rtl {

std::unique_ptr<PacketCells> swap_cell_buffer(const CellBufferParams& params,
                                              const BlockPlace& place, const SwapMode& mode);

}  // namespace sluice::rtl
