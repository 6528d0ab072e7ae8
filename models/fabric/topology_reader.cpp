// SPDX-License-Identifier: Apache-2.0
#include "fabric/topology_reader.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 3> kTypes{"single_switch", "leaf_spine", "graph"};
constexpr ParameterRange kCountRange{1, 65536};

std::uint32_t number_of(const std::vector<std::string>& chips, const std::string& name,
                        const ConfigNode& node, std::string_view key) {
  const auto at = std::find(chips.begin(), chips.end(), name);
  if (at == chips.end()) {
    const std::vector<std::string_view> names(chips.begin(), chips.end());
    node.fail(key, fmt::format("no such chip '{}'{}", name, did_you_mean(name, names)));
  }
  return static_cast<std::uint32_t>(at - chips.begin());
}

/// Modules are called host0, nic0 and link0: chips may not be.
bool is_module_name(std::string_view name) {
  for (const std::string_view prefix : {"host", "nic", "link"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void read_chip_names(ConfigNode& node, TopologyParams& topology) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  topology.chip_names = node.get_strings("chips");
  if (topology.chip_names.empty()) node.fail("chips", "none, expected one or more names");
  for (const std::string& name : topology.chip_names) {
    if (name.empty() || name.find_first_not_of(kLetters) != std::string::npos ||
        kLetters.substr(0, 52).find(name.front()) == std::string_view::npos ||
        is_module_name(name)) {
      node.fail("chips", fmt::format("'{}', expected a letter, then letters, digits and _, and not "
                                     "the name of a host, NIC or link",
                                     name));
    }
    if (std::count(topology.chip_names.begin(), topology.chip_names.end(), name) > 1) {
      node.fail("chips", fmt::format("'{}' twice", name));
    }
  }
}

void read_links(ConfigNode& node, TopologyParams& topology) {
  for (ConfigNode* entry : node.list_of_maps("links")) {
    const std::vector<std::string> between = entry->get_strings("between");
    if (between.size() != 2 || between[0] == between[1]) {
      entry->fail("between", "expected the names of two chips");
    }
    GraphLink& link = topology.links.emplace_back();
    link.a = number_of(topology.chip_names, between[0], *entry, "between");
    link.b = number_of(topology.chip_names, between[1], *entry, "between");
    link.count = static_cast<std::uint32_t>(entry->get_u64("count", {1, 512}, 1));
    if (entry->has("rate")) link.rate = entry->get_rate("rate", {1e9, 1.6e12});
    if (link.rate.value % 1'000'000'000 != 0) entry->fail("rate", "expected whole Gb/s");
    if (entry->has("length")) link.length = entry->get_length("length", {0, 1e8});
  }
}

/// `routes: {s0: {host3: [s1]}}`: what s0 has for host 3 goes to s1.
void read_routes(ConfigNode& node, TopologyParams& topology) {
  const std::uint32_t hosts =
      std::accumulate(topology.hosts_of_chip.begin(), topology.hosts_of_chip.end(), 0U);
  for (const std::string& chip : node.keys()) {
    const std::uint32_t from = number_of(topology.chip_names, chip, node, chip);
    ConfigNode& entries = node.map(chip);
    for (const std::string& host : entries.keys()) {
      StaticRoute route{from, hosts, {}};
      if (host.starts_with("host") && host.size() > 4 && host.size() < 10 &&
          host.find_first_not_of("0123456789", 4) == std::string::npos) {
        route.host = static_cast<std::uint32_t>(std::stoul(host.substr(4)));
      }
      if (route.host >= hosts) {
        entries.fail(host, fmt::format("no such host, expected host0 to host{}", hosts - 1));
      }
      for (const std::string& next : entries.get_strings(host)) {
        route.next.push_back(number_of(topology.chip_names, next, entries, host));
        const bool linked =
            std::any_of(topology.links.begin(), topology.links.end(), [&](const GraphLink& link) {
              return (link.a == from && link.b == route.next.back()) ||
                     (link.b == from && link.a == route.next.back());
            });
        if (!linked) entries.fail(host, fmt::format("{} has no link to '{}'", chip, next));
      }
      topology.routes.push_back(std::move(route));
    }
  }
}

void read_graph(ConfigNode& node, TopologyParams& topology) {
  read_chip_names(node, topology);
  topology.hosts_of_chip.assign(topology.chip_names.size(), 0);
  ConfigNode& hosts = node.require_map("hosts");
  for (const std::string& chip : hosts.keys()) {
    topology.hosts_of_chip[number_of(topology.chip_names, chip, hosts, chip)] =
        static_cast<std::uint32_t>(hosts.get_u64(chip, {0, 512}));
  }
  if (std::accumulate(topology.hosts_of_chip.begin(), topology.hosts_of_chip.end(), 0U) == 0) {
    node.fail("hosts", "none");
  }
  read_links(node, topology);
  read_routes(node.map("routes"), topology);
}

/// A host a port. Their number follows from the cages; a count beside it has to agree.
void read_cages(ConfigNode& node, TopologyParams& topology, std::vector<Breakout>& cages) {
  try {
    cages = parse_cages(node.get_strings("cages"));
  } catch (const ConfigError& error) {
    const std::string_view text = error.what();
    constexpr std::string_view kKey = "cages: ";
    if (!text.starts_with(kKey)) throw;
    node.fail("cages", std::string(text.substr(kKey.size())));
  }
  for (const Breakout& cage : cages) {
    topology.cage_ports.insert(topology.cage_ports.end(), cage.ports, {cage.rate, 1});
  }
  topology.hosts = static_cast<std::uint32_t>(topology.cage_ports.size());
  if (topology.hosts == 0) node.fail("cages", "none");
  if (node.has("hosts") && node.get_u64("hosts", kCountRange) != topology.hosts) {
    node.fail("hosts", fmt::format("the cages have {} ports, a host each", topology.hosts));
  }
}

}  // namespace

void read_topology(ConfigNode& node, TopologyParams& topology, LinkParams& link,
                   std::vector<Breakout>& cages) {
  topology.type = static_cast<FabricType>(node.get_choice("type", kTypes));
  const auto count = [&node](std::string_view key) {
    return static_cast<std::uint32_t>(node.get_u64(key, kCountRange));
  };
  if (topology.type != FabricType::kGraph) {
    topology.planes = static_cast<std::uint32_t>(node.get_u64("planes", {1, 4}, 1));
  }
  if (topology.type == FabricType::kGraph) {
    read_graph(node, topology);
  } else if (topology.type == FabricType::kLeafSpine) {
    topology.leaves = count("leaves");
    topology.spines = count("spines");
    topology.hosts_per_leaf = count("hosts_per_leaf");
    topology.links_per_spine =
        static_cast<std::uint32_t>(node.get_u64("links_per_spine", {1, 64}, 1));
  } else if (node.has("cages")) {
    if (topology.planes != 1) node.fail("planes", "with cages a fabric has one plane");
    read_cages(node, topology, cages);
  } else {
    topology.hosts = count("hosts");
  }
  ConfigNode& section = node.map("link");
  if (!cages.empty() && section.has("rate")) {
    section.fail("rate", "has no effect with cages, which say the rate of each port");
  }
  section.bind(link);
  for (const CagePort& port : topology.cage_ports) {
    if (&port == &topology.cage_ports.front() || port.rate > link.rate) link.rate = port.rate;
  }
}

}  // namespace sluice
