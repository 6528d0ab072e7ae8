// SPDX-License-Identifier: Apache-2.0
// Admission and release of MmuCore, in full: every account, XOFF and XON, peaks. Included by
// mmu_core.h alone. Leaves out: the common case, which MmuBooks decides in line with the caller.
#pragma once

#include "switch/mmu/mmu_core.h"

namespace sluice {

/// The PG's limit when `adding` more cells are charged to its shared account; negative: none left.
template <class Policy>
inline std::int64_t MmuCore<Policy>::limit_of(const Place& at, std::uint32_t adding) const {
  const PgLimits& limits = at.limits;
  std::uint32_t to_pool = adding;
  if (tables_.port.min != 0 && !limits.own_pool) [[unlikely]] {
    to_pool = beyond(tables_.port.min, at.port_in, adding);
  }
  std::int64_t limit =
      policy().shared_limit({at.pool.used, at.pool.limit, at.port_in}, to_pool, limits.alpha);
  if (limit >= 0 && limits.static_limit != kDynamic) limit = limits.static_limit;
  if (!tables_.has_port_limits || limits.own_pool) [[likely]] {
    return limit;
  }
  // Cells of the port's reserve are its own whatever the pool holds; its static limit comes last.
  const std::int64_t others = std::int64_t{at.port_in} - at.pg.shared;
  limit = std::max(limit, std::int64_t{tables_.port.min} - others);
  return std::min(limit, tables_.port.limit - others);
}

/// Why the PG's headroom cannot take the cells; kNone: it can.
template <class Policy>
DropReason MmuCore<Policy>::headroom_refuses(const Place& at, std::uint32_t cells) const {
  const std::uint32_t before = at.pg.headroom;
  if (!at.limits.lossless || before + cells > at.limits.room) return DropReason::kIngressPg;
  if (!tables_.shared_headroom) return DropReason::kNone;
  const std::uint32_t more = pool_part(before + cells, at.limits) - pool_part(before, at.limits);
  return at.slice.headroom.used + more <= at.slice.headroom.limit ? DropReason::kNone
                                                                  : DropReason::kSharedHeadroom;
}

template <class Policy>
inline auto MmuCore<Policy>::queue_account(const Place& at, const MmuRequest& r) const -> Account {
  const std::uint32_t cells = r.cells;
  if (at.queue.shared + cells <= at.queue_home.sure_limit) [[likely]]
    return Account::kShared;
  const QueueLimits& limits = tables_.queue_limits[at.queue_home.profile];
  if (at.queue_home.min + cells <= limits.min) return Account::kMin;
  const std::int64_t wanted = std::int64_t{at.queue.shared} + cells;
  if (limits.lossless) return wanted <= limits.static_limit ? Account::kShared : Account::kNone;
  const std::uint32_t port_out = tables_.egress_port_counts ? port_use(&at.queue - r.queue) : 0;
  const std::uint32_t to_pool = beyond(tables_.egress_port.min, port_out, cells);
  std::int64_t limit = policy().shared_limit(
      {at.slice.egress.used, at.slice.egress.limit, port_out}, to_pool, limits.alpha);
  if (limit >= 0 && limits.static_limit != kDynamic) limit = limits.static_limit;
  const std::int64_t others = std::int64_t{port_out} - at.queue.shared;
  if (tables_.egress_port.min != 0)
    limit = std::max(limit, std::int64_t{tables_.egress_port.min} - others);
  if (tables_.egress_port.limit != kDynamic) {
    limit = std::min(limit, tables_.egress_port.limit - others);
  }
  return wanted <= limit ? Account::kShared : Account::kNone;
}

/// Lossless and lossy queues draw on egress pools of their own, which overlap in memory: what
/// lossless queues hold does not lower the threshold of lossy ones (CNPs live there).
template <class Policy>
inline void MmuCore<Policy>::charge_queue(const Place& at, const MmuRequest& r, Account account) {
  const std::uint32_t cells = r.cells;
  books_.free_cells -= cells;
  if (account == Account::kMin) {
    at.queue_home.min += cells;
    return;
  }
  if (at.queue.lossy) {
    const std::uint32_t reserve = tables_.egress_port.min;
    at.slice.egress.used +=
        reserve == 0 ? cells : beyond(reserve, port_use(&at.queue - r.queue), cells);
  }
  at.queue.shared += cells;
}

template <class Policy>
inline void MmuCore<Policy>::charge_shared(Place& at, std::uint32_t cells) {
  at.pg.shared += cells;
  at.pool.used += at.limits.own_pool ? cells : beyond(tables_.port.min, at.port_in, cells);
  at.port_in += cells;
}

template <class Policy>
inline void MmuCore<Policy>::note_peaks(const Place& at) {
  SliceRecord& slice = at.slice;
  slice.main.peak = std::max(slice.main.peak, slice.main.used);
  slice.lossy.peak = std::max(slice.lossy.peak, slice.lossy.used);
  slice.egress.peak = std::max(slice.egress.peak, slice.egress.used);
  books_.free_low = std::min(books_.free_low, books_.free_cells);
  at.home.peak = std::max(at.home.peak, pg_total(at.home));
  at.queue_home.peak = std::max(at.queue_home.peak, queue_total(at.queue_home));
}

/// Brings the marks of the plain path up to date, after anything that it does not do itself. They
/// depend on counts that it leaves alone: shared + free of the chip, headroom of the PG.
template <class Policy>
inline void MmuCore<Policy>::settle(SliceRecord& slice, PgRecord& pg, QueueRecord& queue,
                                    const PgLimits& limits) {
  if (!books_.plain) return;
  const std::uint32_t to_low = slice.main.used + (books_.free_cells - books_.free_low);
  slice.quiet = std::min({slice.easy, slice.main.peak, to_low});
  const std::uint32_t easy = limits.min == 0 ? limits.easy : 0;
  pg.quiet = std::min(easy, pg.peak - pg.headroom);
  queue.quiet = std::min(queue.sure_limit, queue.peak);
}

/// What the plain path leaves aside but is still far from every limit: several slices, minima, new
/// peaks. False: nothing has changed.
template <class Policy>
inline bool MmuCore<Policy>::admit_briskly(const MmuRequest& r) {
  PgRecord& home = books_.pg_of(r);
  QueueRecord& queue_home = books_.queue_of(r);
  const Offsets& offset = offsets_[home.slice * kMaxSlices + queue_home.slice];
  SliceRecord& slice = books_.slices[offset.slice];
  PgRecord& pg = (&home)[offset.pg];
  QueueRecord& queue = (&queue_home)[offset.queue];
  const PgLimits& limits = tables_.pg_limits[home.profile];
  const std::uint32_t cells = r.cells;
  const std::uint32_t in_slice = slice.main.used + cells;
  if (pg.shared + cells > limits.easy || in_slice > slice.easy ||
      queue.shared + cells > queue_home.sure_limit || cells > books_.free_cells) [[unlikely]] {
    return false;
  }
  if (home.min + cells <= limits.min) {
    home.min += cells;
  } else {
    pg.shared += cells;
    slice.main.used = in_slice;
    if (in_slice > slice.main.peak) slice.main.peak = in_slice;
  }
  queue.shared += cells;
  books_.free_cells -= cells;
  if (books_.free_cells < books_.free_low) books_.free_low = books_.free_cells;
  const std::uint32_t in_pg =
      tables_.by_ingress ? home.min + home.shared + home.headroom : pg_total(home);
  if (in_pg > home.peak) home.peak = in_pg;
  const std::uint32_t in_queue = copies_ == 1 ? queue.shared : queue_total(queue_home);
  if (in_queue > queue_home.peak) queue_home.peak = in_queue;
  settle(slice, pg, queue, limits);
  return true;
}

/// Lossless queues, no headroom and no XOFF in play. False: nothing has changed.
template <class Policy>
inline bool MmuCore<Policy>::release_briskly(const MmuRequest& r) {
  PgRecord& home = books_.pg_of(r);
  QueueRecord& queue_home = books_.queue_of(r);
  const Offsets& offset = offsets_[home.slice * kMaxSlices + queue_home.slice];
  PgRecord& pg = (&home)[offset.pg];
  QueueRecord& queue = (&queue_home)[offset.queue];
  const std::uint32_t cells = r.cells;
  const std::uint32_t shared = std::min(cells, pg.shared);
  if (pg.watched || home.xoff_slices != 0 || queue.lossy || cells > queue.shared ||
      cells - shared > home.min) [[unlikely]] {
    return false;
  }
  pg.shared -= shared;
  home.min -= cells - shared;
  queue.shared -= cells;
  books_.slices[offset.slice].main.used -= shared;
  books_.free_cells += cells;
  return true;
}

template <class Policy>
AdmitResult MmuCore<Policy>::admit_any(MmuRequest r) {
  if (admit_briskly(r)) [[likely]]
    return {};
  const std::uint32_t cells = r.cells;
  Place at = place(r);
  const PgLimits& limits = at.limits;
  if (cells > books_.free_cells) [[unlikely]] {
    return refuse(at, DropReason::kNoCells);
  }
  const bool to_min = at.home.min + cells <= limits.min;
  std::int64_t left = INT64_MAX;  // of the limit, once the packet is charged
  if (!to_min) {
    left = limit_of(at, cells) - at.pg.shared - cells;
    if (left < 0) [[unlikely]]
      return admit_to_headroom(at, r);
  }
  const Account out = queue_account(at, r);
  if (out == Account::kNone) [[unlikely]] {
    return refuse(at, DropReason::kEgressQueue);
  }
  charge_queue(at, r, out);
  if (to_min) {
    at.home.min += cells;
  } else {
    charge_shared(at, cells);
  }
  note_peaks(at);
  settle(at);
  if (!limits.lossless || at.pg.xoff || (!to_min && left > limits.far_from_limit)) [[likely]] {
    return {};
  }
  if ((to_min && at.home.min < limits.min) || pg_fits(at, 1)) [[likely]] {
    return {};
  }
  return {DropReason::kNone, policy().xoff(at.pg, limits, limit_of(at, 0)) && enter_xoff(at)};
}

/// The shared limit is reached: a lossless PG goes on into its headroom.
template <class Policy>
[[gnu::noinline]] AdmitResult MmuCore<Policy>::admit_to_headroom(Place& at, const MmuRequest& r) {
  const std::uint32_t cells = r.cells;
  const DropReason reason = headroom_refuses(at, cells);
  if (reason != DropReason::kNone) return refuse(at, reason);
  const Account out = queue_account(at, r);
  if (out == Account::kNone) return refuse(at, DropReason::kEgressQueue);
  charge_queue(at, r, out);
  const std::uint32_t before = at.pg.headroom;
  PoolRecord& pool = at.slice.headroom;
  pool.used += pool_part(before + cells, at.limits) - pool_part(before, at.limits);
  pool.peak = std::max(pool.peak, pool.used);
  at.pg.headroom += cells;
  at.pg.watched = true;
  headroom_ += cells;
  at.home.peak_headroom = std::max(at.home.peak_headroom, at.pg.headroom);
  peak_headroom_ = std::max(peak_headroom_, headroom_);
  note_peaks(at);
  settle(at);
  if (at.pg.xoff) return {};
  return {DropReason::kNone, policy().xoff(at.pg, at.limits, limit_of(at, 0)) && enter_xoff(at)};
}

/// The PG is told to stop even when the packet that showed the need is lost; but never an empty PG,
/// which would have no release left to start it again.
template <class Policy>
[[gnu::noinline]] AdmitResult MmuCore<Policy>::refuse(const Place& at, DropReason reason) {
  const bool stop = at.limits.lossless && !at.pg.xoff && reason != DropReason::kEgressQueue &&
                    pg_total(at.home) > 0;
  return {reason, stop && enter_xoff(at)};
}

template <class Policy>
bool MmuCore<Policy>::release_any(MmuRequest r) {
  if (release_briskly(r)) [[likely]]
    return false;
  Place at = place(r);
  std::uint32_t cells = r.cells;
  const std::uint32_t queue_shared = std::min(cells, at.queue.shared);
  const std::uint32_t queue_min = cells - queue_shared;
  const std::uint32_t headroom = std::min(cells, at.pg.headroom);
  const std::uint32_t shared = std::min(cells - headroom, at.pg.shared);
  SLUICE_CHECK(queue_min <= at.queue_home.min && cells - headroom - shared <= at.home.min,
               "release of {} cells, port {} PG {} holds {}, port {} queue {} holds {}", cells,
               r.ingress_port, r.pg, pg_total(at.home), r.egress_port, r.queue,
               queue_total(at.queue_home));
  books_.free_cells += cells;
  if (at.queue.lossy) {
    const std::uint32_t reserve = tables_.egress_port.min;
    at.slice.egress.used -=
        reserve == 0 ? queue_shared
                     : beyond(reserve, port_use(&at.queue - r.queue) - queue_shared, queue_shared);
  }
  at.queue.shared -= queue_shared;
  at.queue_home.min -= queue_min;
  if (headroom != 0) [[unlikely]]
    release_headroom(at, headroom);
  at.pg.shared -= shared;
  at.pool.used -= at.limits.own_pool || tables_.port.min == 0
                      ? shared
                      : beyond(tables_.port.min, at.port_in - shared, shared);
  at.port_in -= tables_.ingress_port_counts ? shared : 0;
  at.home.min -= cells - headroom - shared;
  bool xon = false;
  if (at.pg.xoff && policy().xon(at.pg, at.limits, limit_of(at, 0))) {
    at.pg.xoff = false;
    xon = --at.home.xoff_slices == 0;
  }
  if (at.home.xoff_slices != 0 && pg_total(at.home) == 0) [[unlikely]] {
    xon = start_everywhere(at.home, at.limits);
  }
  at.pg.watched = at.limits.watched || at.pg.xoff || at.pg.headroom != 0;
  settle(at);
  return xon;
}

/// An empty PG is XON also where a packet that was refused in another slice stopped it: no release
/// will come there.
template <class Policy>
[[gnu::noinline]] bool MmuCore<Policy>::start_everywhere(PgRecord& home, const PgLimits& limits) {
  for (PgRecord* pg = &home; pg < books_.pgs.data() + books_.pgs.size();
       pg += tables_.pg_profile.size()) {
    pg->xoff = false;
    pg->watched = limits.watched;
  }
  home.xoff_slices = 0;
  return true;
}

template <class Policy>
[[gnu::noinline]] void MmuCore<Policy>::release_headroom(const Place& at, std::uint32_t cells) {
  const std::uint32_t before = at.pg.headroom;
  at.slice.headroom.used -= pool_part(before, at.limits) - pool_part(before - cells, at.limits);
  at.pg.headroom -= cells;
  headroom_ -= cells;
}

}  // namespace sluice
