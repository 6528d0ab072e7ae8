// SPDX-License-Identifier: Apache-2.0
// A whole simulation from YAML text in a SystemC context of its own, so that a test can hold
// several against each other. Leaves out: the command line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "study/simulation.h"

namespace sluice::test {

class SmallRun {
 public:
  explicit SmallRun(const std::string& yaml, const RunOptions& options = {})
      : SmallRun(read_fabric(ConfigTree::parse(yaml, "test.yaml")), std::nullopt, options) {}
  SmallRun(const std::string& yaml, Workload workload, const RunOptions& options = {})
      : SmallRun(read_fabric(ConfigTree::parse(yaml, "test.yaml")), std::move(workload), options) {}

  /// Once.
  RunOutcome run() { return simulation_->run(); }
  Simulation& simulation() { return *simulation_; }
  const Fabric& fabric() const { return simulation_->fabric(); }
  const StatisticsRegistry& statistics() const { return simulation_->statistics(); }
  std::uint64_t sum(std::string_view kind, std::string_view field) const {
    return simulation_->statistics().sum(kind, field);
  }

 private:
  struct Context {
    Context() : previous(sc_core::sc_curr_simcontext), own(new sc_core::sc_simcontext) {
      use(own.get());
      sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
      sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    }
    ~Context() {
      own.reset();
      use(previous);
    }
    static void use(sc_core::sc_simcontext* context) {
      sc_core::sc_curr_simcontext = context;
      sc_core::sc_default_global_context = context;
    }
    sc_core::sc_simcontext* previous;
    std::unique_ptr<sc_core::sc_simcontext> own;
  };

  SmallRun(FabricSpec spec, std::optional<Workload> workload, const RunOptions& options) {
    if (!workload && !spec.is_raw()) {
      workload = make_synthetic(spec.workload, make_topology(spec.topology).endpoints);
    }
    simulation_ = std::make_unique<Simulation>(
        std::move(spec), workload ? *std::move(workload) : Workload{}, options);
  }

  Context context_;  // first in, last out
  std::unique_ptr<Simulation> simulation_;
};

inline RunOutcome outcome_of(const std::string& yaml, const RunOptions& options = {}) {
  return SmallRun(yaml, options).run();
}

/// 4 leaves, 4 spines, 4 hosts a leaf, a permutation.
inline const std::string kPermutation = R"(
fabric: {type: leaf_spine, leaves: 4, spines: 4, hosts_per_leaf: 4, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4}
nic: {preset: cx8}
workload: {type: permutation, bytes: 512KiB, seed: 1}
)";

/// 15 hosts to one with a limit so tight that PFC holds them.
inline const std::string kIncast = R"(
fabric: {type: single_switch, hosts: 16, link: {rate: 800Gbps, length: 30m}}
switch: {preset: spectrum4, mmu: {port_alpha_enabled: false, pg_alpha_exp: -7}}
nic: {preset: cx8, congestion_control: none}
workload: {type: incast, dst: 0, first: 1, count: 15, bytes: 2MiB}
)";

}  // namespace sluice::test
