// SPDX-License-Identifier: Apache-2.0
// Classification of a port's frames: DSCP or PCP to traffic class, traffic class to priority group
// and queue, PFC priority to queue. Leaves out: remarking.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

/// Tables as SONiC binds them to a port (DSCP_TO_TC_MAP, DOT1P_TO_TC_MAP,
/// TC_TO_PRIORITY_GROUP_MAP, TC_TO_QUEUE_MAP, MAP_PFC_PRIORITY_TO_QUEUE). A PG pauses the PFC
/// priority of its own number.
struct QosMaps {
  std::vector<std::uint32_t> dscp_to_tc = default_dscp_to_tc();  ///< 64 entries
  std::vector<std::uint32_t> pcp_to_tc{0, 1, 2, 3, 4, 5, 6, 7};  ///< frames with a VLAN tag
  std::vector<std::uint32_t> tc_to_pg{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::uint32_t> tc_to_queue{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::uint32_t> pfc_to_queue{0, 1, 2, 3, 4, 5, 6, 7};  ///< what a received pause stops

  void describe(ParameterVisitor& visitor);
  void validate() const;
  /// DSCP 24 and 26 (RoCE data) to TC 3, 48 (CNP) to TC 6, the rest to TC 0.
  static std::vector<std::uint32_t> default_dscp_to_tc();
  bool operator==(const QosMaps&) const = default;
};

}  // namespace sluice
