// SPDX-License-Identifier: Apache-2.0
// A configuration file as a tree with line marks, and overrides of single values on top. A strict
// subset of YAML: no anchors, tags, merge keys, duplicate keys or second documents.
#pragma once

#include <string>
#include <string_view>

#include "config/config_node.h"
#include "config/config_value.h"

namespace sluice {

class ConfigTree {
 public:
  /// Reads a file; throws ConfigError with file and line.
  static ConfigTree load(const std::string& path);
  /// The same from text; `name` stands for the file in messages.
  static ConfigTree parse(std::string_view text, const std::string& name);
  /// A tree without any value, to be filled by set().
  static ConfigTree empty(const std::string& name);

  /// Sets the value at a dotted path; lists are indexed by number ("planes.1.rate"). Missing maps
  /// are made, so a mistyped path is found as an unknown key when the tree is read. `value` is
  /// YAML: a scalar or a flow list or map.
  void set(std::string_view path, std::string_view value);
  /// One --set word, "path=value".
  void apply(std::string_view assignment);

  const ConfigValue& root() const { return root_; }
  /// The value at a dotted path, null when absent.
  const ConfigValue* find(std::string_view path) const;
  /// Where the value at a path was written ("fabric.yaml:12", "--set a=b"); empty when it was not.
  std::string origin_of(std::string_view path) const;
  /// A reader of the whole tree; call finish() on it at the end.
  ConfigNode open() const { return ConfigNode(root_); }
  std::string canonical() const { return root_.canonical(); }

 private:
  ConfigValue root_;
};

}  // namespace sluice
