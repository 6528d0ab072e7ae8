// SPDX-License-Identifier: Apache-2.0
// Feeding an MMU packet by packet, one cell each unless said otherwise.
// Leaves out: ports, links and time.
#pragma once

#include <cstdint>

#include "switch/mmu/mmu.h"

namespace sluice::testing {

constexpr std::uint8_t kLossless = 3;
constexpr std::uint8_t kLossy = 0;

inline MmuRequest packet(std::uint32_t in, std::uint8_t pg, std::uint32_t out,
                         std::uint32_t cells = 1) {
  return {static_cast<std::uint16_t>(in), pg, static_cast<std::uint16_t>(out), pg, cells};
}

struct Filled {
  std::uint32_t xoff_at = 0;  ///< number of the packet with which XOFF was sent; 0: never
  std::uint32_t drop_at = 0;  ///< number of the first packet that was refused; 0: none
};

/// Sends one-cell packets until one is refused or, when `stop_at_xoff`, until XOFF.
inline Filled fill(Mmu& mmu, const MmuRequest& request, bool stop_at_xoff) {
  Filled result;
  for (std::uint32_t n = 1; n <= 1000000; ++n) {
    const AdmitResult admitted = mmu.admit(request);
    if (admitted.xoff && result.xoff_at == 0) result.xoff_at = n;
    if (admitted.drop != DropReason::kNone) {
      result.drop_at = n;
      break;
    }
    if (stop_at_xoff && admitted.xoff) break;
  }
  return result;
}

/// Packets released until XON; 0: never.
inline std::uint32_t drain_to_xon(Mmu& mmu, const MmuRequest& request) {
  const std::uint32_t held = mmu.pg(request.ingress_port, request.pg).total();
  for (std::uint32_t n = 1; n <= held; ++n) {
    if (mmu.release(request)) return n;
  }
  return 0;
}

/// One pool without minima, headroom or slices: what golden section G3 is about.
inline MmuParams one_pool(std::uint32_t cell_bytes, std::uint64_t pool_bytes, int alpha_exp) {
  MmuParams p;
  p.cell_bytes = cell_bytes;
  p.pool_bytes = Bytes{pool_bytes};
  p.total_cells = static_cast<std::uint32_t>(pool_bytes / cell_bytes);
  p.num_slices = 1;
  p.shared_headroom_bytes = Bytes{0};
  p.pg_min_bytes = Bytes{0};
  p.xoff_bytes = Bytes{0};
  p.xon_offset_bytes = Bytes{0};
  p.lossy_pg_static_bytes = Bytes{0};
  p.queue_min_bytes = Bytes{0};
  p.queue_min_count = 0;
  p.pg_alpha_exp = alpha_exp;
  p.lossy_pg_alpha_exp = alpha_exp;
  p.lossy_alpha_exp = 8;
  return p;
}

}  // namespace sluice::testing
