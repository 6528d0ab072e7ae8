// SPDX-License-Identifier: Apache-2.0
// A selector over ports whose queues and counters the test sets by hand, with the clock that a chip
// would keep for it. Leaves out: a chip.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernel/random.h"
#include "switch/routing/adaptive_selector.h"

namespace sluice::test {

inline constexpr BitsPerSecond kRate400G{400'000'000'000};
/// 4096 B of payload in a frame of 4158 B, back to back at 400 Gb/s: 83.56 ns.
inline constexpr Ps kFullPacket{83'560};

class SelectorBench {
 public:
  explicit SelectorBench(std::uint32_t ports, BitsPerSecond rate = kRate400G)
      : SelectorBench(std::vector<BitsPerSecond>(ports, rate)) {}
  explicit SelectorBench(const std::vector<BitsPerSecond>& rates)
      : ready_(rates.size()), queues_(rates.size() * kQueues) {
    context_.rates = rates;
    context_.pipe_of_port.assign(rates.size(), 0);
    context_.loads.ready = ready_.data();
    context_.loads.ready_stride = 1;
    context_.loads.queued_bytes = &queues_[0].bytes;
    context_.loads.sent_bytes = &queues_[0].sent;
    context_.loads.sent_frames = &queues_[0].frames;
    context_.loads.queue_stride = sizeof(Queue);
    context_.loads.queues = kQueues;
  }
  SelectorBench& dlb(const DlbParams& params, Ps refresh = {}) {
    return install(make_dlb_selector(params, refresh, context_));
  }
  SelectorBench& ar(const ArParams& params) { return install(make_ar_selector(params, context_)); }
  SelectorBench& pipes(const std::vector<std::uint32_t>& pipe_of_port) {
    context_.pipe_of_port = pipe_of_port;
    return *this;
  }
  SelectorBench& seed(std::uint64_t seed) {
    context_.seed = seed;
    random_ = RandomStream(seed, 0, RandomPurpose::kTest);
    return *this;
  }

  void queue(std::uint32_t port, std::uint32_t bytes, std::uint32_t queue = 3) {
    queues_[port * kQueues + queue].bytes = bytes;
    const auto bit = static_cast<std::uint8_t>(1u << queue);
    ready_[port] = static_cast<std::uint8_t>(bytes != 0 ? ready_[port] | bit : ready_[port] & ~bit);
  }
  void send(std::uint32_t port, std::uint64_t bytes, std::uint64_t frames = 0) {
    queues_[port * kQueues + 3].sent += bytes;
    queues_[port * kQueues + 3].frames += frames;
  }
  /// Runs what is due up to and including `now`.
  void advance(Ps now) {
    while (due_ <= now) due_ = selector_->tick(due_);
    now_ = now;
  }
  PickResult pick_at(Ps now, std::uint32_t flow_hash = 0, std::uint32_t ingress_port = 0,
                     std::uint32_t group = 0) {
    advance(now);
    if (selector_->resting()) due_ = selector_->wake(now);
    PickRequest request{group, flow_hash, ingress_port, now, random_.next_u32(), 0};
    if (selector_->draws_move()) request.move = random_.next_u32();
    return selector_->pick(request);
  }
  /// Ports chosen by `count` packets at `now`, each of a flow of its own.
  std::vector<std::uint32_t> loads_at(Ps now, std::uint32_t count, std::uint32_t ingress_port = 0) {
    std::vector<std::uint32_t> load(context_.rates.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      ++load.at(pick_at(now, random_.next_u32(), ingress_port).port);
    }
    return load;
  }
  /// All ports in one group.
  SelectorBench& all_in_one() {
    std::vector<std::uint16_t> ports(context_.rates.size());
    for (std::size_t i = 0; i < ports.size(); ++i) ports[i] = static_cast<std::uint16_t>(i);
    selector_->add_group(ports);
    return *this;
  }

  AdaptiveSelector& selector() { return *selector_; }
  AdaptiveCounters& counters() { return selector_->counters(); }
  RandomStream& random() { return random_; }
  Ps due() const { return due_; }

 private:
  static constexpr std::uint32_t kQueues = 8;
  struct Queue {
    std::uint32_t bytes = 0;
    std::uint64_t sent = 0;
    std::uint64_t frames = 0;
  };

  SelectorBench& install(std::unique_ptr<AdaptiveSelector> selector) {
    selector_ = std::move(selector);
    return *this;
  }

  std::vector<std::uint8_t> ready_;
  std::vector<Queue> queues_;
  AdaptiveContext context_;
  std::unique_ptr<AdaptiveSelector> selector_;
  RandomStream random_{1, 0, RandomPurpose::kTest};
  Ps due_ = kNever;
  Ps now_{};
};

}  // namespace sluice::test
