// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/harness/bench.h"

#include <fmt/core.h>

#include "kernel/error.h"

namespace sluice::cosim {
namespace {

struct Differs : std::exception {
  explicit Differs(Difference found) : difference(std::move(found)) {}
  const char* what() const noexcept override { return difference.signal.c_str(); }
  Difference difference;
};

}  // namespace

void BenchRun::differ(std::string_view signal, std::string model, std::string rtl) {
  throw Differs({cycle_, std::string(signal), std::move(model), std::move(rtl)});
}

void BenchRun::differ(std::string_view signal, std::uint64_t model, std::uint64_t rtl) {
  differ(signal, fmt::format("{}", model), fmt::format("{}", rtl));
}

void BenchRun::bad_record(std::string_view line) const {
  throw ConfigError(line.empty() ? fmt::format("--replay {}: holds no requests", options_.replay)
                                 : fmt::format("--replay {}: no record of this block: {}",
                                               options_.replay, line));
}

BenchResult run_bench(const Bench& bench, const BenchOptions& options) {
  BenchRun run(options);
  BenchResult result;
  try {
    bench.run(run);
  } catch (const Differs& differs) {
    result.differs = true;
    result.difference = differs.difference;
  } catch (const rtl::RtlError& error) {
    result.differs = true;
    result.difference = {run.cycle(), "assertion", "holds", error.what()};
  } catch (const InvariantError& error) {
    if (run.record_line() == 0) throw;
    // What the model has never been asked in a fabric.
    throw ConfigError(
        fmt::format("--replay {}:{}: expected a request that may follow those before: {}",
                    options.replay, run.record_line(), error.what()));
  }
  result.cycles = run.cycle();
  result.transactions = run.transactions();
  result.notes = run.notes();
  return result;
}

}  // namespace sluice::cosim
