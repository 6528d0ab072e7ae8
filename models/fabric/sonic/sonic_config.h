// SPDX-License-Identifier: Apache-2.0
// What SONiC files say about one switch, resolved: every reference followed, every range and list
// spread over its ports, contradictions refused. Leaves out: the chip (apply_sonic.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel/parameter.h"
#include "switch/pfc/watchdog_params.h"

namespace sluice {

inline constexpr std::uint32_t kSonicClasses = 8;  ///< traffic classes, priority groups, queues

struct SonicPool {
  std::string name;
  bool ingress = false;
  bool egress = false;
  std::optional<Bytes> size;  ///< nothing: computed by the switch, or a percentage
  Bytes xoff{};               ///< shared headroom pool; 0: none
};

struct SonicProfile {
  std::string name;
  std::string where;  ///< for messages
  std::size_t pool = 0;
  std::optional<Bytes> size;
  std::optional<std::int32_t> dynamic_th;
  std::optional<Bytes> static_th;
  std::optional<Bytes> xoff;
  Bytes xon{};
  Bytes xon_offset{};
};

struct SonicWred {
  std::string name;
  bool marks = false;  ///< ECN on green packets
  bool drops = false;  ///< green packets that cannot be marked follow the curve as drops
  Bytes min{};
  Bytes max{};
  std::uint32_t percent = 0;
};

struct SonicScheduler {
  std::string name;
  bool strict = false;
  std::uint32_t weight = 1;
};

/// Maps bound to a port; nothing where no file has the table.
struct SonicMaps {
  std::optional<std::vector<std::uint32_t>> dscp_to_tc;
  std::optional<std::vector<std::uint32_t>> dot1p_to_tc;
  std::optional<std::vector<std::uint32_t>> tc_to_pg;
  std::optional<std::vector<std::uint32_t>> tc_to_queue;
  std::optional<std::vector<std::uint32_t>> pfc_to_queue;
};

/// Index into the vectors of SonicConfig, by priority group or queue.
using SonicIndices = std::array<std::optional<std::size_t>, kSonicClasses>;

struct SonicPort {
  std::string name;
  std::string where;
  std::vector<std::uint32_t> lanes;
  std::optional<std::uint64_t> speed_mbps;
  std::optional<std::uint64_t> index;
  bool up = true;  ///< not shut down by admin_status
  std::optional<std::string> cable;
  std::uint8_t lossless = 0;  ///< PFC priorities and priority groups, a bit each
  SonicIndices pg;            ///< into profiles
  SonicIndices queue;         ///< into profiles
  SonicIndices wred;          ///< of queues
  SonicIndices scheduler;     ///< of queues
  SonicMaps maps;
  std::optional<WatchdogParams> watchdog;
  std::vector<std::size_t> ingress_profiles;  ///< port level
};

struct SonicConfig {
  std::string source;            ///< the first path, for messages
  std::vector<SonicPort> ports;  ///< in the order of the front panel
  std::vector<SonicPool> pools;
  std::vector<SonicProfile> profiles;
  std::vector<SonicWred> wreds;
  std::vector<SonicScheduler> schedulers;
  bool has_buffers = false;        ///< a BUFFER_POOL was given
  bool has_queue_rows = false;     ///< a QUEUE table was given
  bool has_maps_of_ports = false;  ///< a PORT_QOS_MAP was given
  std::optional<bool> port_alpha;  ///< SAI_KEY_DISABLE_PORT_ALPHA, where it was given
  std::vector<std::string> notes;  ///< everything read and not used, a line each
  std::uint64_t digest = 0;        ///< of all that was read
};

/// Reads files and directories, each on top of the ones before. Throws ConfigError, one line naming
/// file, table, key, field and value, for what is not understood or contradicts itself.
SonicConfig read_sonic(const std::vector<std::filesystem::path>& paths);

}  // namespace sluice
