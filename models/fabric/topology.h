// SPDX-License-Identifier: Apache-2.0
// The graph of a fabric: chips, endpoints and cables between numbered ports, and where each chip
// sends what. Pure data. Leaves out: modules (fabric.h) and failures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

enum class FabricType : std::uint8_t { kSingleSwitch, kLeafSpine };

struct TopologyParams {
  FabricType type = FabricType::kSingleSwitch;
  std::uint32_t hosts = 0;  ///< single switch
  std::uint32_t leaves = 0;
  std::uint32_t spines = 0;
  std::uint32_t hosts_per_leaf = 0;
  std::uint32_t links_per_spine = 1;  ///< parallel cables between a leaf and a spine
  std::uint32_t nic_ports = 1;        ///< all of a host's ports land on its leaf
};

/// One end of a cable.
struct PortRef {
  bool is_chip = false;
  std::uint32_t node = 0;  ///< chip or endpoint, global number
  std::uint32_t port = 0;
};

struct Cable {
  PortRef a;
  PortRef b;
  bool to_host = false;
};

struct Topology {
  std::uint32_t endpoints = 0;
  std::vector<std::string> chip_names;    ///< "leaf3", "spine0", "switch0"
  std::vector<std::uint32_t> chip_ports;  ///< wired ports of each chip
  std::vector<Cable> cables;

  std::uint32_t chips() const { return static_cast<std::uint32_t>(chip_names.size()); }
  /// Equal-cost egress ports of `chip` towards `endpoint`.
  std::vector<std::uint16_t> next_ports(std::uint32_t chip, std::uint32_t endpoint) const;

  TopologyParams params;
};

Topology make_topology(const TopologyParams& params);

}  // namespace sluice
