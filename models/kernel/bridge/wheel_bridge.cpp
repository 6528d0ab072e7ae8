// SPDX-License-Identifier: Apache-2.0
#include "kernel/bridge/wheel_bridge.h"

#include <algorithm>
#include <utility>

#include "kernel/error.h"

// The SystemC library refers to sc_main; our own main() calls sc_start instead, which prints no
// banner.
extern "C" int sc_main(int, char*[]) { return 1; }

namespace sluice {
namespace {

/// Time of the earliest foreign activity; `now` when a process is runnable in this very instant.
Ps foreign_activity(Ps now) {
  const sc_core::sc_time pending =
      sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext());
  // Idle SystemC answers sc_max_time() - now.
  if (pending == sc_core::sc_max_time() - sc_core::sc_time_stamp()) return kNever;
  return now + from_sc_time(pending);
}

}  // namespace

WheelBridge::WheelBridge(const sc_core::sc_module_name& name, EventWheel& wheel)
    : sc_core::sc_module(name), wheel_(wheel) {
  const sc_core::sc_time resolution = sc_core::sc_get_time_resolution();
  if (resolution != sc_core::sc_time(1, sc_core::SC_PS)) {
    throw ConfigError(fmt::format("SystemC's time resolution is {}; Sluice needs exactly 1 ps",
                                  resolution.to_string()));
  }
  wheel_.set_waker(this);
  SC_HAS_PROCESS(WheelBridge);
  SC_METHOD(activate);
}

WheelBridge::~WheelBridge() {
  wheel_.set_armed(Ps{0});
  wheel_.set_waker(nullptr);
}

void WheelBridge::run(Ps until) {
  until_ = until;
  stopped_by_until_ = false;
  sc_core::sc_start();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WheelBridge::activate() {
  ++activations_;
  // SystemC would turn an exception into a report; keep it whole and hand it to run().
  try {
    run_events();
  } catch (...) {
    error_ = std::current_exception();
    sc_core::sc_stop();
  }
}

void WheelBridge::run_events() {
  const Ps now = from_sc_time(sc_core::sc_time_stamp());
  if (now >= until_) {
    stopped_by_until_ = wheel_.next_time() != kNever;
    wheel_.advance_to(until_);
    sc_core::sc_stop();
    return;
  }
  for (;;) {
    const Ps foreign = foreign_activity(now);
    if (foreign == now) {
      // Somebody else is runnable at this instant and goes first.
      wheel_.set_armed(now);
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    }
    const Ps bound = std::min({foreign, until_, look_at_});
    wheel_.run_before(bound);
    const Ps next = wheel_.next_time();
    if (next < bound) continue;  // an event notified SystemC and made the wheel yield: look again
    if (bound == look_at_ && next != kNever) {
      look_(look_at_);
      look_at_ = look_interval_ * (next.value / look_interval_.value + 1);
      continue;
    }
    const Ps wake = std::min(next, until_);
    wheel_.set_armed(wake);
    if (wake == kNever) {
      next_trigger(wake_);
    } else {
      next_trigger(to_sc_time(wake - now), wake_);
    }
    return;
  }
}

void WheelBridge::look_every(Ps interval, std::function<void(Ps)> look) {
  look_ = std::move(look);
  look_interval_ = interval;
  look_at_ = interval;
}

void WheelBridge::wake_at(Ps time) {
  const Ps now = from_sc_time(sc_core::sc_time_stamp());
  wheel_.set_armed(time);
  if (time <= now) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  } else {
    wake_.notify(to_sc_time(time - now));
  }
}

}  // namespace sluice
