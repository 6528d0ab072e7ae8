// SPDX-License-Identifier: Apache-2.0
// Adaptive routing inside a chip: asks the selector for every packet to a group, keeps its clock
// going while there is traffic, and sends and takes notifications. Leaves out: the wire time of a
// notification, which goes ahead of data like PFC but is an event, not a frame in the port's way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/event_wheel.h"
#include "kernel/random.h"
#include "kernel/statistics.h"
#include "packet/packet.h"
#include "switch/block_swap.h"
#include "switch/routing/adaptive_selector.h"
#include "switch/switch_params.h"

namespace sluice {

class AdaptiveRouting {
 public:
  /// Where a notification about what came in on a port goes. No target: the peer takes none.
  struct Upstream {
    bool takes_notices = false;
    TargetId target = 0;
    std::uint8_t kind = 0;
    Ps delay{};  ///< from the decision here to its effect there
  };

  /// Null unless the chip's mode is adaptive. `tick_target`, `tick_kind`: the event that must end
  /// in tick().
  static std::unique_ptr<AdaptiveRouting> make(const SwitchParams& params,
                                               const AdaptiveContext& context, EventWheel& wheel,
                                               PacketPool& packets, TargetId tick_target,
                                               std::uint8_t tick_kind);

  /// A group for one set of destinations; returns its number, for RouteTable::route_to_adaptive.
  std::uint32_t add_group(const std::vector<std::uint16_t>& ports);
  AdaptiveSelector& selector() { return *selector_; }
  /// Another implementation in the selector's place; before the first group.
  void swap_selector(SwitchBlockSwap& swap, const BlockPlace& place) {
    selector_ = swap.ar_select(std::move(selector_), place);
  }
  void set_upstream(std::uint32_t port, const Upstream& upstream) { upstream_[port] = upstream; }

  /// Egress port of a packet that came in on `port`; UINT32_MAX if there is none.
  std::uint32_t pick(std::uint32_t port, const Packet& packet, std::uint32_t group);
  void tick();
  /// A notification came in on `port` about packets to `group`.
  void take_notice(std::uint32_t port, std::uint32_t group);

  void register_counters(StatisticsRegistry& registry, const std::string& chip);

 private:
  AdaptiveRouting(const SwitchParams& params, const AdaptiveContext& context, EventWheel& wheel,
                  PacketPool& packets);
  void notify(std::uint32_t port, const Packet& packet, std::uint32_t group);
  void arm(Ps due);

  EventWheel& wheel_;
  PacketPool& packets_;
  std::unique_ptr<AdaptiveSelector> selector_;
  RandomStream random_;
  std::uint32_t hash_seed_ = 0;
  bool notify_ = false;
  Ps hold_{};
  TargetId tick_target_ = 0;
  std::uint8_t tick_kind_ = 0;
  std::vector<Upstream> upstream_;
  std::vector<std::vector<Ps>> next_notice_;  ///< [group][port]: none before
};

}  // namespace sluice
