// SPDX-License-Identifier: Apache-2.0
// The event wheel alone: cost of an event with empty handlers, by number of targets that keep one
// event each in flight, with the delays of a link at 800 Gb/s and of a cable with a chip behind it.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "kernel/event_wheel.h"

namespace sluice {
namespace {

/// Posts itself again after a frame's time and, every other time, a link's and a chip's latency.
class Repeater : public EventHandler {
 public:
  explicit Repeater(EventWheel& wheel) : wheel_(wheel) {}
  void handle(Event event) override {
    const std::uint64_t delay = event.argument == 0 ? 41'940 + event.target() % 7 : 1'100'000;
    wheel_.post(event.time + Ps{delay}, event.target(), 0, 1 - event.argument);
  }

 private:
  EventWheel& wheel_;
};

void wheel_events(benchmark::State& state) {
  EventWheel wheel;
  Repeater repeater(wheel);
  const auto targets = static_cast<std::uint32_t>(state.range(0));
  wheel.add_targets(repeater, targets, &repeater, 0);
  wheel.set_argument_prefetch(&repeater);
  for (std::uint32_t target = 0; target < targets; ++target) {
    wheel.post(Ps{target * 331ULL}, target, 0, target & 1);
  }
  Ps until = 10_us;
  wheel.run_before(until);
  const std::uint64_t before = wheel.executed();
  for (auto _ : state) {
    until += 1_us;
    wheel.run_before(until);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(wheel.executed() - before));
}
BENCHMARK(wheel_events)->Arg(64)->Arg(1024)->Arg(16 * 1024)->Arg(128 * 1024);

}  // namespace
}  // namespace sluice

BENCHMARK_MAIN();
