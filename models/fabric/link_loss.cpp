// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_loss.h"

#include <array>
#include <cmath>
#include <string_view>

#include "fabric/failure_spec.h"
#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {

class LinkLoss::NoisyReceiver final : public EventHandler {
 public:
  NoisyReceiver(PacketPool& packets, const Link& link, RandomStream random, SwitchChip& counts,
                std::uint32_t port)
      : packets_(packets),
        path_(link.receive_path()),
        random_(random),
        counts_(counts),
        port_(port) {}

  void add(const CableLoss& loss) {
    losses_.push_back(
        {loss.at, loss.until, static_cast<std::uint64_t>(std::ldexp(loss.probability, 63))});
  }
  void stand_before(EventWheel& wheel) { next_ = wheel.replace_handler(path_.target, *this); }

  void handle(Event event) override {
    const bool control = event.kind() == path_.pfc_kind ||
                         (path_.takes_notices && event.kind() == path_.notice_kind);
    if ((!control && event.kind() != path_.frame_kind) || !damaged(event.time)) {
      return next_->handle(event);
    }
    if (!control) {
      packets_[event.argument].flags |= packet_flag::kCorrupt;
      return next_->handle(event);
    }
    counts_.lose_on_link(port_, ChipDrop::kCorrupt);
    packets_.release(event.argument);
  }
  void prefetch(const Event& event) const override { next_->prefetch(event); }

 private:
  struct Loss {
    Ps at;
    Ps until;
    std::uint64_t threshold;  ///< of 63 random bits
  };

  bool damaged(Ps now) {
    const Loss* of_now = nullptr;
    for (const Loss& loss : losses_) {
      if (now >= loss.at && now < loss.until) of_now = &loss;
    }
    return of_now != nullptr && random_.next_u64() >> 1 < of_now->threshold;
  }

  PacketPool& packets_;
  ReceivePath path_;
  RandomStream random_;
  SwitchChip& counts_;
  std::uint32_t port_;
  std::vector<Loss> losses_;
  EventHandler* next_ = nullptr;
};

LinkLoss::LinkLoss(EventWheel& wheel, PacketPool& packets, std::uint64_t seed)
    : wheel_(wheel), packets_(packets), seed_(seed) {}

LinkLoss::~LinkLoss() = default;

void LinkLoss::watch(std::uint64_t number, const Link& link, const std::vector<CableLoss>& losses,
                     SwitchChip& counts, std::uint32_t port) {
  auto receiver = std::make_unique<NoisyReceiver>(
      packets_, link, RandomStream(seed_, number, RandomPurpose::kLinkLoss), counts, port);
  for (const CableLoss& loss : losses) receiver->add(loss);
  receiver->stand_before(wheel_);
  receivers_.push_back(std::move(receiver));
}

std::vector<CableLoss> read_losses(ConfigNode& root, const Topology& topology) {
  constexpr std::array<std::string_view, 3> kDirections{"both", "out", "in"};
  std::vector<CableLoss> losses;
  for (ConfigNode* node : root.list_of_maps("losses")) {
    CableLoss loss;
    const std::string name = node->get_string("link");
    try {
      loss.cable = find_cable(topology, name);
    } catch (const ConfigError& error) {
      node->fail("link", error.what());
    }
    loss.probability = node->get_number("loss", {0, 1});
    loss.at = node->get_time("at", {}, Ps{});
    loss.until = node->get_time("until", {}, kNever);
    if (loss.until <= loss.at) node->fail("until", "not later than at");
    const auto direction =
        static_cast<LossDirection>(node->get_choice("direction", kDirections, 0));
    const Cable& cable = topology.cables[loss.cable];
    const std::string_view chip = std::string_view(name).substr(0, name.find('.'));
    const bool from_a = cable.a.is_chip && topology.chip_names[cable.a.node] == chip;
    if (direction != LossDirection::kIn) {
      loss.forward = from_a;
      losses.push_back(loss);
    }
    if (direction != LossDirection::kOut) {
      loss.forward = !from_a;
      losses.push_back(loss);
    }
  }
  return losses;
}

}  // namespace sluice
