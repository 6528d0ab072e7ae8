// SPDX-License-Identifier: Apache-2.0
#include "switch/qos/class_table.h"

namespace sluice {

ClassTable::ClassTable(const QosMaps& maps) {
  maps.validate();
  const auto class_of = [&maps](std::uint32_t tc) {
    return FrameClass{static_cast<std::uint8_t>(tc), static_cast<std::uint8_t>(maps.tc_to_pg[tc]),
                      static_cast<std::uint8_t>(maps.tc_to_queue[tc])};
  };
  for (std::size_t dscp = 0; dscp < dscp_.size(); ++dscp) {
    dscp_[dscp] = class_of(maps.dscp_to_tc[dscp]);
  }
  for (std::size_t i = 0; i < pcp_.size(); ++i) {
    pcp_[i] = class_of(maps.pcp_to_tc[i]);
    tc_to_queue_[i] = static_cast<std::uint8_t>(maps.tc_to_queue[i]);
    pfc_to_queue_[i] = static_cast<std::uint8_t>(maps.pfc_to_queue[i]);
    plain_ &= pfc_to_queue_[i] == i;
  }
}

std::uint8_t ClassTable::mapped_queues(std::uint8_t priorities) const {
  std::uint32_t queues = 0;
  for (std::size_t p = 0; p < pfc_to_queue_.size(); ++p) {
    if (priorities >> p & 1u) queues |= 1u << pfc_to_queue_[p];
  }
  return static_cast<std::uint8_t>(queues);
}

}  // namespace sluice
