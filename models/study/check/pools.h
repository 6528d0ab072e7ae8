// SPDX-License-Identifier: Apache-2.0
// What a chip's buffer is divided into, and how many priority groups can use their full headroom
// at once. Leaves out: whether that headroom is enough (check.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/mmu/mmu_tables.h"

namespace sluice {

struct SliceReport {
  std::uint32_t shared_cells = 0;
  std::uint32_t headroom_cells = 0;  ///< of the shared headroom pool
  std::uint32_t groups = 0;          ///< lossless priority groups of its ports
  std::uint32_t full = 0;            ///< of these, how many can fill their headroom together
  bool operator==(const SliceReport&) const = default;
};

struct PoolReport {
  std::string chip;         ///< the first chip of this kind
  std::uint32_t chips = 0;  ///< how many there are
  std::uint32_t cell_bytes = 0;
  std::uint32_t total_cells = 0;
  std::uint32_t pool_cells = 0;
  std::uint32_t shared_headroom_cells = 0;  ///< 0: headroom is private
  std::uint64_t minimum_cells = 0;          ///< of all active ports' priority groups and queues
  std::uint64_t private_headroom_cells = 0;
  std::uint64_t needed_cells = 0;        ///< pool, and what lies beside it
  std::uint32_t groups = 0;              ///< lossless priority groups
  std::uint64_t headroom_sum_cells = 0;  ///< what they may take together
  std::uint32_t full_spread = 0;         ///< at once, spread over the slices
  std::uint32_t full_worst = 0;          ///< at once, all in the worst slice
  std::vector<SliceReport> slices;

  /// Equal but for the name and number of chips.
  bool same_figures(const PoolReport& other) const;
  bool shares_headroom() const { return shared_headroom_cells != 0; }
  /// Sum of the priority groups' headroom / shared headroom pool; 0 where headroom is private.
  double oversubscription() const;
};

PoolReport pool_report(const MmuParams& params, const MmuGeometry& geometry,
                       const MmuTables& tables);

/// Cells that a lossless priority group can still take when its XOFF has been decided.
std::uint32_t headroom_after_xoff(const PgLimits& limits);

}  // namespace sluice
