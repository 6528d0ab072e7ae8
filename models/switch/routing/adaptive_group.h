// SPDX-License-Identifier: Apache-2.0
// One adaptive group: members with what is known of them, and the flow sets placed on them.
// Leaves out: grades and the choice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

struct AdaptiveMember {
  std::uint16_t port = 0;
  bool up = true;
  bool alternate = false;
  std::uint32_t rate_weight = 1;
  std::uint32_t capacity = 1;  ///< behind the next hop; 0: not to be used
  Ps demoted_until{};

  bool usable() const { return up && capacity != 0; }
};

struct FlowSet {
  static constexpr std::uint32_t kUnplaced = UINT32_MAX;

  Ps last{};  ///< packet
  std::uint32_t member = kUnplaced;
};

struct AdaptiveGroup {
  std::vector<AdaptiveMember> members;
  std::vector<FlowSet> flow_sets;  ///< empty when every packet is placed afresh

  AdaptiveMember* find(std::uint16_t port) {
    const auto at =
        std::find_if(members.begin(), members.end(),
                     [port](const AdaptiveMember& member) { return member.port == port; });
    return at == members.end() ? nullptr : &*at;
  }
  FlowSet& flow_set(std::uint32_t hash) {
    return flow_sets[(std::uint64_t{hash} * flow_sets.size()) >> 32];
  }
};

}  // namespace sluice
