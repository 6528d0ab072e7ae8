// SPDX-License-Identifier: Apache-2.0
// Dispatch: which subcommand, its errors, and the exit code.
#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

#include "cli/build_type.h"
#include "cli/rtl_request.h"
#include "cli/words.h"
#include "kernel/bridge/systemc_version.h"
#include "kernel/error.h"
#include "study/simulation.h"

namespace sluice {
namespace {

using Run = int (*)(const std::vector<std::string>&, const Terminal&);

struct Subcommand {
  std::string_view name;
  std::string_view meaning;
  Run run;  ///< null: a name kept for a later version
};

constexpr std::array kSubcommands{
    Subcommand{"run", "run a workload or a recorded trace over a fabric", run_command},
    Subcommand{"check", "say whether a fabric can be lossless, without simulating", check_command},
    Subcommand{"trace", "look into recorded traces", trace_command},
    Subcommand{"presets", "list chips and NICs, show every parameter with its source",
               presets_command},
    Subcommand{"fabric", "", nullptr},
    Subcommand{"sweep", "run a study: a grid of runs, one table, its checker", sweep_command},
    Subcommand{"size", "", nullptr},
    Subcommand{"cosim", "hold the RTL blocks to the model, request by request", cosim_command},
    Subcommand{"schema", "", nullptr},
};

std::string top_help() {
  std::string text =
      "sluice: a cycle-approximate model of the network of an AI cluster\n\n"
      "usage: sluice COMMAND [word]…\n\n";
  for (const Subcommand& command : kSubcommands) {
    if (command.run != nullptr) text += fmt::format("  {:<10} {}\n", command.name, command.meaning);
  }
  text += fmt::format("  {:<10} {}\n  {:<10} {}\n", "--help", "this text; after a command, its own",
                      "--version", "version and build type");
  text +=
      "\nexit codes: 0 ok, 1 internal fault, 2 usage or configuration, 3 trace, 4 not lossless,\n"
      "            5 deadlock or stall, 6 RTL differs, 7 an invariant broke\n"
      "\nexample:\n  build/release/sluice run testbenches/fabrics/incast16.yaml\n";
  return text;
}

int dispatch(const std::vector<std::string>& words, const Terminal& terminal) {
  if (words.empty()) throw ConfigError("no command given; 'sluice --help' lists them");
  const std::string& first = words.front();
  if (is_help(first)) {
    terminal.out << top_help();
    return 0;
  }
  if (first == "--version") {
    const std::string verilator = verilator_version();
    terminal.out << fmt::format("sluice {} ({}), SystemC {}, {}\n", version(), kBuildType,
                                systemc_version(),
                                verilator.empty() ? "no RTL" : "RTL by Verilator " + verilator);
    return 0;
  }
  if (first.starts_with('-')) refuse_word("option", first, {"--help", "--version"});
  const auto at = std::find_if(kSubcommands.begin(), kSubcommands.end(),
                               [&](const Subcommand& command) { return command.name == first; });
  if (at == kSubcommands.end()) {
    std::vector<std::string_view> names;
    for (const Subcommand& command : kSubcommands) {
      if (command.run != nullptr) names.push_back(command.name);
    }
    refuse_word("command", first, names);
  }
  if (at->run == nullptr) throw ConfigError(fmt::format("'{}' is not in this version", first));
  return at->run({words.begin() + 1, words.end()}, terminal);
}

int report(std::ostream& err, std::string_view text, ExitCode code) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  err << "sluice: " << line << std::endl;
  return static_cast<int>(code);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words, const Terminal& terminal) {
  try {
    const int code = dispatch(words, terminal);
    if (!terminal.out.flush()) {
      return report(terminal.err, "standard output took not all of the text", ExitCode::kInternal);
    }
    return code;
  } catch (const Error& error) {
    return report(terminal.err, error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return report(terminal.err, "out of memory", ExitCode::kInternal);
  } catch (const std::exception& error) {
    return report(terminal.err, fmt::format("internal fault: {}", error.what()),
                  ExitCode::kInternal);
  }
}

}  // namespace sluice
