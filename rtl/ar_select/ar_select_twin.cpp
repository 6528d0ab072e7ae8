// SPDX-License-Identifier: Apache-2.0
#include "rtl/ar_select/ar_select_twin.h"

#include <Var_select.h>
#include <Var_select_ar_select.h>

#include <algorithm>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct ArSelectTwin::Rtl : RtlModel<Var_select> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Var_select_ar_select::Members == ArSelectTwin::kMaxMembers);
static_assert(Var_select_ar_select::Groups == ArSelectTwin::kMaxGroups);
static_assert(Var_select_ar_select::FlowSets == ArSelectTwin::kMaxFlowSets);
static_assert(Var_select_ar_select::Latency == ArSelectTwin::kLatency);

constexpr std::uint64_t kTimes = std::uint64_t{1} << 56;
constexpr std::uint64_t kMaxWeight = 0xFFFF;
constexpr std::uint32_t kNeverGrade = 256;

std::uint64_t weight_of(const AdaptiveMember& member) {
  return std::uint64_t{member.rate_weight} * member.capacity;
}

/// Field `index` of a wide pin, of 8 or 16 bits.
template <unsigned kBits, class Wide>
void put_field(Wide& pins, std::size_t index, std::uint32_t value) {
  constexpr std::size_t kPerWord = 32 / kBits;
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  const std::size_t shift = index % kPerWord * kBits;
  std::uint32_t word = pins[index / kPerWord];
  word = (word & ~(kMask << shift)) | (value & kMask) << shift;
  pins[index / kPerWord] = word;
}

}  // namespace

ArSelectTwin::ArSelectTwin(const SelectorPolicy& policy, std::uint32_t grades,
                           const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)), flow_sets_(policy.flow_sets) {
  if (grades < 1 || grades > kNeverGrade) {
    throw ConfigError(
        fmt::format("ar_select in RTL: {} grades of a port, it has {}", grades, kNeverGrade));
  }
  if (policy.idle_time.value >= kTimes) {
    throw ConfigError("ar_select in RTL: idle_time must be below 2^56 ps (20 hours)");
  }
  if (policy.flow_sets > kMaxFlowSets) {
    throw ConfigError(
        fmt::format("ar_select in RTL: {} flow sets, it has {}", policy.flow_sets, kMaxFlowSets));
  }
  Var_select& pins = rtl_->pins();
  pins.in_valid_i = pins.row_valid_i = 0;
  pins.cfg_keep_i = static_cast<std::uint8_t>(policy.keep);
  pins.cfg_former_if_best_i = policy.former_if_best;
  pins.cfg_by_grade_i = policy.by_grade;
  pins.cfg_any_free_i = policy.any_free;
  pins.cfg_weighted_i = policy.weighted;
  pins.cfg_worst_i = static_cast<std::uint8_t>(grades - 1);
  // No grade is above 255, so that these say the same as anything larger.
  pins.cfg_alternate_from_i =
      static_cast<std::uint16_t>(std::min(policy.alternate_from, kNeverGrade));
  pins.cfg_alternate_cost_i = static_cast<std::uint8_t>(std::min(policy.alternate_cost, 255u));
  pins.cfg_rebalance_delta_i = static_cast<std::uint16_t>(std::min(policy.rebalance_delta, 511u));
  pins.cfg_rebalance_below_i = policy.rebalance_below;
  pins.cfg_flow_sets_i = static_cast<std::uint16_t>(policy.flow_sets);
  pins.cfg_idle_i = policy.idle_time.value;
  rtl_->reset();
}

ArSelectTwin::~ArSelectTwin() = default;

void ArSelectTwin::check_group(std::size_t number, const AdaptiveGroup& group) const {
  if (number >= kMaxGroups || (number + 1) * flow_sets_ > kMaxFlowSets) {
    throw ConfigError(
        fmt::format("ar_select in RTL: {} groups of {} flow sets, it has {} groups and {} flow "
                    "sets in all",
                    number + 1, flow_sets_, kMaxGroups, kMaxFlowSets));
  }
  if (group.members.size() > kMaxMembers) {
    throw ConfigError(fmt::format("ar_select in RTL: a group of {} ports, it has {}",
                                  group.members.size(), kMaxMembers));
  }
}

void ArSelectTwin::set_group(std::uint32_t number, const AdaptiveGroup& group) {
  Var_select& pins = rtl_->pins();
  row_pending_ = true;
  pins.row_group_i = static_cast<std::uint8_t>(number);
  std::uint64_t usable = 0;
  std::uint64_t alternate = 0;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const AdaptiveMember& member = group.members[i];
    if (weight_of(member) > kMaxWeight) {
      throw ConfigError(fmt::format("ar_select in RTL: port {} has a weight of {}, at most {}",
                                    member.port, weight_of(member), kMaxWeight));
    }
    usable |= std::uint64_t{member.usable()} << i;
    alternate |= std::uint64_t{member.alternate} << i;
    put_field<16>(pins.row_weights_i, i, static_cast<std::uint32_t>(weight_of(member)));
  }
  pins.row_usable_i = usable;
  pins.row_alternate_i = alternate;
}

ArSelectTwin::Answer ArSelectTwin::clock(const PickRequest* request, const Sights& sights) {
  Var_select& pins = rtl_->pins();
  pins.row_valid_i = row_pending_;
  row_pending_ = false;
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_group_i = static_cast<std::uint8_t>(request->group);
    pins.in_hash_i = request->flow_hash;
    pins.in_now_i = request->now.value % kTimes;
    pins.in_draw_i = request->draw;
    pins.in_move_i = request->move;
    std::uint64_t demoted = 0;
    for (std::size_t i = 0; i < sights.size(); ++i) {
      put_field<8>(pins.in_grades_i, i, sights[i].grade);
      demoted |= std::uint64_t{sights[i].demoted} << i;
    }
    pins.in_demoted_i = demoted;
  }
  rtl_->tick();
  if (!pins.out_valid_o) return {};
  return {true,
          pins.out_found_o != 0,
          pins.out_member_o,
          pins.out_busy_o != 0,
          pins.out_placed_o != 0,
          pins.out_moved_o != 0,
          pins.out_rebalanced_o != 0};
}

ArSelectTwin::Answer ArSelectTwin::pick(const PickRequest& request, const Sights& sights) {
  if (row_pending_) clock(nullptr, sights);
  Answer answer = clock(&request, sights);
  for (unsigned i = 1; i < kLatency && !answer.valid; ++i) answer = clock(nullptr, sights);
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  return answer;
}

std::uint64_t ArSelectTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
