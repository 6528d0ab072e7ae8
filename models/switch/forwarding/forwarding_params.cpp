// SPDX-License-Identifier: Apache-2.0
#include "switch/forwarding/forwarding_params.h"

#include <array>
#include <string_view>

#include "kernel/error.h"

namespace sluice {

void ForwardingParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 2> kModes{"l3", "l2"};
  v.visit("mode", mode, kModes,
          {"routed by IP address with TTL, or bridged by MAC address", "IEEE 802.1Q, RFC 1812"});
  v.visit("lpm_entries", lpm_entries, {1, 16'777'216},
          {"prefixes that the table holds; one of IPv6 takes two", "estimate: 128k on these chips",
           "entries"});
  v.visit("host_entries", host_entries, {1, 16'777'216},
          {"whole addresses that the table holds; one of IPv6 takes two",
           "estimate: 64k on these chips", "entries"});
  v.visit("mac_entries", mac_entries, {1, 16'777'216},
          {"stations that the MAC table holds, in mode l2", "estimate: 128k on these chips",
           "entries"});
  v.visit(
      "mac_ageing", mac_ageing, {1e6, 1e18},
      {"a station not heard of for so long is forgotten, in mode l2", "IEEE 802.1Q 8.8.3: 300 s"});
  v.visit("vlan_of_port", vlan_of_port, {1, 4094},
          {"VLAN of each port, in mode l2; empty: all in VLAN 1", "IEEE 802.1Q PVID"});
}

void ForwardingParams::validate() const {
  for (const std::uint32_t vlan : vlan_of_port) {
    if (vlan == 0 || vlan > 4094) {
      throw ConfigError(fmt::format("vlan_of_port: {}, expected 1 to 4094", vlan));
    }
  }
  if (mac_ageing.value == 0) throw ConfigError("mac_ageing: 0 s, expected more");
}

}  // namespace sluice
