// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_failures.h"

#include <algorithm>
#include <utility>

#include "packet/packet.h"

namespace sluice {

/// Stands before the handler of a receiving port: loses what was on the wire while it was down.
class LinkFailures::LossyReceiver final : public EventHandler {
 public:
  LossyReceiver(PacketPool& packets, const Link& link, SwitchChip& counts, std::uint32_t port)
      : packets_(packets),
        path_(link.receive_path()),
        stages_(link.out->receive_path()),
        rate_(link.rate()),
        counts_(counts),
        port_(port) {}

  void add(const LinkFailure& failure) { failures_.push_back(failure); }
  void stand_before(EventWheel& wheel) { next_ = wheel.replace_handler(path_.target, *this); }

  void handle(Event event) override {
    if (!carries_frame(event.kind()) || !lost(event)) return next_->handle(event);
    counts_.lose_on_link(port_);
    packets_.release(event.argument);
  }
  void prefetch(const Event& event) const override { next_->prefetch(event); }

 private:
  bool carries_frame(std::uint8_t kind) const {
    return kind == path_.frame_kind || is_control(kind);
  }
  bool is_control(std::uint8_t kind) const {
    return kind == path_.pfc_kind || (path_.takes_notices && kind == path_.notice_kind);
  }
  /// Whether any bit of the frame was between the two PHYs while the cable was down.
  bool lost(const Event& event) const {
    const Packet& packet = packets_[event.argument];
    const bool control = is_control(event.kind());
    const Ps bits{(packet.frame_bytes + kPreambleBytes) * 8'000'000'000ULL / (rate_.value / 1000)};
    const Ps tail = control || path_.at_tail ? event.time : packet.tail;
    const Ps whole = control ? path_.pfc_delay : path_.head_delay;
    const Ps received = control ? stages_.pfc_delay : stages_.head_delay;
    const Ps first_in = tail - bits - whole;
    const Ps last_out = tail - received;
    return std::any_of(failures_.begin(), failures_.end(), [&](const LinkFailure& failure) {
      return first_in < failure.until && last_out > failure.at;
    });
  }

  PacketPool& packets_;
  ReceivePath path_;    // from the transmitter's PHY
  ReceivePath stages_;  // the receiver's share of it
  BitsPerSecond rate_;
  SwitchChip& counts_;
  std::uint32_t port_;
  std::vector<LinkFailure> failures_;
  EventHandler* next_ = nullptr;
};

std::vector<RouteChange> plan_route_changes(const Topology& topology,
                                            const std::vector<LinkFailure>& failures,
                                            const std::vector<SwitchParams>& chips) {
  std::vector<RouteChange> changes;
  for (const LinkFailure& failure : failures) {
    const Cable& cable = topology.cables[failure.cable];
    for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
      const bool local =
          (cable.a.is_chip && cable.a.node == chip) || (cable.b.is_chip && cable.b.node == chip);
      if (!local && cable.to_host) continue;  // no other way to a host: nothing to withdraw
      const RoutingParams& routing = chips[chip].routing;
      const Ps delay = local ? routing.failover_time() : routing.failover.remote_failover_time;
      if (failure.until <= failure.at + delay) continue;
      changes.push_back({failure.at + delay, chip, failure.cable, local, false});
      if (failure.until == kNever) continue;
      changes.push_back({failure.until + delay, chip, failure.cable, local, true});
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const RouteChange& a, const RouteChange& b) {
    return std::pair(a.time, a.chip) < std::pair(b.time, b.chip);
  });
  return changes;
}

LinkFailures::LinkFailures(EventWheel& wheel, PacketPool& packets,
                           std::vector<LinkFailure> failures, std::vector<RouteChange> changes,
                           RouteChanger& changer)
    : wheel_(wheel),
      packets_(packets),
      failures_(std::move(failures)),
      changes_(std::move(changes)),
      changer_(changer) {
  target_ = wheel_.add_targets(*this, 1, this, 0);
}

LinkFailures::~LinkFailures() = default;

void LinkFailures::watch(std::uint32_t cable, const Link& link, SwitchChip& counts,
                         std::uint32_t port) {
  auto receiver = std::make_unique<LossyReceiver>(packets_, link, counts, port);
  for (const LinkFailure& failure : failures_) {
    if (failure.cable == cable) receiver->add(failure);
  }
  receiver->stand_before(wheel_);
  receivers_.push_back(std::move(receiver));
}

void LinkFailures::start() { arm(); }

void LinkFailures::arm() {
  if (next_ < changes_.size()) wheel_.post(changes_[next_].time, target_, 0);
}

void LinkFailures::handle(Event event) {
  for (; next_ < changes_.size() && changes_[next_].time <= event.time; ++next_) {
    changer_.apply(changes_[next_]);
  }
  arm();
}

}  // namespace sluice
