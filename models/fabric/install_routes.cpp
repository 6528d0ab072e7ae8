// SPDX-License-Identifier: Apache-2.0
#include "fabric/install_routes.h"

#include <bit>
#include <numeric>
#include <vector>

#include "kernel/error.h"
#include "packet/addressing.h"

namespace sluice {
namespace {

/// Prefix of the 2^`bits` endpoints from `first` on.
IpPrefix prefix_of(std::uint32_t first, unsigned bits, bool ipv6) {
  return ipv6 ? IpPrefix::v6(ipv6_address_of(first), 128 - bits)
              : IpPrefix::v4(ipv4_address_of(first), 32 - bits);
}

/// Routes for endpoints `first` to `end` - 1 in the fewest prefixes.
void add_range(SwitchChip& chip, std::uint32_t first, std::uint32_t end, Fib::NextHop hop,
               bool ipv6) {
  while (first < end) {
    const auto aligned = first == 0 ? 31 : static_cast<unsigned>(std::countr_zero(first));
    const auto fitting = static_cast<unsigned>(std::bit_width(end - first)) - 1;
    const unsigned bits = std::min(aligned, fitting);
    chip.add_route(prefix_of(first, bits, ipv6), hop);
    first += 1u << bits;
  }
}

/// Union-find with path halving.
std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

}  // namespace

void install_routes(const Topology& topology, std::uint32_t chip, bool ipv6, SwitchChip& into) {
  std::vector<std::uint16_t> previous;
  std::uint32_t first = 0;
  const auto install = [&](std::uint32_t end) {
    if (previous.empty()) return;  // dropped: no_route
    RouteTable& routes = into.routes();
    const Fib::NextHop hop =
        previous.size() == 1 ? previous.front() : routes.entry_of_group(routes.add_group(previous));
    add_range(into, first, end, hop, ipv6);
  };
  for (std::uint32_t endpoint = 0; endpoint < topology.endpoints; ++endpoint) {
    std::vector<std::uint16_t> ports = topology.next_ports(chip, endpoint);
    if (ports == previous) continue;
    install(endpoint);
    previous = std::move(ports);
    first = endpoint;
  }
  install(topology.endpoints);
}

void refuse_bridge_loops(const Topology& topology, std::span<const SwitchParams> chips) {
  const auto bridges = [chips](const PortRef& end) {
    return end.is_chip && chips[end.node].forwarding.mode == ForwardingMode::kL2;
  };
  std::vector<std::uint32_t> parent(topology.chips());
  std::iota(parent.begin(), parent.end(), 0U);
  for (const Cable& cable : topology.cables) {
    if (cable.to_host) {
      const PortRef& chip = cable.a.is_chip ? cable.a : cable.b;
      const PortRef& host = cable.a.is_chip ? cable.b : cable.a;
      if (bridges(chip) && host.port != 0) {
        throw ConfigError(fmt::format(
            "switch.forwarding.mode: l2 on {}, where host {} has several ports: they would be one "
            "station in several places",
            topology.chip_names[chip.node], host.node));
      }
      continue;
    }
    if (!bridges(cable.a) || !bridges(cable.b)) continue;
    const std::uint32_t a = root_of(parent, cable.a.node);
    const std::uint32_t b = root_of(parent, cable.b.node);
    if (a == b) {
      throw ConfigError(fmt::format(
          "switch.forwarding.mode: l2, and the cable between {} and {} closes a loop: flooded "
          "frames would go round for ever (there is no spanning tree)",
          topology.chip_names[cable.a.node], topology.chip_names[cable.b.node]));
    }
    parent[a] = b;
  }
}

}  // namespace sluice
