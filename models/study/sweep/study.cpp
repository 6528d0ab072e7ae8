// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "config/config_tree.h"
#include "kernel/error.h"
#include "study/sweep/points.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kExpectable{"not_lossless", "stalled", "deadlock"};

constexpr std::array<std::string_view, 2> kConditions{"above_zero", "zero"};

/// A path of the study file, as seen from where the program runs.
std::string beside(const std::string& file, const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).lexically_normal().string();
}

std::string existing(ConfigNode& node, std::string_view key, const std::string& file,
                     const std::string& path) {
  std::string found = beside(file, path);
  std::error_code error;
  if (!fs::exists(found, error)) node.fail(key, fmt::format("{}: no such file", found));
  return found;
}

void read_search(ConfigNode& root, Study& study) {
  if (!root.has("search")) return;
  ConfigNode& node = root.require_map("search");
  Search search;
  search.origin = node.value().origin;
  if (node.has("key") == node.has("keys")) node.fail("key", "expected either key or keys");
  search.keys = node.has("key") ? std::vector{node.get_string("key")} : node.get_strings("keys");
  if (search.keys.empty()) node.fail("keys", "expected at least one");
  search.header = node.get_string("name", search.keys.front());
  search.unit = node.get_string("unit", "");
  search.until_zero = node.get_choice("is", kConditions, 0) == 1;
  search.from = node.get_u64("from");
  search.to = node.get_u64("to");
  if (search.to < search.from) node.fail("to", "is below from");
  const std::string when = node.get_string("when");
  const auto at = std::find_if(study.columns.begin(), study.columns.end(),
                               [&](const Column& column) { return column.name == when; });
  if (at == study.columns.end()) node.fail("when", fmt::format("'{}' is not a column", when));
  search.when = static_cast<std::size_t>(at - study.columns.begin());
  study.search = search;
}

void check_names(const Study& study) {
  std::set<std::string> names{"point", "seed", "verdict"};
  const auto add = [&](const std::string& name, const std::string& origin) {
    if (!names.insert(name).second) {
      throw ConfigError(fmt::format("{}: '{}': the table has that column already", origin, name));
    }
  };
  std::set<std::string> keys;
  for (const Axis& axis : study.axes) {
    for (const std::string& header : axis.headers) add(header, axis.origin);
    for (const std::string& key : axis.keys) {
      if (!keys.insert(key).second) {
        throw ConfigError(fmt::format("{}: {}: two axes move it", axis.origin, key));
      }
    }
  }
  if (study.search) {
    add(study.search->header, study.search->origin);
    for (const std::string& key : study.search->keys) {
      if (!keys.insert(key).second) {
        throw ConfigError(fmt::format("{}: search: {} is an axis", study.search->origin, key));
      }
    }
  }
  for (const Column& column : study.columns) add(column.name, column.origin);
  for (const Override& item : study.sets) {
    if (keys.contains(item.key)) {
      throw ConfigError(
          fmt::format("{}: set: {} is moved by an axis or a search", item.origin, item.key));
    }
  }
}

void read_quick(ConfigNode& root, Study& study) {
  if (!root.has("quick")) return;
  ConfigNode& node = root.require_map("quick");
  for (const std::string& header : node.keys()) {
    study.quick.emplace_back(header, node.get_strings(header));
  }
  try {
    make_points(study, study.quick);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: quick: {}", node.value().origin, error.what()));
  }
}

}  // namespace

std::vector<Override> Search::at(std::uint64_t value) const {
  std::vector<Override> result;
  for (const std::string& key : keys) {
    result.push_back({key, fmt::format("{}{}", value, unit), origin});
  }
  return result;
}

Study read_study(const std::string& file) {
  const ConfigTree tree = ConfigTree::load(file);
  ConfigNode root = tree.open();
  Study study;
  study.file = file;
  study.fabric = existing(root, "fabric", file, root.get_string("fabric"));
  for (const std::string& trace : root.get_strings("traces", {{}})) {
    study.traces.push_back(existing(root, "traces", file, trace));
  }
  if (const ConfigValue* sets = root.raw("set")) {
    if (sets->kind != ConfigValue::Kind::kMap) root.fail("set", "expected a map of keys");
    study.sets = flat_overrides(*sets);
  }
  if (root.has("until")) {
    root.get_time("until");
    study.until = root.get_string("until");
  }
  if (root.has("compute")) {
    study.compute = fmt::format("scale={}", format_number(root.get_number("compute", {0, 1e6})));
  }
  study.seed = root.get_u64("seed", {}, 1);
  study.replicas = root.get_u64("replicas", {1, 1e6}, 1);
  for (ConfigNode* node : root.list_of_maps("axes")) {
    for (Axis& axis : read_axes(*node)) study.axes.push_back(std::move(axis));
  }
  study.columns = read_columns(root.require_map("columns"));
  if (study.columns.empty()) root.fail("columns", "expected at least one");
  read_search(root, study);
  study.expected = root.get_strings("expect", {{}});
  for (const std::string& verdict : study.expected) {
    if (std::find(kExpectable.begin(), kExpectable.end(), verdict) == kExpectable.end()) {
      root.fail("expect", fmt::format("'{}', expected not_lossless, stalled or deadlock", verdict));
    }
  }
  if (root.has("checker")) {
    study.checker = existing(root, "checker", file, root.get_string("checker"));
  }
  check_names(study);
  read_quick(root, study);
  root.finish();
  return study;
}

}  // namespace sluice
