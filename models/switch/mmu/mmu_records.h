// SPDX-License-Identifier: Apache-2.0
// Occupancy records of the shared buffer, sized to cache lines. All counts are cells.
// Leaves out: limits, which ports with equal profiles share (mmu_tables.h).
#pragma once

#include <cstdint>

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
  bool lossless = false;
  /// Shared cells below which the queue never refuses: a lossless queue without a minimum.
  std::uint32_t sure_limit = 0;
};
static_assert(sizeof(QueueRecord) == 32);

struct SliceRecord {
  std::uint32_t shared_limit = 0;
  std::uint32_t ingress_shared = 0;
  std::uint32_t egress_shared = 0;   ///< of lossy queues
  std::uint32_t headroom_limit = 0;  ///< of the shared headroom pool
  std::uint32_t headroom = 0;
};

/// The surroundings of a shared account, as a threshold rule sees them.
struct SharedPool {
  std::uint32_t slice_used;
  std::uint32_t slice_limit;
  std::uint32_t port_used;  ///< meaningful where the policy has a port level
};

}  // namespace sluice
