// SPDX-License-Identifier: Apache-2.0
// The far end of every port, the routes between hosts as a graph, and what is wrong with that graph
// before anything runs: pauses that can wait for each other in a circle, hashes that repeat.
// Leaves out: failed links.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fabric/topology.h"
#include "switch/routing/route_table.h"

namespace sluice {

/// Where a chip sends a packet for an endpoint: equal-cost ports.
using NextPorts =
    std::function<std::vector<std::uint16_t>(std::uint32_t chip, std::uint32_t endpoint)>;

class Wiring {
 public:
  /// With the topology's own routes.
  explicit Wiring(const Topology& topology);
  Wiring(const Topology& topology, NextPorts routes);

  const Topology& topology() const { return topology_; }
  /// The other end of a chip's port.
  const PortRef& far_end(std::uint32_t chip, std::uint32_t port) const {
    return far_[first_port_[chip] + port];
  }
  const Cable& cable(std::uint32_t chip, std::uint32_t port) const {
    return topology_.cables[cable_[first_port_[chip] + port]];
  }
  bool to_host(std::uint32_t chip, std::uint32_t port) const {
    return !far_end(chip, port).is_chip;
  }
  std::vector<std::uint16_t> next_ports(std::uint32_t chip, std::uint32_t endpoint) const {
    return routes_(chip, endpoint);
  }
  std::uint32_t chip_of_host(std::uint32_t endpoint) const { return chip_of_host_[endpoint]; }
  /// Links crossed from host to host by the first of each set of equal-cost ports; 0: no way.
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;

  /// Ports of a cycle of links each of which, when paused, can keep the one before it from
  /// draining: "spine0 port 3" and so on. Empty: routes cannot deadlock.
  std::vector<std::string> cyclic_dependency() const;

  /// Pairs of chips on one way that choose by the same hash and the same seed.
  std::vector<std::string> polarised(const std::vector<RoutingParams>& routing_of_chip) const;

 private:
  // A link is a chip's port, by a number of its own in the fabric.
  std::vector<std::vector<std::uint16_t>> onward_ports(std::uint32_t host) const;
  std::vector<std::vector<std::uint32_t>> dependencies() const;
  std::string port_name(std::uint32_t link) const;
  std::uint32_t chip_of_link(std::uint32_t link) const;

  Topology topology_;
  NextPorts routes_;
  std::vector<std::uint32_t> first_port_;
  std::vector<PortRef> far_;
  std::vector<std::uint32_t> cable_;  ///< of each port, into Topology::cables
  std::vector<std::uint32_t> chip_of_host_;
};

}  // namespace sluice
