// SPDX-License-Identifier: Apache-2.0
// Occupancy records of the shared buffer, sized to cache lines, and the common case of admission
// and release on them. All counts are cells. Leaves out: limits, which ports with equal profiles
// share (mmu_tables.h), and every case that is not the common one (mmu_core.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "packet/packet.h"
#include "switch/mmu/mmu_params.h"

namespace sluice {

/// What an admission or release is about.
using MmuRequest = BufferClaim;

/// Two of a port's eight in a cache line. With several slices a PG has one record a slice; `min`,
/// the peaks and `xoff_slices` live in the record of its port's own slice (the home record).
struct alignas(32) PgRecord {
  std::uint32_t shared = 0;
  /// Plain books: up to this many shared cells an admission changes nothing but counts: far below
  /// the limit, no new peak.
  std::uint32_t quiet = 0;
  std::uint32_t headroom = 0;
  std::uint32_t min = 0;
  std::uint32_t peak = 0;
  std::uint32_t peak_headroom = 0;
  std::uint16_t profile = 0;
  bool xoff = false;             ///< in this slice
  bool watched = false;          ///< XOFF or headroom in use: a release must be looked at
  std::uint8_t slice = 0;        ///< of the port
  std::uint8_t xoff_slices = 0;  ///< slices in which the PG is XOFF
};
static_assert(sizeof(PgRecord) == 32);

/// As PgRecord, for a queue.
struct alignas(32) QueueRecord {
  std::uint32_t shared = 0;
  std::uint32_t quiet = 0;
  std::uint32_t min = 0;
  std::uint32_t peak = 0;
  /// Shared cells below which the queue never refuses: a lossless queue without a minimum.
  std::uint32_t sure_limit = 0;
  std::uint16_t profile = 0;
  bool lossy = false;
  std::uint8_t slice = 0;  ///< of the port
};
static_assert(sizeof(QueueRecord) == 32);

/// Cells shared by PGs or by queues.
struct PoolRecord {
  std::uint32_t limit = 0;
  std::uint32_t used = 0;
  std::uint32_t peak = 0;
};

struct alignas(64) SliceRecord {
  PoolRecord main;          ///< PGs' shared accounts
  std::uint32_t quiet = 0;  ///< as PgRecord::quiet
  std::uint32_t easy = 0;   ///< half of main.limit: used up to here no PG is near a limit it shares
  PoolRecord lossy;         ///< of lossy PGs, where they have a pool of their own
  PoolRecord egress;        ///< lossy queues' shared accounts
  PoolRecord headroom;      ///< shared headroom pool; limit 0: private
};

/// Everything that admission changes.
struct MmuBooks {
  /// One slice, one ingress pool, no bytes at port level: admit_plainly may be tried.
  bool plain = false;
  std::uint32_t queues_per_port = 0;
  std::uint32_t free_cells = 0;   ///< length of the free list
  std::uint32_t free_low = 0;     ///< shortest it has ever been
  std::uint32_t until_check = 0;  ///< admissions until the books are checked again
  std::array<SliceRecord, kMaxSlices> slices{};
  std::vector<PgRecord> pgs;        // [copy][port][pg]
  std::vector<QueueRecord> queues;  // [copy][port][queue]

  PgRecord& pg_of(const MmuRequest& r) {
    return pgs[std::uint32_t{r.ingress_port} * kPriorityGroups + r.pg];
  }
  QueueRecord& queue_of(const MmuRequest& r) {
    return queues[r.egress_port * queues_per_port + r.queue];
  }

  /// The common case in few instructions. False: it is not that case, and nothing has changed.
  bool admit_plainly(const MmuRequest& r) {
    PgRecord& pg = pg_of(r);
    QueueRecord& queue = queue_of(r);
    SliceRecord& slice = slices[0];
    const std::uint32_t cells = r.cells;
    const std::uint32_t in_slice = slice.main.used + cells;
    const std::uint32_t in_pg = pg.shared + cells;
    const std::uint32_t in_queue = queue.shared + cells;
    if (in_slice > slice.quiet || in_pg > pg.quiet || in_queue > queue.quiet) [[unlikely]] {
      return false;
    }
    slice.main.used = in_slice;
    pg.shared = in_pg;
    queue.shared = in_queue;
    free_cells -= cells;
    return true;
  }

  /// Gives back what admit_plainly took, when nothing else is in play. False: nothing has changed.
  bool release_plainly(const MmuRequest& r) {
    PgRecord& pg = pg_of(r);
    QueueRecord& queue = queue_of(r);
    const std::uint32_t cells = r.cells;
    if (pg.watched || queue.lossy || cells > pg.shared || cells > queue.shared) [[unlikely]] {
      return false;
    }
    slices[0].main.used -= cells;
    pg.shared -= cells;
    queue.shared -= cells;
    free_cells += cells;
    return true;
  }
};

/// The surroundings of a shared account, as a threshold rule sees them.
struct SharedPool {
  std::uint32_t used;
  std::uint32_t limit;
  std::uint32_t port_used;  ///< meaningful where the policy has a port level
};

}  // namespace sluice
