// SPDX-License-Identifier: Apache-2.0
// The command line: words in, text and an exit code out. Everything else is below it.
// Leaves out: the process itself (main.cpp), so that tests can call it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace sluice {

/// Where a command writes. Results go to `out`, errors and the heartbeat to `err`.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
};

/// Runs one command line, the program's name not among `words`. Never throws: an error is one line
/// "sluice: …" on `err`, and its exit code is returned.
int run_command_line(const std::vector<std::string>& words, const Terminal& terminal);

/// The subcommands; `words` are what follows their name. They return exit codes and throw Error.
int run_command(const std::vector<std::string>& words, const Terminal& terminal);
int check_command(const std::vector<std::string>& words, const Terminal& terminal);
int trace_command(const std::vector<std::string>& words, const Terminal& terminal);
int sweep_command(const std::vector<std::string>& words, const Terminal& terminal);
int cosim_command(const std::vector<std::string>& words, const Terminal& terminal);
int presets_command(const std::vector<std::string>& words, const Terminal& terminal);

}  // namespace sluice
