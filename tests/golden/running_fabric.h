// SPDX-License-Identifier: Apache-2.0
// A fabric from YAML text in a SystemC context of its own, driven to its end, to an instant, or by
// a script. Leaves out: judging the run and collecting a summary, which Simulation does.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fabric/fabric.h"
#include "kernel/bridge/wheel_bridge.h"

namespace sluice::golden {

/// Reads a fabric as a file would be read.
FabricSpec fabric_of(const std::string& yaml);

/// Several elaborations fit in one process when each has its own context.
class OwnSystemC {
 public:
  OwnSystemC();
  ~OwnSystemC();

 private:
  sc_core::sc_simcontext* previous_;
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

class RunningFabric {
 public:
  explicit RunningFabric(FabricSpec spec, Workload workload = {}, std::uint64_t seed = 1);
  /// With the workload that the specification names.
  static std::unique_ptr<RunningFabric> of(const FabricSpec& spec, std::uint64_t seed = 1);
  ~RunningFabric();

  /// Once: to the end, or up to, not including, `until`.
  void run(Ps until = kNever);
  /// Once: beside `script`, a SystemC thread of its own; the run ends when it returns.
  void run_beside(std::function<void()> script);
  /// Inside a script only: lets simulated time pass.
  void pass(Ps duration);
  /// Inside a script only: lets time pass in steps until `done`; false when `limit` was passed.
  bool pass_until(const std::function<bool()>& done, Ps step, Ps limit);

  Fabric& fabric() { return *fabric_; }
  FabricContext& context() { return context_; }
  SwitchChip& chip(std::size_t index) { return *fabric_->chips()[index]; }
  RawCore& raw(std::size_t endpoint) { return fabric_->raw_endpoints()[endpoint]->core(); }
  const NicCore& nic(std::size_t endpoint) { return fabric_->nics()[endpoint]->core(); }
  const RunRecorder& recorder() const { return *recorder_; }
  const FabricSpec& spec() const { return spec_; }
  /// Call fabric().settle() first.
  const StatisticsRegistry& statistics() const { return context_.statistics; }
  Ps now() const { return context_.wheel.now(); }
  /// Frames dropped by all chips, for whatever reason.
  std::uint64_t drops() const;

 private:
  class Script;

  OwnSystemC systemc_;  // first in, last out
  FabricSpec spec_;
  Workload workload_;
  FabricContext context_;
  std::unique_ptr<WorkloadPlan> plan_;
  std::unique_ptr<RunRecorder> recorder_;
  std::unique_ptr<WheelBridge> bridge_;
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<Script> script_;
};

}  // namespace sluice::golden
