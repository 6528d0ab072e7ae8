// SPDX-License-Identifier: Apache-2.0
// WRED_PROFILE, SCHEDULER, QUEUE, the maps of PORT_QOS_MAP, and PFC_WD.
// Leaves out: buffers, and which groups are lossless.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "config/config_value.h"
#include "fabric/sonic/sonic_parser.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

/// ECN modes that mark green packets; all traffic of the model is green.
bool marks_green(const SonicRow& row) {
  static const std::vector<std::string_view> kModes{
      "ecn_none",         "ecn_green",     "ecn_yellow",     "ecn_red",
      "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all"};
  const std::size_t mode = row.choice("ecn", kModes).value_or(0);
  return mode == 1 || mode == 4 || mode == 5 || mode == 7;
}

bool is_true(const SonicRow& row, std::string_view field) {
  return row.choice(field, {"false", "true"}).value_or(0) == 1;
}

/// A map as a list; keys that it leaves out go to 0, or to themselves.
std::vector<std::uint32_t> entries_of(const SonicRow& row, std::size_t entries, bool identity) {
  std::vector<std::uint32_t> map(entries, 0);
  if (identity) std::iota(map.begin(), map.end(), 0u);
  for (std::size_t i = 0; i < entries; ++i) {
    const auto value = row.number(std::to_string(i), 0, kSonicClasses - 1);
    if (value) map[i] = static_cast<std::uint32_t>(*value);
  }
  return map;
}

}  // namespace

void SonicParser::read_wreds() {
  for (const SonicRow& row : tables_.rows("WRED_PROFILE")) {
    for (const std::string_view colour : {"green", "yellow", "red"}) {
      const std::string low = fmt::format("{}_min_threshold", colour);
      const std::string high = fmt::format("{}_max_threshold", colour);
      const auto min = row.number(low, 0, kMostBytes);
      const auto max = row.number(high, 0, kMostBytes);
      if (min && max && *min > *max) {
        row.fail(low, fmt::format("at most {} {}", high, *max));
      }
      const auto percent = row.number(fmt::format("{}_drop_probability", colour), 0, 100);
      const bool drops = is_true(row, fmt::format("wred_{}_enable", colour));
      if (colour != "green") {
        if (min || max || percent || drops) {
          tables_.note(
              fmt::format("{}: {} is not used, all packets are green", row.name(), colour));
        }
        continue;
      }
      SonicWred wred;
      wred.name = row.key();
      wred.marks = marks_green(row);
      wred.drops = drops;
      if ((wred.marks || wred.drops) && (!min || !max)) {
        row.fail(min ? high : low, "a threshold in bytes, as green is marked or dropped");
      }
      wred.min = Bytes{min.value_or(0)};
      wred.max = Bytes{max.value_or(0)};
      wred.percent = static_cast<std::uint32_t>(percent.value_or(100));
      if (wred.drops && !wred.marks) {
        tables_.note(
            fmt::format("{}: drops without marking (ecn_none) are not modelled", row.name()));
      }
      wred_index_[wred.name] = config_.wreds.size();
      config_.wreds.push_back(std::move(wred));
    }
  }
}

void SonicParser::read_schedulers() {
  for (const SonicRow& row : tables_.rows("SCHEDULER")) {
    SonicScheduler scheduler;
    scheduler.name = row.key();
    const auto type = row.choice("type", {"DWRR", "WRR", "STRICT"});
    const auto weight = row.number("weight", 1, 100);
    scheduler.strict = type == 2;
    scheduler.weight = static_cast<std::uint32_t>(weight.value_or(1));
    if (scheduler.strict && weight) {
      tables_.note(fmt::format("{}: STRICT, its weight is not used", row.name()));
    }
    if (type == 1) tables_.note(fmt::format("{}: WRR, taken as DWRR", row.name()));
    scheduler_index_[scheduler.name] = config_.schedulers.size();
    config_.schedulers.push_back(std::move(scheduler));
  }
}

void SonicParser::read_queue_bindings() {
  config_.has_queue_rows = tables_.has("QUEUE");
  for (const SonicRow& row : tables_.rows("QUEUE")) {
    const Target target = this->target(row, false);
    const auto find = [&row](std::string_view field, const Names& names,
                             std::string_view table) -> std::optional<std::size_t> {
      const std::optional<std::string> name = row.reference(field);
      if (!name) return std::nullopt;
      const auto at = names.find(*name);
      if (at == names.end()) {
        row.fail(field, fmt::format("the name of a {} that a file has", table));
      }
      return at->second;
    };
    const auto scheduler = find("scheduler", scheduler_index_, "SCHEDULER");
    const auto wred = find("wred_profile", wred_index_, "WRED_PROFILE");
    if (target.last >= kSonicClasses) {
      tables_.note(fmt::format("{}: queues above 7 are not used", row.name()));
    }
    for (const std::size_t port : target.ports) {
      for (std::uint32_t q = target.first; q <= target.last && q < kSonicClasses; ++q) {
        if (scheduler) config_.ports[port].scheduler[q] = scheduler;
        if (wred) config_.ports[port].wred[q] = wred;
      }
    }
  }
}

/// The map that a port's row names, or the global row; nothing when no file has the table.
std::optional<std::vector<std::uint32_t>> SonicParser::map_of(const SonicRow* row,
                                                              const SonicRow* global,
                                                              std::string_view field,
                                                              std::string_view table,
                                                              std::size_t entries, bool identity) {
  std::optional<std::string> name;
  const SonicRow* from = row;
  if (row != nullptr) name = row->reference(field);
  if (!name && global != nullptr) {
    name = global->reference(field);
    from = global;
  }
  if (!tables_.has(table)) {
    if (name && unlisted_.insert(std::string(table)).second) {
      tables_.note(
          fmt::format("PORT_QOS_MAP {}: no file has {}, the chip's own map is used", field, table));
    }
    return std::nullopt;
  }
  if (!name) {
    std::vector<std::uint32_t> unbound(entries, 0);
    if (identity) std::iota(unbound.begin(), unbound.end(), 0u);
    return unbound;
  }
  const SonicRow* const map = tables_.find(table, *name);
  if (map == nullptr) from->fail(field, fmt::format("the name of a {} that a file has", table));
  return entries_of(*map, entries, identity);
}

void SonicParser::bind_maps(const SonicRow* row, const SonicRow* global, SonicMaps& maps) {
  maps.dscp_to_tc = map_of(row, global, "dscp_to_tc_map", "DSCP_TO_TC_MAP", 64, false);
  maps.dot1p_to_tc = map_of(row, global, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP", 8, false);
  maps.tc_to_pg = map_of(row, global, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", 8, false);
  maps.tc_to_queue = map_of(row, global, "tc_to_queue_map", "TC_TO_QUEUE_MAP", 8, true);
  maps.pfc_to_queue = map_of(row, global, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", 8, true);
}

void SonicParser::read_port_maps() {
  config_.has_maps_of_ports = tables_.has("PORT_QOS_MAP");
  // Every map is read, bound or not: a wrong entry is wrong.
  const std::vector<std::pair<std::string_view, std::size_t>> tables{
      {"DSCP_TO_TC_MAP", 64},
      {"DOT1P_TO_TC_MAP", 8},
      {"TC_TO_PRIORITY_GROUP_MAP", 8},
      {"TC_TO_QUEUE_MAP", 8},
      {"MAP_PFC_PRIORITY_TO_QUEUE", 8}};
  for (const auto& [table, entries] : tables) {
    for (const SonicRow& row : tables_.rows(table)) entries_of(row, entries, false);
    if (!config_.has_maps_of_ports && tables_.has(table)) {
      tables_.note(fmt::format("{}: not used, no PORT_QOS_MAP binds it", table));
    }
  }
  if (!config_.has_maps_of_ports) return;
  const SonicRow* global = tables_.find("PORT_QOS_MAP", "global");
  if (global == nullptr) global = tables_.find("PORT_QOS_MAP", "GLOBAL");
  std::map<std::size_t, const SonicRow*> row_of;
  for (const SonicRow& row : tables_.rows("PORT_QOS_MAP")) {
    if (&row == global) continue;
    std::uint8_t mask = 0;
    for (const std::uint32_t priority : row.numbers("pfc_enable", kSonicClasses - 1)) {
      mask = static_cast<std::uint8_t>(mask | 1u << priority);
    }
    const bool watched = !row.numbers("pfcwd_sw_enable", kSonicClasses - 1).empty();
    if (watched && !tables_.has("PFC_WD") && unlisted_.insert("pfcwd").second) {
      tables_.note("PORT_QOS_MAP pfcwd_sw_enable: no file has PFC_WD, the watchdog stays as it is");
    }
    for (const std::size_t port : ports_of(row, row.key(), false)) {
      if (!row_of.emplace(port, &row).second) row.fail("the port has a row already");
      pfc_enable_[config_.ports[port].name] = mask;
    }
  }
  for (std::size_t port = 0; port < config_.ports.size(); ++port) {
    const auto at = row_of.find(port);
    bind_maps(at == row_of.end() ? nullptr : at->second, global, config_.ports[port].maps);
  }
}

void SonicParser::read_watchdogs() {
  constexpr std::uint64_t kMillisecond = 1'000'000'000;
  constexpr std::uint64_t kPoll = 200;  // ms, where no row says otherwise
  std::optional<std::uint64_t> poll;
  for (const SonicRow& row : tables_.rows("PFC_WD")) {
    if (row.key() == "GLOBAL") poll = row.number("POLL_INTERVAL", 1, 5000);
  }
  for (const SonicRow& row : tables_.rows("PFC_WD")) {
    if (row.key() == "GLOBAL") continue;
    const std::uint64_t detection = row.require_number("detection_time", 1, 5000);
    const std::uint64_t restoration = row.number("restoration_time", 1, 60000).value_or(detection);
    if (poll && *poll > detection) {
      row.fail("detection_time", fmt::format("at least the POLL_INTERVAL of {} ms", *poll));
    }
    WatchdogParams watchdog;
    watchdog.enabled = true;
    watchdog.detection_time = Ps{detection * kMillisecond};
    watchdog.restoration_time = Ps{restoration * kMillisecond};
    watchdog.poll_interval = Ps{std::min(poll.value_or(kPoll), detection) * kMillisecond};
    watchdog.action =
        static_cast<WatchdogAction>(row.choice("action", {"drop", "forward", "alert"}).value_or(0));
    for (const std::size_t port : ports_of(row, row.key(), false)) {
      config_.ports[port].watchdog = watchdog;
    }
  }
}

}  // namespace sluice
