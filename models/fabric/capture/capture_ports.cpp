// SPDX-License-Identifier: Apache-2.0
#include "fabric/capture/capture_ports.h"

#include <algorithm>

#include "config/units.h"
#include "kernel/error.h"

namespace sluice {
namespace {

/// As the list spells it: without "fabric.", and hosts by the name that their ports have.
std::string spelled(std::string_view word, const std::vector<CapturePort>& ports) {
  constexpr std::string_view kTop = "fabric.";
  if (word.starts_with(kTop)) word.remove_prefix(kTop.size());
  const auto known = [&](const std::string& name) {
    return std::any_of(ports.begin(), ports.end(),
                       [&](const CapturePort& port) { return port.name == name; });
  };
  for (const auto& [mine, theirs] :
       {std::pair<std::string_view, std::string_view>{"host", "nic"},
        std::pair<std::string_view, std::string_view>{"nic", "host"}}) {
    if (!word.starts_with(mine)) continue;
    std::string other = fmt::format("{}{}", theirs, word.substr(mine.size()));
    if (known(other)) return other;
  }
  return std::string(word);
}

[[noreturn]] void refuse(std::string_view word, const std::vector<CapturePort>& ports) {
  std::vector<std::string_view> names;
  names.reserve(ports.size());
  for (const CapturePort& port : ports) names.push_back(port.name);
  throw ConfigError(
      fmt::format("--capture: no port is called '{}'{}; expected all, or ports as counters.csv "
                  "names them, from {} to {}, with commas between",
                  word, did_you_mean(word, names), names.front(), names.back()));
}

}  // namespace

std::vector<CapturePort> ports_of(const Topology& topology, std::string_view endpoint_name,
                                  const std::vector<std::uint32_t>& endpoint_ports,
                                  const std::vector<BitsPerSecond>& cable_rates) {
  std::vector<CapturePort> ports;
  std::vector<std::size_t> first_of_chip, first_of_endpoint;
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    first_of_chip.push_back(ports.size());
    for (std::uint32_t port = 0; port < topology.chip_ports[chip]; ++port) {
      ports.push_back(
          {fmt::format("{}.port{}", topology.chip_names[chip], port), {true, chip, port}, {}});
    }
  }
  for (std::uint32_t endpoint = 0; endpoint < topology.endpoints; ++endpoint) {
    first_of_endpoint.push_back(ports.size());
    for (std::uint32_t port = 0; port < endpoint_ports[endpoint]; ++port) {
      ports.push_back(
          {fmt::format("{}{}.port{}", endpoint_name, endpoint, port), {false, endpoint, port}, {}});
    }
  }
  for (std::size_t cable = 0; cable < topology.cables.size(); ++cable) {
    for (const PortRef& end : {topology.cables[cable].a, topology.cables[cable].b}) {
      const auto& first = end.is_chip ? first_of_chip : first_of_endpoint;
      ports[first[end.node] + end.port].rate = cable_rates[cable];
    }
  }
  return ports;
}

std::vector<CapturePort> select_ports(const std::vector<CapturePort>& ports,
                                      const std::string& wanted) {
  if (wanted == "all") return ports;
  std::vector<bool> chosen(ports.size());
  for (std::size_t start = 0; start <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', start), wanted.size());
    const std::string_view word = std::string_view(wanted).substr(start, end - start);
    const std::string name = spelled(word, ports);
    const auto at = std::find_if(ports.begin(), ports.end(),
                                 [&](const CapturePort& port) { return port.name == name; });
    if (at == ports.end()) refuse(word, ports);
    chosen[static_cast<std::size_t>(at - ports.begin())] = true;
    start = end + 1;
  }
  std::vector<CapturePort> selected;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (chosen[i]) selected.push_back(ports[i]);
  }
  return selected;
}

}  // namespace sluice
