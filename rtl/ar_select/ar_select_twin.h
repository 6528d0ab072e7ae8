// SPDX-License-Identifier: Apache-2.0
// The pick of a chip's adaptive selector in RTL. Grades come from the model's meters (Sight).
// Leaves out: picks back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>
#include <vector>

#include "rtl/harness/rtl_options.h"
#include "switch/routing/graded_selector.h"

namespace sluice::rtl {

class ArSelectTwin {
 public:
  static constexpr unsigned kLatency = 6;  ///< clocks from pick to answer
  static constexpr std::size_t kMaxMembers = 64;
  static constexpr std::size_t kMaxGroups = 256;
  static constexpr std::size_t kMaxFlowSets = 16384;  ///< of all groups

  /// Throws ConfigError for a policy that the RTL's fields do not hold.
  ArSelectTwin(const SelectorPolicy& policy, std::uint32_t grades, const RtlOptions& options);
  ~ArSelectTwin();

  /// Throws ConfigError when group `number` is beyond what the RTL has.
  void check_group(std::size_t number, const AdaptiveGroup& group) const;
  /// Members as they are now, written in the next clock; for picks of later ones.
  void set_group(std::uint32_t number, const AdaptiveGroup& group);

  struct Answer {
    bool valid = false;
    bool found = false;
    std::uint32_t member = 0;
    bool busy = false;
    bool placed = false;
    bool moved = false;
    bool rebalanced = false;
  };
  using Sights = std::vector<GradedSelector::Sight>;
  Answer pick(const PickRequest& request, const Sights& sights);

  /// One clock with a pick at the input (`request` null: none); the answer that comes out in this
  /// clock, that of kLatency clocks ago.
  Answer clock(const PickRequest* request, const Sights& sights);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
  std::uint32_t flow_sets_;
  bool row_pending_ = false;
};

}  // namespace sluice::rtl
