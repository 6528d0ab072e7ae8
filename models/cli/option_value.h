// SPDX-License-Identifier: Apache-2.0
// Values of options: read by the same strict parsers as the fabric file, refused under their name.
// Leaves out: declaring options (command_parser.h).
#pragma once

#include <string>
#include <string_view>

#include "config/units.h"
#include "kernel/error.h"

namespace sluice {

/// Runs `parse` on the text and puts the option in front of what it says.
template <class Parse>
auto parse_option(std::string_view name, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{} {}: {}", name, text, error.what()));
  }
}

}  // namespace sluice
