// SPDX-License-Identifier: Apache-2.0
// What MmuCore lets others read: occupancy by PG, queue, slice and chip, limits, and the check that
// all of them agree. Included by mmu_core.h alone. Leaves out: admission and release.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/error.h"
#include "switch/mmu/mmu_core.h"

namespace sluice {

template <class Policy>
PgUsage MmuCore<Policy>::pg(std::uint16_t port, std::uint8_t pg) const {
  const PgRecord* home = &books_.pgs[pg_index(port, pg)];
  PgUsage usage{.min = home->min,
                .peak = home->peak,
                .peak_headroom = home->peak_headroom,
                .xoff = home->xoff_slices != 0};
  for (std::size_t copy = 0; copy < copies_; ++copy) {
    usage.shared += home[copy * tables_.pg_profile.size()].shared;
    usage.headroom += home[copy * tables_.pg_profile.size()].headroom;
  }
  return usage;
}

template <class Policy>
QueueUsage MmuCore<Policy>::queue(std::uint16_t port, std::uint8_t queue) const {
  const QueueRecord& home = books_.queues[queue_index(port, queue)];
  return {.min = home.min, .shared = queue_total(home) - home.min, .peak = home.peak};
}

template <class Policy>
SliceUsage MmuCore<Policy>::slice(std::uint32_t slice) const {
  const SliceRecord& s = books_.slices[slice];
  return {.shared_limit = s.main.limit,
          .ingress_shared = s.main.used,
          .lossy_limit = s.lossy.limit,
          .lossy_shared = s.lossy.used,
          .egress_limit = s.egress.limit,
          .egress_shared = s.egress.used,
          .headroom_limit = s.headroom.limit,
          .headroom = s.headroom.used,
          .peak_ingress_shared = s.main.peak,
          .peak_lossy_shared = s.lossy.peak,
          .peak_egress_shared = s.egress.peak,
          .peak_headroom = s.headroom.peak};
}

template <class Policy>
MmuTotals MmuCore<Policy>::totals() const {
  return {tables_.total_cells,
          tables_.total_cells - books_.free_cells,
          tables_.total_cells - books_.free_low,
          headroom_,
          peak_headroom_,
          tables_.pool_cells};
}

template <class Policy>
std::uint32_t MmuCore<Policy>::pg_limit(std::uint16_t port, std::uint8_t pg) const {
  const PgRecord& home = books_.pgs[pg_index(port, pg)];
  const PgLimits& limits = tables_.pg_limits[home.profile];
  const SliceRecord& slice = books_.slices[home.slice];
  const PoolRecord& pool = limits.own_pool ? slice.lossy : slice.main;
  const std::uint32_t held = port_use(&home - pg, limits);
  std::int64_t limit = policy().shared_limit({pool.used, pool.limit, held}, 0, limits.alpha);
  if (limits.static_limit != kDynamic && limit >= 0) limit = limits.static_limit;
  if (tables_.has_port_limits && !limits.own_pool) {
    const std::int64_t others = std::int64_t{held} - home.shared;
    limit = std::max(limit, std::int64_t{tables_.port.min} - others);
    limit = std::min(limit, tables_.port.limit - others);
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit, 0, pool.limit));
}

/// Every account is counted twice, from the records of PGs and queues and by its pool; and all of
/// them against the free list.
template <class Policy>
void MmuCore<Policy>::check_conservation() const {
  std::array<std::uint64_t, kMaxSlices> main{};
  std::array<std::uint64_t, kMaxSlices> lossy{};
  std::array<std::uint64_t, kMaxSlices> egress{};
  std::uint64_t by_pg = 0;
  std::uint64_t by_queue = 0;
  std::uint64_t headroom = 0;
  const std::size_t pgs = tables_.pg_profile.size();
  for (std::size_t i = 0; i < books_.pgs.size(); ++i) {
    const PgRecord& pg = books_.pgs[i];
    const bool own = tables_.pg_limits[pg.profile].own_pool;
    (own ? lossy : main)[(pg.slice + i / pgs) % copies_] += pg.shared;
    headroom += pg.headroom;
    by_pg += pg.shared + pg.headroom + pg.min;
  }
  const std::size_t queues = tables_.queue_profile.size();
  for (std::size_t i = 0; i < books_.queues.size(); ++i) {
    const QueueRecord& queue = books_.queues[i];
    if (queue.lossy) egress[(queue.slice + i / queues) % copies_] += queue.shared;
    by_queue += queue.shared + queue.min;
  }
  const std::uint64_t used = tables_.total_cells - std::uint64_t{books_.free_cells};
  SLUICE_CHECK(by_pg == used && by_queue == used,
               "cells by PG {}, by queue {}, not on the free list {}", by_pg, by_queue, used);
  SLUICE_CHECK(books_.free_cells <= tables_.total_cells, "{} free cells of {}", books_.free_cells,
               tables_.total_cells);
  SLUICE_CHECK(headroom == headroom_, "headroom by PG {}, counted {}", headroom, headroom_);
  for (std::size_t s = 0; s < copies_; ++s) {
    const SliceRecord& slice = books_.slices[s];
    // A port's reserve lies outside the pool.
    const bool sums =
        tables_.port.min == 0 ? main[s] == slice.main.used : main[s] >= slice.main.used;
    SLUICE_CHECK(sums && slice.main.used <= slice.main.limit,
                 "slice {}: {} shared cells of {}, by PG {}", s, slice.main.used, slice.main.limit,
                 main[s]);
    SLUICE_CHECK(lossy[s] == slice.lossy.used && slice.lossy.used <= slice.lossy.limit,
                 "slice {}: {} shared cells of {} in the lossy pool, by PG {}", s, slice.lossy.used,
                 slice.lossy.limit, lossy[s]);
    const bool leaves = tables_.egress_port.min == 0 ? egress[s] == slice.egress.used
                                                     : egress[s] >= slice.egress.used;
    SLUICE_CHECK(leaves && slice.egress.used <= slice.egress.limit,
                 "slice {}: {} egress cells of {}, by queue {}", s, slice.egress.used,
                 slice.egress.limit, egress[s]);
  }
}

}  // namespace sluice
