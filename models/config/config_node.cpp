// SPDX-License-Identifier: Apache-2.0
#include "config/config_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/range_text.h"

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;

[[noreturn]] void fail_at(const ConfigValue& value, std::string_view text) {
  const std::string path = value.path.empty() ? "" : value.path + ": ";
  throw ConfigError(one_line(fmt::format("{}: {}{}", value.origin, path, text)));
}

/// The text of a scalar; anything else is an error.
const std::string& scalar_of(const ConfigValue& value) {
  if (value.kind == Kind::kNull) fail_at(value, "has no value");
  if (value.kind != Kind::kScalar) {
    fail_at(value, fmt::format("expected a single value, got {}", value.description()));
  }
  return value.scalar;
}

/// Runs a parser of text, which knows no place, at a value.
template <class Parse>
auto parse_at(const ConfigValue& value, const Parse& parse) {
  const std::string& text = scalar_of(value);
  try {
    return parse(std::string_view(text));
  } catch (const ConfigError& error) {
    fail_at(value, error.what());
  }
}

/// `key` as an index of a list that the file does not give and `--set` changes in part.
std::size_t index_below(const ConfigValue& value, const std::string& key, std::size_t size) {
  const bool digits =
      !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t index = digits ? std::stoul(key) : size;
  if (index >= size) {
    fail_at(value, size == 0 ? fmt::format("'{}' is no index: the list is empty", key)
                             : fmt::format("'{}' is not one of the indices 0..{}", key, size - 1));
  }
  return index;
}

void refuse_non_map(const ConfigValue& value) {
  if (value.kind != Kind::kMap && value.kind != Kind::kNull) {
    fail_at(value, fmt::format("expected a map, got {}", value.description()));
  }
}

}  // namespace

ConfigNode::KnownKey& ConfigNode::know(std::string_view key) {
  for (KnownKey& entry : known_) {
    if (entry.name == key) return entry;
  }
  return known_.emplace_back(KnownKey{std::string(key), false, {}, false});
}

const ConfigNode::KnownKey* ConfigNode::known(std::string_view key) const {
  for (const KnownKey& entry : known_) {
    if (entry.name == key) return &entry;
  }
  return nullptr;
}

bool ConfigNode::has(std::string_view key) {
  know(key);
  return value_.find(key) != nullptr;
}

std::vector<std::string> ConfigNode::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : value_.entries) names.push_back(entry.first);
  return names;
}

const ConfigValue* ConfigNode::take(std::string_view key) {
  know(key).read = true;
  return value_.find(key);
}

const ConfigValue* ConfigNode::raw(std::string_view key) { return take(key); }

template <class T, class Parse>
T ConfigNode::get_scalar(std::string_view key, const std::optional<T>& fallback,
                         const Parse& parse) {
  const ConfigValue* value = take(key);
  if (value != nullptr) return parse_at(*value, parse);
  if (!fallback) fail_missing(key);
  return *fallback;
}

template <class T, class Parse, class Format>
T ConfigNode::get_ranged(std::string_view key, ParameterRange range,
                         const std::optional<T>& fallback, const Parse& parse,
                         const Format& format) {
  return get_scalar<T>(key, fallback, [&](std::string_view text) {
    const T value = parse(text);
    if (!in_range(base_units(value), range)) {
      throw ConfigError(fmt::format("{} {}", text, outside_text(range, format)));
    }
    return value;
  });
}

std::string ConfigNode::get_string(std::string_view key, std::optional<std::string> fallback) {
  return get_scalar<std::string>(key, fallback,
                                 [](std::string_view text) { return std::string(text); });
}

bool ConfigNode::get_bool(std::string_view key, std::optional<bool> fallback) {
  return get_scalar<bool>(key, fallback, parse_bool);
}

std::uint64_t ConfigNode::get_u64(std::string_view key, ParameterRange range,
                                  std::optional<std::uint64_t> fallback) {
  return get_ranged<std::uint64_t>(key, range, fallback, parse_unsigned, whole_text);
}

std::int64_t ConfigNode::get_i64(std::string_view key, ParameterRange range,
                                 std::optional<std::int64_t> fallback) {
  return get_ranged<std::int64_t>(key, range, fallback, parse_integer, whole_text);
}

double ConfigNode::get_number(std::string_view key, ParameterRange range,
                              std::optional<double> fallback) {
  return get_ranged<double>(key, range, fallback, parse_number, format_number);
}

Ps ConfigNode::get_time(std::string_view key, ParameterRange range, std::optional<Ps> fallback) {
  return get_ranged<Ps>(key, range, fallback, parse_time, time_text);
}

BitsPerSecond ConfigNode::get_rate(std::string_view key, ParameterRange range,
                                   std::optional<BitsPerSecond> fallback) {
  return get_ranged<BitsPerSecond>(key, range, fallback, parse_rate, rate_text);
}

Bytes ConfigNode::get_bytes(std::string_view key, ParameterRange range,
                            std::optional<Bytes> fallback) {
  return get_ranged<Bytes>(key, range, fallback, parse_bytes, bytes_text);
}

Millimetres ConfigNode::get_length(std::string_view key, ParameterRange range,
                                   std::optional<Millimetres> fallback) {
  return get_ranged<Millimetres>(key, range, fallback, parse_length, length_text);
}

std::size_t ConfigNode::get_choice(std::string_view key, std::span<const std::string_view> names,
                                   std::optional<std::size_t> fallback) {
  return get_scalar<std::size_t>(key, fallback, [names](std::string_view text) {
    const auto at = std::find(names.begin(), names.end(), text);
    if (at == names.end()) {
      throw ConfigError(fmt::format("'{}' is not one of {}{}", text, fmt::join(names, ", "),
                                    did_you_mean(text, names)));
    }
    return static_cast<std::size_t>(at - names.begin());
  });
}

template <class T, class Parse>
std::vector<T> ConfigNode::get_list(std::string_view key,
                                    const std::optional<std::vector<T>>& fallback,
                                    const Parse& parse) {
  const ConfigValue* value = take(key);
  if (value == nullptr) {
    if (!fallback) fail_missing(key);
    return *fallback;
  }
  std::vector<T> out;
  if (value->kind == Kind::kMap && fallback && !value->entries.empty()) {
    out = *fallback;
    for (const auto& [index, item] : value->entries) {
      out[index_below(item, index, out.size())] = parse_at(item, parse);
    }
    return out;
  }
  if (value->kind != Kind::kList) {
    fail_at(*value, fmt::format("expected a list, got {}", value->description()));
  }
  for (const ConfigValue& item : value->items) out.push_back(parse_at(item, parse));
  return out;
}

std::vector<std::uint64_t> ConfigNode::get_list_u64(
    std::string_view key, ParameterRange range,
    std::optional<std::vector<std::uint64_t>> fallback) {
  return get_list<std::uint64_t>(key, fallback, [range](std::string_view text) {
    const std::uint64_t value = parse_unsigned(text);
    if (!in_range(value, range)) {
      throw ConfigError(fmt::format("{} {}", text, outside_text(range, whole_text)));
    }
    return value;
  });
}

std::vector<std::string> ConfigNode::get_strings(std::string_view key,
                                                 std::optional<std::vector<std::string>> fallback) {
  return get_list<std::string>(key, fallback,
                               [](std::string_view text) { return std::string(text); });
}

ConfigNode& ConfigNode::map(std::string_view key) {
  KnownKey& entry = know(key);
  entry.read = true;
  if (entry.children.empty()) {
    ConfigValue absent;
    absent.path = join_path(value_.path, key);
    absent.origin = value_.origin;
    const ConfigValue* written = value_.find(key);
    if (written != nullptr) refuse_non_map(*written);
    entry.children.push_back(std::make_unique<ConfigNode>(written != nullptr ? *written : absent));
  }
  return *entry.children.front();
}

ConfigNode& ConfigNode::require_map(std::string_view key) {
  if (!has(key)) fail_missing(key);
  return map(key);
}

std::vector<ConfigNode*> ConfigNode::list_of_maps(std::string_view key) {
  KnownKey& entry = know(key);
  entry.read = true;
  entry.is_list = true;
  const ConfigValue* written = value_.find(key);
  if (entry.children.empty() && written != nullptr && written->kind != Kind::kNull) {
    if (written->kind != Kind::kList) {
      fail_at(*written, fmt::format("expected a list of maps, got {}", written->description()));
    }
    for (const ConfigValue& item : written->items) {
      refuse_non_map(item);
      entry.children.push_back(std::make_unique<ConfigNode>(item));
    }
  }
  std::vector<ConfigNode*> out;
  for (const auto& child : entry.children) out.push_back(child.get());
  return out;
}

void ConfigNode::fail(std::string_view key, std::string_view text) const {
  if (const ConfigValue* value = value_.find(key)) fail_at(*value, text);
  ConfigValue place = value_;
  if (!key.empty()) place.path = join_path(value_.path, key);
  fail_at(place, text);
}

}  // namespace sluice
