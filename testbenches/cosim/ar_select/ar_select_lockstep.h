// SPDX-License-Identifier: Apache-2.0
// Model and RTL of the adaptive pick side by side, with grades from the bench.
// Leaves out: what is asked (ar_select_bench.cpp).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "rtl/ar_select/ar_select_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {

/// How a selector is made: the head of a record.
struct SelectorSetup {
  SelectorPolicy policy;
  std::uint32_t grades = 8;
  std::vector<std::uint32_t> rates;  ///< weight of each port
};

class SelectorLockstep {
 public:
  SelectorLockstep(BenchRun& run, const SelectorSetup& setup);

  /// Members are written in clocks of their own.
  void add_group(const std::vector<std::uint16_t>& ports);
  /// Changes of members meet the RTL together with the pick of the same clock, which still sees
  /// those of before.
  void set_link_after(std::uint16_t port, bool up) { links_.push_back({port, up}); }
  void set_capacity_after(std::uint32_t group, std::uint16_t port, std::uint32_t weight) {
    capacities_.push_back({group, port, weight});
  }
  void clock(const PickRequest* request, const rtl::ArSelectTwin::Sights& sights);
  void drain();

 private:
  class Grades;
  struct Link {
    std::uint16_t port;
    bool up;
  };
  struct Capacity {
    std::uint32_t group;
    std::uint16_t port;
    std::uint32_t weight;
  };
  struct Due {
    std::uint64_t cycle;
    rtl::ArSelectTwin::Answer answer;
    std::uint32_t port;
    std::uint32_t group;
  };
  void expect_due(const rtl::ArSelectTwin::Answer& answer);
  Due ask_model(const PickRequest& request, const rtl::ArSelectTwin::Sights& sights);
  std::vector<std::uint32_t> apply_changes();
  void idle_clock();

  BenchRun& run_;
  Grades* grades_ = nullptr;  ///< of model_
  std::unique_ptr<GradedSelector> model_;
  rtl::ArSelectTwin rtl_;
  std::deque<Due> due_;
  std::vector<Link> links_;
  std::vector<Capacity> capacities_;
};

}  // namespace sluice::cosim
