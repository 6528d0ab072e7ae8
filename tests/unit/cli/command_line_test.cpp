// SPDX-License-Identifier: Apache-2.0
// Words in, one line and an exit code out: usage errors, suggestions, help.
// Leaves out: runs, which tests/system makes through the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <systemc>

#include "cli/cli.h"
#include "cli/command_parser.h"

namespace sluice {
namespace {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

Answer answer(const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command_line(words, {out, err, false});
  return {code, out.str(), err.str()};
}

void expect_usage_error(const std::vector<std::string>& words, const std::string& line) {
  const Answer got = answer(words);
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err, "sluice: " + line + "\n");
  EXPECT_EQ(got.out, "");
}

TEST(CommandLine, NoCommandIsAUsageError) {
  expect_usage_error({}, "no command given; 'sluice --help' lists them");
}

TEST(CommandLine, AnUnknownCommandIsSuggested) {
  expect_usage_error({"rnu"}, "unknown command 'rnu'; did you mean 'run'?");
  expect_usage_error({"preset"}, "unknown command 'preset'; did you mean 'presets'?");
  expect_usage_error(
      {"frobnicate"},
      "unknown command 'frobnicate'; expected one of run, check, trace, presets, sweep, cosim");
}

TEST(CommandLine, CommandsOfLaterVersionsAreRefused) {
  for (const char* name : {"fabric", "size", "schema"}) {
    expect_usage_error({name}, std::string("'") + name + "' is not in this version");
  }
  expect_usage_error({"trace", "convert"}, "'trace convert' is not in this version");
}

TEST(CommandLine, AMistypedOptionIsSuggestedAndNotTakenForTheFabric) {
  expect_usage_error({"run", "--progres"}, "unknown option --progres; did you mean --progress?");
  expect_usage_error({"run", "a.yaml", "--sed=2"}, "unknown option --sed; did you mean --set?");
  expect_usage_error({"run", "a.yaml", "--frobnicate"},
                     "unknown option --frobnicate; 'sluice run --help' lists them");
}

TEST(CommandLine, WordsAboutRtlBelongTogether) {
  expect_usage_error({"run", "a.yaml", "--rtl-scope", "leaf0"},
                     "--rtl-scope needs --rtl or --rtl-record");
  expect_usage_error({"run", "a.yaml", "--rtl-compare"},
                     "--rtl-compare and --rtl-fault need --rtl: which blocks are in RTL");
  expect_usage_error({"run", "a.yaml", "--rtl", "wred_marker", "--rtl-fault", "3"},
                     "--rtl-fault 3: expected BLOCK:N");
}

TEST(CommandLine, MissingAndSuperfluousWordsAreNamed) {
  expect_usage_error({"run"}, "FABRIC.yaml is missing; see 'sluice run --help'");
  expect_usage_error({"run", "a.yaml", "b.yaml"},
                     "unexpected word 'b.yaml'; see 'sluice run --help'");
  expect_usage_error({"trace", "info"}, "PATH is missing; see 'sluice trace info --help'");
  expect_usage_error({"run", "a.yaml", "--out"}, "--out: the value is missing, expected --out DIR");
  expect_usage_error({"run", "a.yaml", "--json=1"}, "--json: takes no value");
}

TEST(CommandLine, AnOptionGivenTwiceIsRefused) {
  const Answer got = answer({"run", "a.yaml", "--seed", "1", "--seed", "2"});
  EXPECT_EQ(got.code, 2);
  EXPECT_TRUE(got.err.starts_with("sluice: --seed: ")) << got.err;
}

TEST(CommandLine, ValuesOfOptionsAreReadStrictly) {
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--seed", "-1"},
                                                 {"--seed", "1.5"},
                                                 {"--until", "5"},
                                                 {"--until", "5 parsecs"},
                                                 {"--compute", "2"},
                                                 {"--compute", "scale=-1"},
                                                 {"--compute", "scale=nan"},
                                                 {"--out", ""}}) {
    std::vector<std::string> words{"run", "a.yaml"};
    words.insert(words.end(), option.begin(), option.end());
    const Answer got = answer(words);
    EXPECT_EQ(got.code, 2) << option[0] << " " << option[1];
    EXPECT_TRUE(got.err.starts_with("sluice: " + option[0])) << got.err;
  }
}

TEST(CommandLine, OptionsThatContradictEachOtherAreRefused) {
  expect_usage_error({"run", "a.yaml", "--json", "--quiet"},
                     "--json and --quiet exclude each other: both say what stdout gets");
  expect_usage_error(
      {"run", "a.yaml", "--compute", "scale=2"},
      "--compute scales the computation recorded in a trace, but there is no --trace");
}

TEST(CommandLine, EveryHelpEndsWithAnExample) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"run"},
                                                {"trace"},
                                                {"trace", "info"},
                                                {"presets"},
                                                {"presets", "show"}}) {
    for (const char* help : {"--help", "-h"}) {
      std::vector<std::string> line = words;
      line.emplace_back(help);
      const Answer got = answer(line);
      EXPECT_EQ(got.code, 0);
      EXPECT_EQ(got.err, "");
      const std::size_t example = got.out.find("example:\n  build/release/sluice ");
      ASSERT_NE(example, std::string::npos) << got.out;
      EXPECT_EQ(
          std::count(got.out.begin() + static_cast<std::ptrdiff_t>(example), got.out.end(), '\n'),
          2);
    }
  }
}

TEST(CommandLine, HelpOfRunListsEveryOption) {
  const std::string help = answer({"run", "--help"}).out;
  for (const char* option :
       {"--trace PATH", "--set key=value", "--out DIR", "--seed N", "--until TIME",
        "--compute scale=X", "--json", "--quiet", "--progress", "FABRIC.yaml"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST(CommandLine, VersionNamesTheBuildTypeAndSystemC) {
  const Answer got = answer({"--version"});
  EXPECT_EQ(got.code, 0);
  EXPECT_TRUE(got.out.starts_with("sluice 0.")) << got.out;
  EXPECT_NE(got.out.find('('), std::string::npos);
  const std::string systemc =
      fmt::format("SystemC {}.{}.{}", SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH);
  EXPECT_NE(got.out.find(systemc), std::string::npos) << got.out;
}

TEST(CommandLine, ErrorsStayOnOneLine) {
  const Answer got = answer({"run", "no\nsuch.yaml"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAFault) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run_command_line({"presets"}, {out, err, false}), 1);
  EXPECT_EQ(err.str(), "sluice: standard output took not all of the text\n");
}

TEST(CommandParser, SplitsAnOptionAtItsFirstEquals) {
  CommandParser parser({"test", "a test", "example"});
  TCLAP::MultiArg<std::string> sets("", "set", "", false, "key=value", parser.line());
  std::ostringstream out;
  ASSERT_TRUE(parser.parse({"--set=a=b", "--set", "c=-1"}, out));
  EXPECT_EQ(sets.getValue(), (std::vector<std::string>{"a=b", "c=-1"}));
}

TEST(CommandParser, AValueMayLookLikeAnOption) {
  CommandParser parser({"test", "a test", "example"});
  TCLAP::ValueArg<std::string> value("", "value", "", false, "", "V", parser.line());
  TCLAP::SwitchArg other("", "json", "", parser.line());
  std::ostringstream out;
  ASSERT_TRUE(parser.parse({"--value", "--json"}, out));
  EXPECT_EQ(value.getValue(), "--json");
  EXPECT_FALSE(other.getValue());
}

}  // namespace
}  // namespace sluice
