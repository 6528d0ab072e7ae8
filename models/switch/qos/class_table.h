// SPDX-License-Identifier: Apache-2.0
// A port's maps flattened for the datapath: one look-up gives traffic class, priority group and the
// queue by the same port's map.
#pragma once

#include <array>
#include <cstdint>

#include "switch/qos/qos_maps.h"

namespace sluice {

struct FrameClass {
  std::uint8_t tc = 0;
  std::uint8_t pg = 0;
  std::uint8_t queue = 0;
};

class ClassTable {
 public:
  explicit ClassTable(const QosMaps& maps);

  /// Of a frame that is classified by DSCP (untagged) or by PCP (tagged).
  FrameClass of_dscp(std::uint8_t dscp) const { return dscp_[dscp]; }
  FrameClass of_pcp(std::uint8_t pcp) const { return pcp_[pcp]; }
  /// As the map of an egress port has it.
  std::uint8_t queue_of(std::uint8_t tc) const { return tc_to_queue_[tc]; }
  bool same_queues(const ClassTable& other) const { return tc_to_queue_ == other.tc_to_queue_; }
  /// Queues that a pause of these priorities stops, a bit each.
  std::uint8_t queues_of(std::uint8_t priorities) const {
    return plain_ ? priorities : mapped_queues(priorities);
  }

 private:
  std::uint8_t mapped_queues(std::uint8_t priorities) const;

  std::array<FrameClass, 64> dscp_{};
  std::array<FrameClass, 8> pcp_{};
  std::array<std::uint8_t, 8> tc_to_queue_{};
  std::array<std::uint8_t, 8> pfc_to_queue_{};
  bool plain_ = true;  ///< every priority stops the queue of its own number
};

}  // namespace sluice
