// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/graded_selector.h"

#include <numeric>
#include <utility>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

constexpr std::uint32_t kUnusable = UINT32_MAX;

std::uint32_t pipes_of(const std::vector<std::uint32_t>& pipe_of_port) {
  if (pipe_of_port.empty()) return 1;
  return *std::max_element(pipe_of_port.begin(), pipe_of_port.end()) + 1;
}

}  // namespace

GradedSelector::GradedSelector(SelectorPolicy policy, std::unique_ptr<PortMeter> meter, Ps refresh,
                               const AdaptiveContext& context)
    : policy_(std::move(policy)),
      meter_(std::move(meter)),
      views_(pipes_of(context.pipe_of_port), static_cast<std::uint32_t>(context.rates.size()),
             refresh, context.seed, context.chip),
      pipe_of_port_(context.pipe_of_port) {
  std::uint64_t unit = 0;
  for (const BitsPerSecond rate : context.rates) unit = std::gcd(unit, rate.value);
  for (const BitsPerSecond rate : context.rates) {
    rate_weights_.push_back(static_cast<std::uint32_t>(rate.value / unit));
  }
  RandomStream phase(context.seed, context.chip << 8 | 0xFF, RandomPurpose::kPipePhase);
  sample_phase_ = Ps{phase.next_u64() % meter_->interval().value};
  sample_due_ = sample_phase_;
}

std::uint32_t GradedSelector::add_group(const std::vector<std::uint16_t>& ports) {
  SLUICE_CHECK(!ports.empty(), "an adaptive group needs at least one member");
  AdaptiveGroup group;
  for (const std::uint16_t port : ports) {
    AdaptiveMember member;
    member.port = port;
    member.rate_weight = rate_weights_[port];
    member.alternate = std::find(policy_.alternate_ports.begin(), policy_.alternate_ports.end(),
                                 port) != policy_.alternate_ports.end();
    group.members.push_back(member);
    const auto at = std::lower_bound(ports_.begin(), ports_.end(), port);
    if (at == ports_.end() || *at != port) ports_.insert(at, port);
  }
  group.flow_sets.resize(policy_.flow_sets);
  grades_.resize(std::max(grades_.size(), ports.size()));
  groups_.push_back(std::move(group));
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void GradedSelector::set_link(std::uint16_t port, bool up) {
  for (AdaptiveGroup& group : groups_) {
    if (AdaptiveMember* member = group.find(port)) member->up = up;
  }
}

void GradedSelector::set_capacity(std::uint32_t group, std::uint16_t port, std::uint32_t weight) {
  AdaptiveMember* member = groups_[group].find(port);
  SLUICE_CHECK(member != nullptr, "port {} is no member of adaptive group {}", port, group);
  member->capacity = weight;
}

void GradedSelector::demote(std::uint32_t group, std::uint16_t port, Ps until) {
  ++counters_.notifications_taken;
  AdaptiveMember* member = groups_[group].find(port);
  if (member != nullptr) member->demoted_until = std::max(member->demoted_until, until);
}

/// Fills grades_ with what the packet's pipe believes of each member.
void GradedSelector::grade_members(const AdaptiveGroup& group, const PickRequest& request) {
  const std::uint32_t worst = meter_->grades() - 1;
  const std::uint8_t* view =
      views_.live() ? nullptr : views_.of(pipe_of_port_[request.ingress_port]);
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const AdaptiveMember& member = group.members[i];
    if (!member.usable()) {
      grades_[i] = kUnusable;
    } else if (!policy_.by_grade) {
      grades_[i] = 0;
    } else if (member.demoted_until > request.now) {
      grades_[i] = worst;
    } else {
      grades_[i] = view != nullptr ? view[member.port] : meter_->grade(member.port);
    }
  }
}

void GradedSelector::look(const PickRequest& request, std::vector<Sight>& sights) {
  picked_ = true;
  const std::uint8_t* view =
      views_.live() ? nullptr : views_.of(pipe_of_port_[request.ingress_port]);
  sights.clear();
  for (const AdaptiveMember& member : groups_[request.group].members) {
    const std::uint32_t grade = view != nullptr ? view[member.port] : meter_->grade(member.port);
    sights.push_back({grade, member.demoted_until > request.now});
  }
}

GradedSelector::Survey GradedSelector::survey(const AdaptiveGroup& group) const {
  std::uint32_t primary = kUnusable;
  std::uint32_t alternate = kUnusable;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    std::uint32_t& best = group.members[i].alternate ? alternate : primary;
    best = std::min(best, grades_[i]);
  }
  Survey result;
  const bool worth = alternate != kUnusable && primary >= policy_.alternate_from &&
                     alternate + std::uint64_t{policy_.alternate_cost} < primary;
  result.alternates = worth;
  result.best = worth ? alternate : primary;
  if (result.best == kUnusable) return result;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (candidate(group.members[i], grades_[i], result)) result.weight += weight(group.members[i]);
  }
  return result;
}

bool GradedSelector::candidate(const AdaptiveMember& member, std::uint32_t grade,
                               const Survey& survey) const {
  if (grade == kUnusable || member.alternate != survey.alternates) return false;
  if (grade == survey.best) return true;
  return policy_.any_free && grade < meter_->grades() - 1;
}

std::uint64_t GradedSelector::weight(const AdaptiveMember& member) const {
  return policy_.weighted ? std::uint64_t{member.rate_weight} * member.capacity : 1;
}

std::uint32_t GradedSelector::choose(const AdaptiveGroup& group, const Survey& survey,
                                     std::uint32_t draw) const {
  auto at = static_cast<std::uint64_t>((static_cast<__uint128_t>(draw) * survey.weight) >> 32);
  for (std::uint32_t i = 0; i < group.members.size(); ++i) {
    if (!candidate(group.members[i], grades_[i], survey)) continue;
    const std::uint64_t share = weight(group.members[i]);
    if (at < share) return i;
    at -= share;
  }
  SLUICE_CHECK(false, "a draw fell outside its group");
}

/// Whether a packet follows its flow set, whatever the grades.
bool GradedSelector::stays(const AdaptiveGroup& group, const FlowSet& flow,
                           const PickRequest& request) {
  using Keep = SelectorPolicy::Keep;
  if (flow.member == FlowSet::kUnplaced || !group.members[flow.member].usable()) return false;
  if (policy_.keep == Keep::kAlways) return true;
  return policy_.keep == Keep::kWhileActive && request.now - flow.last < policy_.idle_time;
}

void GradedSelector::place(FlowSet& flow, std::uint32_t member) {
  ++counters_.placed_flow_sets;
  if (flow.member != FlowSet::kUnplaced && flow.member != member) ++counters_.moved_flow_sets;
  flow.member = member;
}

PickResult GradedSelector::pick(const PickRequest& request) {
  AdaptiveGroup& group = groups_[request.group];
  picked_ = true;
  FlowSet* flow = group.flow_sets.empty() ? nullptr : &group.flow_set(request.flow_hash);
  const bool stay = flow != nullptr && stays(group, *flow, request);
  if (stay && (policy_.rebalance_delta == 0 || request.move >= policy_.rebalance_below)) {
    flow->last = request.now;
    return {group.members[flow->member].port, false};
  }
  grade_members(group, request);
  const Survey found = survey(group);
  if (found.best == kUnusable) return {};
  const bool busy = policy_.by_grade && found.best + 1 >= meter_->grades();
  if (flow == nullptr) return {group.members[choose(group, found, request.draw)].port, busy};
  flow->last = request.now;
  if (stay) {
    const bool better = grades_[flow->member] >= found.best + policy_.rebalance_delta;
    if (!better) return {group.members[flow->member].port, busy};
    ++counters_.rebalanced_flow_sets;
  } else if (policy_.former_if_best && flow->member != FlowSet::kUnplaced &&
             grades_[flow->member] == found.best) {
    return {group.members[flow->member].port, busy};
  }
  place(*flow, choose(group, found, request.draw));
  return {group.members[flow->member].port, busy};
}

Ps GradedSelector::tick(Ps now) {
  bool at_rest = false;
  for (; sample_due_ <= now; sample_due_ += meter_->interval()) {
    at_rest = !picked_;
    picked_ = false;
    for (const std::uint16_t port : ports_) at_rest &= meter_->sample(port);
  }
  views_.refresh(now, ports_, [this](std::uint16_t port) { return meter_->grade(port); });
  resting_ = at_rest;
  return at_rest ? kNever : next_due();
}

Ps GradedSelector::wake(Ps now) {
  resting_ = false;
  if (sample_due_ <= now) {
    const std::uint64_t interval = meter_->interval().value;
    const std::uint64_t missed = (now - sample_due_).value / interval + 1;
    for (const std::uint16_t port : ports_) meter_->rest(port, missed);
    sample_due_ += meter_->interval() * missed;
  }
  views_.wake(now, ports_, [this](std::uint16_t port) { return meter_->grade(port); });
  return next_due();
}

std::unique_ptr<AdaptiveSelector> make_dlb_selector(const DlbParams& params, Ps refresh,
                                                    const AdaptiveContext& context) {
  using Keep = SelectorPolicy::Keep;
  SelectorPolicy policy;
  const bool packets =
      params.mode == DlbMode::kPacketQuality || params.mode == DlbMode::kPacketRandom;
  policy.by_grade = params.mode != DlbMode::kFlowletRandom && params.mode != DlbMode::kPacketRandom;
  policy.keep = packets                          ? Keep::kNot
                : params.mode == DlbMode::kFixed ? Keep::kAlways
                                                 : Keep::kWhileActive;
  policy.flow_sets = packets ? 0 : params.flow_sets;
  policy.idle_time = params.idle_time;
  // Quality is bands - 1 - grade; alternates are considered while it is below the threshold.
  if (params.primary_threshold > 0) {
    policy.alternate_from = params.bands - std::min(params.primary_threshold, params.bands);
  }
  policy.alternate_cost = params.alternate_cost;
  policy.alternate_ports = params.alternate_ports;
  policy.rebalance_delta = params.mode == DlbMode::kFlowletQuality ? params.rebalance_delta : 0;
  policy.rebalance_below = static_cast<std::uint64_t>(params.rebalance_probability * 0x1p32);
  return std::make_unique<GradedSelector>(
      std::move(policy), make_dlb_meter(params, context.loads, context.rates), refresh, context);
}

std::unique_ptr<AdaptiveSelector> make_ar_selector(const ArParams& params,
                                                   const AdaptiveContext& context) {
  using Keep = SelectorPolicy::Keep;
  SelectorPolicy policy;
  policy.any_free = params.choice == ArChoice::kFree;
  policy.former_if_best = params.choice == ArChoice::kSticky;
  const bool flowlets = params.granularity == ArGranularity::kFlowlet;
  policy.keep = flowlets ? Keep::kWhileActive : Keep::kNot;
  policy.weighted = params.weighted;
  policy.flow_sets = flowlets || policy.former_if_best ? params.flow_sets : 0;
  policy.idle_time = params.idle_time;
  return std::make_unique<GradedSelector>(std::move(policy),
                                          make_ar_meter(params, context.loads, context.rates),
                                          params.refresh, context);
}

}  // namespace sluice
