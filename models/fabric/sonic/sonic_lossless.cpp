// SPDX-License-Identifier: Apache-2.0
// Which priority groups are lossless, and the headroom of those without a BUFFER_PG row, which the
// switch takes from pg_profile_lookup.ini by port speed and cable; and the whole import in order.
// Leaves out: the chip.
#include <fmt/format.h>

#include <algorithm>

#include "config/config_value.h"
#include "fabric/sonic/sonic_parser.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::string_view kLookup = "PG_PROFILE_LOOKUP";
constexpr std::string_view kLosslessPool = "ingress_lossless_pool";  // of all looked-up profiles
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;

}  // namespace

void SonicParser::read_settings() {
  const SonicRow* const row = tables_.find("SAI_PROFILE", "SAI_KEY_DISABLE_PORT_ALPHA");
  if (row != nullptr) config_.port_alpha = row->require_number("value", 0, 1) == 0;
  for (const SonicRow& other : tables_.rows("SAI_PROFILE")) {
    if (&other != row) tables_.note(fmt::format("{}: not used", other.name()));
    other.text("value");
  }
}

/// Every line of the table is read, so that a wrong one is refused whether it is used or not.
void SonicParser::read_lookup() {
  for (const SonicRow& row : tables_.rows(kLookup)) {
    row.require_number("speed", 1, UINT32_MAX);
    row.require_text("cable");
    for (const std::string_view field : {"size", "xon", "xoff"}) {
      row.require_number(field, 0, kMostBytes);
    }
    row.number("xon_offset", 0, kMostBytes);
    if (!row.signed_number("threshold", -8, 7)) row.fail("threshold", "an exponent of 2 in -8..7");
  }
}

/// Index of the profile that SONiC would make for the port's speed and cable.
std::size_t SonicParser::lookup_profile(const SonicPort& port, const std::string& why) {
  if (!tables_.has(kLookup)) {
    throw ConfigError(fmt::format("{}, expected one or a pg_profile_lookup.ini", why));
  }
  if (!port.speed_mbps) {
    throw ConfigError(
        fmt::format("{}, and {} has no speed in PORT to look it up", why, one_line(port.name)));
  }
  if (!port.cable) {
    throw ConfigError(
        fmt::format("{}, and {} has no CABLE_LENGTH to look it up", why, one_line(port.name)));
  }
  const std::string name = fmt::format("pg_lossless_{}_{}_profile", *port.speed_mbps, *port.cable);
  if (const auto at = profile_index_.find(name); at != profile_index_.end()) return at->second;
  const SonicRow* const row =
      tables_.find(kLookup, fmt::format("{}|{}", *port.speed_mbps, *port.cable));
  if (row == nullptr) {
    throw ConfigError(
        fmt::format("{}, and pg_profile_lookup.ini has no line for speed {} and "
                    "cable {}",
                    why, *port.speed_mbps, one_line(*port.cable)));
  }
  const auto pool = pool_index_.find(kLosslessPool);
  if (pool == pool_index_.end()) row->fail("needs a BUFFER_POOL 'ingress_lossless_pool'");
  SonicProfile profile;
  profile.name = name;
  profile.where = row->name();
  profile.pool = pool->second;
  profile.size = Bytes{row->require_number("size", 0, kMostBytes)};
  profile.dynamic_th = static_cast<std::int32_t>(*row->signed_number("threshold", -8, 7));
  profile.xoff = Bytes{row->require_number("xoff", 0, kMostBytes)};
  profile.xon = Bytes{row->require_number("xon", 0, kMostBytes)};
  profile.xon_offset = Bytes{row->number("xon_offset", 0, kMostBytes).value_or(0)};
  profile_index_[name] = config_.profiles.size();
  config_.profiles.push_back(std::move(profile));
  return config_.profiles.size() - 1;
}

void SonicParser::make_lossless(std::size_t index, std::uint32_t priority, const SonicRow* row) {
  SonicPort& port = config_.ports[index];
  const std::string where = row != nullptr ? row->name() : port.where;
  if (port.maps.tc_to_pg && (*port.maps.tc_to_pg)[priority] != priority) {
    throw ConfigError(
        fmt::format("{} pfc_enable '{}': TC_TO_PRIORITY_GROUP_MAP puts traffic class {} into "
                    "priority group {}, "
                    "expected {}, as a group pauses the priority of its number",
                    where, priority, priority, (*port.maps.tc_to_pg)[priority], priority));
  }
  port.lossless = static_cast<std::uint8_t>(port.lossless | 1u << priority);
  if (!config_.has_buffers) return;  // the chip's own
  if (!port.pg[priority]) {
    port.pg[priority] =
        lookup_profile(port, fmt::format("{} pfc_enable '{}': BUFFER_PG has no profile for {}|{}",
                                         where, priority, one_line(port.name), priority));
  }
  const SonicProfile& profile = config_.profiles[*port.pg[priority]];
  if (!profile.xoff) {
    throw ConfigError(
        fmt::format("{} pfc_enable '{}': profile {} has no xoff, expected headroom "
                    "for a lossless priority group",
                    where, priority, one_line(profile.name)));
  }
}

void SonicParser::find_lossless_groups() {
  for (std::size_t i = 0; i < config_.ports.size(); ++i) {
    SonicPort& port = config_.ports[i];
    std::uint8_t mask = 0;
    std::uint8_t with_headroom = 0;
    for (std::uint32_t pg = 0; pg < kSonicClasses; ++pg) {
      if (port.pg[pg] && config_.profiles[*port.pg[pg]].xoff) {
        with_headroom = static_cast<std::uint8_t>(with_headroom | 1u << pg);
      }
    }
    const SonicRow* row = nullptr;
    if (config_.has_maps_of_ports) {
      const auto at = pfc_enable_.find(port.name);
      if (at != pfc_enable_.end()) mask = at->second.value_or(0);
      row = tables_.find("PORT_QOS_MAP", port.name);
      if ((with_headroom & ~mask) != 0) {
        tables_.note(
            fmt::format("{}: headroom of a BUFFER_PG without pfc_enable is not used", port.where));
      }
    } else {
      mask = with_headroom;
    }
    for (std::uint32_t p = 0; p < kSonicClasses; ++p) {
      if ((mask >> p & 1) != 0) make_lossless(i, p, row);
    }
  }
  refuse_unknown_lossless();
}

/// Rendered buffer files leave the lossless rows to the switch: taken alone they would describe a
/// lossy switch, which they are not.
void SonicParser::refuse_unknown_lossless() const {
  const auto lossless = [](const SonicPort& port) { return port.lossless != 0; };
  if (std::any_of(config_.ports.begin(), config_.ports.end(), lossless)) return;
  if (!config_.has_buffers || config_.ports.empty() || config_.has_maps_of_ports) {
    return tables_.note("no priority group is lossless: no port has pfc_enable");
  }
  if (computed_ != nullptr) {
    computed_->fail("profile",
                    "the name of a BUFFER_PROFILE, or pfc_enable and a pg_profile_lookup.ini: the "
                    "dynamic buffer model is the switch's own");
  }
  throw ConfigError(fmt::format(
      "{}: BUFFER_PG has no row with headroom and no file has PORT_QOS_MAP: which priority groups "
      "are lossless? expected pfc_enable and a pg_profile_lookup.ini beside it",
      one_line(tables_.first_file())));
}

SonicConfig SonicParser::parse() {
  config_.source = tables_.first_file();
  read_ports();
  read_cables();
  read_pools();
  read_profiles();
  read_groups();
  read_queues();
  read_profile_lists();
  read_wreds();
  read_schedulers();
  read_queue_bindings();
  read_port_maps();
  read_watchdogs();
  read_lookup();
  read_settings();
  find_lossless_groups();
  config_.notes = tables_.notes();
  config_.digest = tables_.digest();
  return std::move(config_);
}

SonicConfig read_sonic(const std::vector<std::filesystem::path>& paths) {
  SonicTables tables;
  for (const std::filesystem::path& path : paths) tables.read(path);
  return SonicParser(tables).parse();
}

}  // namespace sluice
