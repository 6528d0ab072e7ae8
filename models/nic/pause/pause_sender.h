// SPDX-License-Identifier: Apache-2.0
// The sending side of PFC at one port of a NIC (IEEE 802.1Qbb): one priority, told to stop, told
// again at half its pause time while that lasts, told to go on. Plain C++; the NIC sends the frame.
// Leaves out: several priorities at once.
#pragma once

#include <cstdint>

#include "kernel/clock_rate.h"
#include "kernel/time.h"
#include "packet/serialisation.h"

namespace sluice {

class PauseSender {
 public:
  static constexpr std::uint32_t kQuanta = 65535;  ///< the longest pause there is, as SONiC sets it

  PauseSender(BitsPerSecond rate, std::uint8_t priority)
      : refresh_(pause_duration(kQuanta, rate) / 2), priority_(priority) {}

  std::uint8_t class_enable() const { return static_cast<std::uint8_t>(1u << priority_); }
  bool stopped() const { return stopped_; }
  /// Each returns true when a frame has to go out that was not waiting already.
  bool stop() {
    stopped_ = true;
    return ask();
  }
  bool go_on() {
    stopped_ = false;
    if (peer_stopped_) return ask();
    pending_ = false;  // an XOFF that never left needs no XON
    return false;
  }
  /// At the time of refresh_due(): repeats the pause; false for a repetition that time overtook.
  bool refresh(Ps now) { return stopped_ && now == refresh_due_ && ask(); }
  Ps refresh_due() const { return refresh_due_; }

  bool pending() const { return pending_; }
  /// The frame begins now: its quanta, 0 for XON.
  std::uint32_t take(Ps now) {
    pending_ = false;
    peer_stopped_ = stopped_;
    refresh_due_ = stopped_ ? now + refresh_ : kNever;
    return stopped_ ? kQuanta : 0;
  }

 private:
  bool ask() {
    const bool fresh = !pending_;
    pending_ = true;
    return fresh;
  }

  Ps refresh_{};
  Ps refresh_due_ = kNever;
  std::uint8_t priority_;
  bool stopped_ = false;
  bool peer_stopped_ = false;  ///< by the last frame that left
  bool pending_ = false;
};

}  // namespace sluice
