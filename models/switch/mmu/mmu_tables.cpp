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
};

Reserve port_reserve(const MmuParams& params, const MmuTables& t, std::uint32_t port) {
  Reserve reserve;
  for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
    const PgLimits& limits = t.pg_limits[t.pg_profile[port * kPriorityGroups + pg]];
    reserve.minima += limits.min;
    reserve.headroom += limits.private_headroom;
  }
  reserve.minima +=
      std::int64_t{params.queue_min_count} * cells_down(params.queue_min_bytes, params.cell_bytes);
  for (const QueueOverride& o : params.queue_overrides) {
    if (o.port != port) continue;
    reserve.minima += cells_down(o.profile.min, params.cell_bytes);
    reserve.minima -= cells_down(params.queue_default(o.queue).min, params.cell_bytes);
  }
  return reserve;
}

/// Cells that must find room: the pool, and what lies beside it.
void check_memory(const MmuTables& t, std::int64_t shp, std::int64_t headroom,
                  std::int64_t minima) {
  const std::int64_t needed = t.pool_cells + shp + headroom + minima;
  if (needed <= t.total_cells) return;
  throw ConfigError(fmt::format(
      "mmu.pool_bytes: pool {} + shared headroom {} + private headroom {} + minima {} = "
      "{} cells do not fit into mmu.total_cells {}: {} too many",
      t.pool_cells, shp, headroom, minima, needed, t.total_cells, needed - t.total_cells));
}

void divide_memory(const MmuParams& params, const MmuGeometry& geometry, MmuTables& t) {
  const std::int64_t slices = params.num_slices;
  const std::int64_t shp = cells_down(params.shared_headroom_bytes, params.cell_bytes);
  std::vector<Reserve> reserve(params.num_slices);
  Reserve all;
  for (std::uint32_t port = 0; port < t.ports; ++port) {
    if (!geometry.is_active(port)) continue;
    const Reserve one = port_reserve(params, t, port);
    for (Reserve* sum : {&reserve[t.slice_of_port[port]], &all}) {
      sum->minima += one.minima;
      sum->headroom += one.headroom;
    }
  }
  const bool beside = !params.reserves_in_pool;
  check_memory(t, params.shp_in_pool ? 0 : shp, beside ? all.headroom : 0, beside ? all.minima : 0);
  for (std::uint32_t s = 0; s < params.num_slices; ++s) {
    const std::int64_t gross = t.pool_cells / slices;
    const std::int64_t shared_headroom = params.shp_in_pool ? shp / slices : 0;
    const Reserve inside = beside ? Reserve{} : reserve[s];
    const std::int64_t taken = shared_headroom + inside.headroom + inside.minima;
    if (gross < taken) {
      throw ConfigError(fmt::format(
          "mmu.pool_bytes: in slice {} shared headroom {} + private headroom {} + minima "
          "{} = {} cells exceed the slice's {} cells of the pool by {}",
          s, shared_headroom, inside.headroom, inside.minima, taken, gross, taken - gross));
    }
    t.slices.push_back(
        {static_cast<std::uint32_t>(gross - taken), static_cast<std::uint32_t>(shp / slices)});
  }
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
  map_slices(params, t);
  fill_profiles(params, t);
  for (PgLimits& limits : t.pg_limits) {
    const std::int64_t per_cell = t.port_level ? t.port_alpha.apply(1) + 3 : 2;
    limits.far_from_limit = limits.alpha.apply(per_cell) + 3;
    limits.plain = limits.min == 0 && limits.static_limit == kDynamic;
  }
  divide_memory(params, geometry, t);
  return t;
}

}  // namespace sluice
