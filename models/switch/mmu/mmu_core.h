// SPDX-License-Identifier: Apache-2.0
// Accounting that both admission policies share: cells by PG, queue, slice and chip, charged
// minimum first, then shared, then headroom, and given back in the opposite order. Leaves out: the
// thresholds and the XOFF/XON rules, which a policy supplies at compile time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/error.h"
#include "switch/mmu/mmu.h"
#include "switch/mmu/mmu_records.h"
#include "switch/mmu/mmu_tables.h"

namespace sluice {

/// `Policy` supplies kPortLevel and, as const members:
///   int64 shared_limit(const SharedPool&, uint32 adding, AlphaShift): dynamic threshold when
///     `adding` more cells are charged; negative when they exceed the pool;
///   bool xoff(const PgRecord&, const PgLimits&, limit): after a charge that left no room for a
///   cell; bool xon(const PgRecord&, const PgLimits&, limit): state after a release.
template <class Policy>
class MmuCore : public Mmu {
 public:
  MmuCore(const MmuParams& params, const MmuGeometry& geometry);

  bool lossless(std::uint16_t port, std::uint8_t pg) const final {
    return tables_.pg_limits[books_.pgs[pg_index(port, pg)].profile].lossless;
  }
  PgUsage pg(std::uint16_t port, std::uint8_t pg) const final;
  QueueUsage queue(std::uint16_t port, std::uint8_t queue) const final;
  SliceUsage slice(std::uint32_t slice) const final;
  std::uint32_t slices() const final { return copies_; }
  MmuTotals totals() const final;
  std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const final;
  MmuHotLines hot_lines() const final {
    static_assert(sizeof(PgRecord) == sizeof(QueueRecord));
    return {reinterpret_cast<const char*>(books_.pgs.data()),
            reinterpret_cast<const char*>(books_.queues.data()), sizeof(PgRecord),
            tables_.queues_per_port};
  }
  void check_conservation() const final;

 protected:
  AdmitResult admit_any(MmuRequest request) final;
  bool release_any(MmuRequest request) final;
  const MmuTables& tables() const { return tables_; }

 private:
  enum class Account : std::uint8_t { kMin, kShared, kNone };

  const Policy& policy() const { return static_cast<const Policy&>(*this); }
  std::size_t pg_index(std::uint32_t port, std::uint32_t pg) const {
    return port * kPriorityGroups + pg;
  }
  std::size_t queue_index(std::uint32_t port, std::uint32_t queue) const {
    return port * tables_.queues_per_port + queue;
  }
  /// Where a packet's records lie, by the slices of its ingress and egress port.
  struct Offsets {
    std::uint32_t slice = 0;
    std::uint32_t pg = 0;  // from the home record
    std::uint32_t queue = 0;
  };
  /// The records that a packet touches. `pg` and `queue` are the home records unless the packet
  /// lies in a slice that is not their port's own. `port_in`: shared cells that the ingress port
  /// holds in this slice and pool, 0 where nothing depends on them.
  struct Place {
    SliceRecord& slice;
    PoolRecord& pool;
    PgRecord& home;
    PgRecord& pg;
    QueueRecord& queue_home;
    QueueRecord& queue;
    const PgLimits& limits;
    std::uint32_t port_in;
  };
  Place place(const MmuRequest& r);
  /// Shared cells of a port's PGs in the pool of `like`; `first` is the record of PG 0.
  std::uint32_t port_use(const PgRecord* first, const PgLimits& like) const;
  std::uint32_t port_use(const QueueRecord* first) const;
  std::uint32_t pg_total(const PgRecord& home) const;
  std::uint32_t queue_total(const QueueRecord& home) const;

  std::uint32_t pool_part(std::uint32_t headroom, const PgLimits& limits) const {
    if (!tables_.shared_headroom || headroom <= limits.private_headroom) return 0;
    return headroom - limits.private_headroom;
  }
  /// Cells that the pool gains when a port that holds `held` shared cells takes `more`: those
  /// beyond its reserve.
  static std::uint32_t beyond(std::uint32_t reserve, std::uint32_t held, std::uint32_t more) {
    const std::uint32_t after = held + more;
    return (after > reserve ? after - reserve : 0) - (held > reserve ? held - reserve : 0);
  }
  std::int64_t limit_of(const Place& at, std::uint32_t adding) const;
  bool pg_fits(const Place& at, std::uint32_t cells) const {
    return std::int64_t{at.pg.shared} + cells <= limit_of(at, cells);
  }
  DropReason headroom_refuses(const Place& at, std::uint32_t cells) const;
  Account queue_account(const Place& at, const MmuRequest& r) const;
  void charge_queue(const Place& at, const MmuRequest& r, Account account);
  void charge_shared(Place& at, std::uint32_t cells);
  void note_peaks(const Place& at);
  void settle(SliceRecord& slice, PgRecord& pg, QueueRecord& queue, const PgLimits& limits);
  void settle(const Place& at) { settle(at.slice, at.pg, at.queue, at.limits); }
  bool admit_briskly(const MmuRequest& r);
  bool release_briskly(const MmuRequest& r);
  AdmitResult admit_to_headroom(Place& at, const MmuRequest& r);
  void release_headroom(const Place& at, std::uint32_t cells);
  bool start_everywhere(PgRecord& home, const PgLimits& limits);
  AdmitResult refuse(const Place& at, DropReason reason);
  static bool enter_xoff(const Place& at) {
    at.pg.xoff = at.pg.watched = true;
    return at.home.xoff_slices++ == 0;
  }

  MmuTables tables_;
  std::array<Offsets, kMaxSlices * kMaxSlices> offsets_{};
  std::uint32_t copies_ = 1;
  std::uint32_t headroom_ = 0;
  std::uint32_t peak_headroom_ = 0;
};

template <class Policy>
MmuCore<Policy>::MmuCore(const MmuParams& params, const MmuGeometry& geometry)
    : tables_(resolve(params, geometry)) {
  copies_ = static_cast<std::uint32_t>(tables_.slices.size());
  for (std::uint32_t s = 0; s < copies_; ++s) {
    const SliceLimits& limits = tables_.slices[s];
    SliceRecord& slice = books_.slices[s];
    slice.main.limit = limits.shared;
    slice.easy = limits.shared / 2;
    slice.lossy.limit = limits.lossy;
    slice.egress.limit = limits.egress;
    slice.headroom.limit = limits.headroom;
  }
  books_.plain = copies_ == 1;
  books_.queues_per_port = tables_.queues_per_port;
  books_.free_cells = books_.free_low = tables_.total_cells;
  books_.until_check = kCheckEvery;
  books_.pgs.resize(copies_ * tables_.pg_profile.size());
  books_.queues.resize(copies_ * tables_.queue_profile.size());
  for (std::size_t i = 0; i < books_.pgs.size(); ++i) {
    const std::size_t home = i % tables_.pg_profile.size();
    books_.pgs[i].profile = tables_.pg_profile[home];
    books_.pgs[i].watched = tables_.pg_limits[books_.pgs[i].profile].watched;
    books_.pgs[i].slice = tables_.slice_of_port[home / kPriorityGroups];
  }
  for (std::size_t i = 0; i < books_.queues.size(); ++i) {
    const std::size_t home = i % tables_.queue_profile.size();
    QueueRecord& queue = books_.queues[i];
    queue.profile = tables_.queue_profile[home];
    queue.slice = tables_.slice_of_port[home / tables_.queues_per_port];
    const QueueLimits& limits = tables_.queue_limits[queue.profile];
    queue.lossy = !limits.lossless;
    if (limits.lossless && limits.min == 0) queue.sure_limit = limits.static_limit;
  }
  for (std::uint32_t in = 0; in < copies_; ++in) {
    for (std::uint32_t out = 0; out < copies_; ++out) {
      const std::uint32_t slice = tables_.by_ingress ? in : out;
      const std::uint32_t in_copy = (slice + copies_ - in) % copies_;
      const std::uint32_t out_copy = (slice + copies_ - out) % copies_;
      offsets_[in * kMaxSlices + out] = {slice, in_copy * tables_.ports * kPriorityGroups,
                                         out_copy * tables_.ports * tables_.queues_per_port};
    }
  }
}

template <class Policy>
inline auto MmuCore<Policy>::place(const MmuRequest& r) -> Place {
  PgRecord* home = &books_.pg_of(r);
  QueueRecord* queue = &books_.queue_of(r);
  const Offsets& offset = offsets_[home->slice * kMaxSlices + queue->slice];
  SliceRecord& slice = books_.slices[offset.slice];
  const PgLimits& limits = tables_.pg_limits[home->profile];
  PgRecord* pg = home + offset.pg;
  return {slice,  limits.own_pool ? slice.lossy : slice.main,
          *home,  *pg,
          *queue, queue[offset.queue],
          limits, tables_.ingress_port_counts ? port_use(pg - r.pg, limits) : 0};
}

template <class Policy>
inline std::uint32_t MmuCore<Policy>::port_use(const PgRecord* first, const PgLimits& like) const {
  std::uint32_t sum = 0;
  for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
    if (!tables_.has_lossy_pool || tables_.pg_limits[first[pg].profile].own_pool == like.own_pool) {
      sum += first[pg].shared;
    }
  }
  return sum;
}

/// Of the lossy queues alone.
template <class Policy>
inline std::uint32_t MmuCore<Policy>::port_use(const QueueRecord* first) const {
  std::uint32_t sum = 0;
  for (std::uint32_t queue = 0; queue < tables_.queues_per_port; ++queue) {
    if (first[queue].lossy) sum += first[queue].shared;
  }
  return sum;
}

template <class Policy>
inline std::uint32_t MmuCore<Policy>::pg_total(const PgRecord& home) const {
  std::uint32_t sum = home.min;
  for (const PgRecord* pg = &home; pg < books_.pgs.data() + books_.pgs.size();
       pg += tables_.pg_profile.size()) {
    sum += pg->shared + pg->headroom;
  }
  return sum;
}

template <class Policy>
inline std::uint32_t MmuCore<Policy>::queue_total(const QueueRecord& home) const {
  std::uint32_t sum = home.min;
  for (const QueueRecord* queue = &home; queue < books_.queues.data() + books_.queues.size();
       queue += tables_.queue_profile.size()) {
    sum += queue->shared;
  }
  return sum;
}

}  // namespace sluice

#include "switch/mmu/mmu_core_admission.h"
#include "switch/mmu/mmu_core_views.h"
