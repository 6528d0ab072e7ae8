// SPDX-License-Identifier: Apache-2.0
// Model and RTL of the egress scheduler in lock-step, with the pipeline's stages counted along.
// Leaves out: what is asked (egress_scheduler_bench.cpp).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "rtl/egress_scheduler/egress_scheduler_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {

class SchedulerLockstep {
 public:
  using Twin = rtl::EgressSchedulerTwin;
  SchedulerLockstep(BenchRun& run, const std::vector<SchedulerParams>& profiles,
                    const std::vector<std::uint16_t>& profile_of_port);

  const Scheduler& model() const { return *model_; }
  const std::array<std::uint32_t, kSchedulerQueues>& quanta(std::uint32_t port) const {
    return quanta_[profile_of_port_[port]];
  }
  /// One clock with `request` at the input (null: none). False: it waits, and has to stay there.
  bool clock(const Twin::Request* request);
  /// As many clocks as it takes.
  void ask(const Twin::Request& request) {
    while (!clock(&request)) {
    }
  }
  void drain();

 private:
  struct Step {
    std::uint32_t rounds = 0;  ///< clocks left in the last stage; 0: no request
    Twin::Kind kind = Twin::Kind::kPick;
    std::uint32_t port = 0;
    Twin::Answer answer;
  };
  Step decide(const Twin::Request& r);
  void pick(const Twin::Request& r, Step& step);
  void compare(const Step& step, const Twin::Answer& answer);

  BenchRun& run_;
  std::unique_ptr<Scheduler> model_;
  Twin rtl_;
  std::vector<std::uint16_t> profile_of_port_;
  std::vector<std::array<std::uint32_t, kSchedulerQueues>> quanta_;
  std::vector<Twin::Answer> states_;  ///< of each port: whose turn, as the model's rules say
  std::array<Step, Twin::kLatency - 1> stages_;
};

}  // namespace sluice::cosim
