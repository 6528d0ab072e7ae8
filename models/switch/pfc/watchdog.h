// SPDX-License-Identifier: Apache-2.0
// The PFC storm watchdog of a chip (SONiC PFC_WD): finds queues that a peer's pauses hold for too
// long, and when the storm is over. One object a chip, state per queue; time is an argument.
// Leaves out: what is done to a stormed queue's packets, which the chip does; big-red-switch mode.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/pfc/watchdog_params.h"

namespace sluice {

/// What a look at one queue finds.
struct WatchdogView {
  bool occupied = false;
  std::uint64_t tx_frames = 0;  ///< ever sent
  Ps paused{};                  ///< time ever spent under pause
  Ps pause_end{};               ///< of the last pause: past, or when it will run out
};

enum class WatchdogEvent : std::uint8_t { kNone, kStorm, kRestored };

/// Counters of one queue; plain records so that statistics can register them.
struct WatchdogCounters {
  std::uint64_t storms_detected = 0;
  std::uint64_t storms_restored = 0;
};

class Watchdog {
 public:
  static constexpr std::uint32_t kQueues = 8;

  /// `params`: one a port.
  explicit Watchdog(std::vector<WatchdogParams> params);

  /// A pause has reached a queue: from here on it is looked at.
  void pause_begins(std::uint32_t port, std::uint32_t queue, const WatchdogView& view, Ps now);
  /// A look, `poll_interval` after the last. A storm: the queue held packets, sent none and was
  /// paused for at least 99 % of every interval for longer than `detection_time`. Over: no pause
  /// for `restoration_time`.
  WatchdogEvent poll(std::uint32_t port, std::uint32_t queue, const WatchdogView& view, Ps now);

  /// Queues of a port that have to be looked at again, a bit each.
  std::uint8_t watched(std::uint32_t port) const { return ports_[port].watched; }
  std::uint8_t stormed(std::uint32_t port) const { return ports_[port].stormed; }
  /// Queues whose packets are dropped, and those that send in spite of pauses.
  std::uint8_t dropping(std::uint32_t port) const {
    return ports_[port].params.action == WatchdogAction::kDrop ? ports_[port].stormed
                                                               : std::uint8_t{0};
  }
  std::uint8_t forwarding(std::uint32_t port) const {
    return ports_[port].params.action == WatchdogAction::kForward ? ports_[port].stormed
                                                                  : std::uint8_t{0};
  }
  /// Whether it will break a standstill of this port.
  bool acts(std::uint32_t port) const {
    return ports_[port].params.enabled && ports_[port].params.action != WatchdogAction::kAlert;
  }
  bool enabled(std::uint32_t port) const { return ports_[port].params.enabled; }
  /// Looks happen at multiples of the poll interval.
  Ps next_poll(std::uint32_t port, Ps now) const {
    const Ps interval = ports_[port].params.poll_interval;
    return interval * (now.value / interval.value + 1);
  }
  const std::vector<WatchdogCounters>& counters() const { return counters_; }

 private:
  struct Port {
    WatchdogParams params;
    std::uint8_t watched = 0;
    std::uint8_t stormed = 0;
  };
  struct Queue {
    Ps since{};  ///< stuck at every look from here on; while stormed: no pause from here on
    Ps at{};     ///< last look
    Ps paused{};
    std::uint64_t tx_frames = 0;
  };
  WatchdogEvent look_for_end(Port& port, std::uint32_t index, const WatchdogView& view, Ps now);

  std::vector<Port> ports_;
  std::vector<Queue> queues_;
  std::vector<WatchdogCounters> counters_;
};

}  // namespace sluice
