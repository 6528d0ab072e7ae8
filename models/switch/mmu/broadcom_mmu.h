// SPDX-License-Identifier: Apache-2.0
// Broadcom-style admission: one dynamic threshold per slice, alpha x (S - used) (Choudhury and
// Hahne, IEEE/ACM ToN 6(2), 1998), XOFF when it is reached. Leaves out: alphas finer than powers of
// two.
#pragma once

#include "switch/mmu/mmu_core.h"

namespace sluice {

class BroadcomMmu final : public MmuCore<BroadcomMmu> {
 public:
  static constexpr bool kPortLevel = false;
  using MmuCore::MmuCore;

  std::int64_t shared_limit(const SharedPool& pool, std::uint32_t adding, AlphaShift alpha) const {
    const std::int64_t free = std::int64_t{pool.limit} - pool.used - adding;
    return free < 0 ? -1 : alpha.apply(free);
  }
  /// With the packet that reaches the limit, or on the first one in headroom.
  bool xoff(const PgRecord&, const PgLimits&, std::int64_t) const { return true; }
  /// `xon_offset` below the moving limit, or at `xon`, whichever is higher; headroom empty.
  bool xon(const PgRecord& pg, const PgLimits& limits, std::int64_t limit) const {
    const std::int64_t below = std::max<std::int64_t>(limit - limits.xon_offset, 0);
    return pg.headroom == 0 && pg.shared <= std::max<std::int64_t>(below, limits.xon);
  }
};

}  // namespace sluice
