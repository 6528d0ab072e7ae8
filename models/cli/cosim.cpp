// SPDX-License-Identifier: Apache-2.0
// `sluice cosim`: the lock-step benches of the RTL blocks, their faults, and a JUnit report.
// Leaves out: the benches (testbenches/cosim/).
#include "cli/cli.h"
#include "kernel/error.h"
#ifdef SLUICE_RTL
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "cli/cosim_request.h"
#include "cli/junit.h"
#include "cli/rtl_request.h"
#include "cli/words.h"
#include "rtl/swap/rtl_swap.h"
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

/// Blocks that a capture of frames drives; those of a fabric take records.
constexpr std::array<std::string_view, 2> kTakeCaptures{"icrc_engine", "switch_slice"};

void check_replay(const Bench& bench) {
  const auto& recorded = rtl::RtlSwap::blocks();
  if (std::find(recorded.begin(), recorded.end(), bench.block) != recorded.end()) return;
  if (std::find(kTakeCaptures.begin(), kTakeCaptures.end(), bench.block) != kTakeCaptures.end()) {
    return;
  }
  throw ConfigError(fmt::format("--replay: nothing records {}, which has no place in a fabric ({})",
                                bench.block, fmt::join(recorded, ", ")));
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

void make_directory(const std::string& path) {
  std::error_code error;
  if (!path.empty()) std::filesystem::create_directories(path, error);
  if (error) throw ConfigError(fmt::format("--out {}: {}", path, error.message()));
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
        (*request_.fault < 1 || *request_.fault > bench.faults.size())) {
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
  /// The same run once more, with the clocks around the difference as a waveform.
  std::string draw(const Bench& bench, BenchOptions options, std::uint64_t cycle) const {
    const std::filesystem::path out = request_.out.empty() ? "." : request_.out;
    options.fst = (out / fmt::format("{}-seed{}.fst", bench.block, options.seed)).string();
    options.fst_from = cycle > kWindow ? cycle - kWindow : 0;
    options.fst_to = cycle + kWindow;
    cosim::run_bench(bench, options);
    return fmt::format("waveform  {} (cycles {} to {})", options.fst, options.fst_from,
                       options.fst_to);
  }
  void run_seed(const Bench& bench, std::uint64_t seed) {
    const BenchOptions with = options(seed, static_cast<int>(request_.fault.value_or(0)));
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
                                 cosim_again(request_, std::string(bench.block), seed));
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
        fmt::format("{}: {} does not see fault {} ({})", bench.block,
                    request_.replay.empty() ? "the bench" : request_.replay, fault, meaning);
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
  const std::optional<CosimRequest> request = parse_cosim(words, terminal.out);
  if (!request) return 0;
  const std::vector<Bench> benches = select(*request);
  if (!request->replay.empty()) check_replay(benches.front());
  // Before the runs, which take their time.
  std::ofstream report;
  if (!request->junit.empty()) report.open(request->junit);
  if (!report) throw ConfigError(fmt::format("--junit: cannot write {}", request->junit));
  make_directory(request->out);
  Cosim cosim(*request, terminal);
  cosim.describe();
  for (const Bench& bench : benches) cosim.run(bench);
  if (!request->junit.empty() && !(report << cosim.junit().text()).flush()) {
    throw ConfigError(fmt::format("--junit: cannot write {}", request->junit));
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
