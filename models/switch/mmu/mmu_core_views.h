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
  const PgRecord* home = &pgs_[pg_index(port, pg)];
  PgUsage usage{.min = home->min,
                .peak = home->peak,
                .peak_headroom = home->peak_headroom,
                .xoff = home->xoff_slices != 0};
  for (std::size_t copy = 0; copy < slices_.size(); ++copy) {
    usage.shared += home[copy * tables_.pg_profile.size()].shared;
    usage.headroom += home[copy * tables_.pg_profile.size()].headroom;
  }
  return usage;
}

template <class Policy>
QueueUsage MmuCore<Policy>::queue(std::uint16_t port, std::uint8_t queue) const {
  const QueueRecord* home = &queues_[queue_index(port, queue)];
  QueueUsage usage{.min = home->min, .peak = home->peak};
  for (std::size_t copy = 0; copy < slices_.size(); ++copy) {
    usage.shared += home[copy * tables_.queue_profile.size()].shared;
  }
  return usage;
}

template <class Policy>
SliceUsage MmuCore<Policy>::slice(std::uint32_t slice) const {
  const SliceRecord& s = slices_[slice];
  return {s.shared_limit, s.ingress_shared, s.egress_shared, s.headroom_limit, s.headroom};
}

template <class Policy>
MmuTotals MmuCore<Policy>::totals() const {
  return {tables_.total_cells, used_, peak_, headroom_, peak_headroom_, tables_.pool_cells};
}

template <class Policy>
std::uint32_t MmuCore<Policy>::pg_limit(std::uint16_t port, std::uint8_t pg) const {
  const PgLimits& limits = tables_.pg_limits[pgs_[pg_index(port, pg)].profile];
  const SliceRecord& slice = slices_[tables_.slice_of_port[port]];
  std::int64_t limit = policy().shared_limit(
      {slice.ingress_shared, slice.shared_limit, port_ingress_shared_[port]}, 0, limits.alpha);
  if (limits.static_limit != kDynamic && limit >= 0) limit = limits.static_limit;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit, 0, slice.shared_limit));
}

template <class Policy>
void MmuCore<Policy>::check_conservation() const {
  std::uint64_t by_pg = 0;
  std::uint64_t by_queue = 0;
  for (std::uint32_t port = 0; port < tables_.ports; ++port) {
    for (std::uint32_t i = 0; i < kPriorityGroups; ++i) {
      const PgUsage usage = pg(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(i));
      by_pg += usage.total();
      SLUICE_CHECK(usage.total() == pgs_[pg_index(port, i)].total,
                   "port {} PG {} accounts {} cells, counts {}", port, i, usage.total(),
                   pgs_[pg_index(port, i)].total);
    }
    for (std::uint32_t i = 0; i < tables_.queues_per_port; ++i) {
      by_queue += queue(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(i)).total();
    }
  }
  SLUICE_CHECK(by_pg == used_ && by_queue == used_, "cells by PG {}, by queue {}, used {}", by_pg,
               by_queue, used_);
  SLUICE_CHECK(used_ <= tables_.total_cells, "{} of {} cells used", used_, tables_.total_cells);
  for (std::size_t s = 0; s < slices_.size(); ++s) {
    SLUICE_CHECK(slices_[s].ingress_shared <= slices_[s].shared_limit,
                 "slice {}: {} shared cells of {}", s, slices_[s].ingress_shared,
                 slices_[s].shared_limit);
  }
}

}  // namespace sluice
