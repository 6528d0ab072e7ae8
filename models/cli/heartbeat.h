// SPDX-License-Identifier: Apache-2.0
// A sign of life on long runs: at most one line a second of wall time. Only looks at the
// simulation. Leaves out: short runs, which end before the first line is due.
#pragma once

#include <chrono>
#include <ostream>

#include "kernel/event_wheel.h"

namespace sluice {

class Simulation;

class Heartbeat final : public WheelWatcher {
 public:
  /// `in_place`: lines overwrite each other, for terminals. `until` bounds the run, kNever if none.
  Heartbeat(std::ostream& err, bool in_place, Ps until);

  /// Silent until told what to look at.
  void watch(const Simulation* simulation) { simulation_ = simulation; }
  void tick() override;
  /// Leaves the terminal with a clean line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void print(double wall_s, double since_last_s);

  std::ostream& err_;
  bool in_place_;
  Ps until_;
  const Simulation* simulation_ = nullptr;
  Clock::time_point start_;
  Clock::time_point last_;
  std::uint64_t last_events_ = 0;
  bool printed_ = false;
};

}  // namespace sluice
