// SPDX-License-Identifier: Apache-2.0
// The chip slice against the SystemC chip: the same frames arrive at both in the same clocks. Order
// of departures, marks, losses, words, and when each frame starts on the wire: at most kMostClocks
// apart at the 99th percentile. Stage latencies of the chip were set from the calibration trace.
#include <algorithm>
#include <cmath>

#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/switch_slice/slice_chip.h"
#include "testbenches/cosim/switch_slice/slice_compare.h"

namespace sluice::cosim {
namespace {

constexpr double kMostClocks = 8;
/// Between what both sides refuse of a trace whose frames are too short to be compared one by one.
constexpr double kMostShare = 0.02;
constexpr std::uint64_t kLongRun = 100'000;

/// Clocks in which all that came by then has left.
std::uint64_t clocks_of(const SliceTrace& trace) {
  constexpr std::uint64_t kAtLeast = 2000;
  if (trace.frames.empty()) return 0;
  std::uint64_t units = 0;
  for (const SliceFrame& frame : trace.frames) units += slice_wire_units(frame.bytes);
  // Were the last quarter of the frames all for one port.
  return trace.frames.back().clock + std::min(units / kSliceClockUnits, std::uint64_t{20'000}) +
         kAtLeast;
}

SliceBoth run_both(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks,
                   std::uint32_t cells, bool pauses = false) {
  const SwitchParams params = slice_params(cells, pauses);
  SliceBoth both;
  both.model = run_slice_chip(params, trace);
  SliceRtl slice(params, run.rtl_options());
  both.first_cycle = slice.cycle();
  both.rtl = slice.run(
      trace, clocks, [&run](std::uint64_t cycle) { run.at_cycle(cycle); },
      [&run](std::string_view signal, std::uint64_t expected, std::uint64_t found) {
        run.expect(signal, expected, found);
      });
  return both;
}

void compare(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks, std::uint32_t cells,
             bool pauses = false) {
  const SliceBoth both = run_both(run, trace, clocks, cells, pauses);
  SliceComparison comparison(run, trace, both);
  comparison.orders();
  run.note(comparison.text());
  comparison.times(SliceComparison::kPercentile, kMostClocks);
}

/// Not a clock apart, nor a part of one: the trace that stage latencies were set from.
void compare_exactly(BenchRun& run, const SliceTrace& trace) {
  const SliceBoth both = run_both(run, trace, clocks_of(trace), kSliceCells);
  SliceComparison comparison(run, trace, both);
  comparison.orders();
  run.note(comparison.text());
  comparison.times(1, 0);
}

/// The RTL gives cells of frames that are shorter than the way from admission to a choice back
/// late, and other frames are refused: how many, and that both sides refuse the same part.
void compare_losses(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks) {
  const SliceBoth both = run_both(run, trace, clocks, kSliceFewCells);
  const SliceLosses losses = count_losses(trace, both);
  run.note(fmt::format(
      "  {:<30} {:>6} frames, the model loses {} and the RTL {}, {} are lost by one of them "
      "alone\n",
      trace.patterns.front(), trace.frames.size(), losses.model, losses.rtl, losses.one_alone));
  const double apart =
      std::fabs(static_cast<double>(losses.model) - static_cast<double>(losses.rtl)) /
      static_cast<double>(std::max<std::size_t>(1, trace.frames.size()));
  if (apart > kMostShare) {
    run.differ(fmt::format("lost of {} frames", trace.frames.size()),
               fmt::format("{}", losses.model), fmt::format("{}", losses.rtl));
  }
}

void run_bench_of_slice(BenchRun& run) {
  if (!run.options().replay.empty()) {
    const SliceTrace trace = read_slice_trace(run.options().replay);
    return compare(run, trace, clocks_of(trace), kSliceCells);
  }
  const SliceTrace calibration = make_calibration_trace();
  compare_exactly(run, calibration);
  const std::uint64_t left = run.cycles_left();
  const auto part = [&](SliceLoad load, std::uint32_t cells, std::uint64_t sixteenths) {
    const std::uint64_t share = left / 16 * sixteenths;
    const std::uint64_t clocks = share - std::min(share, SliceRtl::kSetupClocks);
    const SliceTrace trace = make_slice_trace(run.random(), clocks, load);
    if (load != SliceLoad::kOverflowsSmall) {
      return compare(run, trace, clocks, cells, load == SliceLoad::kPauses);
    }
    compare_losses(run, trace, clocks);
  };
  part(SliceLoad::kFits, kSliceCells, 5);
  part(SliceLoad::kPauses, kSliceCells, 4);
  part(SliceLoad::kOverflowsQueue, kSliceFewCells, 3);
  part(SliceLoad::kOverflowsQueues, kSliceFewCells, 3);
  if (left >= kLongRun) part(SliceLoad::kOverflowsSmall, kSliceFewCells, 1);
}

}  // namespace

Bench switch_slice_bench() {
  return {"switch_slice",
          {"a frame is taken for four bytes shorter: the FCS is forgotten",
           "a frame of whole cells is charged one more",
           "hosts of a subnet are taken for one another",
           "other than IPv4 is forwarded",
           "the class is read from the lower bits of the TOS",
           "the gap between frames is left out",
           "a frame starts as soon as it is there, before its token",
           "the fraction of a clock that a frame leaves over is lost",
           "the scheduler is not asked when queues compete",
           "a packet is marked by the depth that it finds, itself included",
           "the scheduler does not learn that a queue is empty",
           "a marked packet keeps its checksum",
           "one cell of a packet is given back",
           "a packet that the MMU refuses is kept",
           "the rest of a frame without a route is kept",
           "cells of all ingress ports come into one list",
           "a cell is given to the port whose turn it was",
           "the MMU gets cells back with the next choice, admission's delay late",
           "the MMU gets cells back as soon as the frame is chosen",
           "a verdict does not wait for its clock",
           "a late release takes the place of another request",
           "a pause stops nothing",
           "a pause begins before its time",
           "a pause does not end",
           "a PFC frame goes the way of data",
           "a pause acts at another port"},
          &run_bench_of_slice};
}

}  // namespace sluice::cosim
