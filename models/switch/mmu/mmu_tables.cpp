// SPDX-License-Identifier: Apache-2.0
// Bytes to cells, profiles to tables, memory to slices; see mmu_tables.h.
// Leaves out: range checks of single parameters (mmu_params.cpp).
#include "switch/mmu/mmu_tables.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kTooMany = UINT32_MAX / 2;

std::uint32_t cells_down(Bytes bytes, std::uint32_t cell) {
  return static_cast<std::uint32_t>(std::min(bytes.value / cell, kTooMany));
}
std::uint32_t cells_up(Bytes bytes, std::uint32_t cell) {
  return static_cast<std::uint32_t>(std::min((bytes.value + cell - 1) / cell, kTooMany));
}

std::uint32_t add_signed(std::uint64_t cells, std::int64_t delta) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(0, static_cast<std::int64_t>(cells) + delta));
}

PgLimits to_cells(const PgProfile& profile, const MmuParams& params) {
  const bool nvidia = params.policy == MmuPolicy::kNvidia;
  const bool shared_headroom = params.shared_headroom_bytes.value > 0;
  PgLimits limits;
  limits.lossless = profile.lossless;
  limits.min = cells_down(profile.min, params.cell_bytes);
  if (profile.static_limit.value > 0) {
    limits.static_limit = cells_down(profile.static_limit, params.cell_bytes);
  }
  limits.alpha = alpha_shift(profile.alpha_exp, nvidia);
  limits.xon_offset = cells_down(profile.xon_offset, params.cell_bytes);
  if (!profile.lossless) return limits;
  if (!nvidia) {
    limits.xon = cells_down(profile.xon, params.cell_bytes);
    limits.room = cells_down(profile.xoff, params.cell_bytes);
    limits.private_headroom = shared_headroom ? 0 : limits.room;
    return limits;
  }
  // Spectrum counts these two up: the QoS tests expect 102 and 1206 cells of 19456 and 231424 B.
  limits.xon = cells_up(profile.xon, params.cell_bytes);
  const std::uint32_t xoff = cells_up(profile.xoff, params.cell_bytes);
  limits.xoff_above = add_signed(limits.xon, profile.hysteresis_cells);
  const std::uint64_t headroom = std::uint64_t{limits.xon} + xoff;
  if (shared_headroom) {
    limits.room = add_signed(headroom + xoff, profile.hysteresis_cells);
    limits.private_headroom = limits.xon;
  } else {
    limits.room = add_signed(
        headroom, std::int64_t{profile.hysteresis_cells} - params.headroom_overhead_cells);
    limits.private_headroom = add_signed(headroom, profile.hysteresis_cells);
  }
  return limits;
}

QueueLimits to_cells(const QueueProfile& profile, const MmuParams& params) {
  QueueLimits limits;
  limits.lossless = profile.lossless;
  limits.min = cells_down(profile.min, params.cell_bytes);
  limits.alpha = alpha_shift(profile.alpha_exp, params.policy == MmuPolicy::kNvidia);
  if (profile.static_limit.value > 0) {
    limits.static_limit = cells_down(profile.static_limit, params.cell_bytes);
  } else if (profile.lossless) {
    limits.static_limit = params.total_cells;
  }
  return limits;
}

/// Assigns every (port, index) its limits; equal profiles share one entry.
template <class Limits, class Profile>
class ProfileTable {
 public:
  ProfileTable(const MmuParams& params, std::vector<Limits>& limits)
      : params_(params), limits_(limits) {}

  std::uint16_t index_of(const Profile& profile) {
    const auto found = std::find(profiles_.begin(), profiles_.end(), profile);
    if (found != profiles_.end()) return static_cast<std::uint16_t>(found - profiles_.begin());
    profiles_.push_back(profile);
    limits_.push_back(to_cells(profile, params_));
    return static_cast<std::uint16_t>(profiles_.size() - 1);
  }

 private:
  const MmuParams& params_;
  std::vector<Limits>& limits_;
  std::vector<Profile> profiles_;
};

void fill_profiles(const MmuParams& params, MmuTables& t) {
  ProfileTable<PgLimits, PgProfile> pgs(params, t.pg_limits);
  ProfileTable<QueueLimits, QueueProfile> queues(params, t.queue_limits);
  t.pg_profile.resize(std::size_t{t.ports} * kPriorityGroups);
  t.queue_profile.resize(std::size_t{t.ports} * t.queues_per_port);
  for (std::uint32_t port = 0; port < t.ports; ++port) {
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      t.pg_profile[port * kPriorityGroups + pg] = pgs.index_of(params.pg_default(pg));
    }
    for (std::uint32_t queue = 0; queue < t.queues_per_port; ++queue) {
      t.queue_profile[port * t.queues_per_port + queue] =
          queues.index_of(params.queue_default(queue));
    }
  }
  for (const PgOverride& o : params.pg_overrides) {
    t.pg_profile[o.port * kPriorityGroups + o.pg] = pgs.index_of(o.profile);
  }
  for (const QueueOverride& o : params.queue_overrides) {
    t.queue_profile[o.port * t.queues_per_port + o.queue] = queues.index_of(o.profile);
  }
}

/// Cells set aside for a port, beyond its shared use.
struct Reserve {
  std::int64_t minima = 0;
  std::int64_t headroom = 0;  ///< private
  std::int64_t lossy = 0;     ///< minima of PGs in the lossy ingress pool
  std::int64_t egress = 0;    ///< minima of lossy queues and of the egress port, part of `minima`

  void add(const Reserve& other) {
    minima += other.minima;
    headroom += other.headroom;
    lossy += other.lossy;
    egress += other.egress;
  }
};

Reserve port_reserve(const MmuParams& params, const MmuTables& t, std::uint32_t port) {
  Reserve reserve;
  for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
    const PgLimits& limits = t.pg_limits[t.pg_profile[port * kPriorityGroups + pg]];
    (limits.own_pool ? reserve.lossy : reserve.minima) += limits.min;
    reserve.headroom += limits.private_headroom;
  }
  reserve.egress =
      std::int64_t{params.queue_min_count} * cells_down(params.queue_min_bytes, params.cell_bytes);
  for (const QueueOverride& o : params.queue_overrides) {
    if (o.port != port) continue;
    reserve.egress += cells_down(o.profile.min, params.cell_bytes);
    reserve.egress -= cells_down(params.queue_default(o.queue).min, params.cell_bytes);
  }
  for (std::uint32_t queue = 0; queue < t.queues_per_port; ++queue) {
    const QueueProfile profile = params.queue_default(queue);
    if (profile.lossless) reserve.egress += cells_down(profile.min, params.cell_bytes);
  }
  reserve.egress += t.egress_port.min;
  reserve.minima += reserve.egress + t.port.min;
  return reserve;
}

/// Cells that must find room: the pools, and what lies beside them.
void check_memory(const MmuTables& t, std::int64_t lossy, std::int64_t shp, const Reserve& beside) {
  const std::int64_t minima = beside.minima + beside.lossy;
  const std::int64_t needed = t.pool_cells + lossy + shp + beside.headroom + minima;
  if (needed <= t.total_cells) return;
  const std::string beside_it = lossy == 0 ? "" : fmt::format(" + lossy pool {}", lossy);
  throw ConfigError(fmt::format(
      "mmu.pool_bytes: pool {}{} + shared headroom {} + private headroom {} + minima {} = "
      "{} cells do not fit into mmu.total_cells {}: {} too many",
      t.pool_cells, beside_it, shp, beside.headroom, minima, needed, t.total_cells,
      needed - t.total_cells));
}

/// Part of a pool that one slice shares, once `taken` of it is reserved.
std::uint32_t slice_part(std::string_view key, std::uint32_t slice, std::int64_t gross,
                         std::int64_t taken) {
  if (gross < taken) {
    throw ConfigError(fmt::format("{}: in slice {} minima of {} cells exceed the slice's {} by {}",
                                  key, slice, taken, gross, taken - gross));
  }
  return static_cast<std::uint32_t>(gross - taken);
}

std::uint32_t main_part(std::uint32_t slice, std::int64_t gross, std::int64_t shp,
                        const Reserve& inside) {
  const std::int64_t taken = shp + inside.headroom + inside.minima;
  if (gross < taken) {
    throw ConfigError(
        fmt::format("mmu.pool_bytes: in slice {} shared headroom {} + private headroom {} + minima "
                    "{} = {} cells exceed the slice's {} cells of the pool by {}",
                    slice, shp, inside.headroom, inside.minima, taken, gross, taken - gross));
  }
  return static_cast<std::uint32_t>(gross - taken);
}

void divide_memory(const MmuParams& params, const MmuGeometry& geometry, MmuTables& t) {
  const std::int64_t slices = params.num_slices;
  const std::int64_t shp = cells_down(params.shared_headroom_bytes, params.cell_bytes);
  const std::int64_t lossy = cells_down(params.lossy_pool_bytes, params.cell_bytes);
  const std::int64_t egress = cells_down(params.egress_lossy_pool_bytes, params.cell_bytes);
  std::vector<Reserve> reserve(params.num_slices);
  Reserve all;
  for (std::uint32_t port = 0; port < t.ports; ++port) {
    if (!geometry.is_active(port)) continue;
    const Reserve one = port_reserve(params, t, port);
    reserve[t.slice_of_port[port]].add(one);
    all.add(one);
  }
  const bool beside = !params.reserves_in_pool;
  check_memory(t, lossy, params.shp_in_pool ? 0 : shp, beside ? all : Reserve{});
  for (std::uint32_t s = 0; s < params.num_slices; ++s) {
    const Reserve inside = beside ? Reserve{} : reserve[s];
    SliceLimits limits;
    limits.shared =
        main_part(s, t.pool_cells / slices, params.shp_in_pool ? shp / slices : 0, inside);
    limits.headroom = static_cast<std::uint32_t>(shp / slices);
    if (lossy != 0) {
      limits.lossy = slice_part("mmu.lossy_pool_bytes", s, lossy / slices, inside.lossy);
    }
    limits.egress =
        egress == 0 ? limits.shared
                    : slice_part("mmu.egress_lossy_pool_bytes", s, egress / slices, inside.egress);
    t.slices.push_back(limits);
  }
}

PortLimits port_limits(Bytes min, Bytes limit, std::uint32_t cell) {
  PortLimits limits;
  limits.min = cells_down(min, cell);
  if (limit.value > 0) limits.limit = cells_down(limit, cell);
  return limits;
}

/// See PgLimits::easy. At most half of the pool used, a cell or a frame included, leaves at least
/// the other half free, and no port holds more than what is used.
std::uint32_t easy_cells(const MmuTables& t, const PgLimits& limits) {
  if (limits.own_pool || t.has_port_limits) return 0;
  std::int64_t pool = INT64_MAX;
  for (const SliceLimits& slice : t.slices) pool = std::min<std::int64_t>(pool, slice.shared);
  std::int64_t free = pool - pool / 2;
  if (t.port_level) free = t.port_alpha.apply(free) - pool / 2;
  if (free <= 0) return 0;
  const std::int64_t limit =
      limits.static_limit == kDynamic ? limits.alpha.apply(free) : limits.static_limit;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(limit - limits.far_from_limit - 1, 0, UINT32_MAX / 2));
}

void map_slices(const MmuParams& params, MmuTables& t) {
  t.slice_of_port.resize(t.ports);
  for (std::uint32_t port = 0; port < t.ports; ++port) {
    const std::uint32_t slice =
        params.slice_map.empty() ? std::uint32_t(std::uint64_t{port} * params.num_slices / t.ports)
                                 : params.slice_map[port];
    t.slice_of_port[port] = static_cast<std::uint8_t>(slice);
  }
}

void check_shape(const MmuParams& params, const MmuGeometry& geometry) {
  if (geometry.ports == 0 || geometry.ports > UINT16_MAX) {
    throw ConfigError(fmt::format("mmu: {} ports, expected 1 to {}", geometry.ports, UINT16_MAX));
  }
  if (!geometry.active.empty() && geometry.active.size() != geometry.ports) {
    throw ConfigError(
        fmt::format("mmu: {} active flags for {} ports", geometry.active.size(), geometry.ports));
  }
  if (!params.slice_map.empty() && params.slice_map.size() != geometry.ports) {
    throw ConfigError(fmt::format("mmu.slice_map: {} entries, expected one for each of {} ports",
                                  params.slice_map.size(), geometry.ports));
  }
  for (const PgOverride& o : params.pg_overrides) {
    if (o.port >= geometry.ports || o.pg >= kPriorityGroups) {
      throw ConfigError(
          fmt::format("mmu: no priority group {} at port {} of {}", o.pg, o.port, geometry.ports));
    }
  }
  for (const QueueOverride& o : params.queue_overrides) {
    if (o.port >= geometry.ports || o.queue >= geometry.queues_per_port) {
      throw ConfigError(
          fmt::format("mmu: no queue {} at port {} of {}", o.queue, o.port, geometry.ports));
    }
  }
}

}  // namespace

AlphaShift alpha_shift(std::int32_t exponent, bool nvidia) {
  if (nvidia && exponent == 7) exponent = 6;
  return exponent >= 0 ? AlphaShift{static_cast<std::uint8_t>(exponent), 0}
                       : AlphaShift{0, static_cast<std::uint8_t>(-exponent)};
}

MmuTables resolve(const MmuParams& params, const MmuGeometry& geometry) {
  params.validate();
  check_shape(params, geometry);
  const bool nvidia = params.policy == MmuPolicy::kNvidia;
  MmuTables t;
  t.ports = geometry.ports;
  t.queues_per_port = geometry.queues_per_port;
  t.total_cells = params.total_cells;
  t.pool_cells = cells_down(params.pool_bytes, params.cell_bytes);
  t.shared_headroom = params.shared_headroom_bytes.value > 0;
  t.by_ingress = params.slice_by == SliceBy::kIngress;
  t.port_level = nvidia && params.port_alpha_enabled;
  t.port_alpha = alpha_shift(params.port_alpha_exp, nvidia);
  t.port = port_limits(params.port_min_bytes, params.port_static_bytes, params.cell_bytes);
  t.egress_port =
      port_limits(params.egress_port_min_bytes, params.egress_port_static_bytes, params.cell_bytes);
  t.has_lossy_pool = cells_down(params.lossy_pool_bytes, params.cell_bytes) > 0;
  t.has_port_limits = t.port.min > 0 || t.port.limit != kDynamic;
  t.ingress_port_counts = t.has_port_limits || t.port_level;
  t.egress_port_counts = t.port_level || t.egress_port.min > 0 || t.egress_port.limit != kDynamic;
  map_slices(params, t);
  fill_profiles(params, t);
  for (PgLimits& limits : t.pg_limits) {
    const std::int64_t per_cell = t.port_level ? t.port_alpha.apply(1) + 3 : 2;
    // A static limit falls at once when the pool's last cell goes: no distance is safe.
    limits.far_from_limit =
        limits.static_limit == kDynamic ? limits.alpha.apply(per_cell) + 3 : INT64_MAX;
    limits.own_pool = t.has_lossy_pool && !limits.lossless;
    limits.watched = limits.own_pool || t.has_port_limits;
  }
  divide_memory(params, geometry, t);
  for (PgLimits& limits : t.pg_limits) limits.easy = easy_cells(t, limits);
  return t;
}

}  // namespace sluice
