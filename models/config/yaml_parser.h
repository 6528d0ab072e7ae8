// SPDX-License-Identifier: Apache-2.0
// YAML text to ConfigValue by way of yaml-cpp's events, which keep the line of every value.
// Leaves out: everything that makes YAML surprising (anchors, tags, merge keys, more documents).
#pragma once

#include <string>
#include <string_view>

#include "config/config_value.h"

namespace sluice {

/// Parses one document. `file` names it in messages. A document without content gives kNull.
ConfigValue parse_yaml(std::string_view text, const std::string& file);

/// Parses the value of an override; every value in it gets `origin` and a path below `path`.
ConfigValue parse_yaml_value(std::string_view text, const std::string& origin,
                             const std::string& path);

}  // namespace sluice
