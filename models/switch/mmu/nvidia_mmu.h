// SPDX-License-Identifier: Apache-2.0
// NVIDIA-style admission: a PG may hold alpha_pg x (alpha_port x (pool - used) - used by its port),
// and `xon` cells of headroom lie between that limit and XOFF (SONiC QoS tests of Spectrum-4).
// Leaves out: an alpha of the port level that differs from pool to pool.
#pragma once

#include "switch/mmu/mmu_core.h"

namespace sluice {

class NvidiaMmu final : public MmuCore<NvidiaMmu> {
 public:
  static constexpr bool kPortLevel = true;
  using MmuCore::MmuCore;

  std::int64_t shared_limit(const SharedPool& pool, std::uint32_t adding, AlphaShift alpha) const {
    std::int64_t free = std::int64_t{pool.limit} - pool.used - adding;
    if (free < 0) return -1;
    if (tables().port_level) {
      free = tables().port_alpha.apply(free) - pool.port_used - adding;
      if (free < 0) return -1;
    }
    return alpha.apply(free);
  }
  /// Shared limit + xon + hysteresis; or that much headroom taken, when packets of many cells no
  /// longer fit although the limit is still above what the PG holds (each cell lowers it by
  /// alpha).
  bool xoff(const PgRecord& pg, const PgLimits& limits, std::int64_t limit) const {
    if (pg.headroom != 0 && std::int64_t{pg.headroom} >= limits.xoff_above) return true;
    return std::int64_t{pg.shared} + pg.headroom >=
           std::max<std::int64_t>(limit, 0) + limits.xoff_above;
  }
  /// One cell above the shared limit, with no more than that cell in headroom.
  bool xon(const PgRecord& pg, const PgLimits&, std::int64_t limit) const {
    return pg.headroom <= 1 &&
           std::int64_t{pg.shared} + pg.headroom <= std::max<std::int64_t>(limit, 0) + 1;
  }
};

}  // namespace sluice
