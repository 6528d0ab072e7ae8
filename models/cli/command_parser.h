// SPDX-License-Identifier: Apache-2.0
// One subcommand's words, parsed by TCLAP: help with an example, unknown options caught before
// TCLAP takes them for something else, and its errors as ConfigError. Leaves out: what options
// mean.
#pragma once

#include <tclap/CmdLine.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct CommandText {
  std::string name;     ///< "run", "trace info"
  std::string summary;  ///< one line
  std::string example;  ///< a command line that runs from the top of the repository
};

class CommandParser {
 public:
  explicit CommandParser(CommandText text);

  /// Options and words are declared on this: TCLAP's arguments take it as their parser.
  TCLAP::CmdLine& line() { return line_; }
  /// Options that belong to the stable command line but not to this version.
  void refuse_until_later(std::vector<std::string> options) { later_ = std::move(options); }

  /// False when --help was asked for and printed. Throws ConfigError.
  bool parse(const std::vector<std::string>& words, std::ostream& out);

 private:
  struct Counts {
    std::size_t least = 0;
    std::size_t most = 0;
  };

  TCLAP::Arg* option(std::string_view word) const;
  Counts positional_counts() const;
  std::string missing_word() const;
  std::vector<std::string> checked(const std::vector<std::string>& words) const;
  [[noreturn]] void refuse_option(std::string_view word) const;
  std::string help() const;

  CommandText text_;
  std::vector<std::string> later_;
  // Mutable arg lists are TCLAP's only way to list what was declared.
  mutable TCLAP::CmdLine line_;
};

}  // namespace sluice
