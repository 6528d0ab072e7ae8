// SPDX-License-Identifier: Apache-2.0
// The program `sluice`: hands the command line over and the exit code back.
// Leaves out: everything else (cli.h).
#include <unistd.h>

#include <iostream>
#include <systemc>

#include "cli/cli.h"

int main(int argc, char** argv) {
  // SystemC reports on stdout, which belongs to results: what it only tells is left out, what it
  // warns of ends the run.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return sluice::run_command_line(words, {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1});
}
