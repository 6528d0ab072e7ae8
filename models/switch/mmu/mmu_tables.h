// SPDX-License-Identifier: Apache-2.0
// MMU parameters resolved against a chip: every limit in cells, profiles shared by the ports that
// use them, the memory divided into slices. Leaves out: occupancy.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/mmu/mmu_params.h"

namespace sluice {

inline constexpr std::uint32_t kDynamic = UINT32_MAX;

/// alpha = 2^n as one left and one right shift, of which at least one is 0.
struct AlphaShift {
  std::uint8_t left = 0;
  std::uint8_t right = 0;
  /// floor(alpha * cells), cells >= 0.
  std::int64_t apply(std::int64_t cells) const { return (cells << left) >> right; }
};
/// `nvidia`: exponent 7 means alpha 64.
AlphaShift alpha_shift(std::int32_t exponent, bool nvidia);

struct PgLimits {
  std::uint32_t min = 0;
  std::uint32_t static_limit = kDynamic;
  std::uint32_t room = 0;              ///< most headroom cells
  std::uint32_t private_headroom = 0;  ///< part of `room` that does not come from the shared pool
  std::uint32_t xon = 0;
  std::uint32_t xon_offset = 0;
  std::uint32_t xoff_above = 0;  ///< nvidia: XOFF this far above the shared limit
  AlphaShift alpha;
  /// With more than this left below the limit after a charge, one more cell certainly fits: it
  /// lowers the limit by alpha x (port alpha + 1) at most, rounding included. Not where the limit
  /// is static.
  std::int64_t far_from_limit = 0;
  /// Shared cells up to which a PG is certainly far from its limit while its pool is at most half
  /// used (SliceRecord::easy).
  std::uint32_t easy = 0;
  bool lossless = false;
  bool own_pool = false;  ///< in the lossy ingress pool
  bool watched = false;   ///< no release may take a short way: a pool or port level of its own
};

struct QueueLimits {
  std::uint32_t min = 0;
  std::uint32_t static_limit = kDynamic;
  AlphaShift alpha;
  bool lossless = false;
};

struct SliceLimits {
  std::uint32_t shared = 0;
  std::uint32_t lossy = 0;     ///< lossy ingress pool; 0: there is none
  std::uint32_t egress = 0;    ///< what lossy queues share
  std::uint32_t headroom = 0;  ///< part of the shared headroom pool
};

/// Port level, in cells: reserved beyond the pool, and most that the port may share.
struct PortLimits {
  std::uint32_t min = 0;
  std::int64_t limit = kDynamic;
};

struct MmuTables {
  std::uint32_t ports = 0;
  std::uint32_t queues_per_port = 0;
  std::uint32_t total_cells = 0;
  std::uint32_t pool_cells = 0;
  bool shared_headroom = false;
  bool by_ingress = true;
  bool port_level = false;
  AlphaShift port_alpha;
  PortLimits port;         ///< ingress, main pool
  PortLimits egress_port;  ///< lossy queues
  bool has_lossy_pool = false;
  bool has_port_limits = false;      ///< `port` is not all default
  bool ingress_port_counts = false;  ///< something depends on what an ingress port holds
  bool egress_port_counts = false;
  std::vector<PgLimits> pg_limits;
  std::vector<QueueLimits> queue_limits;
  std::vector<std::uint16_t> pg_profile;     ///< [port * kPriorityGroups + pg] into pg_limits
  std::vector<std::uint16_t> queue_profile;  ///< [port * queues_per_port + queue]
  std::vector<std::uint8_t> slice_of_port;
  std::vector<SliceLimits> slices;
};

/// Throws ConfigError when the reserved memory does not fit, with the numbers in cells.
MmuTables resolve(const MmuParams& params, const MmuGeometry& geometry);

}  // namespace sluice
