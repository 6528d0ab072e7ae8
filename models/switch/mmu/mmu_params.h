// SPDX-License-Identifier: Apache-2.0
// Parameters of the shared buffer (`mmu.*`), in bytes as switches are configured; the MMU rounds
// them to cells. Leaves out: reading SONiC files, which fills these structs (fabric/).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

inline constexpr std::uint32_t kPriorityGroups = 8;
inline constexpr std::uint32_t kMaxSlices = 4;

enum class MmuPolicy : std::uint8_t { kBroadcom, kNvidia };
enum class SliceBy : std::uint8_t { kIngress, kEgress };

/// One priority group of one port.
struct PgProfile {
  bool lossless = false;
  Bytes min{};                 ///< reserved (SONiC `size` where a shared headroom pool exists)
  std::int32_t alpha_exp = 0;  ///< dynamic threshold 2^n of the rest of the pool
  Bytes static_limit{};        ///< > 0: static threshold instead of the dynamic one
  Bytes xoff{};                ///< headroom after XOFF: private, or cap of the shared headroom pool
  Bytes xon{};
  Bytes xon_offset{};
  std::int32_t hysteresis_cells = 0;  ///< policy nvidia
  bool operator==(const PgProfile&) const = default;
};

/// One egress queue of one port.
struct QueueProfile {
  bool lossless = false;  ///< static threshold: `static_limit`, or all memory when that is 0
  Bytes min{};
  std::int32_t alpha_exp = 0;
  Bytes static_limit{};
  bool operator==(const QueueProfile&) const = default;
};

struct PgOverride {
  std::uint32_t port = 0;
  std::uint32_t pg = 0;
  PgProfile profile;
};
struct QueueOverride {
  std::uint32_t port = 0;
  std::uint32_t queue = 0;
  QueueProfile profile;
};

/// The chip around the MMU.
struct MmuGeometry {
  std::uint32_t ports = 0;
  std::uint32_t queues_per_port = 8;
  std::vector<std::uint8_t> active{};  ///< 0: the port reserves nothing; empty: all ports active
  bool is_active(std::uint32_t port) const { return active.empty() || active[port] != 0; }
};

struct MmuParams {
  MmuPolicy policy = MmuPolicy::kBroadcom;
  std::uint32_t cell_bytes = 254;
  std::uint32_t total_cells = 681987;
  Bytes pool_bytes{164505640};
  /// Minima and private headroom lie inside pool_bytes (Tomahawk, presets) or beside it (SONiC
  /// files of Spectrum, which state the pool net of them).
  bool reserves_in_pool = true;
  std::uint32_t num_slices = 2;
  SliceBy slice_by = SliceBy::kIngress;
  std::vector<std::uint32_t> slice_map;  ///< slice of each port; empty: equal parts in port order
  Bytes shared_headroom_bytes{22010624};
  bool shp_in_pool = true;  ///< the shared headroom pool lies inside pool_bytes

  std::vector<std::uint32_t> lossless_pgs{3};
  Bytes pg_min_bytes{18796};
  std::int32_t pg_alpha_exp = 0;
  Bytes pg_static_bytes{0};  ///< 0: dynamic with pg_alpha_exp
  bool port_alpha_enabled = false;
  std::int32_t port_alpha_exp = 7;
  Bytes xoff_bytes{445770};
  Bytes xon_bytes{0};
  Bytes xon_offset_bytes{3556};
  std::int32_t hysteresis_cells = 0;
  std::uint32_t headroom_overhead_cells = 47;

  /// Port level of the ingress pool: reserved beyond it, and most that a port's PGs may share.
  Bytes port_min_bytes{0};
  Bytes port_static_bytes{0};  ///< 0: no limit
  /// The same for a port's lossy queues.
  Bytes egress_port_min_bytes{0};
  Bytes egress_port_static_bytes{0};

  Bytes lossy_pool_bytes{0};         ///< ingress pool of lossy PGs; 0: they draw on pool_bytes
  Bytes egress_lossy_pool_bytes{0};  ///< pool of lossy queues; 0: as large as what PGs share
  Bytes lossy_pg_min_bytes{0};
  std::int32_t lossy_pg_alpha_exp = 3;
  Bytes lossy_pg_static_bytes{164505640};  ///< 0: dynamic with lossy_pg_alpha_exp

  Bytes queue_min_bytes{1778};
  /// Queues of a port that hold queue_min_bytes, multicast queues that the model never fills
  /// included.
  std::uint32_t queue_min_count = 10;
  std::int32_t lossy_alpha_exp = 0;
  Bytes lossy_queue_static_bytes{0};  ///< 0: dynamic with lossy_alpha_exp
  Bytes lossless_queue_min_bytes{0};
  Bytes lossless_queue_static_bytes{0};  ///< 0: all memory

  /// Ports that differ (mixed speeds, SONiC profiles); filled by code, not by YAML keys.
  std::vector<PgOverride> pg_overrides;
  std::vector<QueueOverride> queue_overrides;

  void describe(ParameterVisitor& visitor);
  /// Ranges and pairs that need no geometry. Throws ConfigError naming the key.
  void validate() const;
  /// Also whether everything reserved fits into the memory, with the numbers in cells.
  void validate(const MmuGeometry& geometry) const;

  PgProfile pg_default(std::uint32_t pg) const;
  QueueProfile queue_default(std::uint32_t queue) const;
};

/// One line each for settings that are legal but ask for trouble (lossless PG without headroom).
std::vector<std::string> warnings(const MmuParams& params, const MmuGeometry& geometry);

}  // namespace sluice
