// SPDX-License-Identifier: Apache-2.0
#include "switch/forwarding/bridge.h"

#include "kernel/error.h"
#include "packet/addressing.h"

namespace sluice {

Bridge::Bridge(const ForwardingParams& params, std::uint32_t ports, std::uint32_t broadcast)
    : table_(params.mac_entries, params.mac_ageing),
      broadcast_(broadcast),
      vlan_of_port_(params.vlan_of_port) {
  if (vlan_of_port_.empty()) vlan_of_port_.assign(ports, 1);
  if (vlan_of_port_.size() != ports) {
    throw ConfigError(fmt::format("forwarding.vlan_of_port: {} entries, expected {}, one a port",
                                  vlan_of_port_.size(), ports));
  }
}

std::span<const std::uint16_t> Bridge::forward(std::uint32_t ingress_port, const Packet& packet,
                                               Ps now) {
  const std::uint32_t vlan = vlan_of_port_[ingress_port];
  table_.learn(vlan, mac_of(packet.source), static_cast<std::uint16_t>(ingress_port), now);
  ports_.clear();
  if (packet.destination != broadcast_) {
    const auto port = table_.lookup(vlan, mac_of(packet.destination), now);
    if (port) {
      if (*port != ingress_port) ports_.push_back(*port);
      return ports_;
    }
  }
  for (std::uint32_t port = 0; port < vlan_of_port_.size(); ++port) {
    if (port == ingress_port || vlan_of_port_[port] != vlan) continue;
    ports_.push_back(static_cast<std::uint16_t>(port));
  }
  ++counters_.flooded;
  counters_.flooded_copies += ports_.size();
  return ports_;
}

}  // namespace sluice
