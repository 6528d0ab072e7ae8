// SPDX-License-Identifier: Apache-2.0
// Headroom as the standard's annex counts it (IEEE 802.1Q annex N), and what a byte count means in
// whole cells. Leaves out: the vendor's form (switch/mmu/mmu_presets.h).
#pragma once

#include <cstdint>
#include <optional>

#include "kernel/clock_rate.h"
#include "kernel/time.h"

namespace sluice {

struct IeeeHeadroomInputs {
  BitsPerSecond rate{};
  Ps cable{};                 ///< one way
  Ps response{};              ///< peer: PFC frame in, to transmitter stopped
  std::uint32_t reverse = 0;  ///< largest frame that may delay the PFC frame
  std::uint32_t forward = 0;  ///< largest frame that the peer may have begun
};

/// Bytes on the wire after the decision: (reverse + 20) + 84 + 2 cable + response + forward.
std::uint64_t ieee_headroom(const IeeeHeadroomInputs& inputs);

/// The standard's response budget in pause quanta: 394 at 100G, 453 at 200G, 905 at 400G; 1810 at
/// 800G (the 400G sublayers scaled in time; no published figure). Nothing at other rates.
std::optional<std::uint32_t> ieee_response_quanta(BitsPerSecond rate);

/// Cells that `wire_bytes` of frames of one size take, rounded up.
std::uint64_t cells_of_wire_bytes(std::uint64_t wire_bytes, std::uint32_t frame_bytes,
                                  std::uint32_t cell_bytes);

/// Bytes that a cable holds both ways together, at this speed of the signal.
double round_trip_bytes(BitsPerSecond rate, double metres, double metres_per_second);

}  // namespace sluice
