// SPDX-License-Identifier: Apache-2.0
// The program `sluice`: hands the command line over and the exit code back.
// Leaves out: everything else (cli.h).
#include <unistd.h>

#include <iostream>

#include "cli/cli.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return sluice::run_command_line(words, {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1});
}
