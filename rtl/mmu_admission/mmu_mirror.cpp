// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_mirror.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice::rtl {

MmuMirror::MmuMirror(const MmuTables& tables)
    : tables_(tables),
      pgs_(tables.pg_profile.size()),
      queues_(tables.queue_profile.size()),
      pg_cells_(tables.slices.size() * pgs_.size()),
      queue_cells_(tables.slices.size() * queues_.size()) {
  for (std::size_t s = 0; s < tables.slices.size(); ++s) {
    slices_[s].shared_limit = tables.slices[s].shared;
    slices_[s].lossy_limit = tables.slices[s].lossy;
    slices_[s].egress_limit = tables.slices[s].egress;
    slices_[s].headroom_limit = tables.slices[s].headroom;
  }
  totals_.total = tables.total_cells;
  totals_.pool = tables.pool_cells;
}

void MmuMirror::apply(const MmuRequest& r, bool admitted, const MmuAnswer& answer) {
  const std::size_t pg = pg_index(r.ingress_port, r.pg);
  const std::size_t queue = queue_index(r.egress_port, r.queue);
  PgCells& cells = pg_cells_[answer.slice * pgs_.size() + pg];
  PgUsage& usage = pgs_[pg];
  usage.min = answer.pg_min;
  usage.shared += answer.pg_shared - cells.shared;
  usage.headroom += answer.pg_headroom - cells.headroom;
  usage.xoff = answer.pg_xoff;
  totals_.headroom += answer.pg_headroom - cells.headroom;
  cells = {answer.pg_shared, answer.pg_headroom};

  std::uint32_t& queue_cells = queue_cells_[answer.slice * queues_.size() + queue];
  queues_[queue].min = answer.queue_min;
  queues_[queue].shared += answer.queue_shared - queue_cells;
  queue_cells = answer.queue_shared;

  SliceUsage& slice = slices_[answer.slice];
  slice.ingress_shared = answer.main;
  slice.lossy_shared = answer.lossy;
  slice.egress_shared = answer.egress;
  slice.headroom = answer.headroom;
  totals_.used = totals_.total - answer.free;
  if (admitted) note_peaks(usage, queues_[queue], answer);
}

void MmuMirror::note_peaks(PgUsage& pg, QueueUsage& queue, const MmuAnswer& answer) {
  pg.peak = std::max(pg.peak, pg.total());
  pg.peak_headroom = std::max(pg.peak_headroom, answer.pg_headroom);
  queue.peak = std::max(queue.peak, queue.total());
  SliceUsage& slice = slices_[answer.slice];
  slice.peak_ingress_shared = std::max(slice.peak_ingress_shared, answer.main);
  slice.peak_lossy_shared = std::max(slice.peak_lossy_shared, answer.lossy);
  slice.peak_egress_shared = std::max(slice.peak_egress_shared, answer.egress);
  slice.peak_headroom = std::max(slice.peak_headroom, answer.headroom);
  totals_.peak = std::max(totals_.peak, totals_.used);
  totals_.peak_headroom = std::max(totals_.peak_headroom, totals_.headroom);
}

std::uint32_t MmuMirror::pg_limit(std::uint16_t port, std::uint8_t pg) const {
  const std::uint32_t home = tables_.slice_of_port[port];
  const PgLimits& limits = limits_of(pg_index(port, pg));
  const PgCells* cells = &pg_cells_[home * pgs_.size() + pg_index(port, 0)];
  std::int64_t held = 0;
  for (std::size_t other = 0; other < kPriorityGroups; ++other) {
    if (limits_of(pg_index(port, other)).own_pool == limits.own_pool) held += cells[other].shared;
  }
  const SliceUsage& slice = slices_[home];
  const std::int64_t pool = limits.own_pool ? slice.lossy_limit : slice.shared_limit;
  std::int64_t left = pool - (limits.own_pool ? slice.lossy_shared : slice.ingress_shared);
  if (tables_.port_level && left >= 0) left = tables_.port_alpha.apply(left) - held;
  std::int64_t limit = left < 0                          ? -1
                       : limits.static_limit != kDynamic ? limits.static_limit
                                                         : limits.alpha.apply(left);
  if (tables_.has_port_limits && !limits.own_pool) {
    const std::int64_t others = held - cells[pg].shared;
    limit = std::max(limit, std::int64_t{tables_.port.min} - others);
    limit = std::min(limit, tables_.port.limit - others);
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit, 0, pool));
}

void MmuMirror::check() const {
  std::uint64_t by_pg = 0;
  std::uint64_t by_queue = 0;
  std::uint64_t headroom = 0;
  for (const PgUsage& pg : pgs_) {
    by_pg += pg.total();
    headroom += pg.headroom;
  }
  for (const QueueUsage& queue : queues_) by_queue += queue.total();
  SLUICE_CHECK(by_pg == totals_.used && by_queue == totals_.used,
               "RTL: cells by PG {}, by queue {}, not on the free list {}", by_pg, by_queue,
               totals_.used);
  SLUICE_CHECK(headroom == totals_.headroom, "RTL: headroom by PG {}, counted {}", headroom,
               totals_.headroom);
  for (std::uint32_t s = 0; s < tables_.slices.size(); ++s) check_slice(s);
}

/// A port's reserve lies outside the pool, so that its accounts may hold more than the pool counts.
void MmuMirror::check_slice(std::uint32_t s) const {
  std::uint64_t main = 0;
  std::uint64_t lossy = 0;
  std::uint64_t egress = 0;
  for (std::size_t i = 0; i < pgs_.size(); ++i) {
    (limits_of(i).own_pool ? lossy : main) += pg_cells_[s * pgs_.size() + i].shared;
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (tables_.queue_limits[tables_.queue_profile[i]].lossless) continue;
    egress += queue_cells_[s * queues_.size() + i];
  }
  const SliceUsage& slice = slices_[s];
  const bool main_sums =
      tables_.port.min == 0 ? main == slice.ingress_shared : main >= slice.ingress_shared;
  const bool egress_sums =
      tables_.egress_port.min == 0 ? egress == slice.egress_shared : egress >= slice.egress_shared;
  SLUICE_CHECK(main_sums && slice.ingress_shared <= slice.shared_limit,
               "RTL: slice {}: {} shared cells of {}, by PG {}", s, slice.ingress_shared,
               slice.shared_limit, main);
  SLUICE_CHECK(lossy == slice.lossy_shared && slice.lossy_shared <= slice.lossy_limit,
               "RTL: slice {}: {} shared cells of {} in the lossy pool, by PG {}", s,
               slice.lossy_shared, slice.lossy_limit, lossy);
  SLUICE_CHECK(egress_sums && slice.egress_shared <= slice.egress_limit,
               "RTL: slice {}: {} egress cells of {}, by queue {}", s, slice.egress_shared,
               slice.egress_limit, egress);
}

}  // namespace sluice::rtl
