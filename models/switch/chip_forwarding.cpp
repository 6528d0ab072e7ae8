// SPDX-License-Identifier: Apache-2.0
// Forwarding of a chip off the fast path: routes by prefix painted into the route table, and frames
// that the table has no port for, which in layer 2 mode the bridge takes.
#include <algorithm>

#include "packet/addressing.h"
#include "switch/chip.h"

namespace sluice {
namespace {

/// All addresses that endpoints can have.
IpPrefix endpoint_addresses(bool ipv6) {
  return ipv6 ? IpPrefix::v6(ipv6_address_of(0), 96) : IpPrefix::v4(ipv4_address_of(0), 8);
}

}  // namespace

void SwitchChip::add_route(const IpPrefix& prefix, Fib::NextHop hop) {
  fib_.add(prefix, hop);
  paint_routes(prefix);
}

bool SwitchChip::remove_route(const IpPrefix& prefix) {
  if (!fib_.remove(prefix)) return false;
  paint_routes(prefix);
  return true;
}

/// Brings the entries of the endpoints inside `prefix` up to date with the FIB.
void SwitchChip::paint_routes(const IpPrefix& prefix) {
  if (bridge_ != nullptr || prefix.ipv6 != ipv6_) return;
  const IpPrefix all = endpoint_addresses(ipv6_);
  const auto beyond = all.address + endpoints_;
  const bool inside = prefix.length >= all.length;
  if (prefix.address > all.last() || prefix.last() < all.address) return;
  fib_.resolve(inside ? prefix : all, RouteTable::kNoRoute,
               [&](auto first, auto last, Fib::NextHop hop) {
                 for (auto at = first; at <= last && at < beyond; ++at) {
                   routes_.route_to_entry(static_cast<std::uint32_t>(at - all.address), hop);
                 }
               });
}

/// A frame that the route table has no port for.
void SwitchChip::forward_unrouted(std::uint32_t port, PacketId id) {
  if (bridge_ == nullptr) return drop(port, id, ChipDrop::kNoRoute);
  const auto to = bridge_->forward(port, packets_[id], wheel_.now());
  if (to.empty()) return drop(port, id, ChipDrop::kNoRoute);
  // Every copy is a frame of its own to buffer, queues and scheduler, as a unicast frame would be.
  for (const std::uint16_t out : to.subspan(1)) {
    const PacketId copy = packets_.allocate();
    packets_[copy] = packets_[id];
    admit_bridged(port, copy, out);
  }
  admit_bridged(port, id, to.front());
}

}  // namespace sluice
