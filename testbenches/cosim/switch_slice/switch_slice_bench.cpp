// SPDX-License-Identifier: Apache-2.0
// The chip slice against the SystemC chip: the same frames arrive at both in the same clocks. Order
// of departures, marks, losses, words, and when each frame starts on the wire: at most kMostClocks
// apart at the 99th percentile. Stage latencies of the chip were set from the calibration trace.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/switch_slice/slice_chip.h"

namespace sluice::cosim {
namespace {

constexpr double kMostClocks = 8;
constexpr double kPercentile = 0.99;
constexpr std::uint64_t kLongRun = 100'000;

/// Departure-time errors in core clocks, RTL less model.
struct Errors {
  std::vector<double> all;

  double at(double quantile) {
    std::sort(all.begin(), all.end());
    const auto last = static_cast<double>(all.size() - 1);
    return all[static_cast<std::size_t>(std::floor(quantile * last))];
  }
  /// Of magnitudes.
  double magnitude_at(double quantile) const {
    Errors magnitudes;
    for (const double error : all) magnitudes.all.push_back(std::fabs(error));
    return magnitudes.at(quantile);
  }
  std::string text(std::string_view name) {
    if (all.empty()) return {};
    // No negative zeroes.
    const auto rounded = [](double clocks) { return std::round(clocks * 100) / 100 + 0.0; };
    const double min = rounded(at(0));
    const double median = rounded(at(0.5));
    return fmt::format(
        "  {:<24} {:>6} frames, error in clocks: min {:+.2f}, p50 {:+.2f}, p99 {:+.2f}, max "
        "{:+.2f}, "
        "p99 of |error| {:.2f}\n",
        name, all.size(), min, median, rounded(at(kPercentile)), rounded(at(1)),
        magnitude_at(kPercentile));
  }
};

class Comparison {
 public:
  Comparison(BenchRun& run, const SliceTrace& trace, const SliceDepartures& model,
             const SliceDepartures& rtl, std::uint64_t first_cycle)
      : run_(run),
        trace_(trace),
        model_(model),
        rtl_(rtl),
        first_cycle_(first_cycle),
        by_pattern_(trace.patterns.size()) {}

  void orders() {
    for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
      const auto& model = model_.ports[port];
      const auto& rtl = rtl_.ports[port];
      for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); ++i) {
        if (model[i].number != rtl[i].number) {
          run_.at_cycle(first_cycle_ + static_cast<std::uint64_t>(rtl[i].clock));
          run_.differ(fmt::format("order of departures at port {} ({})", port, i),
                      name(model[i].number), name(rtl[i].number));
        }
        run_.expect("CE", model[i].ce, rtl[i].ce);
        const double error = rtl[i].clock - model[i].clock;
        all_.all.push_back(error);
        by_pattern_[trace_.frames[model[i].number].pattern].all.push_back(error);
        run_.count_transaction();
      }
      run_.expect(fmt::format("frames out of port {}", port), model.size(), rtl.size());
    }
    run_.expect("frames refused by the MMU", model_.dropped, rtl_.dropped);
    run_.expect("frames without a route", model_.no_route, rtl_.no_route);
  }
  void times() {
    if (all_.all.empty()) return;
    const double p99 = all_.magnitude_at(kPercentile);
    if (p99 > kMostClocks) {
      run_.differ("p99 of departure-time errors", fmt::format("at most {} clocks", kMostClocks),
                  fmt::format("{:.2f} clocks", p99));
    }
  }
  /// Times of the same frames, whatever their order, and how many have another place in it.
  std::string loosely(std::string_view name) {
    std::vector<double> model_clock(trace_.frames.size());
    std::uint64_t moved = 0;
    for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
      for (const SliceDeparture& frame : model_.ports[port])
        model_clock[frame.number] = frame.clock;
      const auto& rtl = rtl_.ports[port];
      run_.expect(fmt::format("frames out of port {}", port), model_.ports[port].size(),
                  rtl.size());
      for (std::size_t i = 0; i < rtl.size(); ++i) {
        moved += model_.ports[port][i].number != rtl[i].number;
        all_.all.push_back(rtl[i].clock - model_clock[rtl[i].number]);
      }
    }
    return all_.text(name) +
           fmt::format("  {:<24} {:>6} of them leave at another place in the order\n", "", moved);
  }
  std::string text() {
    std::string text;
    for (std::size_t i = 0; i < by_pattern_.size(); ++i) {
      text += by_pattern_[i].text(trace_.patterns[i]);
    }
    if (by_pattern_.size() > 1) text += all_.text("all");
    return text;
  }

 private:
  std::string name(std::uint32_t number) const {
    const SliceFrame& frame = trace_.frames[number];
    return fmt::format("frame {} of port {} in clock {}", number, frame.port, frame.clock);
  }

  BenchRun& run_;
  const SliceTrace& trace_;
  const SliceDepartures& model_;
  const SliceDepartures& rtl_;
  std::uint64_t first_cycle_;  ///< of the RTL at clock 0 of the trace
  Errors all_;
  std::vector<Errors> by_pattern_;
};

/// Clocks in which all that came by then has left.
std::uint64_t clocks_of(const SliceTrace& trace) {
  constexpr std::uint64_t kAtLeast = 2000;
  if (trace.frames.empty()) return 0;
  std::uint64_t units = 0;
  for (const SliceFrame& frame : trace.frames) {
    units += (frame.bytes + kWireOverheadBytes) * kSliceByteUnits;
  }
  // Were the last quarter of the frames all for one port.
  return trace.frames.back().clock + std::min(units / kSliceClockUnits, std::uint64_t{20'000}) +
         kAtLeast;
}

void compare(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks,
             SliceSlots slots = SliceSlots::kCalendar) {
  const SwitchParams params = slice_params();
  const SliceDepartures model = run_slice_chip(params, trace);
  SliceRtl slice(params, run.rtl_options());
  const std::uint64_t first_cycle = slice.cycle();
  const SliceDepartures rtl = slice.run(
      trace, slots, clocks, [&run](std::uint64_t cycle) { run.at_cycle(cycle); },
      [&run](std::string_view signal, std::uint64_t expected, std::uint64_t found) {
        run.expect(signal, expected, found);
      });
  Comparison comparison(run, trace, model, rtl, first_cycle);
  if (slots == SliceSlots::kAny) return run.note(comparison.loosely("heads in any clock"));
  if (slots == SliceSlots::kWholeCells) return run.note(comparison.loosely("whole cells"));
  comparison.orders();
  run.note(comparison.text());
  comparison.times();
}

void run_bench_of_slice(BenchRun& run) {
  if (!run.options().replay.empty()) {
    const SliceTrace trace = read_slice_trace(run.options().replay);
    return compare(run, trace, clocks_of(trace));
  }
  const SliceTrace calibration = make_calibration_trace();
  compare(run, calibration, clocks_of(calibration));
  const std::uint64_t left = run.cycles_left();
  const bool is_long = left >= kLongRun;
  const std::uint64_t clocks =
      (is_long ? left / 4 * 3 : left) - std::min(left, SliceRtl::kSetupClocks);
  compare(run, make_slice_trace(run.random(), clocks, SliceSlots::kCalendar), clocks);
  if (!is_long) return;
  // Told, and no difference: heads that come in the same clock, which the RTL takes in turn and the
  // model by port number, and cells that come with their last byte, the smaller the sooner.
  for (const SliceSlots slots : {SliceSlots::kAny, SliceSlots::kWholeCells}) {
    const std::uint64_t eighth = left / 8 - SliceRtl::kSetupClocks;
    compare(run, make_slice_trace(run.random(), eighth, slots), eighth, slots);
  }
}

}  // namespace

Bench switch_slice_bench() {
  return {"switch_slice",
          {"a frame is taken for four bytes shorter: the FCS is forgotten",
           "a frame of whole cells is charged one more",
           "hosts of a subnet are taken for one another", "other than IPv4 is forwarded",
           "the class is read from the lower bits of the TOS", "the gap between frames is left out",
           "a frame starts as soon as it is there, before its token",
           "the fraction of a clock that a frame leaves over is lost",
           "the scheduler is not asked when queues compete",
           "a packet is marked by the depth that it finds, itself included",
           "the scheduler does not learn that a queue is empty",
           "a marked packet keeps its checksum", "one cell of a packet is given back",
           "a packet that the MMU refuses is kept", "the rest of a frame without a route is kept",
           "cells of all ingress ports come into one list",
           "a cell is given to the port whose turn it was"},
          &run_bench_of_slice};
}

}  // namespace sluice::cosim
