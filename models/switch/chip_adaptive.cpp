// SPDX-License-Identifier: Apache-2.0
// Where a chip and its adaptive routing meet: what the selector may look at, packets to its groups,
// notifications from a neighbour. Leaves out: the choice itself.
#include "switch/chip.h"

namespace sluice {

AdaptiveContext SwitchChip::adaptive_context(const std::vector<BitsPerSecond>& rates,
                                             const ChipContext& context) const {
  AdaptiveContext result;
  result.loads.ready = &egress_.front().ready;
  result.loads.ready_stride = sizeof(EgressPort);
  result.loads.queued_bytes = &queues_.front().bytes;
  result.loads.sent_bytes = &queues_.front().tx_bytes;
  result.loads.sent_frames = &queues_.front().tx_frames;
  result.loads.queue_stride = sizeof(EgressQueue);
  result.loads.queues = kQueues;
  result.rates = rates;
  result.pipe_of_port = pipe_of_port_;
  result.seed = context.seed;
  result.chip = context.chip;
  return result;
}

/// Blocks of the routing that have another implementation: asked in every mode, so that one which
/// cannot be put to use says so.
void SwitchChip::swap_routing(SwitchBlockSwap& swap, const BlockPlace& place) {
  const RoutingParams& params = params_.routing;
  std::unique_ptr<EcmpHash> model = make_ecmp_hash(params.hash, params.hash_fields);
  const EcmpHash* own = model.get();
  std::unique_ptr<EcmpHash> used = swap.ecmp_hash(std::move(model), params, place);
  if (used.get() != own) routes_.use_hash(std::move(used));
  if (adaptive_) {
    adaptive_->swap_selector(swap, place);
  } else {
    swap.ar_select(nullptr, place);
  }
}

std::uint32_t SwitchChip::pick_adaptive(std::uint32_t port, const Packet& packet,
                                        std::uint32_t out) {
  return adaptive_->pick(port, packet, out - RouteTable::kAdaptive);
}

void SwitchChip::take_notice(std::uint32_t port, PacketId id) {
  const Packet& packet = packets_[id];
  const std::uint32_t out = routes_.pick(packet);
  // A destination that this chip reaches through one port alone has no other way to take.
  if (out >= RouteTable::kAdaptive && out != RouteTable::kNoRoute) {
    adaptive_->take_notice(port, out - RouteTable::kAdaptive);
  }
  packets_.release(id);
}

void SwitchChip::set_link(std::uint16_t port, bool up) {
  if (up) {
    routes_.restore_member(port);
  } else {
    routes_.remove_member(port);
  }
  if (adaptive_) adaptive_->selector().set_link(port, up);
}

}  // namespace sluice
