// SPDX-License-Identifier: Apache-2.0
// Strict priority over deficit-weighted round robin; state of a port in one cache line. Shapers lie
// beside it and cost nothing where there are none.
#include "switch/scheduler/scheduler.h"

#include <algorithm>

#include "kernel/error.h"
#include "switch/scheduler/shaper.h"

namespace sluice {
namespace {

constexpr std::uint32_t kDefaultBurst = 16384;

constexpr ParameterRange kQuantumBytes{64, 65536};

/// What a profile means for its ports.
struct Weights {
  explicit Weights(const SchedulerParams& params) {
    for (const std::uint32_t queue : params.strict_queues) strict |= 1u << queue;
    std::uint64_t smallest = UINT32_MAX;
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if ((strict >> q & 1) == 0) smallest = std::min<std::uint64_t>(smallest, params.weights[q]);
    }
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if ((strict >> q & 1) == 0) {
        quantum[q] =
            static_cast<std::uint32_t>(params.quantum_bytes.value * params.weights[q] / smallest);
      }
    }
  }
  std::uint32_t strict = 0;
  std::array<std::uint32_t, kSchedulerQueues> quantum{};
};

/// Token buckets of one port.
struct Shapers {
  explicit Shapers(const SchedulerParams& params) : port(params.port_shaper, params.port_burst) {
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      const std::uint64_t rate = params.queue_shapers.empty() ? 0 : params.queue_shapers[q];
      const std::uint64_t burst =
          params.queue_bursts.empty() ? kDefaultBurst : params.queue_bursts[q];
      queues.emplace_back(BitsPerSecond{rate * 1'000'000}, Bytes{burst});
    }
  }
  TokenBucket port;
  std::vector<TokenBucket> queues;
};

class StrictDwrrScheduler final : public Scheduler {
 public:
  StrictDwrrScheduler(const std::vector<SchedulerParams>& profiles,
                      const std::vector<std::uint16_t>& profile_of_port)
      : ports_(profile_of_port.size()) {
    for (const SchedulerParams& profile : profiles) weights_.emplace_back(profile);
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      const SchedulerParams& profile = profiles[profile_of_port[port]];
      ports_[port].profile = profile_of_port[port];
      if (!profile.shapes()) continue;
      shaper_of_port_.resize(ports_.size(), 0);
      shapers_.emplace_back(profile);
      shaper_of_port_[port] = static_cast<std::uint32_t>(shapers_.size());
    }
  }

  std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                     const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) override {
    Port& p = ports_[port];
    const Weights& weights = weights_[p.profile];
    const std::uint32_t strict = ready & weights.strict;
    if (strict != 0) return 31u - static_cast<std::uint32_t>(__builtin_clz(strict));
    for (;;) {
      // A queue's turn starts with its quantum and lasts while the deficit covers its head. Alone,
      // a queue takes turn after turn: the same rule, so a lone queue needs no path of its own.
      if (ready >> p.turn & 1) {
        if (!p.granted) {
          p.deficit[p.turn] =
              std::min(p.deficit[p.turn] + weights.quantum[p.turn], kMaxDeficitBytes);
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

  bool shapes(std::uint32_t port) const override {
    return !shaper_of_port_.empty() && shaper_of_port_[port] != 0;
  }

  std::uint8_t held(std::uint32_t port, Ps now) const override {
    if (!shapes(port)) return 0;
    const Shapers& shapers = shapers_[shaper_of_port_[port] - 1];
    if (!shapers.port.open(now)) return 0xff;
    std::uint32_t mask = 0;
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if (!shapers.queues[q].open(now)) mask |= 1u << q;
    }
    return static_cast<std::uint8_t>(mask);
  }

  Ps next_open(std::uint32_t port, std::uint32_t queues, Ps now) const override {
    Ps earliest = kNever;
    if (!shapes(port)) return earliest;
    const Shapers& shapers = shapers_[shaper_of_port_[port] - 1];
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      if ((queues >> q & 1u) == 0) continue;
      const Ps opens = std::max(shapers.queues[q].opens_at(), shapers.port.opens_at());
      if (opens > now) earliest = std::min(earliest, opens);
    }
    return earliest;
  }

  void sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes, Ps now) override {
    if (!shapes(port)) return;
    Shapers& shapers = shapers_[shaper_of_port_[port] - 1];
    shapers.port.take(wire_bytes, now);
    shapers.queues[queue].take(wire_bytes, now);
  }

 private:
  struct alignas(64) Port {
    std::array<std::uint32_t, kSchedulerQueues> deficit{};
    std::uint8_t turn = 0;
    bool granted = false;  // the quantum of this turn has been added
    std::uint16_t profile = 0;
  };

  /// The first ready queue after `turn`, going round; `turn` itself when no other is ready.
  static std::uint8_t next_turn(std::uint32_t ready, std::uint32_t turn) {
    const std::uint32_t after = ready & ~((2u << turn) - 1u);
    return static_cast<std::uint8_t>(__builtin_ctz(after != 0 ? after : ready));
  }

  std::vector<Weights> weights_;  // of each profile
  std::vector<Port> ports_;
  std::vector<Shapers> shapers_;
  std::vector<std::uint32_t> shaper_of_port_;  // 1 + index; 0: none; empty: no port has one
};

}  // namespace

bool SchedulerParams::shapes() const {
  return port_shaper.value != 0 || std::any_of(queue_shapers.begin(), queue_shapers.end(),
                                               [](std::uint32_t mbps) { return mbps != 0; });
}

void SchedulerParams::describe(ParameterVisitor& v) {
  v.visit("strict_queues", strict_queues, {0, kSchedulerQueues - 1},
          {"queues served before all others, highest number first", "Cumulus RoCE: CNP on TC6"});
  v.visit("weights", weights, {1, 100},
          {"DWRR weight of each of the 8 queues", "Cumulus RoCE: TC3 and TC0 at 50 % each"});
  v.visit("quantum_bytes", quantum_bytes, kQuantumBytes,
          {"wire bytes that the smallest weight may send in a round", "estimate: one MTU", "B"});
  v.visit("queue_shapers", queue_shapers, {0, 1.6e6},
          {"most that each of the 8 queues may send, wire bytes; 0 or an empty list: no limit",
           "SONiC SCHEDULER pir", "Mb/s"});
  v.visit("queue_bursts", queue_bursts, {64, 1e8},
          {"burst of each queue's shaper; an empty list: 16384 B each", "estimate", "B"});
  v.visit("port_shaper", port_shaper, {0, 1.6e12},
          {"most that a port may send, wire bytes; 0: no limit", "SONiC SCHEDULER pir"});
  v.visit("port_burst", port_burst, {64, 1e8}, {"burst of the port's shaper", "estimate", "B"});
}

void SchedulerParams::validate() const {
  for (const std::uint32_t queue : strict_queues) {
    if (queue >= kSchedulerQueues) {
      throw ConfigError(fmt::format("scheduler.strict_queues: {}, expected 0 to 7", queue));
    }
  }
  for (const auto* list : {&queue_shapers, &queue_bursts}) {
    if (!list->empty() && list->size() != kSchedulerQueues) {
      throw ConfigError(fmt::format("scheduler.{}: {} entries, expected 8 or none",
                                    list == &queue_shapers ? "queue_shapers" : "queue_bursts",
                                    list->size()));
    }
  }
  for (const std::uint32_t burst : queue_bursts) {
    if (burst < 64) {
      throw ConfigError(fmt::format("scheduler.queue_bursts: {} B, expected at least 64", burst));
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

std::unique_ptr<Scheduler> make_scheduler(const std::vector<SchedulerParams>& profiles,
                                          const std::vector<std::uint16_t>& profile_of_port) {
  for (const SchedulerParams& profile : profiles) profile.validate();
  for (const std::uint16_t profile : profile_of_port) {
    SLUICE_CHECK(profile < profiles.size(), "scheduler profile {} of {}", profile, profiles.size());
  }
  return std::make_unique<StrictDwrrScheduler>(profiles, profile_of_port);
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerParams& params, std::uint32_t ports) {
  return make_scheduler({params}, std::vector<std::uint16_t>(ports, 0));
}

}  // namespace sluice
