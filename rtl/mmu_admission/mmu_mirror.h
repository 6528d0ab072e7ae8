// SPDX-License-Identifier: Apache-2.0
// What the MMU's RTL holds, kept from its answers: the views of the Mmu interface, watermarks, and
// the check that all counts agree. Leaves out: every decision, which the RTL makes alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "switch/mmu/mmu.h"
#include "switch/mmu/mmu_tables.h"

namespace sluice::rtl {

/// One answer of the RTL: the decision and the counts that it leaves, in cells. `pg_shared`,
/// `pg_headroom` and `queue_shared` are those of the packet's slice.
struct MmuAnswer {
  bool valid = false;
  DropReason drop = DropReason::kNone;
  bool xoff = false;
  bool xon = false;
  bool pg_xoff = false;
  std::uint8_t slice = 0;
  std::uint32_t pg_min = 0;
  std::uint32_t pg_shared = 0;
  std::uint32_t pg_headroom = 0;
  std::uint32_t pg_total = 0;  ///< in all slices and accounts
  std::uint32_t queue_min = 0;
  std::uint32_t queue_shared = 0;
  std::uint32_t main = 0;
  std::uint32_t lossy = 0;
  std::uint32_t egress = 0;
  std::uint32_t headroom = 0;
  std::uint32_t free = 0;
};

class MmuMirror {
 public:
  explicit MmuMirror(const MmuTables& tables);

  /// `admitted`: the answer is to an admission that was not refused.
  void apply(const MmuRequest& request, bool admitted, const MmuAnswer& answer);

  PgUsage pg(std::uint16_t port, std::uint8_t pg) const { return pgs_[pg_index(port, pg)]; }
  QueueUsage queue(std::uint16_t port, std::uint8_t queue) const {
    return queues_[queue_index(port, queue)];
  }
  SliceUsage slice(std::uint32_t slice) const { return slices_[slice]; }
  MmuTotals totals() const { return totals_; }
  /// As Mmu::pg_limit.
  std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const;
  /// As Mmu::check_conservation.
  void check() const;

 private:
  struct PgCells {
    std::uint32_t shared = 0;
    std::uint32_t headroom = 0;
  };
  std::size_t pg_index(std::size_t port, std::size_t pg) const {
    return port * kPriorityGroups + pg;
  }
  std::size_t queue_index(std::size_t port, std::size_t queue) const {
    return port * tables_.queues_per_port + queue;
  }
  const PgLimits& limits_of(std::size_t pg) const {
    return tables_.pg_limits[tables_.pg_profile[pg]];
  }
  void note_peaks(PgUsage& pg, QueueUsage& queue, const MmuAnswer& answer);
  void check_slice(std::uint32_t slice) const;

  const MmuTables& tables_;
  std::vector<PgUsage> pgs_;  // sums over slices
  std::vector<QueueUsage> queues_;
  std::vector<PgCells> pg_cells_;           // [slice][port][pg]
  std::vector<std::uint32_t> queue_cells_;  // [slice][port][queue], shared
  std::array<SliceUsage, kMaxSlices> slices_{};
  MmuTotals totals_;
};

}  // namespace sluice::rtl
