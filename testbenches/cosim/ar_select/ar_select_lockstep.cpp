// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/ar_select/ar_select_lockstep.h"

#include <algorithm>

namespace sluice::cosim {

using rtl::ArSelectTwin;

/// Grades as the bench sets them.
class SelectorLockstep::Grades final : public PortMeter {
 public:
  Grades(std::size_t ports, std::uint32_t grades) : grade_(ports), grades_(grades) {}
  void set(std::uint32_t port, std::uint32_t grade) { grade_[port] = grade; }

  std::uint32_t grade(std::uint32_t port) const override { return grade_[port]; }
  std::uint32_t grades() const override { return grades_; }
  Ps interval() const override { return 1_us; }
  bool sample(std::uint32_t) override { return true; }
  void rest(std::uint32_t, std::uint64_t) override {}

 private:
  std::vector<std::uint32_t> grade_;
  std::uint32_t grades_;
};

SelectorLockstep::SelectorLockstep(BenchRun& run, const SelectorSetup& setup)
    : run_(run), rtl_(setup.policy, setup.grades, run.rtl_options()) {
  AdaptiveContext context;
  for (const std::uint32_t rate : setup.rates) context.rates.push_back(BitsPerSecond{rate});
  context.pipe_of_port.assign(setup.rates.size(), 0);
  auto grades = std::make_unique<Grades>(setup.rates.size(), setup.grades);
  grades_ = grades.get();
  model_ = std::make_unique<GradedSelector>(setup.policy, std::move(grades), Ps{}, context);
  run_.at_cycle(rtl_.cycle());
}

void SelectorLockstep::idle_clock() {
  expect_due(rtl_.clock(nullptr, {}));
  run_.at_cycle(rtl_.cycle());
}

void SelectorLockstep::add_group(const std::vector<std::uint16_t>& ports) {
  const std::uint32_t number = model_->add_group(ports);
  rtl_.check_group(number, model_->groups()[number]);
  rtl_.set_group(number, model_->groups()[number]);
  idle_clock();
}

/// Groups of the model that changed.
std::vector<std::uint32_t> SelectorLockstep::apply_changes() {
  std::vector<std::uint32_t> changed;
  for (const Link& link : links_) {
    model_->set_link(link.port, link.up);
    for (std::uint32_t i = 0; i < model_->groups().size(); ++i) changed.push_back(i);
  }
  for (const Capacity& capacity : capacities_) {
    model_->set_capacity(capacity.group, capacity.port, capacity.weight);
    changed.push_back(capacity.group);
  }
  links_.clear();
  capacities_.clear();
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

SelectorLockstep::Due SelectorLockstep::ask_model(const PickRequest& request,
                                                  const ArSelectTwin::Sights& sights) {
  const std::vector<AdaptiveMember>& members = model_->groups()[request.group].members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    grades_->set(members[i].port, sights[i].grade);
    if (sights[i].demoted) model_->demote(request.group, members[i].port, request.now + Ps{1});
  }
  const AdaptiveCounters before = model_->counters();
  const PickResult result = model_->pick(request);
  const AdaptiveCounters& after = model_->counters();
  Due due;
  due.answer.valid = true;
  due.answer.found = result.port != PickResult::kNoPort;
  due.answer.busy = result.busy;
  due.answer.placed = after.placed_flow_sets != before.placed_flow_sets;
  due.answer.moved = after.moved_flow_sets != before.moved_flow_sets;
  due.answer.rebalanced = after.rebalanced_flow_sets != before.rebalanced_flow_sets;
  due.port = result.port;
  due.group = request.group;
  return due;
}

void SelectorLockstep::clock(const PickRequest* request, const ArSelectTwin::Sights& sights) {
  Due due{};
  if (request != nullptr) {
    run_.count_transaction();
    due = ask_model(*request, sights);
  }
  const std::vector<std::uint32_t> changed = apply_changes();
  if (!changed.empty()) rtl_.set_group(changed.front(), model_->groups()[changed.front()]);
  const ArSelectTwin::Answer answer = rtl_.clock(request, sights);
  if (request != nullptr) {
    due.cycle = rtl_.cycle() + ArSelectTwin::kLatency - 1;
    due_.push_back(due);
  }
  expect_due(answer);
  run_.at_cycle(rtl_.cycle());
  for (std::size_t i = 1; i < changed.size(); ++i) {
    rtl_.set_group(changed[i], model_->groups()[changed[i]]);
    idle_clock();
  }
}

void SelectorLockstep::expect_due(const ArSelectTwin::Answer& answer) {
  const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
  run_.expect("out_valid_o", is_due, answer.valid);
  if (!is_due) return;
  const Due& due = due_.front();
  run_.expect("out_found_o", due.answer.found, answer.found);
  if (due.answer.found) {
    const std::vector<AdaptiveMember>& members = model_->groups()[due.group].members;
    const std::uint32_t port =
        answer.member < members.size() ? members[answer.member].port : PickResult::kNoPort;
    run_.expect("port of out_member_o", due.port, port);
  }
  run_.expect("out_busy_o", due.answer.busy, answer.busy);
  run_.expect("out_placed_o", due.answer.placed, answer.placed);
  run_.expect("out_moved_o", due.answer.moved, answer.moved);
  run_.expect("out_rebalanced_o", due.answer.rebalanced, answer.rebalanced);
  due_.pop_front();
}

void SelectorLockstep::drain() {
  for (unsigned i = 0; i <= ArSelectTwin::kLatency; ++i) idle_clock();
}

}  // namespace sluice::cosim
