// SPDX-License-Identifier: Apache-2.0
// One instance of a Verilated block with a context, seed, clock and waveform of its own.
// Leaves out: what the pins mean; twins (rtl/<block>/<block>_twin.h) drive them.
#pragma once

#include <fmt/core.h>
#include <verilated.h>
#include <verilated_fst_c.h>
#if VM_COVERAGE
#include <verilated_cov.h>

#include <filesystem>
#include <typeinfo>
#endif

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rtl/harness/rtl_context.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

/// `Top` is a Verilated class with the inputs `clk_i` and `rst_ni`. Two instances never share
/// state: every entry makes this context the thread's, because in Verilator 5.006 $error, plusargs,
/// random reset and destructors act on the thread's context (verilator #8265).
template <class Top>
class RtlModel {
 public:
  explicit RtlModel(const RtlOptions& options) : options_(options), cycle_(options.first_cycle) {
    const std::string fault = fmt::format("+sluice_fault={}", options.fault);
    const char* words[] = {"rtl", fault.c_str()};
    activate();
    context_->fatalOnError(false);  // an assertion throws RtlError instead of ending the process
    context_->randReset(2);
    context_->randSeed(static_cast<int>(options.x_seed % 0x7fffffffu + 1u));
    context_->commandArgs(2, words);
    if (!options.fst.empty()) context_->traceEverOn(true);
    top_ = std::make_unique<Top>(context_.get(), "dut");
    if (!options.fst.empty()) {
      fst_ = std::make_unique<VerilatedFstC>();
      top_->trace(fst_.get(), 99);
    }
    top_->clk_i = 0;
    top_->rst_ni = 0;
  }
  ~RtlModel() {
    activate();
    if (fst_) end_waveform();
    top_->final();
#if VM_COVERAGE
    write_coverage();
#endif
    top_.reset();
  }
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  /// Pins, to be driven while the clock is low.
  Top& pins() { return *top_; }
  /// Lets the logic between registers settle; outputs that depend on inputs are valid then.
  void settle() {
    activate();
    top_->eval();
  }
  /// One clock: inputs are taken at the rising edge. Throws RtlError when an assertion fails.
  void tick() {
    clock();
    if (context_->gotError() || context_->gotFinish()) [[unlikely]] {
      throw RtlError(fmt::format("an assertion of the RTL failed in cycle {}: {}", cycle_ - 1,
                                 first_assertion(context_->said)));
    }
  }
  /// Reset for `cycles` clocks, longer than any $past of an assertion looks back: what it sees has
  /// random start values too. The caller has set the other inputs to rest.
  void reset(unsigned cycles = 16) {
    top_->rst_ni = 0;
    for (unsigned i = 0; i < cycles; ++i) tick();
    top_->rst_ni = 1;
    settle();
  }
  std::uint64_t cycle() const { return cycle_; }

 private:
  void clock() {
    activate();
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
    dump();
    top_->clk_i = 0;
    top_->eval();
    dump();
    ++cycle_;
  }
  void activate() { Verilated::threadContextp(context_.get()); }
  void dump() {
    context_->timeInc(1);
    if (!fst_ || cycle_ < options_.fst_from || cycle_ > options_.fst_to) [[likely]]
      return;
    if (!fst_->isOpen()) fst_->open(options_.fst.c_str());
    fst_->dump(2 * cycle_ + (top_->clk_i ? 0 : 1));
  }
  /// A bench ends at a difference: what the RTL does next is shown with its inputs as they are.
  void end_waveform() {
    context_->assertOn(false);
    while (fst_->isOpen() && cycle_ <= options_.fst_to) clock();
    if (fst_->isOpen()) fst_->close();
  }
#if VM_COVERAGE
  /// One file an instance, in the working directory; rtl/tools merge them.
  void write_coverage() {
    const std::string name = typeid(Top).name();
    std::string file = fmt::format("coverage_{}_{}_{}.dat", name, options_.x_seed, options_.fault);
    for (int n = 1; std::filesystem::exists(file); ++n) {
      file = fmt::format("coverage_{}_{}_{}_{}.dat", name, options_.x_seed, options_.fault, n);
    }
    context_->coveragep()->write(file.c_str());
  }
#endif

  RtlOptions options_;
  std::uint64_t cycle_;
  std::unique_ptr<RtlContext> context_ = std::make_unique<RtlContext>();
  std::unique_ptr<Top> top_;
  std::unique_ptr<VerilatedFstC> fst_;
};

}  // namespace sluice::rtl
