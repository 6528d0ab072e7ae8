// SPDX-License-Identifier: Apache-2.0
#include "rtl/egress_scheduler/egress_scheduler_swap.h"

#include "rtl/egress_scheduler/egress_scheduler_record.h"

namespace sluice::rtl {
namespace {

using Kind = EgressSchedulerTwin::Kind;
using Request = EgressSchedulerTwin::Request;

class EgressSchedulerSwap final : public Scheduler {
 public:
  EgressSchedulerSwap(std::unique_ptr<Scheduler> model, std::unique_ptr<Scheduler> twin,
                      const BlockPlace& place, const SwapMode& mode)
      : watch_("egress_scheduler", place, mode.record),
        model_(std::move(model)),
        twin_(std::move(twin)),
        compare_(mode.compare || twin_ == nullptr) {}

  void record(const std::string& line) { watch_.record(line); }
  bool records() const { return watch_.records(); }

  std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                     const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) override {
    Request r;
    r.port = port;
    r.waiting = static_cast<std::uint8_t>(ready);
    r.heads = head_bytes;
    note(r);
    const std::uint32_t model = compare_ ? model_->pick(port, ready, head_bytes) : 0;
    if (!twin_) return model;
    const auto text = [&r] { return request_line(r); };
    const std::uint32_t rtl =
        watch_.ask([&] { return twin_->pick(port, ready, head_bytes); }, text);
    if (compare_) {
      watch_.expect("queue", model, rtl, text);
      expect_deficits(r);
    }
    return rtl;
  }
  void emptied(std::uint32_t port, std::uint32_t queue) override {
    Request r;
    r.kind = Kind::kEmptied;
    r.port = port;
    r.queue = queue;
    note(r);
    if (compare_) model_->emptied(port, queue);
    if (!twin_) return;
    watch_.ask([&] { twin_->emptied(port, queue); }, [&r] { return request_line(r); });
    if (compare_) expect_deficits(r);
  }
  std::uint32_t deficit(std::uint32_t port, std::uint32_t queue) const override {
    return (twin_ ? twin_ : model_)->deficit(port, queue);
  }
  bool shapes(std::uint32_t port) const override { return model_->shapes(port); }
  std::uint8_t held(std::uint32_t port, Ps now) const override {
    Request r;
    r.kind = Kind::kHeld;
    r.port = port;
    r.now = now;
    note(r);
    const std::uint8_t model = compare_ ? model_->held(port, now) : std::uint8_t{0};
    if (!twin_) return model;
    const auto text = [&r] { return request_line(r); };
    const std::uint8_t rtl = watch_.ask([&] { return twin_->held(port, now); }, text);
    if (compare_) watch_.expect("held", model, rtl, text);
    return rtl;
  }
  Ps next_open(std::uint32_t port, std::uint32_t queues, Ps now) const override {
    return (twin_ ? twin_ : model_)->next_open(port, queues, now);
  }
  void sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes, Ps now) override {
    Request r;
    r.kind = Kind::kSent;
    r.port = port;
    r.queue = queue;
    r.bytes = wire_bytes;
    r.now = now;
    note(r);
    if (compare_) model_->sent(port, queue, wire_bytes, now);
    if (!twin_) return;
    const auto text = [&r] { return request_line(r); };
    watch_.ask([&] { twin_->sent(port, queue, wire_bytes, now); }, text);
    if (!compare_) return;
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      watch_.expect("opens", model_->next_open(port, 1u << q, now).value,
                    twin_->next_open(port, 1u << q, now).value, text);
    }
  }

 private:
  void note(const Request& request) const {
    watch_.next();
    if (watch_.records()) watch_.record(request_line(request));
  }
  void expect_deficits(const Request& r) const {
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      watch_.expect("deficit", model_->deficit(r.port, q), twin_->deficit(r.port, q),
                    [&r] { return request_line(r); });
    }
  }

  mutable Watch watch_;  ///< questions count too
  std::unique_ptr<Scheduler> model_;
  std::unique_ptr<Scheduler> twin_;  ///< null: requests are recorded only
  bool compare_;
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
  if (swap->records()) {
    for (const SchedulerParams& profile : profiles) swap->record(profile_line(profile));
    for (const std::uint16_t profile : profile_of_port) {
      swap->record(fmt::format("port {}", profile));
    }
  }
  return swap;
}

}  // namespace sluice::rtl
