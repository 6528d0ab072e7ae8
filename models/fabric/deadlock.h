// SPDX-License-Identifier: Apache-2.0
// Deadlocks of priority flow control in a running fabric: queues that wait for each other in a
// circle. Only looks; changes nothing in the model. Leaves out: hosts, which always take what
// arrives, and ways out of a deadlock (the watchdog is one).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fabric/deadlock_params.h"
#include "fabric/topology.h"
#include "kernel/error.h"
#include "switch/chip.h"

namespace sluice {

/// Queues wait for each other in a circle (exit 5).
class DeadlockError : public Error {
 public:
  explicit DeadlockError(const std::string& text) : Error(ExitCode::kStalled, text) {}
};

/// One egress queue under pause, and the priority that its peer paused.
struct StuckQueue {
  std::uint32_t chip = 0;
  std::uint32_t port = 0;
  std::uint32_t queue = 0;
  std::uint32_t priority = 0;
  auto operator<=>(const StuckQueue&) const = default;
};

class DeadlockDetector {
 public:
  DeadlockDetector(const DeadlockParams& params, const Topology& topology,
                   std::span<const std::unique_ptr<SwitchChip>> chips);

  /// Looks at the queues at `now`, which never goes back. The queues of a circle in which nothing
  /// has been sent for a whole interval, each waiting for the next; empty: there is none.
  std::vector<StuckQueue> look(Ps now) { return find(now, params_.interval); }
  /// The same when no event is left: nothing can move, however short the wait was so far.
  std::vector<StuckQueue> look_at_standstill(Ps now) { return find(now, Ps{0}); }

  /// "s0.port1 prio 3 -> s1.port0 prio 3 -> s0.port1"
  std::string describe(const std::vector<StuckQueue>& circle) const;

 private:
  struct Watched {
    std::uint64_t tx_frames = 0;
    Ps since{};  ///< paused, occupied and silent at every look from here on
  };
  using Waits = std::map<StuckQueue, std::vector<StuckQueue>>;

  std::vector<StuckQueue> find(Ps now, Ps patience);
  void follow(Ps now);
  Waits waits_of(Ps now, Ps patience) const;

  DeadlockParams params_;
  std::span<const std::unique_ptr<SwitchChip>> chips_;
  std::vector<std::vector<PortRef>> peers_;  ///< [chip][port]
  std::map<StuckQueue, Watched> watched_;
};

}  // namespace sluice
