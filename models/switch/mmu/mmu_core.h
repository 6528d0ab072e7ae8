// SPDX-License-Identifier: Apache-2.0
// Accounting that both admission policies share: cells by PG, queue, slice and chip, charged
// minimum first, then shared, then headroom, and given back in the opposite order. Leaves out: the
// thresholds and the XOFF/XON rules, which a policy supplies at compile time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/error.h"
#include "switch/mmu/mmu.h"
#include "switch/mmu/mmu_tables.h"

namespace sluice {

/// Two of a port's eight in a cache line. With several slices a PG has one record a slice; `min`,
/// `total`, the peaks and `xoff_slices` live in the record of its port's own slice (the home
/// record).
struct alignas(32) PgRecord {
  std::uint32_t min = 0;
  std::uint32_t shared = 0;
  std::uint32_t headroom = 0;
  std::uint32_t total = 0;
  std::uint32_t peak = 0;
  std::uint32_t peak_headroom = 0;
  std::uint16_t profile = 0;
  bool xoff = false;             ///< in this slice
  std::uint8_t xoff_slices = 0;  ///< slices in which the PG is XOFF
};
static_assert(sizeof(PgRecord) == 32);

/// As PgRecord, for a queue.
struct alignas(32) QueueRecord {
  std::uint32_t min = 0;
  std::uint32_t shared = 0;
  std::uint32_t total = 0;
  std::uint32_t peak = 0;
  std::uint16_t profile = 0;
};
static_assert(sizeof(QueueRecord) == 32);

struct SliceRecord {
  std::uint32_t shared_limit = 0;
  std::uint32_t ingress_shared = 0;
  std::uint32_t egress_shared = 0;
  std::uint32_t headroom_limit = 0;  ///< of the shared headroom pool
  std::uint32_t headroom = 0;
};

/// A shared account and its surroundings, as a threshold rule sees them.
struct SharedAccount {
  std::uint32_t used;        ///< by this PG or queue
  std::uint32_t slice_used;  ///< by all of the slice
  std::uint32_t slice_limit;
  std::uint32_t port_used;  ///< by the port; 0 where the policy has no port level
};

/// `Policy` supplies kPortLevel and, as const members:
///   int64 shared_limit(const SharedAccount&, uint32 adding, AlphaShift): dynamic threshold when
///     `adding` more cells are charged; negative when they exceed the pool;
///   bool xoff(const PgRecord&, const PgLimits&, limit, next_fits): state after a charge;
///   bool xon(const PgRecord&, const PgLimits&, limit): state after a release.
template <class Policy>
class MmuCore : public Mmu {
 public:
  MmuCore(const MmuParams& params, const MmuGeometry& geometry);

  AdmitResult admit(const MmuRequest& request) final;
  bool release(const MmuRequest& request) final;

  bool lossless(std::uint16_t port, std::uint8_t pg) const final {
    return tables_.pg_limits[pgs_[pg_index(port, pg)].profile].lossless;
  }
  PgUsage pg(std::uint16_t port, std::uint8_t pg) const final;
  QueueUsage queue(std::uint16_t port, std::uint8_t queue) const final;
  SliceUsage slice(std::uint32_t slice) const final;
  std::uint32_t slices() const final { return static_cast<std::uint32_t>(slices_.size()); }
  MmuTotals totals() const final;
  std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const final;
  void check_conservation() const final;

 protected:
  const MmuTables& tables() const { return tables_; }

 private:
  enum class Account : std::uint8_t { kMin, kShared, kHeadroom, kNone };

  const Policy& policy() const { return static_cast<const Policy&>(*this); }
  std::size_t pg_index(std::uint32_t port, std::uint32_t pg) const {
    return port * kPriorityGroups + pg;
  }
  std::size_t queue_index(std::uint32_t port, std::uint32_t queue) const {
    return port * tables_.queues_per_port + queue;
  }
  /// 0 when `slice` is the port's own, else the number of the port's copy for it.
  std::uint32_t copy_of(std::uint32_t slice, std::uint32_t port) const {
    const std::uint32_t home = tables_.slice_of_port[port];
    return slice >= home ? slice - home : slice + slices() - home;
  }
  std::uint32_t slice_of(const MmuRequest& r) const {
    return tables_.slice_of_port[tables_.by_ingress ? r.ingress_port : r.egress_port];
  }
  std::uint32_t pool_part(std::uint32_t headroom, const PgLimits& limits) const {
    if (!tables_.shared_headroom || headroom <= limits.private_headroom) return 0;
    return headroom - limits.private_headroom;
  }
  std::int64_t limit_of(const PgRecord& pg, const PgLimits& limits, const SliceRecord& slice,
                        std::uint32_t port_used, std::uint32_t adding) const;
  bool pg_fits(const PgRecord& pg, const PgLimits& limits, const SliceRecord& slice,
               std::uint32_t port_used, std::uint32_t adding) const;
  Account pg_account(const PgRecord& home, const PgRecord& pg, const PgLimits& limits,
                     const SliceRecord& slice, std::uint32_t port_used, std::uint32_t cells) const;
  Account queue_account(const QueueRecord& home, const QueueRecord& queue, const SliceRecord& slice,
                        std::uint32_t port_used, std::uint32_t cells) const;
  AdmitResult refuse(PgRecord& home, PgRecord& pg, const PgLimits& limits, DropReason reason);
  static bool enter_xoff(PgRecord& home, PgRecord& pg) {
    pg.xoff = true;
    return home.xoff_slices++ == 0;
  }
  void charge_headroom(PgRecord& home, PgRecord& pg, const PgLimits& limits, SliceRecord& slice,
                       std::uint32_t cells);

  MmuTables tables_;
  std::uint32_t used_ = 0;
  std::uint32_t peak_ = 0;
  std::uint32_t headroom_ = 0;
  std::uint32_t peak_headroom_ = 0;
  std::vector<SliceRecord> slices_;
  std::vector<PgRecord> pgs_;                       // [copy][port][pg]
  std::vector<QueueRecord> queues_;                 // [copy][port][queue]
  std::vector<std::uint32_t> port_ingress_shared_;  // [copy][port]
  std::vector<std::uint32_t> port_egress_shared_;
};

template <class Policy>
MmuCore<Policy>::MmuCore(const MmuParams& params, const MmuGeometry& geometry)
    : tables_(resolve(params, geometry)) {
  for (const SliceLimits& limits : tables_.slices) {
    slices_.push_back({.shared_limit = limits.shared, .headroom_limit = limits.headroom});
  }
  const std::size_t copies = slices_.size();
  pgs_.resize(copies * tables_.pg_profile.size());
  queues_.resize(copies * tables_.queue_profile.size());
  for (std::size_t i = 0; i < pgs_.size(); ++i) {
    pgs_[i].profile = tables_.pg_profile[i % tables_.pg_profile.size()];
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].profile = tables_.queue_profile[i % tables_.queue_profile.size()];
  }
  port_ingress_shared_.resize(copies * tables_.ports);
  port_egress_shared_.resize(copies * tables_.ports);
}

template <class Policy>
std::int64_t MmuCore<Policy>::limit_of(const PgRecord& pg, const PgLimits& limits,
                                       const SliceRecord& slice, std::uint32_t port_used,
                                       std::uint32_t adding) const {
  const std::int64_t dynamic = policy().shared_limit(
      {pg.shared, slice.ingress_shared, slice.shared_limit, port_used}, adding, limits.alpha);
  if (dynamic < 0) return -1;
  return limits.static_limit == kDynamic ? dynamic : limits.static_limit;
}

template <class Policy>
bool MmuCore<Policy>::pg_fits(const PgRecord& pg, const PgLimits& limits, const SliceRecord& slice,
                              std::uint32_t port_used, std::uint32_t adding) const {
  return std::int64_t{pg.shared} + adding <= limit_of(pg, limits, slice, port_used, adding);
}

template <class Policy>
auto MmuCore<Policy>::pg_account(const PgRecord& home, const PgRecord& pg, const PgLimits& limits,
                                 const SliceRecord& slice, std::uint32_t port_used,
                                 std::uint32_t cells) const -> Account {
  if (home.min + cells <= limits.min) return Account::kMin;
  if (pg_fits(pg, limits, slice, port_used, cells)) return Account::kShared;
  if (!limits.lossless || pg.headroom + cells > limits.room) return Account::kNone;
  if (!tables_.shared_headroom) return Account::kHeadroom;
  const std::uint32_t more =
      pool_part(pg.headroom + cells, limits) - pool_part(pg.headroom, limits);
  return slice.headroom + more <= slice.headroom_limit ? Account::kHeadroom : Account::kNone;
}

template <class Policy>
auto MmuCore<Policy>::queue_account(const QueueRecord& home, const QueueRecord& queue,
                                    const SliceRecord& slice, std::uint32_t port_used,
                                    std::uint32_t cells) const -> Account {
  const QueueLimits& limits = tables_.queue_limits[home.profile];
  if (home.min + cells <= limits.min) return Account::kMin;
  const std::int64_t wanted = std::int64_t{queue.shared} + cells;
  if (limits.lossless) return wanted <= limits.static_limit ? Account::kShared : Account::kNone;
  const std::int64_t dynamic = policy().shared_limit(
      {queue.shared, slice.egress_shared, slice.shared_limit, port_used}, cells, limits.alpha);
  if (dynamic < 0) return Account::kNone;
  const std::int64_t limit = limits.static_limit == kDynamic ? dynamic : limits.static_limit;
  return wanted <= limit ? Account::kShared : Account::kNone;
}

/// The PG is told to stop even when the packet that showed the need is lost; but never an empty PG,
/// which would have no release left to start it again.
template <class Policy>
AdmitResult MmuCore<Policy>::refuse(PgRecord& home, PgRecord& pg, const PgLimits& limits,
                                    DropReason reason) {
  const bool stop = limits.lossless && !pg.xoff && pg.shared + pg.headroom + home.min > 0 &&
                    reason != DropReason::kEgressQueue;
  return {reason, stop && enter_xoff(home, pg)};
}

template <class Policy>
void MmuCore<Policy>::charge_headroom(PgRecord& home, PgRecord& pg, const PgLimits& limits,
                                      SliceRecord& slice, std::uint32_t cells) {
  slice.headroom += pool_part(pg.headroom + cells, limits) - pool_part(pg.headroom, limits);
  pg.headroom += cells;
  headroom_ += cells;
  home.peak_headroom = std::max(home.peak_headroom, pg.headroom);
  peak_headroom_ = std::max(peak_headroom_, headroom_);
}

template <class Policy>
AdmitResult MmuCore<Policy>::admit(const MmuRequest& r) {
  const std::uint32_t cells = r.cells;
  const std::uint32_t s = slice_of(r);
  const std::uint32_t in_copy = copy_of(s, r.ingress_port);
  const std::uint32_t out_copy = copy_of(s, r.egress_port);
  SliceRecord& slice = slices_[s];
  PgRecord& home = pgs_[pg_index(r.ingress_port, r.pg)];
  PgRecord& pg = (&home)[in_copy * tables_.pg_profile.size()];
  QueueRecord& queue_home = queues_[queue_index(r.egress_port, r.queue)];
  QueueRecord& queue = (&queue_home)[out_copy * tables_.queue_profile.size()];
  const PgLimits& limits = tables_.pg_limits[home.profile];
  std::uint32_t& port_in = port_ingress_shared_[in_copy * tables_.ports + r.ingress_port];
  std::uint32_t& port_out = port_egress_shared_[out_copy * tables_.ports + r.egress_port];

  if (std::uint64_t{used_} + cells > tables_.total_cells) [[unlikely]] {
    return refuse(home, pg, limits, DropReason::kNoCells);
  }
  const Account account = pg_account(home, pg, limits, slice, port_in, cells);
  if (account == Account::kNone) [[unlikely]] {
    return refuse(home, pg, limits, DropReason::kIngressPg);
  }
  const Account out = queue_account(queue_home, queue, slice, port_out, cells);
  if (out == Account::kNone) [[unlikely]] {
    return refuse(home, pg, limits, DropReason::kEgressQueue);
  }

  used_ += cells;
  peak_ = std::max(peak_, used_);
  home.total += cells;
  home.peak = std::max(home.peak, home.total);
  queue_home.total += cells;
  queue_home.peak = std::max(queue_home.peak, queue_home.total);
  if (out == Account::kMin) {
    queue_home.min += cells;
  } else {
    queue.shared += cells;
    // Lossless and lossy queues draw on egress pools of their own, which overlap in memory: what
    // lossless queues hold does not lower the threshold of lossy ones (CNPs live there).
    if (!tables_.queue_limits[queue_home.profile].lossless) {
      slice.egress_shared += cells;
      if constexpr (Policy::kPortLevel) port_out += cells;
    }
  }
  if (account == Account::kMin) {
    home.min += cells;
  } else if (account == Account::kShared) {
    pg.shared += cells;
    slice.ingress_shared += cells;
    if constexpr (Policy::kPortLevel) port_in += cells;
  } else {
    charge_headroom(home, pg, limits, slice, cells);
  }
  if (!limits.lossless || pg.xoff) return {};
  const bool next_fits =
      (account == Account::kMin && home.min < limits.min) || pg_fits(pg, limits, slice, port_in, 1);
  if (!policy().xoff(pg, limits, limit_of(pg, limits, slice, port_in, 0), next_fits)) return {};
  return {DropReason::kNone, enter_xoff(home, pg)};
}

template <class Policy>
bool MmuCore<Policy>::release(const MmuRequest& r) {
  const std::uint32_t cells = r.cells;
  const std::uint32_t s = slice_of(r);
  const std::uint32_t in_copy = copy_of(s, r.ingress_port);
  const std::uint32_t out_copy = copy_of(s, r.egress_port);
  SliceRecord& slice = slices_[s];
  PgRecord& home = pgs_[pg_index(r.ingress_port, r.pg)];
  PgRecord& pg = (&home)[in_copy * tables_.pg_profile.size()];
  QueueRecord& queue_home = queues_[queue_index(r.egress_port, r.queue)];
  QueueRecord& queue = (&queue_home)[out_copy * tables_.queue_profile.size()];
  const PgLimits& limits = tables_.pg_limits[home.profile];
  std::uint32_t& port_in = port_ingress_shared_[in_copy * tables_.ports + r.ingress_port];
  std::uint32_t& port_out = port_egress_shared_[out_copy * tables_.ports + r.egress_port];

  const std::uint32_t from_headroom = std::min(cells, pg.headroom);
  const std::uint32_t from_shared = std::min(cells - from_headroom, pg.shared);
  const std::uint32_t from_min = cells - from_headroom - from_shared;
  const std::uint32_t queue_shared = std::min(cells, queue.shared);
  const std::uint32_t queue_min = cells - queue_shared;
  SLUICE_CHECK(from_min <= home.min && queue_min <= queue_home.min,
               "release of {} cells, port {} PG {} holds {}, port {} queue {} holds {}", cells,
               r.ingress_port, r.pg, home.total, r.egress_port, r.queue, queue_home.total);
  used_ -= cells;
  home.total -= cells;
  queue_home.total -= cells;
  queue.shared -= queue_shared;
  const bool lossy_queue = !tables_.queue_limits[queue_home.profile].lossless;
  if (lossy_queue) slice.egress_shared -= queue_shared;
  queue_home.min -= queue_min;
  if (from_headroom != 0) {
    slice.headroom -=
        pool_part(pg.headroom, limits) - pool_part(pg.headroom - from_headroom, limits);
    pg.headroom -= from_headroom;
    headroom_ -= from_headroom;
  }
  pg.shared -= from_shared;
  slice.ingress_shared -= from_shared;
  home.min -= from_min;
  if constexpr (Policy::kPortLevel) {
    port_in -= from_shared;
    if (lossy_queue) port_out -= queue_shared;
  }
  if (!pg.xoff || !policy().xon(pg, limits, limit_of(pg, limits, slice, port_in, 0))) return false;
  pg.xoff = false;
  return --home.xoff_slices == 0;
}

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
  const PgRecord& home = pgs_[pg_index(port, pg)];
  const SliceRecord& slice = slices_[tables_.slice_of_port[port]];
  const std::int64_t limit =
      limit_of(home, tables_.pg_limits[home.profile], slice, port_ingress_shared_[port], 0);
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
