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
constexpr double kMostShare = 0.01;  // of frames
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

/// What left either side.
struct Both {
  SliceDepartures model;
  SliceDepartures rtl;
  std::uint64_t first_cycle = 0;
};

class Comparison {
 public:
  Comparison(BenchRun& run, const SliceTrace& trace, const Both& both)
      : run_(run),
        trace_(trace),
        model_(both.model),
        rtl_(both.rtl),
        first_cycle_(both.first_cycle),
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
  /// `most`: at the 99th percentile.
  void times(double most) {
    if (all_.all.empty()) return;
    const double p99 = all_.magnitude_at(kPercentile);
    if (p99 > most) {
      run_.differ("p99 of departure-time errors", fmt::format("at most {} clocks", most),
                  fmt::format("{:.2f} clocks", p99));
    }
  }
  std::string text() {
    std::string text;
    for (std::size_t i = 0; i < by_pattern_.size(); ++i) {
      text += by_pattern_[i].text(trace_.patterns[i]);
    }
    if (by_pattern_.size() > 1) text += all_.text("all");
    if (model_.dropped != 0) {
      text += fmt::format("  {:<24} {:>6} of {} frames refused by the MMU, the same ones\n", "",
                          model_.dropped, trace_.frames.size());
    }
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

Both run_both(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks, std::uint32_t cells) {
  const SwitchParams params = slice_params(cells);
  Both both;
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
             double most_clocks = kMostClocks) {
  const Both both = run_both(run, trace, clocks, cells);
  Comparison comparison(run, trace, both);
  fmt::print("late verdicts {} releases {} cells {}\n", both.rtl.late_verdicts,
             both.rtl.late_releases, both.rtl.most_cells);
  comparison.orders();
  run.note(comparison.text());
  comparison.times(most_clocks);
}

/// Frames that did not leave, by number.
std::vector<bool> lost(const SliceTrace& trace, const SliceDepartures& departures) {
  std::vector<bool> lost(trace.frames.size(), true);
  for (const auto& port : departures.ports) {
    for (const SliceDeparture& frame : port) lost[frame.number] = false;
  }
  return lost;
}

/// Cells of frames shorter than the way from a choice to admission come back late, so that other
/// frames are refused: how many, and that no share is another.
void compare_losses(BenchRun& run, const SliceTrace& trace, std::uint64_t clocks) {
  const Both both = run_both(run, trace, clocks, kSliceFewCells);
  const std::vector<bool> model = lost(trace, both.model);
  const std::vector<bool> rtl = lost(trace, both.rtl);
  std::size_t other = 0;
  for (std::size_t i = 0; i < model.size(); ++i) other += model[i] != rtl[i];
  if (getenv("DBG")) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < model.size(); ++i) {
      const auto& f = trace.frames[i];
      fmt::print("{} clock {} port {} to {} bytes {} dscp {} model {} rtl {}{}\n", i, f.clock,
                 f.port, f.destination, f.bytes, f.dscp, model[i] ? "lost" : "ok",
                 rtl[i] ? "lost" : "ok", model[i] != rtl[i] ? " <<<" : "");
      n += model[i] != rtl[i];
      if (n > 40) break;
    }
  }
  fmt::print("late releases {} verdicts {} most {}\n", both.rtl.late_releases,
             both.rtl.late_verdicts, both.rtl.most_cells);
  run.note(fmt::format(
      "  {:<24} {:>6} frames, {} refused by the model and {} by the RTL, {} by one of them alone\n",
      trace.patterns.front(), trace.frames.size(), both.model.dropped, both.rtl.dropped, other));
  const double apart =
      std::fabs(static_cast<double>(both.model.dropped) - static_cast<double>(both.rtl.dropped)) /
      static_cast<double>(std::max<std::size_t>(1, trace.frames.size()));
  if (apart > kMostShare) {
    run.differ("refused of all frames", fmt::format("{}", both.model.dropped),
               fmt::format("{}", both.rtl.dropped));
  }
}

void run_bench_of_slice(BenchRun& run) {
  if (getenv("DBG")) {
    auto t = make_slice_trace(run.random(), 20000, SliceLoad::kOverflowsSmall);
    return compare_losses(run, t, 20000);
  }
  if (!run.options().replay.empty()) {
    const SliceTrace trace = read_slice_trace(run.options().replay);
    return compare(run, trace, clocks_of(trace), kSliceCells);
  }
  const SliceTrace calibration = make_calibration_trace();
  compare(run, calibration, clocks_of(calibration), kSliceCells, 0);
  const std::uint64_t left = run.cycles_left();
  const auto part = [&](SliceLoad load, std::uint32_t cells, std::uint64_t sixteenths) {
    const std::uint64_t share = left / 16 * sixteenths;
    const std::uint64_t clocks = share - std::min(share, SliceRtl::kSetupClocks);
    const SliceTrace trace = make_slice_trace(run.random(), clocks, load);
    if (load != SliceLoad::kOverflowsSmall) return compare(run, trace, clocks, cells);
    compare_losses(run, trace, clocks);
  };
  part(SliceLoad::kFits, kSliceCells, 8);
  part(SliceLoad::kOverflowsQueue, kSliceFewCells, 3);
  part(SliceLoad::kOverflowsQueues, kSliceFewCells, 4);
  if (left >= kLongRun) part(SliceLoad::kOverflowsSmall, kSliceFewCells, 1);
}

}  // namespace

Bench switch_slice_bench() {
  return {
      "switch_slice",
      {"a frame is taken for four bytes shorter: the FCS is forgotten",
       "a frame of whole cells is charged one more", "hosts of a subnet are taken for one another",
       "other than IPv4 is forwarded", "the class is read from the lower bits of the TOS",
       "the gap between frames is left out",
       "a frame starts as soon as it is there, before its token",
       "the fraction of a clock that a frame leaves over is lost",
       "the scheduler is not asked when queues compete",
       "a packet is marked by the depth that it finds, itself included",
       "the scheduler does not learn that a queue is empty", "a marked packet keeps its checksum",
       "one cell of a packet is given back", "a packet that the MMU refuses is kept",
       "the rest of a frame without a route is kept",
       "cells of all ingress ports come into one list",
       "a cell is given to the port whose turn it was",
       "the MMU gets cells back when the frame leaves the choice's clock, admission's delay late",
       "the MMU gets cells back as soon as the frame is chosen"},
      &run_bench_of_slice};
}

}  // namespace sluice::cosim
