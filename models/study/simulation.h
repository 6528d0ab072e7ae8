// SPDX-License-Identifier: Apache-2.0
// One run from specification to summary: builds the fabric, runs it, judges it.
// Leaves out: files, text on a terminal, and the command line. One a process at a time (SystemC).
#pragma once

#include <memory>
#include <string>

#include "fabric/deadlock.h"
#include "fabric/fabric.h"
#include "fabric/fabric_spec.h"
#include "kernel/bridge/wheel_bridge.h"
#include "results/summary.h"
#include "workload/workload.h"

namespace sluice {

struct RunOptions {
  std::uint64_t seed = 1;
  Ps until = kNever;
  /// Called now and then while events run (a heartbeat); must not touch the model.
  WheelWatcher* watcher = nullptr;
  /// Span of the wheel's buckets at first, 2^n ps: changes speed, never results.
  unsigned bucket_shift = EventWheel::kDefaultBucketShift;
  /// Puts other implementations (RTL twins) in place of blocks of chips; outlives the simulation.
  SwitchBlockSwap* switch_swap = nullptr;
  NicBlockSwap* nic_swap = nullptr;  ///< the same of NICs
};

struct RunOutcome {
  Summary summary;
  ExitCode exit = ExitCode::kOk;
  std::string message;  ///< one line of why when exit is not kOk
};

class Simulation {
 public:
  /// Elaborates. `workload` may have no ranks for raw sources. Throws ConfigError and TraceError.
  Simulation(FabricSpec spec, Workload workload, const RunOptions& options);
  ~Simulation();

  /// Runs to the end, to `until`, or to a stall; never throws for what happens in the model.
  RunOutcome run();

  Ps now() const { return context_.wheel.now(); }
  std::uint64_t events() const { return context_.wheel.executed(); }
  std::uint64_t ops_ended() const { return recorder_->ops_ended(); }
  std::uint64_t ops_total() const { return plan_->total_ops(); }
  const Fabric& fabric() const { return *fabric_; }
  Fabric& fabric() { return *fabric_; }
  bool ipv6() const { return spec_.nic.ip_version == 6; }
  FabricContext& context() { return context_; }
  const StatisticsRegistry& statistics() const { return context_.statistics; }
  const Workload& workload() const { return workload_; }
  /// Bytes of heap that the event wheel and the pools asked for so far, as a count of allocations.
  std::uint64_t allocations() const;

 private:
  class StallWatch;

  void judge(RunOutcome& outcome);
  void look_for_deadlock_at_end(DeadlockDetector& detector) const;
  /// Every op of every rank has ended, or there are none.
  bool ended() const;
  Ps simulated() const;
  std::string describe_open_work_requests() const;
  void collect_work_requests(Summary& summary) const;
  void collect(Summary& summary) const;
  std::uint64_t delivered_packets() const;
  std::uint64_t work_requests_ended() const;

  FabricSpec spec_;
  Workload workload_;
  RunOptions options_;
  FabricContext context_;
  std::unique_ptr<WorkloadPlan> plan_;
  std::unique_ptr<RunRecorder> recorder_;
  std::unique_ptr<WheelBridge> bridge_;
  std::unique_ptr<Fabric> fabric_;
};

/// Sluice's version, as in summary.json.
std::string_view version();

}  // namespace sluice
