// SPDX-License-Identifier: Apache-2.0
#include "config/config_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "config/yaml_parser.h"
#include "kernel/error.h"

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;

/// A configuration is written by hand; a file beyond this is something else.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kMaxPathKeys = 64;

std::string read_file(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw ConfigError(one_line(fmt::format("{}: no such file", path)));
  }
  if (status.type() == std::filesystem::file_type::directory) {
    throw ConfigError(one_line(fmt::format("{}: is a directory, expected a YAML file", path)));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ConfigError(
        one_line(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno))));
  std::string text;
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()), file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
      throw ConfigError(one_line(fmt::format("{}: larger than {} MiB, expected a configuration",
                                             path, kMaxFileBytes >> 20)));
    }
  }
  return text;
}

std::vector<std::string_view> split_path(std::string_view path, const std::string& origin) {
  std::vector<std::string_view> keys;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    keys.push_back(path.substr(at, end - at));
    if (keys.back().empty() || keys.size() > kMaxPathKeys) {
      throw ConfigError(
          one_line(fmt::format("{}: '{}' is not a dotted path of keys", origin, path)));
    }
    at = end + 1;
  }
  return keys;
}

/// Element of a list named by `key`; null when `key` is not one of its indices.
ConfigValue* element(ConfigValue& list, std::string_view key) {
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (code != std::errc() || end != key.data() + key.size()) return nullptr;
  return index < list.items.size() ? &list.items[index] : nullptr;
}

/// One step down, making what is missing in maps.
ConfigValue& descend(ConfigValue& from, std::string_view key, const std::string& origin) {
  const std::string place = from.path.empty() ? "the configuration" : from.path;
  if (from.kind == Kind::kList) {
    if (ConfigValue* item = element(from, key)) return *item;
    throw ConfigError(one_line(fmt::format(
        "{}: {} is a list of {}: '{}' is not one of its indices{}", origin, place,
        from.items.size(), key,
        from.items.empty() ? std::string() : fmt::format(" 0..{}", from.items.size() - 1))));
  }
  if (from.kind == Kind::kScalar) {
    throw ConfigError(one_line(fmt::format("{}: {} is {} ({}), not a map that could hold '{}'",
                                           origin, place, from.description(), from.origin, key)));
  }
  from.kind = Kind::kMap;
  if (ConfigValue* entry = from.find(key)) return *entry;
  ConfigValue& made = from.entries.emplace_back(std::string(key), ConfigValue{}).second;
  made.path = join_path(from.path, key);
  made.origin = origin;
  return made;
}

}  // namespace

ConfigTree ConfigTree::load(const std::string& path) { return parse(read_file(path), path); }

ConfigTree ConfigTree::parse(std::string_view text, const std::string& name) {
  ConfigTree tree;
  tree.root_ = parse_yaml(text, name);
  if (tree.root_.kind == Kind::kNull) {
    throw ConfigError(one_line(fmt::format("{}: is empty, expected a map of sections", name)));
  }
  if (tree.root_.kind != Kind::kMap) {
    throw ConfigError(one_line(fmt::format("{}: expected a map of sections, got {}",
                                           tree.root_.origin, tree.root_.description())));
  }
  return tree;
}

ConfigTree ConfigTree::empty(const std::string& name) {
  ConfigTree tree;
  tree.root_.kind = Kind::kMap;
  tree.root_.origin = name;
  return tree;
}

void ConfigTree::set(std::string_view path, std::string_view value) {
  const std::string origin = fmt::format("--set {}={}", path, value);
  ConfigValue parsed = parse_yaml_value(value, origin, std::string(path));
  if (parsed.kind == Kind::kNull)
    throw ConfigError(one_line(fmt::format("{}: the value is missing", origin)));
  // On a copy, so that a refused path leaves no half-made maps behind.
  ConfigValue changed = root_;
  ConfigValue* at = &changed;
  for (const std::string_view key : split_path(path, origin)) at = &descend(*at, key, origin);
  *at = std::move(parsed);
  root_ = std::move(changed);
}

void ConfigTree::apply(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw ConfigError(one_line(fmt::format("--set {}: expected key=value", assignment)));
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

const ConfigValue* ConfigTree::find(std::string_view path) const {
  const ConfigValue* at = &root_;
  for (const std::string_view key : split_path(path, root_.origin)) {
    // element() only reads; it is shared with set(), which needs the mutable form.
    at = at->kind == Kind::kList ? element(const_cast<ConfigValue&>(*at), key) : at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string ConfigTree::origin_of(std::string_view path) const {
  const ConfigValue* value = find(path);
  return value == nullptr ? std::string() : value->origin;
}

}  // namespace sluice
