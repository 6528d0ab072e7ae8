// SPDX-License-Identifier: Apache-2.0
#include "fabric/failure_spec.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "kernel/error.h"

namespace sluice {
namespace {

std::optional<std::uint32_t> find_chip(const Topology& topology, std::string_view name) {
  const auto at = std::find(topology.chip_names.begin(), topology.chip_names.end(), name);
  if (at == topology.chip_names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - topology.chip_names.begin());
}

std::optional<std::uint32_t> port_number(std::string_view text) {
  constexpr std::string_view kPrefix = "port";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_end(const PortRef& end, std::uint32_t chip) { return end.is_chip && end.node == chip; }

std::uint32_t cable_at(const Topology& topology, std::uint32_t chip, std::uint32_t port,
                       std::string_view name) {
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i) {
    for (const PortRef& end : {topology.cables[i].a, topology.cables[i].b}) {
      if (is_end(end, chip) && end.port == port) return i;
    }
  }
  throw ConfigError(fmt::format("{}: {} has ports 0 to {}", name, topology.chip_names[chip],
                                topology.chip_ports[chip] - 1));
}

std::uint32_t cable_between(const Topology& topology, std::uint32_t a, std::uint32_t b,
                            std::string_view name) {
  std::vector<std::uint32_t> found;
  std::string ports;
  for (std::uint32_t i = 0; i < topology.cables.size(); ++i) {
    const Cable& cable = topology.cables[i];
    const bool forward = is_end(cable.a, a) && is_end(cable.b, b);
    if (!forward && !(is_end(cable.a, b) && is_end(cable.b, a))) continue;
    found.push_back(i);
    const PortRef& end = forward ? cable.a : cable.b;
    ports +=
        fmt::format("{}{}.port{}", ports.empty() ? "" : ", ", topology.chip_names[a], end.port);
  }
  if (found.empty()) throw ConfigError(fmt::format("{}: no cable joins these chips", name));
  if (found.size() > 1) {
    throw ConfigError(
        fmt::format("{}: {} cables join these chips; name one of {}", name, found.size(), ports));
  }
  return found.front();
}

}  // namespace

std::uint32_t find_cable(const Topology& topology, std::string_view name) {
  const std::size_t dot = name.find('.');
  const auto chip = find_chip(topology, name.substr(0, dot));
  if (dot != std::string_view::npos && chip) {
    const std::string_view other = name.substr(dot + 1);
    if (const auto port = port_number(other)) return cable_at(topology, *chip, *port, name);
    if (const auto peer = find_chip(topology, other)) {
      return cable_between(topology, *chip, *peer, name);
    }
  }
  throw ConfigError(fmt::format("{}: expected CHIP.CHIP or CHIP.portN, the chips here are {} to {}",
                                name, topology.chip_names.front(), topology.chip_names.back()));
}

std::string name_of(const Topology& topology, const Cable& cable) {
  const PortRef& end = cable.a.is_chip ? cable.a : cable.b;
  return fmt::format("{}.port{}", topology.chip_names[end.node], end.port);
}

std::vector<LinkFailure> read_failures(ConfigNode& root, const Topology& topology) {
  std::vector<LinkFailure> failures;
  for (ConfigNode* node : root.list_of_maps("failures")) {
    LinkFailure failure;
    try {
      failure.cable = find_cable(topology, node->get_string("link"));
    } catch (const ConfigError& error) {
      if (!node->has("link")) throw;
      node->fail("link", error.what());
    }
    failure.at = node->get_time("at", {}, Ps{});
    failure.until = node->get_time("until", {}, kNever);
    if (failure.until <= failure.at) node->fail("until", "not later than at");
    for (const LinkFailure& other : failures) {
      if (other.cable == failure.cable && failure.at < other.until && other.at < failure.until) {
        node->fail("link", fmt::format("{} is down already at that time",
                                       name_of(topology, topology.cables[failure.cable])));
      }
    }
    failures.push_back(failure);
  }
  std::sort(failures.begin(), failures.end(), [](const LinkFailure& a, const LinkFailure& b) {
    return a.cable != b.cable ? a.cable < b.cable : a.at < b.at;
  });
  return failures;
}

}  // namespace sluice
