// SPDX-License-Identifier: Apache-2.0
// See sonic_import.h.
#include "fabric/sonic/sonic_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fabric/sonic/apply_sonic.h"
#include "kernel/random.h"

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;

constexpr std::string_view kKey = "sonic";

/// Paths under a `sonic` key: one, or a list of them.
std::vector<const ConfigValue*> path_values(const ConfigValue& value) {
  std::vector<const ConfigValue*> paths;
  if (value.kind == Kind::kScalar) paths.push_back(&value);
  if (value.kind == Kind::kList) {
    for (const ConfigValue& item : value.items) paths.push_back(&item);
  }
  const bool fits = std::all_of(paths.begin(), paths.end(), [](const ConfigValue* path) {
    return path->kind == Kind::kScalar && !path->scalar.empty();
  });
  if (paths.empty() || !fits) {
    throw ConfigError(fmt::format("{}: {}: {}, expected a path or a list of paths", value.origin,
                                  value.path, value.description()));
  }
  return paths;
}

/// Relative to the file that has it, or to the working directory when the command line has it.
std::filesystem::path resolved(const ConfigValue& value) {
  const std::filesystem::path path(value.scalar);
  if (path.is_absolute()) return path;
  std::filesystem::path base;
  if (!value.origin.starts_with("--")) {
    base = std::filesystem::path(value.origin.substr(0, value.origin.rfind(':'))).parent_path();
  }
  return (base / path).lexically_normal();
}

std::string quoted_list(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    std::string quoted;
    for (const char c : path) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", quoted);
  }
  return fmt::format("[{}]", text);
}

const ConfigValue* written(const ConfigValue& chip, std::string_view section,
                           std::string_view key) {
  const ConfigValue* const found = chip.find(section);
  return found == nullptr || found->kind != Kind::kMap ? nullptr : found->find(key);
}

void overrule_group(const ConfigValue& chip, const MmuParams& mmu, PgProfile& profile) {
  const auto wrote = [&chip](std::string_view key) { return written(chip, "mmu", key) != nullptr; };
  if (!profile.lossless) {
    if (wrote("lossy_pg_min_bytes")) profile.min = mmu.lossy_pg_min_bytes;
    if (wrote("lossy_pg_alpha_exp")) profile.alpha_exp = mmu.lossy_pg_alpha_exp;
    if (wrote("lossy_pg_static_bytes")) profile.static_limit = mmu.lossy_pg_static_bytes;
    return;
  }
  if (wrote("pg_min_bytes")) profile.min = mmu.pg_min_bytes;
  if (wrote("pg_alpha_exp")) {
    profile.alpha_exp = mmu.pg_alpha_exp;
    profile.static_limit = Bytes{0};
  }
  if (wrote("xoff_bytes")) profile.xoff = mmu.xoff_bytes;
  if (wrote("xon_bytes")) profile.xon = mmu.xon_bytes;
  if (wrote("xon_offset_bytes")) profile.xon_offset = mmu.xon_offset_bytes;
  if (wrote("hysteresis_cells")) profile.hysteresis_cells = mmu.hysteresis_cells;
}

void overrule_queue(const ConfigValue& chip, const MmuParams& mmu, QueueProfile& profile) {
  const auto wrote = [&chip](std::string_view key) { return written(chip, "mmu", key) != nullptr; };
  if (profile.lossless) {
    if (wrote("lossless_queue_static_bytes")) {
      profile.static_limit = mmu.lossless_queue_static_bytes;
    }
    return;
  }
  if (wrote("queue_min_bytes")) profile.min = mmu.queue_min_bytes;
  if (wrote("lossy_alpha_exp")) {
    profile.alpha_exp = mmu.lossy_alpha_exp;
    profile.static_limit = Bytes{0};
  }
}

}  // namespace

void SonicReport::add(const std::vector<std::string>& more) {
  for (const std::string& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

void set_sonic(ConfigTree& tree, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  for (const std::string& path : paths) {
    if (path.empty()) throw ConfigError("--sonic: expected a file or a directory");
  }
  tree.set("switch.sonic", quoted_list(paths));
}

void resolve_sonic_paths(ConfigTree& tree) {
  std::vector<std::string> keys{"switch.sonic"};
  const ConfigValue* const chips = tree.find("chips");
  if (chips != nullptr && chips->kind == Kind::kMap) {
    for (const auto& [name, chip] : chips->entries) {
      if (chip.kind == Kind::kMap && chip.find(kKey) != nullptr) {
        keys.push_back(fmt::format("chips.{}.{}", name, kKey));
      }
    }
  }
  for (const std::string& key : keys) {
    const ConfigValue* const value = tree.find(key);
    if (value == nullptr) continue;
    std::vector<std::string> paths;
    for (const ConfigValue* path : path_values(*value)) {
      paths.push_back(std::filesystem::absolute(resolved(*path)).lexically_normal().string());
    }
    tree.set(key, quoted_list(paths));
  }
}

bool lay_sonic(ConfigNode& node, const std::vector<BitsPerSecond>& rates, SwitchParams& chip,
               SonicReport& report) {
  const ConfigValue* const value = node.raw(kKey);
  if (value == nullptr) return false;
  std::vector<std::filesystem::path> paths;
  for (const ConfigValue* path : path_values(*value)) paths.push_back(resolved(*path));
  const SonicConfig config = read_sonic(paths);
  const std::vector<std::string> notes =
      apply_sonic(config, match_front_ports(config, rates), chip);
  report.add(config.notes);
  report.add(notes);
  report.digest = mix64(report.digest ^ config.digest) | 1;
  return true;
}

void overrule_sonic(ConfigNode& node, SwitchParams& chip) {
  const ConfigValue& value = node.value();
  if (written(value, "mmu", "lossless_pgs") != nullptr) {
    node.map("mmu").fail("lossless_pgs", "has no effect with SONiC files, which say pfc_enable");
  }
  if (written(value, "mmu", "num_slices") != nullptr &&
      written(value, "mmu", "slice_map") == nullptr) {
    chip.mmu.slice_map.clear();
  }
  for (PgOverride& o : chip.mmu.pg_overrides) overrule_group(value, chip.mmu, o.profile);
  for (QueueOverride& o : chip.mmu.queue_overrides) overrule_queue(value, chip.mmu, o.profile);
  for (QosMaps& maps : chip.ports.maps) node.bind(maps);
  if (value.find("ecn") != nullptr) {
    for (EcnParams& curve : chip.ports.curves) node.map("ecn").bind(curve);
  }
  if (value.find("scheduler") != nullptr) {
    for (SchedulerParams& params : chip.ports.schedulers) node.map("scheduler").bind(params);
  }
  if (value.find("watchdog") != nullptr) {
    for (WatchdogParams& params : chip.ports.watchdogs) node.map("watchdog").bind(params);
  }
}

void note_lossy_data(const NicParams& nic, const SwitchParams& chip, SonicReport& report) {
  const std::uint32_t tc = chip.qos.dscp_to_tc[nic.data_dscp];
  const std::uint32_t pg = chip.qos.tc_to_pg[tc];
  const std::vector<std::uint32_t>& lossless = chip.mmu.lossless_pgs;
  if (!report.used() || std::find(lossless.begin(), lossless.end(), pg) != lossless.end()) return;
  report.add(
      {fmt::format("nic.data_dscp {}: the files put it into traffic class {} and priority "
                   "group {}, which is lossy",
                   nic.data_dscp, tc, pg)});
}

}  // namespace sluice
