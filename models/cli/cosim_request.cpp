// SPDX-License-Identifier: Apache-2.0
#include "cli/cosim_request.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/command_parser.h"
#include "cli/option_value.h"
#include "kernel/error.h"

namespace sluice {
namespace {

using Text = TCLAP::ValueArg<std::string>;

struct Words {
  explicit Words(TCLAP::CmdLine& line)
      : blocks("BLOCK", "blocks (all)", false, "BLOCK", line),
        cycles("", "cycles", "clocks of each run (1000000)", false, "", "N", line),
        seed("", "seed",
             "seed of the first run (1): of its stimulus, and of what registers hold before reset",
             false, "", "S", line),
        seeds("", "seeds", "number of runs of each block, with seeds S, S+1, … (1)", false, "", "N",
              line),
        fault("", "fault", "run one block with its fault N, placed by hand: it should differ",
              false, "", "N", line),
        faults("", "faults",
               "run every fault placed by hand until a seed finds it: exit 1 unless all are found",
               line),
        replay("", "replay",
               "drive one block with all that a file holds: requests that run --rtl-record wrote, "
               "or for icrc_engine and switch_slice a capture",
               false, "", "FILE", line),
        junit("", "junit", "write a JUnit report there", false, "", "FILE", line),
        out("", "out",
            "directory for the waveform (FST) of a difference: 100 clocks before and after it "
            "(the current directory)",
            false, "", "DIR", line),
        quiet("", "quiet", "print only what failed", line) {}

  TCLAP::UnlabeledMultiArg<std::string> blocks;
  Text cycles;
  Text seed;
  Text seeds;
  Text fault;
  TCLAP::SwitchArg faults;
  Text replay;
  Text junit;
  Text out;
  TCLAP::SwitchArg quiet;
};

void take_number(const Text& option, const char* name, std::uint64_t& value) {
  if (option.isSet()) value = parse_option(name, option.getValue(), parse_unsigned);
}

std::string take_path(const Text& option, const char* name) {
  if (option.isSet() && option.getValue().empty()) {
    throw ConfigError(fmt::format("{}: expected a path, found nothing", name));
  }
  return option.getValue();
}

/// Nothing is to be left aside in silence.
void check(const Words& words, const CosimRequest& request) {
  if (request.cycles == 0 || request.seeds == 0) {
    throw ConfigError("--cycles and --seeds: expected at least 1");
  }
  if (request.faults && request.fault) {
    throw ConfigError("--fault and --faults exclude each other: one fault or all of them");
  }
  if (request.fault && request.blocks.size() != 1) {
    throw ConfigError("--fault is a number in the list of one block: name it");
  }
  if (request.faults && words.out.isSet()) {
    throw ConfigError("--out has no place beside --faults, which draws no waveforms: see --fault");
  }
  if (request.replay.empty()) return;
  if (request.blocks.size() != 1) throw ConfigError("--replay drives one block: name it");
  if (words.cycles.isSet()) {
    throw ConfigError("--cycles has no place beside --replay, which plays the whole file");
  }
  std::error_code none;
  if (!std::filesystem::is_regular_file(request.replay, none) || !std::ifstream(request.replay)) {
    throw ConfigError(fmt::format("--replay {}: cannot be read; expected a file", request.replay));
  }
}

/// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "/._-+=:,@%") == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string this_program() {
  std::error_code none;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", none);
  return none ? "sluice" : path.string();
}

std::string absolute(const std::string& path) {
  return quoted(std::filesystem::absolute(path).lexically_normal().string());
}

}  // namespace

std::optional<CosimRequest> parse_cosim(const std::vector<std::string>& words, std::ostream& out) {
  CommandParser parser({"cosim", "hold the RTL blocks to the model, request by request",
                        "build/release/sluice cosim wred_marker --cycles 100000 --seed 7"});
  const Words given(parser.line());
  if (!parser.parse(words, out)) return std::nullopt;
  CosimRequest request;
  request.blocks = given.blocks.getValue();
  take_number(given.cycles, "--cycles", request.cycles);
  take_number(given.seed, "--seed", request.seed);
  take_number(given.seeds, "--seeds", request.seeds);
  if (given.fault.isSet()) take_number(given.fault, "--fault", request.fault.emplace());
  request.faults = given.faults.getValue();
  request.replay = take_path(given.replay, "--replay");
  request.junit = take_path(given.junit, "--junit");
  request.out = take_path(given.out, "--out");
  request.quiet = given.quiet.getValue();
  check(given, request);
  if (!request.replay.empty()) request.cycles = UINT64_MAX;
  return request;
}

std::string cosim_again(const CosimRequest& request, const std::string& block, std::uint64_t seed) {
  std::string text = fmt::format("{} cosim {}", quoted(this_program()), block);
  text += request.replay.empty() ? fmt::format(" --cycles {}", request.cycles)
                                 : fmt::format(" --replay {}", absolute(request.replay));
  text += fmt::format(" --seed {}", seed);
  if (request.fault) text += fmt::format(" --fault {}", *request.fault);
  if (!request.out.empty()) text += fmt::format(" --out {}", absolute(request.out));
  return text;
}

}  // namespace sluice
