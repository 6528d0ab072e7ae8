// SPDX-License-Identifier: Apache-2.0
// Single words of a command line: help asked for, names mistyped.
// Leaves out: options (command_parser.h).
#pragma once

#include <string_view>
#include <vector>

namespace sluice {

/// Throws ConfigError for a word that is none of `names`, with the nearest of them.
[[noreturn]] void refuse_word(std::string_view what, std::string_view word,
                              const std::vector<std::string_view>& names);

bool is_help(std::string_view word);

}  // namespace sluice
