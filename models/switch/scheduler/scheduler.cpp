// SPDX-License-Identifier: Apache-2.0
// Strict priority over deficit-weighted round robin; state of a port in one cache line.
// Leaves out: shapers.
#include "switch/scheduler/scheduler.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr ParameterRange kQuantumBytes{64, 65536};

class StrictDwrrScheduler final : public Scheduler {
 public:
  StrictDwrrScheduler(const SchedulerParams& params, std::uint32_t ports) : ports_(ports) {
    for (const std::uint32_t queue : params.strict_queues) strict_ |= 1u << queue;
    std::uint64_t smallest = UINT32_MAX;
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if ((strict_ >> q & 1) == 0) smallest = std::min<std::uint64_t>(smallest, params.weights[q]);
    }
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if ((strict_ >> q & 1) == 0) {
        quantum_[q] =
            static_cast<std::uint32_t>(params.quantum_bytes.value * params.weights[q] / smallest);
      }
    }
  }

  std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                     const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) override {
    const std::uint32_t strict = ready & strict_;
    if (strict != 0) return 31u - static_cast<std::uint32_t>(__builtin_clz(strict));
    Port& p = ports_[port];
    for (;;) {
      // A queue's turn starts with its quantum and lasts while the deficit covers its head. Alone,
      // a queue takes turn after turn: the same rule, so a lone queue needs no path of its own.
      if (ready >> p.turn & 1) {
        if (!p.granted) {
          p.deficit[p.turn] += quantum_[p.turn];
          p.granted = true;
        }
        if (p.deficit[p.turn] >= head_bytes[p.turn]) {
          p.deficit[p.turn] -= head_bytes[p.turn];
          return p.turn;
        }
      }
      p.granted = false;
      p.turn = next_turn(ready, p.turn);
    }
  }

  void emptied(std::uint32_t port, std::uint32_t queue) override {
    Port& p = ports_[port];
    p.deficit[queue] = 0;
    // An empty queue's turn is over; when it fills again it waits for the next one.
    if (p.turn == queue) {
      p.granted = false;
      p.turn = static_cast<std::uint8_t>((queue + 1) % kSchedulerQueues);
    }
  }

  std::uint32_t deficit(std::uint32_t port, std::uint32_t queue) const override {
    return ports_[port].deficit[queue];
  }

 private:
  struct alignas(64) Port {
    std::array<std::uint32_t, kSchedulerQueues> deficit{};
    std::uint8_t turn = 0;
    bool granted = false;  // the quantum of this turn has been added
  };

  /// The first ready queue after `turn`, going round; `turn` itself when no other is ready.
  static std::uint8_t next_turn(std::uint32_t ready, std::uint32_t turn) {
    const std::uint32_t after = ready & ~((2u << turn) - 1u);
    return static_cast<std::uint8_t>(__builtin_ctz(after != 0 ? after : ready));
  }

  std::uint32_t strict_ = 0;
  std::array<std::uint32_t, kSchedulerQueues> quantum_{};
  std::vector<Port> ports_;
};

}  // namespace

void SchedulerParams::describe(ParameterVisitor& v) {
  v.visit("strict_queues", strict_queues, {0, kSchedulerQueues - 1},
          {"queues served before all others, highest number first", "Cumulus RoCE: CNP on TC6"});
  v.visit("weights", weights, {1, 100},
          {"DWRR weight of each of the 8 queues", "Cumulus RoCE: TC3 and TC0 at 50 % each"});
  v.visit("quantum_bytes", quantum_bytes, kQuantumBytes,
          {"wire bytes that the smallest weight may send in a round", "estimate: one MTU", "B"});
}

void SchedulerParams::validate() const {
  for (const std::uint32_t queue : strict_queues) {
    if (queue >= kSchedulerQueues) {
      throw ConfigError(fmt::format("scheduler.strict_queues: {}, expected 0 to 7", queue));
    }
  }
  if (weights.size() != kSchedulerQueues) {
    throw ConfigError(fmt::format("scheduler.weights: {} entries, expected 8", weights.size()));
  }
  for (const std::uint32_t weight : weights) {
    if (weight < 1 || weight > 100) {
      throw ConfigError(fmt::format("scheduler.weights: {}, expected 1 to 100", weight));
    }
  }
  if (static_cast<double>(quantum_bytes.value) < kQuantumBytes.min ||
      static_cast<double>(quantum_bytes.value) > kQuantumBytes.max) {
    throw ConfigError(
        fmt::format("scheduler.quantum_bytes: {} B, expected 64 to 65536", quantum_bytes.value));
  }
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerParams& params, std::uint32_t ports) {
  params.validate();
  return std::make_unique<StrictDwrrScheduler>(params, ports);
}

}  // namespace sluice
