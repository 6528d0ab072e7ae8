// SPDX-License-Identifier: Apache-2.0
#include "switch/adaptive_routing.h"

#include <cstddef>

#include "switch/counter_kinds.h"

namespace sluice {
AdaptiveRouting::AdaptiveRouting(const SwitchParams& params, const AdaptiveContext& context,
                                 EventWheel& wheel, PacketPool& packets)
    : wheel_(wheel),
      packets_(packets),
      random_(context.seed, context.chip, RandomPurpose::kAdaptive),
      hold_(params.routing.ar.notify_hold),
      upstream_(context.rates.size()) {
  hash_seed_ = random_.next_u32();
  if (params.routing.mode == LoadBalancing::kAr) {
    selector_ = make_ar_selector(params.routing.ar, context);
    notify_ = params.routing.ar.notify;
  } else {
    selector_ = make_dlb_selector(params.routing.dlb, params.routing.ar.refresh, context);
  }
}

std::unique_ptr<AdaptiveRouting> AdaptiveRouting::make(const SwitchParams& params,
                                                       const AdaptiveContext& context,
                                                       EventWheel& wheel, PacketPool& packets,
                                                       TargetId tick_target,
                                                       std::uint8_t tick_kind) {
  if (!is_adaptive(params.routing.mode)) return nullptr;
  std::unique_ptr<AdaptiveRouting> made(new AdaptiveRouting(params, context, wheel, packets));
  made->tick_target_ = tick_target;
  made->tick_kind_ = tick_kind;
  return made;
}

std::uint32_t AdaptiveRouting::add_group(const std::vector<std::uint16_t>& ports) {
  next_notice_.emplace_back(upstream_.size());
  return selector_->add_group(ports);
}

std::uint32_t AdaptiveRouting::pick(std::uint32_t port, const Packet& packet, std::uint32_t group) {
  PickRequest request;
  request.group = group;
  request.flow_hash = RouteTable::member_hash(packet.flow_hash, hash_seed_);
  request.ingress_port = port;
  request.now = wheel_.now();
  if (selector_->resting()) arm(selector_->wake(request.now));
  request.draw = random_.next_u32();
  if (selector_->draws_move()) request.move = random_.next_u32();
  const PickResult result = selector_->pick(request);
  if ((result.busy || result.port == PickResult::kNoPort) && notify_) notify(port, packet, group);
  return result.port;
}

void AdaptiveRouting::arm(Ps due) {
  if (due != kNever) wheel_.post(due, tick_target_, tick_kind_);
}

void AdaptiveRouting::tick() { arm(selector_->tick(wheel_.now())); }

/// At most one notification in half a hold time about one group to one neighbour.
void AdaptiveRouting::notify(std::uint32_t port, const Packet& packet, std::uint32_t group) {
  const Upstream& upstream = upstream_[port];
  Ps& next = next_notice_[group][port];
  const Ps now = wheel_.now();
  if (!upstream.takes_notices || now < next) return;
  next = now + hold_ / 2;
  const PacketId id = packets_.allocate();
  Packet& notice = packets_[id];
  notice = Packet{};
  notice.kind = PacketKind::kRouteNotice;
  notice.destination = packet.destination;
  notice.frame_bytes = 64;
  notice.tail = now + upstream.delay;
  wheel_.post(notice.tail, upstream.target, upstream.kind, id);
  ++selector_->counters().notifications_sent;
}

void AdaptiveRouting::take_notice(std::uint32_t port, std::uint32_t group) {
  selector_->demote(group, static_cast<std::uint16_t>(port), wheel_.now() + hold_);
}

namespace {

std::vector<CounterField> adaptive_fields() {
  using C = AdaptiveCounters;
  return {{"placed_flow_sets", "flow sets", "choices of a port for a flow set",
           offsetof(C, placed_flow_sets)},
          {"moved_flow_sets", "flow sets", "choices that changed the port",
           offsetof(C, moved_flow_sets)},
          {"rebalanced_flow_sets", "flow sets", "moves of a flow set that was active",
           offsetof(C, rebalanced_flow_sets)},
          {"notifications_sent", "frames", "told an upstream chip that all members are busy",
           offsetof(C, notifications_sent)},
          {"notifications_taken", "frames", "heard that a next hop is busy",
           offsetof(C, notifications_taken)}};
}

}  // namespace

std::vector<CounterKind> adaptive_counter_kinds() { return {{"adaptive", adaptive_fields()}}; }

void AdaptiveRouting::register_counters(StatisticsRegistry& registry, const std::string& chip) {
  registry.add({"adaptive", [chip](std::size_t) { return chip; }, &selector_->counters(), 1,
                sizeof(AdaptiveCounters), adaptive_fields()});
}

}  // namespace sluice
