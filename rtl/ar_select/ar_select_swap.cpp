// SPDX-License-Identifier: Apache-2.0
#include "rtl/ar_select/ar_select_swap.h"

#include <fmt/ranges.h>

#include "rtl/ar_select/ar_select_twin.h"

namespace sluice::rtl {
namespace {

class ArSelectSwap final : public AdaptiveSelector {
 public:
  ArSelectSwap(std::unique_ptr<AdaptiveSelector> owner, GradedSelector& model,
               const BlockPlace& place, const SwapMode& mode)
      : watch_("ar_select", place, mode.record), owner_(std::move(owner)), model_(model) {
    if (mode.rtl) {
      twin_ = std::make_unique<ArSelectTwin>(model.policy(), model.grades(), mode.options);
    }
    compare_ = mode.compare || twin_ == nullptr;
    if (!watch_.records()) return;
    const SelectorPolicy& p = model.policy();
    watch_.record(fmt::format("policy {} {} {} {} {} {} {} {} {} {} {} {}",
                              static_cast<int>(p.keep), int{p.former_if_best}, int{p.by_grade},
                              int{p.any_free}, int{p.weighted}, p.flow_sets, p.idle_time.value,
                              p.alternate_from, p.alternate_cost, p.rebalance_delta,
                              p.rebalance_below, model.grades()));
    watch_.record(fmt::format("alternates {}", fmt::join(p.alternate_ports, " ")));
    watch_.record(fmt::format("rates {}", fmt::join(model.rate_weights(), " ")));
  }

  std::uint32_t add_group(const std::vector<std::uint16_t>& ports) override {
    const std::uint32_t number = model_.add_group(ports);
    if (twin_) twin_->check_group(number, model_.groups()[number]);
    stale_.push_back(true);
    if (watch_.records()) watch_.record(fmt::format("group {}", fmt::join(ports, " ")));
    return number;
  }
  void set_link(std::uint16_t port, bool up) override {
    model_.set_link(port, up);
    stale_.assign(stale_.size(), true);
    if (watch_.records()) watch_.record(fmt::format("link {} {}", port, int{up}));
  }
  void set_capacity(std::uint32_t group, std::uint16_t port, std::uint32_t weight) override {
    model_.set_capacity(group, port, weight);
    stale_[group] = true;
    if (watch_.records()) watch_.record(fmt::format("capacity {} {} {}", group, port, weight));
  }
  void demote(std::uint32_t group, std::uint16_t port, Ps until) override {
    model_.demote(group, port, until);
  }

  PickResult pick(const PickRequest& request) override {
    model_.look(request, sights_);
    watch_.next([&] { return line_of(request); });
    const AdaptiveCounters before = model_.counters();
    const PickResult model = compare_ ? model_.pick(request) : PickResult{};
    if (!twin_) return model;
    const auto text = [&request] {
      return fmt::format("group {}, flow {:#x}, draw {:#x}", request.group, request.flow_hash,
                         request.draw);
    };
    const AdaptiveGroup& group = model_.groups()[request.group];
    if (stale_[request.group]) twin_->set_group(request.group, group);
    stale_[request.group] = false;
    const ArSelectTwin::Answer rtl =
        watch_.ask([&] { return twin_->pick(request, sights_); }, text);
    const std::uint32_t port = !rtl.found                          ? PickResult::kNoPort
                               : rtl.member < group.members.size() ? group.members[rtl.member].port
                                                                   : PickResult::kNoPort - 1;
    AdaptiveCounters after = before;
    after.placed_flow_sets += rtl.placed ? 1 : 0;
    after.moved_flow_sets += rtl.moved ? 1 : 0;
    after.rebalanced_flow_sets += rtl.rebalanced ? 1 : 0;
    if (compare_) {
      const AdaptiveCounters& counted = model_.counters();
      watch_.expect("port", model.port, port, text);
      watch_.expect("busy", int{model.busy}, int{rtl.busy}, text);
      watch_.expect("placed_flow_sets", counted.placed_flow_sets, after.placed_flow_sets, text);
      watch_.expect("moved_flow_sets", counted.moved_flow_sets, after.moved_flow_sets, text);
      watch_.expect("rebalanced_flow_sets", counted.rebalanced_flow_sets,
                    after.rebalanced_flow_sets, text);
    } else {
      if (rtl.found && rtl.member >= group.members.size()) {
        watch_.differ(fmt::format("member {} of {}", rtl.member, group.members.size()), text());
      }
      model_.counters() = after;
    }
    return {port, rtl.busy};
  }
  bool draws_move() const override { return model_.draws_move(); }

  Ps tick(Ps now) override { return model_.tick(now); }
  bool resting() const override { return model_.resting(); }
  Ps wake(Ps now) override { return model_.wake(now); }
  AdaptiveCounters& counters() override { return model_.counters(); }

 private:
  std::string line_of(const PickRequest& r) const {
    std::string line =
        fmt::format("pick {} {} {} {} {}", r.group, r.flow_hash, r.now.value, r.draw, r.move);
    for (const GradedSelector::Sight& sight : sights_) {
      line += fmt::format(" {} {}", sight.grade, int{sight.demoted});
    }
    return line;
  }

  Watch watch_;
  std::unique_ptr<AdaptiveSelector> owner_;
  GradedSelector& model_;
  std::unique_ptr<ArSelectTwin> twin_;  ///< null: requests are recorded only
  bool compare_ = false;
  std::vector<bool> stale_;  ///< groups whose members the RTL has not heard of
  ArSelectTwin::Sights sights_;
};

}  // namespace

std::unique_ptr<AdaptiveSelector> swap_ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                 const BlockPlace& place, const SwapMode& mode) {
  auto* graded = dynamic_cast<GradedSelector*>(model.get());
  SLUICE_CHECK(graded != nullptr, "the adaptive selector of {} has no grades", place.instance);
  return std::make_unique<ArSelectSwap>(std::move(model), *graded, place, mode);
}

}  // namespace sluice::rtl
