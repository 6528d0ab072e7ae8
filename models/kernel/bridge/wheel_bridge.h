// SPDX-License-Identifier: Apache-2.0
// Ties the event wheel to SystemC: one sc_module with one SC_METHOD that runs every wheel event up
// to the next foreign SystemC activity, which goes first at equal time. Leaves out: sc_trace
// (inside events sc_time_stamp() lags behind wheel.now()).
#pragma once

#include <exception>
#include <functional>

#include "kernel/bridge/sc_modules.h"
#include "kernel/event_wheel.h"
#include "kernel/time.h"

namespace sluice {

inline sc_core::sc_time to_sc_time(Ps time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.value));
}
inline Ps from_sc_time(const sc_core::sc_time& time) { return Ps{time.value()}; }

class WheelBridge : public sc_core::sc_module, private WheelWaker {
 public:
  /// Throws ConfigError unless SystemC's resolution is 1 ps.
  WheelBridge(const sc_core::sc_module_name& name, EventWheel& wheel);
  ~WheelBridge() override;

  /// Runs SystemC until nothing is left to do or `until` is reached; rethrows what an event threw.
  /// Events at `until` itself do not run.
  void run(Ps until = kNever);
  /// Calls `look` at multiples of `interval`, when all events before that time have run and some
  /// are left: no event of its own, so it neither keeps a run going nor counts. It must not touch
  /// the model; what it throws ends the run. Times without events since the last look are passed
  /// over.
  void look_every(Ps interval, std::function<void(Ps)> look);
  /// True when run() ended at `until` with events left.
  bool stopped_by_until() const { return stopped_by_until_; }
  /// How often SystemC activated the wheel; the price of foreign activity.
  std::uint64_t activations() const { return activations_; }

 private:
  void activate();
  void run_events();
  void wake_at(Ps time) override;

  EventWheel& wheel_;
  sc_core::sc_event wake_;
  Ps until_ = kNever;
  bool stopped_by_until_ = false;
  std::uint64_t activations_ = 0;
  std::exception_ptr error_;
  std::function<void(Ps)> look_;
  Ps look_interval_{};
  Ps look_at_ = kNever;
};

}  // namespace sluice
