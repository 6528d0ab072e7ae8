// SPDX-License-Identifier: Apache-2.0
// A strict reader of one map: typed access by key, and every key read or reported. Knows units and
// ranges, no block. Leaves out: defaults, which the parameter structs hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_value.h"
#include "config/units.h"
#include "kernel/error.h"
#include "kernel/parameter.h"

namespace sluice {

/// Every getter without `fallback` throws ConfigError when the key is missing; all throw it, naming
/// place, path, value and what was expected, when the value does not fit.
class ConfigNode {
 public:
  /// `value` is a map, or null for a section that was not written.
  explicit ConfigNode(const ConfigValue& value) : value_(value) {}
  ConfigNode(const ConfigNode&) = delete;
  ConfigNode& operator=(const ConfigNode&) = delete;

  const std::string& path() const { return value_.path; }
  const ConfigValue& value() const { return value_; }
  /// True when the key was written; makes the name known to suggestions but does not read it.
  bool has(std::string_view key);
  /// Keys as written, for maps whose keys are names ("chips"). Reading each is up to the caller.
  std::vector<std::string> keys() const;

  std::string get_string(std::string_view key, std::optional<std::string> fallback = {});
  bool get_bool(std::string_view key, std::optional<bool> fallback = {});
  std::uint64_t get_u64(std::string_view key, ParameterRange range = {},
                        std::optional<std::uint64_t> fallback = {});
  std::int64_t get_i64(std::string_view key, ParameterRange range,
                       std::optional<std::int64_t> fallback = {});
  double get_number(std::string_view key, ParameterRange range,
                    std::optional<double> fallback = {});
  Ps get_time(std::string_view key, ParameterRange range = {}, std::optional<Ps> fallback = {});
  BitsPerSecond get_rate(std::string_view key, ParameterRange range = {},
                         std::optional<BitsPerSecond> fallback = {});
  Bytes get_bytes(std::string_view key, ParameterRange range = {},
                  std::optional<Bytes> fallback = {});
  Millimetres get_length(std::string_view key, ParameterRange range = {},
                         std::optional<Millimetres> fallback = {});
  /// Index of the value among `names`.
  std::size_t get_choice(std::string_view key, std::span<const std::string_view> names,
                         std::optional<std::size_t> fallback = {});
  std::vector<std::uint64_t> get_list_u64(std::string_view key, ParameterRange range = {},
                                          std::optional<std::vector<std::uint64_t>> fallback = {});
  std::vector<std::string> get_strings(std::string_view key,
                                       std::optional<std::vector<std::string>> fallback = {});

  /// The section below `key`; an absent one reads as an empty map. Owned by this node.
  ConfigNode& map(std::string_view key);
  ConfigNode& require_map(std::string_view key);
  /// Readers of a list's maps; empty when the key is absent. Owned by this node.
  std::vector<ConfigNode*> list_of_maps(std::string_view key);
  /// A scalar or a list read by the caller itself (origin and path are in it); null when absent.
  const ConfigValue* raw(std::string_view key);

  /// Reads a parameter struct by its describe(), then calls its validate() where it has one.
  template <class Params>
  void bind(Params& params);

  /// Throws for the first key, here or below, that nothing has read. Call it on the root, at the
  /// end.
  void finish() const;

  /// Throws a ConfigError at the value of `key` (or at this section): for rules across keys.
  [[noreturn]] void fail(std::string_view key, std::string_view text) const;

 private:
  friend class ConfigReader;

  struct KnownKey {
    std::string name;
    bool read = false;
    std::vector<std::unique_ptr<ConfigNode>> children;  ///< a section, or the maps of a list
    bool is_list = false;
  };

  template <class T, class Parse>
  T get_scalar(std::string_view key, const std::optional<T>& fallback, const Parse& parse);
  template <class T, class Parse, class Format>
  T get_ranged(std::string_view key, ParameterRange range, const std::optional<T>& fallback,
               const Parse& parse, const Format& format);
  template <class T, class Parse>
  std::vector<T> get_list(std::string_view key, const std::optional<std::vector<T>>& fallback,
                          const Parse& parse);
  KnownKey& know(std::string_view key);
  const KnownKey* known(std::string_view key) const;
  const ConfigValue* take(std::string_view key);
  [[noreturn]] void fail_missing(std::string_view key) const;
  /// Rethrows what validate() said at the line of the key that it names.
  [[noreturn]] void fail_validation(std::string_view text) const;
  void finish_below(const ConfigNode& root) const;
  [[noreturn]] void fail_unknown(const std::string& key, const ConfigValue& value,
                                 const ConfigNode& root) const;
  void collect_known(const std::string& prefix, std::vector<std::string>& out) const;

  ConfigValue value_;
  std::vector<KnownKey> known_;
};

}  // namespace sluice

#include "config/config_reader.h"

namespace sluice {

template <class Params>
void ConfigNode::bind(Params& params) {
  ConfigReader reader(*this);
  params.describe(reader);
  if constexpr (requires { params.validate(); }) {
    try {
      params.validate();
    } catch (const ConfigError& error) {
      fail_validation(error.what());
    }
  }
}

}  // namespace sluice
