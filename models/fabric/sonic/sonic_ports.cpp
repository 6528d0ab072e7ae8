// SPDX-License-Identifier: Apache-2.0
// PORT and CABLE_LENGTH, the order of front ports, and keys that name ports.
// Leaves out: buffers and classification.
#include <fmt/format.h>

#include <algorithm>

#include "config/config_value.h"
#include "fabric/sonic/sonic_parser.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMostMbps = 100'000'000;
constexpr std::uint32_t kMostLane = 65535;
constexpr std::uint32_t kMostQueue = 63;
constexpr std::size_t kMostPorts = 4096;

bool is_global(std::string_view name) { return name == "global" || name == "GLOBAL"; }

/// Number of a queue or group in a key.
std::uint32_t key_number(const SonicRow& row, const std::string& text) {
  const bool digits =
      !text.empty() && text.size() <= 3 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const unsigned long value = digits ? std::stoul(text) : kMostQueue + 1;
  if (value > kMostQueue) {
    row.fail(fmt::format("'{}' in the key, expected a number or a range n-m up to {}",
                         one_line(text), kMostQueue));
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

void SonicParser::read_ports() {
  for (const SonicRow& row : tables_.rows("PORT")) {
    SonicPort port;
    port.name = row.key();
    port.where = row.name();
    if (row.text("lanes") != nullptr) {
      port.lanes = row.numbers("lanes", kMostLane);
      if (port.lanes.empty()) row.fail("lanes", "lane numbers with commas between");
    }
    port.speed_mbps = row.number("speed", 1, kMostMbps);
    port.index = row.number("index", 0, UINT32_MAX);
    const std::optional<std::size_t> admin = row.choice("admin_status", {"up", "down"});
    port.up = !admin || *admin == 0;
    config_.ports.push_back(std::move(port));
  }
  if (config_.ports.empty()) find_unlisted_ports();
  if (config_.ports.size() > kMostPorts) {
    throw ConfigError(fmt::format("{}: {} ports, expected at most {}", tables_.first_file(),
                                  config_.ports.size(), kMostPorts));
  }
  refuse_shared_lanes();
  sort_ports();
  for (std::size_t i = 0; i < config_.ports.size(); ++i) port_index_[config_.ports[i].name] = i;
}

/// Files without PORT name ports in keys; such a port has neither lanes nor a speed.
void SonicParser::find_unlisted_ports() {
  std::set<std::string> seen;
  for (const std::string_view table : {"BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"}) {
    for (const SonicRow& row : tables_.rows(table)) {
      if (std::count(row.key().begin(), row.key().end(), '|') > 1) continue;  // refused by target()
      for (const std::string& name : split(row.key().substr(0, row.key().find('|')), ',')) {
        if (is_global(name) || name == "CPU" || !seen.insert(name).second) continue;
        SonicPort port;
        port.name = name;
        port.where = row.name();
        config_.ports.push_back(std::move(port));
      }
    }
  }
  if (!config_.ports.empty()) {
    tables_.note(
        fmt::format("no PORT table: {} ports without lanes, of whatever speed the fabric "
                    "has",
                    config_.ports.size()));
  }
}

void SonicParser::refuse_shared_lanes() const {
  std::map<std::uint32_t, const SonicPort*> owner;
  for (const SonicPort& port : config_.ports) {
    for (const std::uint32_t lane : port.lanes) {
      const auto [at, added] = owner.emplace(lane, &port);
      if (!added) {
        throw ConfigError(fmt::format("{} lanes: lane {} is used by {} already", port.where, lane,
                                      one_line(at->second->name)));
      }
    }
  }
}

void SonicParser::sort_ports() {
  const bool indexed = std::all_of(config_.ports.begin(), config_.ports.end(),
                                   [](const SonicPort& port) { return port.index.has_value(); });
  std::stable_sort(config_.ports.begin(), config_.ports.end(),
                   [indexed](const SonicPort& a, const SonicPort& b) {
                     if (indexed && *a.index != *b.index) return *a.index < *b.index;
                     return natural_less(a.name, b.name);
                   });
}

void SonicParser::read_cables() {
  for (const SonicRow& row : tables_.rows("CABLE_LENGTH")) {
    for (SonicPort& port : config_.ports) {
      const std::string* const length = row.text(port.name);
      if (length == nullptr) continue;
      const std::string_view digits = std::string_view(*length).substr(0, length->size() - 1);
      const bool fits = length->size() > 1 && length->back() == 'm' &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos;
      if (!fits) row.fail(port.name, "a length in metres such as 5m");
      port.cable = *length;
    }
  }
}

std::vector<std::size_t> SonicParser::ports_of(const SonicRow& row, const std::string& list,
                                               bool must_exist) {
  std::vector<std::size_t> ports;
  for (const std::string& name : split(list, ',')) {
    const auto at = port_index_.find(name);
    if (at != port_index_.end()) {
      ports.push_back(at->second);
    } else if (must_exist && name != "CPU") {
      row.fail(fmt::format("no port '{}' in PORT", one_line(name)));
    } else {
      tables_.note(fmt::format("{}: no such port, not used", row.name()));
    }
  }
  return ports;
}

auto SonicParser::target(const SonicRow& row, bool must_exist) -> Target {
  const std::vector<std::string> parts = split(row.key(), '|');
  if (parts.size() > 2) {
    row.fail("a key of a VOQ chassis (host|asic|port|queue), expected port|queue of one switch");
  }
  if (parts.size() != 2) row.fail("expected a key port|number or port|first-last");
  Target target;
  const std::size_t dash = parts[1].find('-');
  target.first = key_number(row, parts[1].substr(0, dash));
  target.last =
      dash == std::string::npos ? target.first : key_number(row, parts[1].substr(dash + 1));
  if (target.first > target.last) row.fail("range in the key, expected the smaller number first");
  target.ports = ports_of(row, parts[0], must_exist);
  return target;
}

}  // namespace sluice
