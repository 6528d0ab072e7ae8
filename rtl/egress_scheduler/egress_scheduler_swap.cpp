// SPDX-License-Identifier: Apache-2.0
#include "rtl/egress_scheduler/egress_scheduler_swap.h"

#include "rtl/egress_scheduler/egress_scheduler_record.h"
#include "rtl/swap/both.h"

namespace sluice::rtl {
namespace {

using Kind = EgressSchedulerTwin::Kind;
using Request = EgressSchedulerTwin::Request;

class EgressSchedulerSwap final : public Scheduler {
  template <class Call, class Agree>
  auto ask(const Request& r, const Call& call, const Agree& agree) const {
    const auto line = [&r] { return request_line(r); };
    return both_.ask(line, line, call, agree);
  }
  template <class Expect>
  void expect_deficits(std::uint32_t port, const Expect& expect) const {
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      expect("deficit", both_.model().deficit(port, q), both_.twin().deficit(port, q));
    }
  }

 public:
  EgressSchedulerSwap(std::unique_ptr<Scheduler> model, std::unique_ptr<Scheduler> twin,
                      const BlockPlace& place, const SwapMode& mode)
      : both_("egress_scheduler", std::move(model), std::move(twin), place, mode) {}

  Watch& watch() { return both_.watch(); }

  std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                     const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) override {
    Request r;
    r.port = port;
    r.waiting = static_cast<std::uint8_t>(ready);
    r.heads = head_bytes;
    return ask(
        r, [&](Scheduler& of) { return of.pick(port, ready, head_bytes); },
        [&](std::uint32_t model, std::uint32_t rtl, const auto& expect) {
          expect("queue", model, rtl);
          expect_deficits(port, expect);
        });
  }
  void emptied(std::uint32_t port, std::uint32_t queue) override {
    Request r;
    r.kind = Kind::kEmptied;
    r.port = port;
    r.queue = queue;
    ask(
        r, [=](Scheduler& of) { return of.emptied(port, queue), true; },
        [&](bool, bool, const auto& expect) { expect_deficits(port, expect); });
  }
  std::uint32_t deficit(std::uint32_t port, std::uint32_t queue) const override {
    return both_.shown([=](const Scheduler& of) { return of.deficit(port, queue); });
  }
  bool shapes(std::uint32_t port) const override { return both_.model().shapes(port); }
  std::uint8_t held(std::uint32_t port, Ps now) const override {
    Request r;
    r.kind = Kind::kHeld;
    r.port = port;
    r.now = now;
    return ask(
        r, [=](const Scheduler& of) { return of.held(port, now); },
        [](std::uint8_t model, std::uint8_t rtl, const auto& expect) {
          expect("held", model, rtl);
        });
  }
  Ps next_open(std::uint32_t port, std::uint32_t queues, Ps now) const override {
    const auto open = [=](const Scheduler& of) { return of.next_open(port, queues, now); };
    const Ps shown = both_.shown(open);
    if (both_.compares()) {
      both_.watch().expect("next_open", open(both_.model()).value, shown.value, [=] {
        return fmt::format("when port {} opens for queues {:#x}, asked at {}", port, queues,
                           now.value);
      });
    }
    return shown;
  }
  void sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes, Ps now) override {
    Request r;
    r.kind = Kind::kSent;
    r.port = port;
    r.queue = queue;
    r.bytes = wire_bytes;
    r.now = now;
    ask(
        r, [=](Scheduler& of) { return of.sent(port, queue, wire_bytes, now), true; },
        [&](bool, bool, const auto& expect) {
          for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
            expect("opens", both_.model().next_open(port, 1u << q, now).value,
                   both_.twin().next_open(port, 1u << q, now).value);
          }
        });
  }

 private:
  mutable Both<Scheduler> both_;  ///< questions count too
};

}  // namespace

std::unique_ptr<Scheduler> swap_egress_scheduler(std::unique_ptr<Scheduler> model,
                                                 const std::vector<SchedulerParams>& profiles,
                                                 const std::vector<std::uint16_t>& profile_of_port,
                                                 const BlockPlace& place, const SwapMode& mode) {
  std::unique_ptr<Scheduler> twin;
  if (mode.rtl) {
    twin = std::make_unique<EgressSchedulerTwin>(profiles, profile_of_port, mode.options);
  }
  auto swap = std::make_unique<EgressSchedulerSwap>(std::move(model), std::move(twin), place, mode);
  Watch& watch = swap->watch();
  if (watch.records()) {
    for (const SchedulerParams& profile : profiles) watch.record(profile_line(profile));
    for (const std::uint16_t profile : profile_of_port) {
      watch.record(fmt::format("port {}", profile));
    }
  }
  return swap;
}

}  // namespace sluice::rtl
