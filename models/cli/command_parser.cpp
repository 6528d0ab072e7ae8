// SPDX-License-Identifier: Apache-2.0
#include "cli/command_parser.h"

#include <algorithm>

#include "cli/words.h"
#include "config/units.h"
#include "kernel/error.h"

namespace sluice {
namespace {

bool is_positional(TCLAP::Arg& arg) {
  // TCLAP shows an option as "--name …", and as "[--name …]" when it may be left out.
  const std::string shown = arg.shortID();
  return shown.find("--") == std::string::npos;
}

/// TCLAP declares "--" by itself, under this name.
bool is_ours(const TCLAP::Arg& arg) { return arg.getName() != TCLAP::Arg::ignoreNameString(); }

bool takes_many(TCLAP::Arg& arg) { return arg.acceptsMultipleValues(); }

/// "--set key=value" of TCLAP's "[--set <key=value>] ...".
std::string left_column(TCLAP::Arg& arg) {
  std::string text = arg.shortID();
  if (const std::size_t dots = text.find(" ..."); dots != std::string::npos) text.erase(dots);
  std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '<' || c == '>'; });
  return text;
}

std::string usage_word(TCLAP::Arg& arg) {
  std::string text = left_column(arg);
  if (!arg.isRequired()) text = fmt::format("[{}]", text);
  if (takes_many(arg)) text += "…";
  return text;
}

/// Declared order: TCLAP keeps options newest first and positional words behind them.
std::vector<TCLAP::Arg*> in_order(TCLAP::CmdLine& line) {
  std::vector<TCLAP::Arg*> options;
  std::vector<TCLAP::Arg*> words;
  for (TCLAP::Arg* arg : line.getArgList()) {
    if (!is_ours(*arg)) continue;
    (is_positional(*arg) ? words : options).push_back(arg);
  }
  words.insert(words.end(), options.rbegin(), options.rend());
  return words;
}

}  // namespace

CommandParser::CommandParser(CommandText text)
    : text_(std::move(text)), line_(text_.summary, ' ', "", false) {
  line_.setExceptionHandling(false);
}

TCLAP::Arg* CommandParser::option(std::string_view word) const {
  for (TCLAP::Arg* arg : in_order(line_)) {
    if (!is_positional(*arg) && word.starts_with("--") && word.substr(2) == arg->getName())
      return arg;
  }
  return nullptr;
}

CommandParser::Counts CommandParser::positional_counts() const {
  Counts counts;
  for (TCLAP::Arg* arg : in_order(line_)) {
    if (!is_positional(*arg)) continue;
    counts.least += arg->isRequired() ? 1 : 0;
    counts.most = takes_many(*arg) ? SIZE_MAX : counts.most + 1;
  }
  return counts;
}

std::string CommandParser::missing_word() const {
  for (TCLAP::Arg* arg : in_order(line_)) {
    if (is_positional(*arg) && arg->isRequired()) return left_column(*arg);
  }
  return "a word";
}

void CommandParser::refuse_option(std::string_view word) const {
  const std::string_view name = word.substr(0, word.find('='));
  if (std::find(later_.begin(), later_.end(), name) != later_.end()) {
    throw ConfigError(fmt::format("{} is not in this version", name));
  }
  std::vector<std::string> names{"--help"};
  for (TCLAP::Arg* arg : in_order(line_)) {
    if (!is_positional(*arg)) names.push_back(fmt::format("--{}", arg->getName()));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = nearest_name(name, views);
  if (!nearest.empty()) {
    throw ConfigError(fmt::format("unknown option {}; did you mean {}?", name, nearest));
  }
  throw ConfigError(
      fmt::format("unknown option {}; 'sluice {} --help' lists them", name, text_.name));
}

/// The words for TCLAP: "--name=value" split in two, and nothing left that it would misread.
std::vector<std::string> CommandParser::checked(const std::vector<std::string>& words) const {
  std::vector<std::string> result;
  std::size_t positional = 0;
  const Counts counts = positional_counts();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word.front() != '-') {
      if (++positional > counts.most) {
        throw ConfigError(
            fmt::format("unexpected word '{}'; see 'sluice {} --help'", word, text_.name));
      }
      result.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    TCLAP::Arg* arg = option(name);
    if (arg == nullptr) refuse_option(word);
    result.push_back(name);
    if (!arg->isValueRequired()) {
      if (equals != std::string::npos) {
        throw ConfigError(fmt::format("{}: takes no value", name));
      }
    } else if (equals != std::string::npos) {
      result.push_back(word.substr(equals + 1));
    } else if (++i < words.size()) {
      result.push_back(words[i]);
    } else {
      throw ConfigError(
          fmt::format("{}: the value is missing, expected {}", name, left_column(*arg)));
    }
  }
  if (positional < counts.least) {
    throw ConfigError(
        fmt::format("{} is missing; see 'sluice {} --help'", missing_word(), text_.name));
  }
  return result;
}

bool CommandParser::parse(const std::vector<std::string>& words, std::ostream& out) {
  if (std::any_of(words.begin(), words.end(), is_help)) {
    out << help();
    return false;
  }
  std::vector<std::string> arguments = checked(words);
  arguments.insert(arguments.begin(), "sluice");
  try {
    line_.parse(arguments);
  } catch (const TCLAP::ArgException& error) {
    // TCLAP names an option "Argument: (--name)" and starts with a capital.
    std::string name = error.argId();
    name.erase(0, std::min(name.find("--"), name.size()));
    name.erase(std::min(name.find_first_of(" )"), name.size()));
    throw ConfigError(fmt::format("{}: {}", name.empty() ? text_.name : name, error.error()));
  }
  return true;
}

std::string CommandParser::help() const {
  const auto args = in_order(line_);
  std::string text =
      fmt::format("sluice {}: {}\n\nusage: sluice {}", text_.name, text_.summary, text_.name);
  std::size_t width = 6;  // of --help
  for (TCLAP::Arg* arg : args) {
    text += fmt::format(" {}", usage_word(*arg));
    width = std::max(width, left_column(*arg).size());
  }
  text += "\n\n";
  for (TCLAP::Arg* arg : args) {
    // TCLAP puts "(required)  " before the description of what may not be left out.
    std::string meaning = arg->getDescription();
    if (const std::size_t end = meaning.find("(required)"); end == 0) {
      meaning.erase(0, meaning.find_first_not_of(' ', 10));
    }
    text += fmt::format("  {:<{}}  {}{}\n", left_column(*arg), width, meaning,
                        takes_many(*arg) ? " (may be given again)" : "");
  }
  text += fmt::format("  {:<{}}  this text\n\nexample:\n  {}\n", "--help", width, text_.example);
  return text;
}

}  // namespace sluice
