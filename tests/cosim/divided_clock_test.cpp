// SPDX-License-Identifier: Apache-2.0
// A divided clock leaves Verilated RTL and drives a SystemC flop (B85). The rule that makes it
// safe: a clock that RTL derives is published in one delta cycle, the data that changes with it in
// the next, as a SystemC divider and flop do by themselves.
#include <Vdivided_flop.h>
#include <gtest/gtest.h>

#include <memory>
#include <systemc>
#include <vector>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {
namespace {

constexpr int kCycles = 1'000'000;

struct Wires {
  sc_core::sc_signal<bool> half{"half"};
  sc_core::sc_signal<std::uint8_t> data{"data"};
};
std::uint8_t stimulus(std::uint64_t cycle) { return static_cast<std::uint8_t>(cycle * 37 >> 1); }

/// The divider and flop in Verilated RTL.
class RtlDivider : public sc_core::sc_module {
 public:
  RtlDivider(const sc_core::sc_module_name& name, sc_core::sc_clock& clock, Wires& wires)
      : sc_core::sc_module(name), wires_(wires), rtl_(RtlOptions{}) {
    rtl_.pins().data_i = 0;
    rtl_.reset();
    SC_HAS_PROCESS(RtlDivider);
    SC_METHOD(clocked);
    sensitive << clock.posedge_event();
    dont_initialize();
    SC_METHOD(publish_data);
    sensitive << wires.half.value_changed_event();
    dont_initialize();
  }

 private:
  void clocked() {
    rtl_.pins().data_i = stimulus(cycle_++);
    rtl_.tick();
    wires_.half.write(rtl_.pins().half_clk_o != 0);
  }
  void publish_data() { wires_.data.write(rtl_.pins().data_o); }

  Wires& wires_;
  RtlModel<Vdivided_flop> rtl_;
  std::uint64_t cycle_ = 0;
};

/// The same in SystemC alone.
class ScDivider : public sc_core::sc_module {
 public:
  ScDivider(const sc_core::sc_module_name& name, sc_core::sc_clock& clock, Wires& wires)
      : sc_core::sc_module(name), wires_(wires) {
    SC_HAS_PROCESS(ScDivider);
    SC_METHOD(divide);
    sensitive << clock.posedge_event();
    dont_initialize();
    SC_METHOD(flop);
    sensitive << wires.half.posedge_event();
    dont_initialize();
  }

 private:
  void divide() {
    ++cycle_;
    wires_.half.write(!wires_.half.read());
  }
  void flop() { wires_.data.write(stimulus(cycle_ - 1)); }

  Wires& wires_;
  std::uint64_t cycle_ = 0;
};

/// The flop outside: must see what the data was before the edge.
class ScFlop : public sc_core::sc_module {
 public:
  ScFlop(const sc_core::sc_module_name& name, Wires& wires, std::uint64_t& hash)
      : sc_core::sc_module(name), wires_(wires), hash_(hash) {
    SC_HAS_PROCESS(ScFlop);
    SC_METHOD(sample);
    sensitive << wires.half.posedge_event();
    dont_initialize();
  }
  std::uint64_t mismatches() const { return mismatches_; }

 private:
  void sample() {
    const std::uint8_t seen = wires_.data.read();
    // Edges come in cycles 0, 2, 4 …; the data before edge n is what edge n - 1 took.
    const std::uint8_t expected = edges_ == 0 ? 0 : stimulus(2 * (edges_ - 1));
    mismatches_ += seen != expected ? 1 : 0;
    ++edges_;
    hash_ = hash_ * 1099511628211u + seen;
  }

  Wires& wires_;
  std::uint64_t& hash_;
  std::uint64_t edges_ = 0;
  std::uint64_t mismatches_ = 0;
};

template <class Divider>
std::uint64_t run(bool flop_first, int cycles) {
  // A kernel of its own for each of the three arrangements.
  auto context = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_simcontext* const previous = sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = context.get();
  sc_core::sc_default_global_context = context.get();
  std::uint64_t hash = 0;
  {
    sc_core::sc_clock clock("clock", sc_core::sc_time(1, sc_core::SC_NS));
    Wires wires;
    std::unique_ptr<Divider> divider;
    if (!flop_first) divider = std::make_unique<Divider>("divider", clock, wires);
    ScFlop flop("flop", wires, hash);
    if (flop_first) divider = std::make_unique<Divider>("divider", clock, wires);
    sc_core::sc_start(sc_core::sc_time(cycles, sc_core::SC_NS));
    EXPECT_EQ(flop.mismatches(), 0u);
  }
  sc_core::sc_curr_simcontext = previous;
  sc_core::sc_default_global_context = previous;
  return hash;
}

TEST(FieldReport, B85_AFlopBehindADividedRtlClockSeesTheValueBeforeTheEdge) {
  const std::uint64_t expected = run<ScDivider>(false, kCycles);
  EXPECT_NE(expected, 0u);
  EXPECT_EQ(run<RtlDivider>(false, kCycles), expected);
  EXPECT_EQ(run<RtlDivider>(true, kCycles), expected);
}

}  // namespace
}  // namespace sluice::rtl
