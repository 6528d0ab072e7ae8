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
  MmuHotLines hot_lines() const final {
    static_assert(sizeof(PgRecord) == sizeof(QueueRecord));
    return {reinterpret_cast<const char*>(pgs_.data()),
            reinterpret_cast<const char*>(queues_.data()), sizeof(PgRecord),
            tables_.queues_per_port};
  }
  void check_conservation() const final;

 protected:
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
    std::uint32_t port_in = 0;
    std::uint32_t port_out = 0;
  };
  /// The records that a packet touches; kept in registers, so never passed to a function out of
  /// line. `pg` and `queue` are the home records unless the packet lies in a slice that is not
  /// their port's own.
  struct Place {
    SliceRecord& slice;
    PgRecord& home;
    PgRecord& pg;
    QueueRecord& queue_home;
    QueueRecord& queue;
    const PgLimits& limits;
    std::uint32_t& port_in;  // shared cells of the ports, used by policies with a port level
    std::uint32_t& port_out;
  };
  Place place(const MmuRequest& r);
  std::uint32_t pool_part(std::uint32_t headroom, const PgLimits& limits) const {
    if (!tables_.shared_headroom || headroom <= limits.private_headroom) return 0;
    return headroom - limits.private_headroom;
  }
  /// The PG's limit when `adding` more cells are charged to its shared account; negative: none
  /// left.
  std::int64_t limit_of(const Place& at, std::uint32_t adding) const;
  bool pg_fits(const Place& at, std::uint32_t cells) const {
    return std::int64_t{at.pg.shared} + cells <= limit_of(at, cells);
  }
  bool headroom_fits(const Place& at, std::uint32_t cells) const;
  Account queue_account(const Place& at, std::uint32_t cells) const;
  void charge(const Place& at, Account queue, std::uint32_t cells);
  bool admit_plainly(const MmuRequest& r);
  bool release_plainly(const MmuRequest& r);
  AdmitResult admit_to_headroom(const MmuRequest& r);
  std::uint32_t release_headroom(const MmuRequest& r);
  AdmitResult refuse(const MmuRequest& r, DropReason reason);
  static bool enter_xoff(const Place& at) {
    at.pg.xoff = true;
    return at.home.xoff_slices++ == 0;
  }

  MmuTables tables_;
  std::array<Offsets, kMaxSlices * kMaxSlices> offsets_{};
  bool one_slice_ = false;
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
  one_slice_ = copies == 1;
  pgs_.resize(copies * tables_.pg_profile.size());
  queues_.resize(copies * tables_.queue_profile.size());
  for (std::size_t i = 0; i < pgs_.size(); ++i) {
    pgs_[i].profile = tables_.pg_profile[i % tables_.pg_profile.size()];
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].profile = tables_.queue_profile[i % tables_.queue_profile.size()];
    const QueueLimits& limits = tables_.queue_limits[queues_[i].profile];
    queues_[i].lossless = limits.lossless;
    if (limits.lossless && limits.min == 0) queues_[i].sure_limit = limits.static_limit;
  }
  port_ingress_shared_.resize(copies * tables_.ports);
  port_egress_shared_.resize(copies * tables_.ports);
  for (std::uint32_t in = 0; in < copies; ++in) {
    for (std::uint32_t out = 0; out < copies; ++out) {
      const std::uint32_t slice = tables_.by_ingress ? in : out;
      const std::uint32_t in_copy = (slice + slices() - in) % slices();
      const std::uint32_t out_copy = (slice + slices() - out) % slices();
      offsets_[in * kMaxSlices + out] = {slice, in_copy * tables_.ports * kPriorityGroups,
                                         out_copy * tables_.ports * tables_.queues_per_port,
                                         in_copy * tables_.ports, out_copy * tables_.ports};
    }
  }
}

template <class Policy>
inline std::int64_t MmuCore<Policy>::limit_of(const Place& at, std::uint32_t adding) const {
  const std::int64_t dynamic = policy().shared_limit(
      {at.slice.ingress_shared, at.slice.shared_limit, at.port_in}, adding, at.limits.alpha);
  if (dynamic < 0) return -1;
  return at.limits.static_limit == kDynamic ? dynamic : at.limits.static_limit;
}

template <class Policy>
bool MmuCore<Policy>::headroom_fits(const Place& at, std::uint32_t cells) const {
  const std::uint32_t before = at.pg.headroom;
  if (before + cells > at.limits.room) return false;
  if (!tables_.shared_headroom) return true;
  const std::uint32_t more = pool_part(before + cells, at.limits) - pool_part(before, at.limits);
  return at.slice.headroom + more <= at.slice.headroom_limit;
}

template <class Policy>
inline auto MmuCore<Policy>::queue_account(const Place& at, std::uint32_t cells) const -> Account {
  if (at.queue.shared + cells <= at.queue_home.sure_limit) [[likely]]
    return Account::kShared;
  const QueueLimits& limits = tables_.queue_limits[at.queue_home.profile];
  if (at.queue_home.min + cells <= limits.min) return Account::kMin;
  const std::int64_t wanted = std::int64_t{at.queue.shared} + cells;
  std::int64_t limit = limits.static_limit;
  if (!limits.lossless) {
    const std::int64_t dynamic = policy().shared_limit(
        {at.slice.egress_shared, at.slice.shared_limit, at.port_out}, cells, limits.alpha);
    if (limits.static_limit == kDynamic || dynamic < 0) limit = dynamic;
  }
  return wanted <= limit ? Account::kShared : Account::kNone;
}

/// What every admitted packet is charged, whichever account of its PG takes it.
template <class Policy>
inline void MmuCore<Policy>::charge(const Place& at, Account queue, std::uint32_t cells) {
  used_ += cells;
  peak_ = std::max(peak_, used_);
  at.home.total += cells;
  at.home.peak = std::max(at.home.peak, at.home.total);
  at.queue_home.total += cells;
  at.queue_home.peak = std::max(at.queue_home.peak, at.queue_home.total);
  if (queue == Account::kMin) {
    at.queue_home.min += cells;
    return;
  }
  at.queue.shared += cells;
  // Lossless and lossy queues draw on egress pools of their own, which overlap in memory: what
  // lossless queues hold does not lower the threshold of lossy ones (CNPs live there).
  if (at.queue_home.lossless) return;
  at.slice.egress_shared += cells;
  if constexpr (Policy::kPortLevel) at.port_out += cells;
}

/// The PG is told to stop even when the packet that showed the need is lost; but never an empty PG,
/// which would have no release left to start it again.
template <class Policy>
[[gnu::noinline]] AdmitResult MmuCore<Policy>::refuse(const MmuRequest& r, DropReason reason) {
  const Place at = place(r);
  const bool stop =
      at.limits.lossless && !at.pg.xoff && at.home.total > 0 && reason != DropReason::kEgressQueue;
  return {reason, stop && enter_xoff(at)};
}

template <class Policy>
inline auto MmuCore<Policy>::place(const MmuRequest& r) -> Place {
  const std::uint32_t in = tables_.slice_of_port[r.ingress_port];
  const std::uint32_t out = tables_.slice_of_port[r.egress_port];
  const Offsets& offset = offsets_[in * kMaxSlices + out];
  PgRecord* home = pgs_.data() + pg_index(r.ingress_port, r.pg);
  QueueRecord* queue = queues_.data() + queue_index(r.egress_port, r.queue);
  return {slices_[offset.slice],
          *home,
          home[offset.pg],
          *queue,
          queue[offset.queue],
          tables_.pg_limits[home->profile],
          port_ingress_shared_[offset.port_in + r.ingress_port],
          port_egress_shared_[offset.port_out + r.egress_port]};
}

/// The common case in few instructions: one slice, dynamic thresholds without a minimum, a lossless
/// queue, and the limit not near. False when it is not that case; then nothing has changed.
template <class Policy>
inline bool MmuCore<Policy>::admit_plainly(const MmuRequest& r) {
  PgRecord& pg = pgs_[pg_index(r.ingress_port, r.pg)];
  QueueRecord& queue = queues_[queue_index(r.egress_port, r.queue)];
  const PgLimits& limits = tables_.pg_limits[pg.profile];
  SliceRecord& slice = slices_[0];
  std::uint32_t& port_in = port_ingress_shared_[r.ingress_port];
  const std::uint32_t cells = r.cells;
  const std::int64_t limit = policy().shared_limit(
      {slice.ingress_shared, slice.shared_limit, port_in}, cells, limits.alpha);
  const std::uint32_t in_pg = pg.shared + cells;
  const std::uint32_t in_queue = queue.shared + cells;
  const std::uint32_t in_chip = used_ + cells;
  if (!limits.plain || limit - in_pg <= limits.far_from_limit || in_queue > queue.sure_limit ||
      in_chip > tables_.total_cells) [[unlikely]] {
    return false;
  }
  used_ = in_chip;
  if (in_chip > peak_) peak_ = in_chip;
  pg.shared = in_pg;
  pg.total += cells;
  if (pg.total > pg.peak) pg.peak = pg.total;
  queue.shared = in_queue;
  queue.total += cells;
  if (queue.total > queue.peak) queue.peak = queue.total;
  slice.ingress_shared += cells;
  if constexpr (Policy::kPortLevel) port_in += cells;
  return true;
}

/// Gives back what admit_plainly took, when nothing else is in play. False: nothing has changed.
template <class Policy>
inline bool MmuCore<Policy>::release_plainly(const MmuRequest& r) {
  PgRecord& pg = pgs_[pg_index(r.ingress_port, r.pg)];
  QueueRecord& queue = queues_[queue_index(r.egress_port, r.queue)];
  const std::uint32_t cells = r.cells;
  if (pg.headroom != 0 || pg.xoff || cells > pg.shared || cells > queue.shared || !queue.lossless)
      [[unlikely]] {
    return false;
  }
  used_ -= cells;
  pg.shared -= cells;
  pg.total -= cells;
  queue.shared -= cells;
  queue.total -= cells;
  slices_[0].ingress_shared -= cells;
  if constexpr (Policy::kPortLevel) port_ingress_shared_[r.ingress_port] -= cells;
  return true;
}

template <class Policy>
AdmitResult MmuCore<Policy>::admit(const MmuRequest& r) {
  if (one_slice_ && admit_plainly(r)) [[likely]] {
    return {};
  }
  const std::uint32_t cells = r.cells;
  const Place at = place(r);
  const PgLimits& limits = at.limits;
  if (std::uint64_t{used_} + cells > tables_.total_cells) [[unlikely]] {
    return refuse(r, DropReason::kNoCells);
  }
  const bool to_min = at.home.min + cells <= limits.min;
  std::int64_t left = 0;  // of the limit, once the packet is charged
  if (!to_min) {
    left = limit_of(at, cells) - at.pg.shared - cells;
    if (left < 0) [[unlikely]]
      return admit_to_headroom(r);
  }
  const Account out = queue_account(at, cells);
  if (out == Account::kNone) [[unlikely]] {
    return refuse(r, DropReason::kEgressQueue);
  }
  charge(at, out, cells);
  if (to_min) {
    at.home.min += cells;
  } else {
    at.pg.shared += cells;
    at.slice.ingress_shared += cells;
    if constexpr (Policy::kPortLevel) at.port_in += cells;
  }
  if (!limits.lossless || at.pg.xoff || left > limits.far_from_limit) [[likely]] {
    return {};
  }
  if ((to_min && at.home.min < limits.min) || pg_fits(at, 1)) [[likely]] {
    return {};
  }
  return {DropReason::kNone, policy().xoff(at.pg, limits, limit_of(at, 0)) && enter_xoff(at)};
}

/// The shared limit is reached: a lossless PG goes on into its headroom.
template <class Policy>
[[gnu::noinline]] AdmitResult MmuCore<Policy>::admit_to_headroom(const MmuRequest& r) {
  const Place at = place(r);
  const std::uint32_t cells = r.cells;
  if (!at.limits.lossless || !headroom_fits(at, cells)) return refuse(r, DropReason::kIngressPg);
  const Account out = queue_account(at, cells);
  if (out == Account::kNone) return refuse(r, DropReason::kEgressQueue);
  charge(at, out, cells);
  const std::uint32_t before = at.pg.headroom;
  at.slice.headroom += pool_part(before + cells, at.limits) - pool_part(before, at.limits);
  at.pg.headroom += cells;
  headroom_ += cells;
  at.home.peak_headroom = std::max(at.home.peak_headroom, at.pg.headroom);
  peak_headroom_ = std::max(peak_headroom_, headroom_);
  if (at.pg.xoff) return {};
  return {DropReason::kNone, policy().xoff(at.pg, at.limits, limit_of(at, 0)) && enter_xoff(at)};
}

template <class Policy>
bool MmuCore<Policy>::release(const MmuRequest& r) {
  if (one_slice_ && release_plainly(r)) [[likely]] {
    return false;
  }
  const Place at = place(r);
  std::uint32_t cells = r.cells;
  const std::uint32_t queue_shared = std::min(cells, at.queue.shared);
  const std::uint32_t queue_min = cells - queue_shared;
  SLUICE_CHECK(queue_min <= at.queue_home.min && cells <= at.home.total,
               "release of {} cells, port {} PG {} holds {}, port {} queue {} holds {}", cells,
               r.ingress_port, r.pg, at.home.total, r.egress_port, r.queue, at.queue_home.total);
  used_ -= cells;
  at.home.total -= cells;
  at.queue_home.total -= cells;
  at.queue.shared -= queue_shared;
  at.queue_home.min -= queue_min;
  if (!at.queue_home.lossless) {
    at.slice.egress_shared -= queue_shared;
    if constexpr (Policy::kPortLevel) at.port_out -= queue_shared;
  }
  if (at.pg.headroom != 0) [[unlikely]] {
    cells -= release_headroom(r);
  }
  const std::uint32_t from_shared = std::min(cells, at.pg.shared);
  at.pg.shared -= from_shared;
  at.slice.ingress_shared -= from_shared;
  if constexpr (Policy::kPortLevel) at.port_in -= from_shared;
  at.home.min -= cells - from_shared;
  if (!at.pg.xoff) [[likely]] {
    return false;
  }
  if (!policy().xon(at.pg, at.limits, limit_of(at, 0))) return false;
  at.pg.xoff = false;
  return --at.home.xoff_slices == 0;
}

template <class Policy>
[[gnu::noinline]] std::uint32_t MmuCore<Policy>::release_headroom(const MmuRequest& r) {
  const Place at = place(r);
  const std::uint32_t before = at.pg.headroom;
  const std::uint32_t given = std::min(r.cells, before);
  at.slice.headroom -= pool_part(before, at.limits) - pool_part(before - given, at.limits);
  at.pg.headroom -= given;
  headroom_ -= given;
  return given;
}

}  // namespace sluice

#include "switch/mmu/mmu_core_views.h"
