// SPDX-License-Identifier: Apache-2.0
// Why a chip drops a frame: one row a reason, in the order of summary.json's `drops` and of the
// columns of counters.csv.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice {

enum class ChipDrop : std::uint8_t {
  kIngressPg,
  kSharedHeadroom,
  kEgressQueue,
  kNoCells,
  kCorrupt,
  kNoRoute,
  kWred,
  kTtlExpired,
  kPipeOversubscribed,
  kLinkDown,
  kPfcWatchdog,
};

struct ChipDropInfo {
  std::string_view name;
  std::string_view counter;  ///< "drop_" + name
  std::string_view meaning;
  bool breaks_lossless;  ///< on a lossless PG: the run is not lossless
};
inline constexpr std::array<ChipDropInfo, 11> kChipDrops{{
    {"ingress_pg", "drop_ingress_pg", "dropped: priority group and headroom full", true},
    {"shared_headroom", "drop_shared_headroom", "dropped: shared headroom pool used up", true},
    {"egress_queue", "drop_egress_queue", "dropped: queue over its threshold", true},
    {"no_cells", "drop_no_cells", "dropped: no free cell", true},
    {"corrupt", "drop_corrupt", "dropped: bad FCS", false},
    {"no_route", "drop_no_route", "dropped: no route to the destination", false},
    {"wred", "drop_wred", "dropped: not ECN-capable, on the WRED curve", true},
    {"ttl_expired", "drop_ttl_expired", "dropped: TTL or hop limit used up", false},
    {"pipe_oversubscribed", "drop_pipe_oversubscribed",
     "dropped: more packets a second than the ingress pipeline classifies", true},
    {"link_down", "drop_link_down", "dropped: the link was down", false},
    {"pfc_watchdog", "drop_pfc_watchdog", "dropped: queue under a PFC storm", false},
}};
inline constexpr std::size_t kChipDropReasons = kChipDrops.size();

constexpr const ChipDropInfo& info_of(ChipDrop reason) {
  return kChipDrops[static_cast<std::size_t>(reason)];
}

}  // namespace sluice
