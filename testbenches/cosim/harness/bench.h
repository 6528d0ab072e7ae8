// SPDX-License-Identifier: Apache-2.0
// What a lock-step bench of one RTL block is: a run that drives model and RTL with the same
// requests and stops at the first difference. Leaves out: the blocks' own benches
// (testbenches/cosim/<block>/) and text for users (cli/cosim.cpp).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/random.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::cosim {

/// The first difference between model and RTL.
struct Difference {
  std::uint64_t cycle = 0;
  std::string signal;
  std::string model;
  std::string rtl;
};

struct BenchOptions {
  std::uint64_t cycles = 1'000'000;  ///< clocks of the RTL, all phases together
  std::uint64_t seed = 1;
  int fault = 0;    ///< of the block's list; 0: none
  std::string fst;  ///< waveform of cycles fst_from..fst_to; empty: none
  std::uint64_t fst_from = 0;
  std::uint64_t fst_to = 0;
  std::string replay;  ///< stimulus file recorded at the block's boundary; empty: generated
};

/// State of one run, handed to a block's bench: what to drive, and where to compare.
class BenchRun {
 public:
  explicit BenchRun(const BenchOptions& options)
      : options_(options), random_(options.seed, 0, RandomPurpose::kTest) {}

  const BenchOptions& options() const { return options_; }
  RandomStream& random() { return random_; }
  /// For one RTL instance more; `cycle` counts on over instances.
  rtl::RtlOptions rtl_options() {
    // Another start state for every instance and seed: results must not depend on it.
    return {static_cast<std::uint32_t>(mix64(options_.seed * 64 + ++instances_) & 0x3fffffff) + 1,
            options_.fault,
            options_.fst,
            options_.fst_from,
            options_.fst_to,
            cycle_};
  }
  /// Clocks left of the run, at least 0; a phase that takes a part divides it.
  std::uint64_t cycles_left() const {
    return cycle_ < options_.cycles ? options_.cycles - cycle_ : 0;
  }
  std::uint64_t cycle() const { return cycle_; }
  /// The RTL has been clocked to here (RtlModel::cycle).
  void at_cycle(std::uint64_t cycle) { cycle_ = cycle; }
  void count_transaction() { ++transactions_; }
  std::uint64_t transactions() const { return transactions_; }
  /// Lines for the user about what was measured; each ends in a line feed.
  void note(std::string_view text) { notes_ += text; }
  const std::string& notes() const { return notes_; }

  /// Ends the run with a Difference unless both are equal.
  void expect(std::string_view signal, std::uint64_t model, std::uint64_t rtl) {
    if (model != rtl) [[unlikely]]
      differ(signal, model, rtl);
  }
  [[noreturn]] void differ(std::string_view signal, std::uint64_t model, std::uint64_t rtl);
  [[noreturn]] void differ(std::string_view signal, std::string model, std::string rtl);
  /// Throws ConfigError: the replayed file does not belong to this bench. Empty: no request in it.
  [[noreturn]] void bad_record(std::string_view line) const;
  /// The line of the replayed record that is at work, for what is found wrong with it later.
  void at_record_line(std::uint64_t number) { record_line_ = number; }
  std::uint64_t record_line() const { return record_line_; }

 private:
  BenchOptions options_;
  RandomStream random_;
  std::uint64_t cycle_ = 0;
  std::uint64_t transactions_ = 0;
  std::uint64_t instances_ = 0;
  std::uint64_t record_line_ = 0;  ///< 0: no record is replayed
  std::string notes_;
};

/// One block's bench.
struct Bench {
  std::string_view block;
  /// Faults placed by hand, id 1 on, in the words of a designer ("XOFF one cell late").
  std::vector<std::string_view> faults;
  /// Directed phases first, then random ones until the cycles are used up. Replays
  /// options().replay instead where that is set.
  void (*run)(BenchRun& run) = nullptr;
};

struct BenchResult {
  std::uint64_t cycles = 0;
  std::uint64_t transactions = 0;
  bool differs = false;
  Difference difference;
  std::string notes;  ///< lines about what was measured
};

/// Runs a bench to its end or to the first difference; an assertion of the RTL is a difference too.
BenchResult run_bench(const Bench& bench, const BenchOptions& options);

/// All of this build, in the order of their names.
std::vector<Bench> all_benches();

/// A duty cycle that changes every 32 cycles: bursts fill and empty what a steady rate does not.
class Bursts {
 public:
  explicit Bursts(RandomStream& random) : random_(random) {}
  /// Whether something happens in this cycle.
  bool next() {
    if (left_-- == 0) {
      left_ = 31;
      duty_ = random_.below(9);
    }
    return random_.below(8) < duty_;
  }

 private:
  RandomStream& random_;
  std::uint32_t left_ = 0;
  std::uint32_t duty_ = 4;
};

}  // namespace sluice::cosim
