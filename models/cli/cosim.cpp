// SPDX-License-Identifier: Apache-2.0
// `sluice cosim`: the lock-step benches of the RTL blocks, their faults, and a JUnit report.
// Leaves out: the benches (testbenches/cosim/).
#include "cli/cli.h"
#include "kernel/error.h"
#ifdef SLUICE_RTL
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/command_parser.h"
#include "cli/junit.h"
#include "cli/option_value.h"
#include "cli/rtl_request.h"
#include "cli/words.h"
#include "study/simulation.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice {
namespace {

using cosim::Bench;
using cosim::BenchOptions;
using cosim::BenchResult;

#ifdef SLUICE_RTL_MUTATED  // scripts/rtl_mutants: numbers are those of machine-made mutants
constexpr bool kAnyFault = true;
#else
constexpr bool kAnyFault = false;
#endif
constexpr std::uint64_t kWindow = 100;  // cycles shown before and after a difference

struct CosimRequest {
  std::vector<std::string> blocks;
  std::uint64_t cycles = 1'000'000;
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::optional<int> fault;
  bool faults = false;
  std::string replay;
  std::string junit;
  std::string out = ".";
  bool quiet = false;
};

std::optional<CosimRequest> parse_cosim(const std::vector<std::string>& words,
                                        const Terminal& terminal) {
  CommandParser parser({"cosim", "hold the RTL blocks to the model, request by request",
                        "build/release/sluice cosim wred_marker --cycles 100000 --seed 7"});
  TCLAP::CmdLine& line = parser.line();
  using Text = TCLAP::ValueArg<std::string>;
  TCLAP::UnlabeledMultiArg<std::string> blocks("BLOCK", "blocks (all)", false, "BLOCK", line);
  Text cycles("", "cycles", "clocks of each run (1000000)", false, "1000000", "N", line);
  Text seed("", "seed", "first seed, of stimulus and of unknown register values (1)", false, "1",
            "S", line);
  Text seeds("", "seeds", "runs, with seeds S, S+1, … (1)", false, "1", "N", line);
  Text fault("", "fault", "activate one fault placed by hand: the run should differ", false, "",
             "N", line);
  TCLAP::SwitchArg faults("", "faults", "run every fault placed by hand: each must be found", line);
  Text replay("", "replay", "drive a block with requests recorded by run --rtl-record", false, "",
              "FILE", line);
  Text junit("", "junit", "write a JUnit report there", false, "", "FILE", line);
  Text out("", "out", "waveforms of differences go there (the current directory)", false, ".",
           "DIR", line);
  TCLAP::SwitchArg quiet("", "quiet", "print differences alone", line);
  if (!parser.parse(words, terminal.out)) return std::nullopt;
  CosimRequest request;
  request.blocks = blocks.getValue();
  request.cycles = parse_option("--cycles", cycles.getValue(), parse_unsigned);
  request.seed = parse_option("--seed", seed.getValue(), parse_unsigned);
  request.seeds = parse_option("--seeds", seeds.getValue(), parse_unsigned);
  if (fault.isSet()) {
    request.fault =
        static_cast<int>(parse_option("--fault", fault.getValue(), parse_unsigned) & 0xffff);
  }
  request.faults = faults.getValue();
  request.replay = replay.getValue();
  request.junit = junit.getValue();
  request.out = out.getValue();
  request.quiet = quiet.getValue();
  if (request.cycles == 0 || request.seeds == 0) {
    throw ConfigError("--cycles and --seeds: expected at least 1");
  }
  if (request.faults && request.fault) {
    throw ConfigError("--fault and --faults exclude each other: one fault or all of them");
  }
  if (!request.replay.empty() && request.blocks.size() != 1) {
    throw ConfigError("--replay drives one block: name it");
  }
  return request;
}

std::vector<Bench> select(const CosimRequest& request) {
  std::vector<Bench> all = cosim::all_benches();
  if (request.blocks.empty()) return all;
  std::vector<Bench> chosen;
  for (const std::string& name : request.blocks) {
    std::vector<std::string_view> names;
    for (const Bench& bench : all) {
      names.push_back(bench.block);
      if (bench.block == name) chosen.push_back(bench);
    }
    if (chosen.empty() || chosen.back().block != name) refuse_word("block", name, names);
  }
  return chosen;
}

class Cosim {
 public:
  Cosim(const CosimRequest& request, const Terminal& terminal)
      : request_(request), terminal_(terminal) {}

  void describe() {
    junit_.property("sluice", version());
    junit_.property("verilator", verilator_version());
    junit_.property("cycles", fmt::format("{}", request_.cycles));
    junit_.property("seed", fmt::format("{}", request_.seed));
    if (!request_.replay.empty()) junit_.property("replay", request_.replay);
  }
  void run(const Bench& bench) {
    if (request_.faults) {
      for (std::size_t i = 0; i < bench.faults.size(); ++i)
        try_fault(bench, static_cast<int>(i + 1));
      return;
    }
    if (request_.fault && !kAnyFault &&
        (*request_.fault < 1 || static_cast<std::size_t>(*request_.fault) > bench.faults.size())) {
      throw ConfigError(fmt::format("--fault {}: {} has faults 1..{}", *request_.fault, bench.block,
                                    bench.faults.size()));
    }
    for (std::uint64_t i = 0; i < request_.seeds; ++i) run_seed(bench, request_.seed + i);
  }
  const JunitReport& junit() const { return junit_; }
  /// Text of the first difference or of the first fault that was not found; empty: none.
  const std::string& failure() const { return failure_; }
  bool blind() const { return blind_; }

 private:
  BenchOptions options(std::uint64_t seed, int fault) const {
    BenchOptions options;
    options.cycles = request_.cycles;
    options.seed = seed;
    options.fault = fault;
    options.replay = request_.replay;
    return options;
  }
  std::string again(const Bench& bench, std::uint64_t seed) const {
    std::string text =
        fmt::format("sluice cosim {} --cycles {} --seed {}", bench.block, request_.cycles, seed);
    if (request_.fault) text += fmt::format(" --fault {}", *request_.fault);
    if (!request_.replay.empty()) text += fmt::format(" --replay {}", request_.replay);
    return text;
  }
  /// The same run once more, with the clocks around the difference as a waveform.
  std::string draw(const Bench& bench, BenchOptions options, std::uint64_t cycle) const {
    std::filesystem::create_directories(request_.out);
    options.fst = fmt::format("{}/{}-seed{}.fst", request_.out, bench.block, options.seed);
    options.fst_from = cycle > kWindow ? cycle - kWindow : 0;
    options.fst_to = cycle + kWindow;
    cosim::run_bench(bench, options);
    return fmt::format("waveform  {} (cycles {} to {})", options.fst, options.fst_from,
                       options.fst_to);
  }
  void run_seed(const Bench& bench, std::uint64_t seed) {
    const BenchOptions with = options(seed, request_.fault.value_or(0));
    const BenchResult result = cosim::run_bench(bench, with);
    const std::string name = fmt::format("seed {}", seed);
    if (!result.differs) {
      junit_.passed(bench.block, name);
      if (!request_.quiet) {
        terminal_.out << fmt::format("{:<22} {}: {} cycles, {} transactions, equal\n{}",
                                     bench.block, name, result.cycles, result.transactions,
                                     result.notes);
      }
      return;
    }
    const cosim::Difference& d = result.difference;
    const std::string what = fmt::format("{} differs in cycle {}: {}: model {}, RTL {} (seed {})",
                                         bench.block, d.cycle, d.signal, d.model, d.rtl, seed);
    terminal_.out << fmt::format("{}\n  {}\n  again     {}\n", what, draw(bench, with, d.cycle),
                                 again(bench, seed));
    junit_.failed(bench.block, name, what);
    if (failure_.empty()) failure_ = what;
  }
  void try_fault(const Bench& bench, int fault) {
    const std::string meaning(bench.faults[static_cast<std::size_t>(fault - 1)]);
    for (std::uint64_t i = 0; i < request_.seeds; ++i) {
      const BenchResult result = cosim::run_bench(bench, options(request_.seed + i, fault));
      if (!result.differs) continue;
      junit_.passed(bench.block, fmt::format("fault {}", fault));
      if (!request_.quiet) {
        terminal_.out << fmt::format("{:<22} fault {:>2} found in cycle {} ({}): {}\n", bench.block,
                                     fault, result.difference.cycle, result.difference.signal,
                                     meaning);
      }
      return;
    }
    const std::string what =
        fmt::format("{}: the bench does not see fault {} ({})", bench.block, fault, meaning);
    terminal_.out << what << "\n";
    junit_.failed(bench.block, fmt::format("fault {}", fault), what);
    blind_ = true;
    if (failure_.empty()) failure_ = what;
  }

  const CosimRequest& request_;
  const Terminal& terminal_;
  JunitReport junit_;
  std::string failure_;
  bool blind_ = false;
};

}  // namespace

int cosim_command(const std::vector<std::string>& words, const Terminal& terminal) {
  const std::optional<CosimRequest> request = parse_cosim(words, terminal);
  if (!request) return 0;
  Cosim cosim(*request, terminal);
  cosim.describe();
  for (const Bench& bench : select(*request)) cosim.run(bench);
  if (!request->junit.empty()) {
    std::ofstream file(request->junit);
    file << cosim.junit().text();
    if (!file.flush()) throw ConfigError(fmt::format("--junit: cannot write {}", request->junit));
  }
  if (cosim.failure().empty()) return 0;
  throw Error(cosim.blind() ? ExitCode::kInternal : ExitCode::kRtlMismatch, cosim.failure());
}

}  // namespace sluice

#else

namespace sluice {

int cosim_command(const std::vector<std::string>&, const Terminal&) {
  throw ConfigError("cosim: this build has no RTL; configure with -DSLUICE_RTL=ON (Verilator)");
}

}  // namespace sluice

#endif
