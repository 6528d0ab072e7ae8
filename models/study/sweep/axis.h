// SPDX-License-Identifier: Apache-2.0
// One axis of a study: parameters and the values they take together, from a list, a range, a
// logarithmic range, or lists moved side by side. Leaves out: combining axes (points.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_node.h"
#include "config/config_value.h"

namespace sluice {

/// A value for a dotted path of the fabric file, and where it was written.
struct Override {
  std::string key;
  std::string value;
  std::string origin;
};

struct Axis {
  /// One setting of the axis.
  struct Step {
    std::vector<std::string> values;  ///< one a key
    std::vector<std::string> shown;   ///< one a header
    std::string origin;
  };
  std::vector<std::string> keys;
  std::vector<std::string> headers;  ///< its columns in the table
  std::vector<Step> steps;
  std::string origin;
};

/// An entry of `axes`: one axis, or several for a `grid`. Reads every key of the node.
std::vector<Axis> read_axes(ConfigNode& node);

/// `{from, to, step}`: from, from + step, … up to `to`. Whole numbers, decimals and quantities.
std::vector<std::string> range_values(ConfigNode& node);
/// `{from, to, points}`: equal ratios, both ends exact, rounded to the unit of the quantity.
std::vector<std::string> log_range_values(ConfigNode& node);

/// A value as YAML in one line: a scalar as written, a list or map in flow form.
std::string flow_text(const ConfigValue& value);
/// Every scalar and list below `value` as an override by its dotted path.
std::vector<Override> flat_overrides(const ConfigValue& value);

}  // namespace sluice
