// SPDX-License-Identifier: Apache-2.0
// The selector behind DLB and AR: which grades a packet's pipe sees, whether its flow set stays
// where it is, and a weighted draw among the members that are as good as any.
// Leaves out: how a port comes to its grade (port_meter.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "switch/routing/adaptive_group.h"
#include "switch/routing/adaptive_selector.h"
#include "switch/routing/pipe_views.h"
#include "switch/routing/port_meter.h"

namespace sluice {

struct SelectorPolicy {
  enum class Keep : std::uint8_t {
    kNot,          ///< every packet is placed afresh
    kWhileActive,  ///< a flow set stays until a gap of idle_time
    kAlways,
  };
  Keep keep = Keep::kNot;
  bool former_if_best = false;  ///< a choice falls on the former member while that is of the best
  bool by_grade = true;         ///< false: any usable member
  bool any_free = false;        ///< any that is not of the worst grade, not only the best
  bool weighted = false;
  std::uint32_t flow_sets = 0;  ///< 0: none are kept
  Ps idle_time{};
  /// Grade of the best primary member from which alternates are considered. None left: always.
  std::uint32_t alternate_from = UINT32_MAX;
  std::uint32_t alternate_cost = 0;
  std::vector<std::uint32_t> alternate_ports;
  std::uint32_t rebalance_delta = 0;
  std::uint64_t rebalance_below = 0;  ///< of 2^32
};

class GradedSelector final : public AdaptiveSelector {
 public:
  GradedSelector(SelectorPolicy policy, std::unique_ptr<PortMeter> meter, Ps refresh,
                 const AdaptiveContext& context);

  std::uint32_t add_group(const std::vector<std::uint16_t>& ports) override;
  void set_link(std::uint16_t port, bool up) override;
  void set_capacity(std::uint32_t group, std::uint16_t port, std::uint32_t weight) override;
  void demote(std::uint32_t group, std::uint16_t port, Ps until) override;
  PickResult pick(const PickRequest& request) override;
  bool draws_move() const override { return policy_.rebalance_delta != 0; }
  Ps tick(Ps now) override;
  bool resting() const override { return resting_ && policy_.by_grade; }
  Ps wake(Ps now) override;
  AdaptiveCounters& counters() override { return counters_; }

  /// For an implementation of pick() elsewhere: what it is to do, and of what.
  struct Sight {
    std::uint32_t grade = 0;  ///< as the request's pipe sees it
    bool demoted = false;
  };
  const SelectorPolicy& policy() const { return policy_; }
  std::uint32_t grades() const { return meter_->grades(); }
  const std::vector<AdaptiveGroup>& groups() const { return groups_; }
  const std::vector<std::uint32_t>& rate_weights() const { return rate_weights_; }  ///< of ports
  /// What pick() would look at, one a member. Counts as a pick for the rest of the ports.
  void look(const PickRequest& request, std::vector<Sight>& sights);

 private:
  /// What the grades of one pick come to.
  struct Survey {
    std::uint32_t best = UINT32_MAX;  ///< of the members that may be chosen
    bool alternates = false;          ///< those are the alternates
    std::uint64_t weight = 0;         ///< of the candidates
  };

  void grade_members(const AdaptiveGroup& group, const PickRequest& request);
  Survey survey(const AdaptiveGroup& group) const;
  bool candidate(const AdaptiveMember& member, std::uint32_t grade, const Survey& survey) const;
  std::uint64_t weight(const AdaptiveMember& member) const;
  std::uint32_t choose(const AdaptiveGroup& group, const Survey& survey, std::uint32_t draw) const;
  bool stays(const AdaptiveGroup& group, const FlowSet& flow, const PickRequest& request);
  void place(FlowSet& flow, std::uint32_t member);
  Ps next_due() const { return std::min(sample_due_, views_.next_due()); }

  SelectorPolicy policy_;
  std::unique_ptr<PortMeter> meter_;
  PipeViews views_;
  std::vector<std::uint32_t> pipe_of_port_;
  std::vector<std::uint32_t> rate_weights_;
  std::vector<AdaptiveGroup> groups_;
  std::vector<std::uint16_t> ports_;   ///< of all groups, ascending
  std::vector<std::uint32_t> grades_;  ///< of the members of the group in hand
  Ps sample_phase_{};
  Ps sample_due_{};
  bool resting_ = true;
  bool picked_ = false;  ///< since the last sample
  AdaptiveCounters counters_;
};

}  // namespace sluice
