// SPDX-License-Identifier: Apache-2.0
#include "study/check/pools.h"

#include <algorithm>
#include <limits>

namespace sluice {
namespace {

const PgLimits& limits_of(const MmuTables& tables, std::uint32_t port, std::uint32_t pg) {
  return tables.pg_limits[tables.pg_profile[port * kPriorityGroups + pg]];
}

/// Fewest groups that exhaust `pool` are the largest ones: so many fit in any case.
std::uint32_t fill(std::vector<std::uint32_t> parts, std::uint64_t pool) {
  std::sort(parts.begin(), parts.end(), std::greater<>());
  std::uint64_t used = 0;
  std::uint32_t count = 0;
  for (const std::uint32_t part : parts) {
    if (used + part > pool) break;
    used += part;
    ++count;
  }
  return count;
}

std::uint64_t queue_minima(const MmuParams& params, const MmuGeometry& geometry,
                           std::uint32_t active_ports) {
  const std::uint64_t cell = params.cell_bytes;
  std::uint64_t sum = params.queue_min_bytes.value / cell * params.queue_min_count * active_ports;
  for (const QueueOverride& o : params.queue_overrides) {
    if (!geometry.is_active(o.port)) continue;
    sum += o.profile.min.value / cell;
    sum -= std::min(sum, params.queue_default(o.queue).min.value / cell);
  }
  return sum;
}

}  // namespace

std::uint32_t headroom_after_xoff(const PgLimits& limits) {
  return limits.room - std::min(limits.room, limits.xoff_above);
}

bool PoolReport::same_figures(const PoolReport& o) const {
  return cell_bytes == o.cell_bytes && total_cells == o.total_cells && pool_cells == o.pool_cells &&
         shared_headroom_cells == o.shared_headroom_cells && minimum_cells == o.minimum_cells &&
         private_headroom_cells == o.private_headroom_cells && needed_cells == o.needed_cells &&
         groups == o.groups && headroom_sum_cells == o.headroom_sum_cells && slices == o.slices;
}

double PoolReport::oversubscription() const {
  if (!shares_headroom()) return 0;
  return static_cast<double>(headroom_sum_cells) / shared_headroom_cells;
}

PoolReport pool_report(const MmuParams& params, const MmuGeometry& geometry,
                       const MmuTables& tables) {
  PoolReport report;
  report.cell_bytes = params.cell_bytes;
  report.total_cells = tables.total_cells;
  report.pool_cells = tables.pool_cells;
  report.shared_headroom_cells =
      static_cast<std::uint32_t>(params.shared_headroom_bytes.value / params.cell_bytes);
  std::vector<std::vector<std::uint32_t>> parts(tables.slices.size());
  std::uint32_t active = 0;
  for (std::uint32_t port = 0; port < tables.ports; ++port) {
    if (!geometry.is_active(port)) continue;
    ++active;
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      const PgLimits& limits = limits_of(tables, port, pg);
      report.minimum_cells += limits.min;
      report.private_headroom_cells += limits.private_headroom;
      if (!limits.lossless) continue;
      ++report.groups;
      report.headroom_sum_cells += headroom_after_xoff(limits);
      parts[tables.slice_of_port[port]].push_back(headroom_after_xoff(limits));
    }
  }
  report.minimum_cells += queue_minima(params, geometry, active);
  report.needed_cells = report.pool_cells;
  if (!params.shp_in_pool) report.needed_cells += report.shared_headroom_cells;
  if (!params.reserves_in_pool) {
    report.needed_cells += report.minimum_cells + report.private_headroom_cells;
  }
  report.full_worst = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t s = 0; s < tables.slices.size(); ++s) {
    SliceReport slice;
    slice.shared_cells = tables.slices[s].shared;
    slice.headroom_cells = tables.slices[s].headroom;
    slice.groups = static_cast<std::uint32_t>(parts[s].size());
    slice.full = tables.shared_headroom ? fill(parts[s], slice.headroom_cells) : slice.groups;
    report.full_spread += slice.full;
    if (slice.groups != 0) report.full_worst = std::min(report.full_worst, slice.full);
    report.slices.push_back(slice);
  }
  if (report.groups == 0) report.full_worst = 0;
  return report;
}

}  // namespace sluice
