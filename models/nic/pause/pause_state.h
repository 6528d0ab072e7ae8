// SPDX-License-Identifier: Apache-2.0
// The receiving side of PFC at one port (IEEE 802.1Qbb, 802.1Q clause 36): which priorities are
// stopped and until when. Leaves out: sending PFC; the NIC never pauses the network.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/clock_rate.h"
#include "kernel/time.h"

namespace sluice {

class PauseState {
 public:
  static constexpr std::size_t kPriorities = 8;
  static constexpr std::uint64_t kQuantumBits = 512;

  PauseState() = default;
  explicit PauseState(BitsPerSecond rate) : rate_(rate) {}

  /// A PFC frame takes effect: every priority in `enabled` is paused for `quanta` from now,
  /// replacing what was left; 0 quanta resume it at once. Returns pause time that ended with it.
  Ps apply(std::uint8_t enabled, std::uint32_t quanta, Ps now);
  /// When `priority` may send again; not after `now` when it may.
  Ps paused_until(std::uint8_t priority) const { return until_[priority]; }
  bool paused(std::uint8_t priority, Ps now) const { return until_[priority] > now; }
  /// Pause time up to `now` not yet returned by apply; counts running pauses from `now` on.
  Ps settle(Ps now);

 private:
  Ps close(std::size_t priority, Ps now);

  BitsPerSecond rate_{};
  std::array<Ps, kPriorities> until_{};
  std::array<Ps, kPriorities> since_{};
};

}  // namespace sluice
