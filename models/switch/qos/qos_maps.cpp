// SPDX-License-Identifier: Apache-2.0
#include "switch/qos/qos_maps.h"

#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

void check_map(std::string_view key, const std::vector<std::uint32_t>& map, std::size_t entries) {
  if (map.size() != entries) {
    throw ConfigError(fmt::format("{}: {} entries, expected {}", key, map.size(), entries));
  }
  for (const std::uint32_t value : map) {
    if (value > 7) throw ConfigError(fmt::format("{}: {}, expected 0 to 7", key, value));
  }
}

}  // namespace

void QosMaps::describe(ParameterVisitor& v) {
  v.visit("dscp_to_tc", dscp_to_tc, {0, 7},
          {"traffic class of each DSCP", "RoCE profile: 26 to 3, 48 to 6"});
  v.visit("pcp_to_tc", pcp_to_tc, {0, 7}, {"traffic class of each 802.1Q PCP", "IEEE 802.1Q"});
  v.visit("tc_to_pg", tc_to_pg, {0, 7},
          {"priority group of each traffic class", "SONiC TC_TO_PRIORITY_GROUP_MAP"});
  v.visit("tc_to_queue", tc_to_queue, {0, 7},
          {"egress queue of each traffic class", "SONiC TC_TO_QUEUE_MAP"});
  v.visit("pfc_to_queue", pfc_to_queue, {0, 7},
          {"queue that a received PFC priority stops", "SONiC MAP_PFC_PRIORITY_TO_QUEUE"});
}

void QosMaps::validate() const {
  check_map("dscp_to_tc", dscp_to_tc, 64);
  check_map("pcp_to_tc", pcp_to_tc, 8);
  check_map("tc_to_pg", tc_to_pg, 8);
  check_map("tc_to_queue", tc_to_queue, 8);
  check_map("pfc_to_queue", pfc_to_queue, 8);
}

std::vector<std::uint32_t> QosMaps::default_dscp_to_tc() {
  std::vector<std::uint32_t> map(64, 0);
  map[24] = 3;
  map[26] = 3;
  map[48] = 6;
  return map;
}

}  // namespace sluice
