// SPDX-License-Identifier: Apache-2.0
// One value of a configuration as it was written: text, where it came from, and its dotted path.
// Leaves out: types. What a scalar means is known only to who reads it (config_node.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

struct ConfigValue {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;  ///< {first: key, second: value}

  Kind kind = Kind::kNull;
  std::string scalar;              ///< kScalar: the text without quotes
  std::vector<ConfigValue> items;  ///< kList
  std::vector<Entry> entries;      ///< kMap, in the order written
  std::string path;                ///< "switch.mmu.pg_alpha_exp"
  std::string origin;              ///< "fabric.yaml:12" or "--set a=b"

  /// Entry of a map, null when absent.
  const ConfigValue* find(std::string_view key) const;
  ConfigValue* find(std::string_view key);
  /// "a map", "a list", "nothing" or the scalar in quotes, for messages.
  std::string description() const;
  /// Every scalar below as "path=value" lines, keys sorted: equal for equal configurations.
  std::string canonical() const;
};

struct ConfigValue::Entry {
  Entry(std::string key, ConfigValue value) : first(std::move(key)), second(std::move(value)) {}
  std::string first;
  ConfigValue second;
};

/// `over` laid upon `base`: maps are merged key by key, anything else is replaced. Values keep
/// their own path and origin, so that errors name the place where they were written.
ConfigValue merged(const ConfigValue& base, const ConfigValue& over);

/// Text as it may stand in a one-line message: control characters become '?', a long one is cut.
std::string one_line(std::string_view text);

/// Parent and key as one dotted path; the root has an empty path.
std::string join_path(std::string_view parent, std::string_view key);

}  // namespace sluice
