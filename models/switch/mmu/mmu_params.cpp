// SPDX-License-Identifier: Apache-2.0
// Names, ranges and sources of the `mmu.*` parameters.
// Leaves out: fitting them into a chip (mmu_tables.cpp).
#include "switch/mmu/mmu_params.h"

#include <algorithm>
#include <array>

#include "kernel/error.h"
#include "switch/mmu/mmu_tables.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kPolicies{"broadcom", "nvidia"};
constexpr std::array<std::string_view, 2> kSliceBys{"ingress", "egress"};
constexpr ParameterRange kBufferBytes{0, 4e9};
constexpr ParameterRange kAlpha{-8, 8};

void check_alpha(std::string_view key, std::int32_t exponent) {
  if (exponent < -8 || exponent > 8) {
    throw ConfigError(fmt::format("{}: {} is not an exponent of 2 in -8..8", key, exponent));
  }
}

void check_bytes(std::string_view key, Bytes bytes) {
  if (static_cast<double>(bytes.value) > kBufferBytes.max) {
    throw ConfigError(fmt::format("{}: {} B, expected at most 4 GB", key, bytes.value));
  }
}

void check_profile(std::string_view key, const PgProfile& profile) {
  check_alpha(key, profile.alpha_exp);
  for (const Bytes bytes :
       {profile.min, profile.static_limit, profile.xoff, profile.xon, profile.xon_offset}) {
    check_bytes(key, bytes);
  }
}

void check_port(std::string_view which, Bytes min, Bytes limit) {
  check_bytes(fmt::format("mmu.{}_min_bytes", which), min);
  check_bytes(fmt::format("mmu.{}_static_bytes", which), limit);
  if (limit.value != 0 && limit < min) {
    throw ConfigError(
        fmt::format("mmu.{0}_static_bytes: {1} B is less than mmu.{0}_min_bytes {2} B", which,
                    limit.value, min.value));
  }
}

void describe_memory(MmuParams& p, ParameterVisitor& v) {
  v.visit("policy", p.policy, kPolicies,
          {"admission rules", "SONiC QoS tests of Tomahawk 5 and Spectrum-4"});
  v.visit("cell_bytes", p.cell_bytes, {32, 4096},
          {"cell size", "SONiC buffer constants: 254 B (Tomahawk), 192 B (Spectrum)", "B"});
  v.visit("total_cells", p.total_cells, {1, 1e8},
          {"cells of physical memory", "Tomahawk 5 estimate from 165.2 MiB", "cells"});
  v.visit("pool_bytes", p.pool_bytes, kBufferBytes,
          {"memory that the pool may take, see reserves_in_pool and shp_in_pool",
           "SONiC ingress_lossless_pool size", "B"});
  v.visit("reserves_in_pool", p.reserves_in_pool,
          {"minima and private headroom lie inside pool_bytes", "SONiC QoS tests"});
  v.visit("num_slices", p.num_slices, {1, kMaxSlices},
          {"equal parts of the memory, each with its own pool", "SONiC QoS tests", ""});
  v.visit("slice_by", p.slice_by, kSliceBys,
          {"port whose slice holds a packet", "estimate: not settled in public sources"});
  v.visit("slice_map", p.slice_map, {0, kMaxSlices - 1},
          {"slice of each port; empty: equal parts in port order", "SONiC port lanes"});
  v.visit("shared_headroom_bytes", p.shared_headroom_bytes, kBufferBytes,
          {"shared headroom pool; 0: headroom is private to each PG", "SONiC pool xoff", "B"});
  v.visit("shp_in_pool", p.shp_in_pool,
          {"the shared headroom pool lies inside pool_bytes", "SONiC QoS tests"});
}

void describe_priority_groups(MmuParams& p, ParameterVisitor& v) {
  v.visit("lossless_pgs", p.lossless_pgs, {0, kPriorityGroups - 1},
          {"priority groups, and queues of the same number, that must not drop", "SONiC, RoCE"});
  v.visit("pg_min_bytes", p.pg_min_bytes, kBufferBytes,
          {"reserved for each lossless PG", "SONiC profile size", "B"});
  v.visit(
      "pg_alpha_exp", p.pg_alpha_exp, kAlpha,
      {"dynamic threshold of lossless PGs: alpha = 2^n; nvidia: 7 means 64", "SONiC dynamic_th"});
  v.visit("pg_static_bytes", p.pg_static_bytes, kBufferBytes,
          {"static threshold of lossless PGs; 0: dynamic", "SONiC static_th", "B"});
  v.visit("port_alpha_enabled", p.port_alpha_enabled,
          {"second threshold level, on the port (policy nvidia)",
           "SAI_KEY_DISABLE_PORT_ALPHA in SONiC"});
  v.visit("port_alpha_exp", p.port_alpha_exp, kAlpha,
          {"alpha of the port level, 2^n, 7 means 64 (policy nvidia)",
           "SONiC ingress_lossless_profile dynamic_th"});
  v.visit("port_min_bytes", p.port_min_bytes, kBufferBytes,
          {"reserved for each ingress port, beyond its PGs' minima",
           "SONiC BUFFER_PORT_INGRESS_PROFILE_LIST size", "B"});
  v.visit("port_static_bytes", p.port_static_bytes, kBufferBytes,
          {"most shared bytes of an ingress port; 0: no limit",
           "SONiC BUFFER_PORT_INGRESS_PROFILE_LIST static_th", "B"});
  v.visit("xoff_bytes", p.xoff_bytes, kBufferBytes,
          {"headroom of a lossless PG after XOFF; its cap when headroom is shared",
           "SONiC pg_profile_lookup.ini", "B"});
  v.visit("xon_bytes", p.xon_bytes, kBufferBytes,
          {"broadcom: XON not below this; nvidia: room between shared limit and XOFF",
           "SONiC pg_profile_lookup.ini", "B"});
  v.visit("xon_offset_bytes", p.xon_offset_bytes, kBufferBytes,
          {"XON this far below the moving limit (policy broadcom)", "SONiC xon_offset", "B"});
  v.visit("hysteresis_cells", p.hysteresis_cells, {-65536, 65536},
          {"added to xon and to the headroom (policy nvidia)", "SONiC QoS tests", "cells"});
  v.visit("headroom_overhead_cells", p.headroom_overhead_cells, {0, 65536},
          {"headroom that cannot be used when it is private (policy nvidia)",
           "SONiC QoS tests: 47 on Spectrum-4", "cells"});
}

void describe_lossy(MmuParams& p, ParameterVisitor& v) {
  v.visit("lossy_pool_bytes", p.lossy_pool_bytes, kBufferBytes,
          {"ingress pool of lossy PGs, beside pool_bytes; 0: they draw on pool_bytes",
           "SONiC ingress_lossy_pool size", "B"});
  v.visit(
      "egress_lossy_pool_bytes", p.egress_lossy_pool_bytes, kBufferBytes,
      {"pool of lossy queues; 0: as large as what PGs share", "SONiC egress_lossy_pool size", "B"});
  v.visit("lossy_pg_min_bytes", p.lossy_pg_min_bytes, kBufferBytes,
          {"reserved for each lossy PG", "SONiC ingress_lossy_profile size", "B"});
  v.visit("lossy_pg_alpha_exp", p.lossy_pg_alpha_exp, kAlpha,
          {"dynamic threshold of lossy PGs, unless lossy_pg_static_bytes is set",
           "SONiC ingress_lossy_profile dynamic_th"});
  v.visit(
      "lossy_pg_static_bytes", p.lossy_pg_static_bytes, kBufferBytes,
      {"static threshold of lossy PGs; 0: dynamic", "SONiC ingress_lossy_profile static_th", "B"});
  v.visit("queue_min_bytes", p.queue_min_bytes, kBufferBytes,
          {"reserved for each lossy queue", "SONiC egress_lossy_profile size", "B"});
  v.visit("queue_min_count", p.queue_min_count, {0, 64},
          {"queues of a port that hold queue_min_bytes, multicast queues included",
           "SONiC QoS tests: 10 on Tomahawk 5"});
  v.visit(
      "lossy_alpha_exp", p.lossy_alpha_exp, kAlpha,
      {"dynamic threshold of lossy queues: alpha = 2^n", "SONiC egress_lossy_profile dynamic_th"});
  v.visit("lossy_queue_static_bytes", p.lossy_queue_static_bytes, kBufferBytes,
          {"static threshold of lossy queues; 0: dynamic", "SONiC egress_lossy_profile static_th",
           "B"});
  v.visit("egress_port_min_bytes", p.egress_port_min_bytes, kBufferBytes,
          {"reserved for each port's lossy queues, beyond their minima",
           "SONiC BUFFER_PORT_EGRESS_PROFILE_LIST size", "B"});
  v.visit("egress_port_static_bytes", p.egress_port_static_bytes, kBufferBytes,
          {"most shared bytes of a port's lossy queues; 0: no limit",
           "SONiC BUFFER_PORT_EGRESS_PROFILE_LIST static_th", "B"});
  v.visit("lossless_queue_min_bytes", p.lossless_queue_min_bytes, kBufferBytes,
          {"reserved for each lossless queue", "SONiC egress_lossless_profile size", "B"});
  v.visit(
      "lossless_queue_static_bytes", p.lossless_queue_static_bytes, kBufferBytes,
      {"static threshold of lossless queues; 0: all memory", "SONiC egress_lossless_profile", "B"});
}

void describe_overrides(MmuParams& p, ParameterVisitor& v) {
  for (PgOverride& o : p.pg_overrides) {
    v.begin(fmt::format("port{}_pg{}", o.port, o.pg), "priority group that differs");
    v.visit("lossless", o.profile.lossless, {"must not drop", "SONiC BUFFER_PG"});
    v.visit("min_bytes", o.profile.min, kBufferBytes, {"reserved", "SONiC size", "B"});
    v.visit("alpha_exp", o.profile.alpha_exp, kAlpha, {"dynamic threshold", "SONiC dynamic_th"});
    v.visit("static_bytes", o.profile.static_limit, kBufferBytes,
            {"static threshold; 0: dynamic", "SONiC static_th", "B"});
    v.visit("xoff_bytes", o.profile.xoff, kBufferBytes, {"headroom", "SONiC xoff", "B"});
    v.visit("xon_bytes", o.profile.xon, kBufferBytes, {"XON level", "SONiC xon", "B"});
    v.visit("xon_offset_bytes", o.profile.xon_offset, kBufferBytes,
            {"XON offset", "SONiC xon_offset", "B"});
    v.visit("hysteresis_cells", o.profile.hysteresis_cells, {-65536, 65536},
            {"added to xon", "SONiC QoS tests", "cells"});
    v.end();
  }
  for (QueueOverride& o : p.queue_overrides) {
    v.begin(fmt::format("port{}_queue{}", o.port, o.queue), "queue that differs");
    v.visit("lossless", o.profile.lossless, {"must not drop", "SONiC BUFFER_QUEUE"});
    v.visit("min_bytes", o.profile.min, kBufferBytes, {"reserved", "SONiC size", "B"});
    v.visit("alpha_exp", o.profile.alpha_exp, kAlpha, {"dynamic threshold", "SONiC dynamic_th"});
    v.visit("static_bytes", o.profile.static_limit, kBufferBytes,
            {"static threshold", "SONiC static_th", "B"});
    v.end();
  }
}

}  // namespace

void MmuParams::describe(ParameterVisitor& visitor) {
  describe_memory(*this, visitor);
  describe_priority_groups(*this, visitor);
  describe_lossy(*this, visitor);
  describe_overrides(*this, visitor);
}

void MmuParams::validate() const {
  if (cell_bytes < 32 || cell_bytes > 4096) {
    throw ConfigError(fmt::format("mmu.cell_bytes: {} B, expected 32 to 4096", cell_bytes));
  }
  if (total_cells == 0 || total_cells > 100000000) {
    throw ConfigError(fmt::format("mmu.total_cells: {}, expected 1 to 100000000", total_cells));
  }
  if (num_slices == 0 || num_slices > kMaxSlices) {
    throw ConfigError(fmt::format("mmu.num_slices: {}, expected 1 to {}", num_slices, kMaxSlices));
  }
  for (const std::uint32_t slice : slice_map) {
    if (slice >= num_slices) {
      throw ConfigError(
          fmt::format("mmu.slice_map: slice {}, expected 0 to {}", slice, num_slices - 1));
    }
  }
  for (const std::uint32_t pg : lossless_pgs) {
    if (pg >= kPriorityGroups) {
      throw ConfigError(fmt::format("mmu.lossless_pgs: {}, expected 0 to 7", pg));
    }
  }
  check_bytes("mmu.pool_bytes", pool_bytes);
  check_bytes("mmu.shared_headroom_bytes", shared_headroom_bytes);
  check_alpha("mmu.port_alpha_exp", port_alpha_exp);
  check_alpha("mmu.pg_alpha_exp", pg_alpha_exp);
  check_alpha("mmu.lossy_pg_alpha_exp", lossy_pg_alpha_exp);
  check_alpha("mmu.lossy_alpha_exp", lossy_alpha_exp);
  for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
    check_profile(fmt::format("mmu (PG {})", pg), pg_default(pg));
  }
  for (const PgOverride& o : pg_overrides) {
    check_profile(fmt::format("mmu (port {}, PG {})", o.port, o.pg), o.profile);
  }
  for (const QueueOverride& o : queue_overrides) {
    const std::string key = fmt::format("mmu (port {}, queue {})", o.port, o.queue);
    check_alpha(key, o.profile.alpha_exp);
    check_bytes(key, o.profile.min);
    check_bytes(key, o.profile.static_limit);
  }
  check_bytes("mmu.lossy_pool_bytes", lossy_pool_bytes);
  check_bytes("mmu.egress_lossy_pool_bytes", egress_lossy_pool_bytes);
  check_port("port", port_min_bytes, port_static_bytes);
  check_port("egress_port", egress_port_min_bytes, egress_port_static_bytes);
  check_bytes("mmu.queue_min_bytes", queue_min_bytes);
  check_bytes("mmu.lossy_queue_static_bytes", lossy_queue_static_bytes);
  check_bytes("mmu.lossless_queue_min_bytes", lossless_queue_min_bytes);
  check_bytes("mmu.lossless_queue_static_bytes", lossless_queue_static_bytes);
}

void MmuParams::validate(const MmuGeometry& geometry) const { resolve(*this, geometry); }

PgProfile MmuParams::pg_default(std::uint32_t pg) const {
  PgProfile profile;
  profile.lossless = std::find(lossless_pgs.begin(), lossless_pgs.end(), pg) != lossless_pgs.end();
  if (!profile.lossless) {
    profile.min = lossy_pg_min_bytes;
    profile.alpha_exp = lossy_pg_alpha_exp;
    profile.static_limit = lossy_pg_static_bytes;
    return profile;
  }
  profile.min = pg_min_bytes;
  profile.alpha_exp = pg_alpha_exp;
  profile.static_limit = pg_static_bytes;
  profile.xoff = xoff_bytes;
  profile.xon = xon_bytes;
  profile.xon_offset = xon_offset_bytes;
  profile.hysteresis_cells = hysteresis_cells;
  return profile;
}

QueueProfile MmuParams::queue_default(std::uint32_t queue) const {
  QueueProfile profile;
  profile.lossless =
      std::find(lossless_pgs.begin(), lossless_pgs.end(), queue) != lossless_pgs.end();
  if (profile.lossless) {
    profile.min = lossless_queue_min_bytes;
    profile.static_limit = lossless_queue_static_bytes;
  } else {
    profile.min = queue_min_bytes;
    profile.alpha_exp = lossy_alpha_exp;
    profile.static_limit = lossy_queue_static_bytes;
  }
  return profile;
}

std::vector<std::string> warnings(const MmuParams& params, const MmuGeometry& geometry) {
  const MmuTables t = resolve(params, geometry);
  std::vector<std::string> lines;
  for (std::uint32_t port = 0; port < t.ports; ++port) {
    if (!geometry.is_active(port)) continue;
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      const PgLimits& limits = t.pg_limits[t.pg_profile[port * kPriorityGroups + pg]];
      if (!limits.lossless || limits.room > 0) continue;
      lines.push_back(
          fmt::format("port {}: PG {} is lossless but has no headroom (mmu.xoff_bytes); it will "
                      "drop after XOFF",
                      port, pg));
    }
  }
  return lines;
}

}  // namespace sluice
