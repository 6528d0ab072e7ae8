// SPDX-License-Identifier: Apache-2.0
#include "fabric/topology.h"

#include "kernel/error.h"

namespace sluice {
namespace {

Topology single_switch(const TopologyParams& params) {
  Topology topology;
  topology.params = params;
  topology.endpoints = params.hosts;
  topology.chip_names = {"switch0"};
  topology.chip_ports = {params.hosts * params.nic_ports};
  for (std::uint32_t host = 0; host < params.hosts; ++host) {
    for (std::uint32_t port = 0; port < params.nic_ports; ++port) {
      topology.cables.push_back(
          {{false, host, port}, {true, 0, host * params.nic_ports + port}, true});
      if (!params.cage_ports.empty()) topology.cables.back().rate = params.cage_ports[host].rate;
    }
  }
  return topology;
}

/// Leaf ports: hosts first, then uplinks, spine by spine. Spine ports: leaf by leaf.
Topology leaf_spine(const TopologyParams& params) {
  Topology topology;
  topology.params = params;
  topology.endpoints = params.leaves * params.hosts_per_leaf;
  const std::uint32_t down = params.hosts_per_leaf * params.nic_ports;
  const std::uint32_t parallel = params.links_per_spine;
  for (std::uint32_t leaf = 0; leaf < params.leaves; ++leaf) {
    topology.chip_names.push_back(fmt::format("leaf{}", leaf));
    topology.chip_ports.push_back(down + params.spines * parallel);
  }
  for (std::uint32_t spine = 0; spine < params.spines; ++spine) {
    topology.chip_names.push_back(fmt::format("spine{}", spine));
    topology.chip_ports.push_back(params.leaves * parallel);
  }
  for (std::uint32_t leaf = 0; leaf < params.leaves; ++leaf) {
    for (std::uint32_t i = 0; i < down; ++i) {
      const std::uint32_t host = leaf * params.hosts_per_leaf + i / params.nic_ports;
      topology.cables.push_back({{false, host, i % params.nic_ports}, {true, leaf, i}, true});
    }
    for (std::uint32_t i = 0; i < params.spines * parallel; ++i) {
      const std::uint32_t spine = i / parallel;
      topology.cables.push_back({{true, leaf, down + i},
                                 {true, params.leaves + spine, leaf * parallel + i % parallel},
                                 false});
    }
  }
  return topology;
}

/// Chips of plane 0 first, then those of plane 1, …
Topology side_by_side(const TopologyParams& params) {
  TopologyParams one = params;
  one.planes = 1;
  one.nic_ports = params.nic_ports / params.planes;
  const Topology plane = make_topology(one);
  Topology all;
  all.params = params;
  all.endpoints = plane.endpoints;
  for (std::uint32_t number = 0; number < params.planes; ++number) {
    for (std::uint32_t chip = 0; chip < plane.chips(); ++chip) {
      all.chip_names.push_back(fmt::format("plane{}_{}", number, plane.chip_names[chip]));
      all.chip_ports.push_back(plane.chip_ports[chip]);
    }
    for (Cable cable : plane.cables) {
      for (PortRef* end : {&cable.a, &cable.b}) {
        if (end->is_chip) {
          end->node += number * plane.chips();
        } else {
          end->port += number * one.nic_ports;
        }
      }
      all.cables.push_back(cable);
    }
  }
  return all;
}

}  // namespace

Topology make_topology(const TopologyParams& params) {
  if (params.planes > 1) return side_by_side(params);
  switch (params.type) {
    case FabricType::kLeafSpine:
      return leaf_spine(params);
    case FabricType::kGraph:
      return make_graph(params);
    case FabricType::kSingleSwitch:
      break;
  }
  return single_switch(params);
}

std::vector<std::uint16_t> Topology::next_ports(std::uint32_t chip, std::uint32_t endpoint) const {
  const auto range = [](std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint16_t> ports(count);
    for (std::uint32_t i = 0; i < count; ++i) ports[i] = static_cast<std::uint16_t>(first + i);
    return ports;
  };
  const std::uint32_t nic_ports = params.nic_ports / params.planes;
  chip %= chips() / params.planes;
  if (params.type == FabricType::kGraph) return graph_next_ports(*this, chip, endpoint);
  if (params.type == FabricType::kSingleSwitch) return range(endpoint * nic_ports, nic_ports);
  const std::uint32_t leaf = endpoint / params.hosts_per_leaf;
  if (chip >= params.leaves) return range(leaf * params.links_per_spine, params.links_per_spine);
  if (chip == leaf) return range(endpoint % params.hosts_per_leaf * nic_ports, nic_ports);
  return range(params.hosts_per_leaf * nic_ports, params.spines * params.links_per_spine);
}

}  // namespace sluice
