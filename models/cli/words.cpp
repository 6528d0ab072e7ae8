// SPDX-License-Identifier: Apache-2.0
#include "cli/words.h"

#include <fmt/format.h>

#include "config/units.h"
#include "kernel/error.h"

namespace sluice {

bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

void refuse_word(std::string_view what, std::string_view word,
                 const std::vector<std::string_view>& names) {
  const std::string_view nearest = nearest_name(word, names);
  if (!nearest.empty()) {
    throw ConfigError(fmt::format("unknown {} '{}'; did you mean '{}'?", what, word, nearest));
  }
  throw ConfigError(
      fmt::format("unknown {} '{}'; expected one of {}", what, word, fmt::join(names, ", ")));
}

}  // namespace sluice
