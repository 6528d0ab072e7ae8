// SPDX-License-Identifier: Apache-2.0
// Which signal of congestion comes first, marks or pauses, and thresholds that nothing can reach.
// Leaves out: how long a queue takes to get there; the levels are those of a slow build-up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/mmu/mmu_tables.h"
#include "switch/switch_params.h"

namespace sluice {

/// One kind of lossless queue of one kind of chip.
struct EcnOrder {
  std::string chip;  ///< the first chip
  std::uint32_t port = 0;
  std::uint32_t queue = 0;
  std::uint32_t pg = 0;
  std::uint32_t chips = 0;
  bool marks = true;
  std::uint64_t kmin_bytes = 0;
  std::uint64_t kmax_bytes = 0;
  std::uint64_t xoff_one_bytes = 0;  ///< queue when a lone ingress port's group is XOFF
  std::uint32_t most_ports = 0;      ///< ingress ports that can feed the queue
  std::uint64_t xoff_all_bytes = 0;  ///< queue when that many groups are XOFF
  std::uint64_t deepest_bytes = 0;   ///< then, with all their headroom full
  /// Fewest ingress ports with which marking comes before pausing; 0: with no number.
  std::uint32_t ecn_first_from = 0;

  /// Equal but for where.
  bool same_figures(const EcnOrder& other) const;
};

/// Cells in one queue when `ports` groups of equal limits, one a port and all of one slice, reach
/// XOFF together: N alpha S / (1 + N alpha) for a dynamic threshold of one level.
std::uint64_t xoff_level_cells(const MmuTables& tables, const PgLimits& limits,
                               std::uint32_t slice_cells, std::uint32_t ports);

/// Every lossless queue of a chip, equal ones once.
std::vector<EcnOrder> ecn_orders(const SwitchParams& params, const MmuTables& tables,
                                 std::uint32_t wired_ports);

struct UnreachableThreshold {
  std::string code;
  std::string text;
};
std::vector<UnreachableThreshold> unreachable_thresholds(const SwitchParams& params,
                                                         const MmuTables& tables,
                                                         const std::vector<EcnOrder>& orders);

}  // namespace sluice
