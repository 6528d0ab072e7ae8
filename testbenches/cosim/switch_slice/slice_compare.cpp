// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/switch_slice/slice_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::cosim {
namespace {

/// Frames that did not leave, by number.
std::vector<bool> lost(const SliceTrace& trace, const SliceDepartures& departures) {
  std::vector<bool> lost(trace.frames.size(), true);
  for (const auto& port : departures.ports) {
    for (const SliceDeparture& frame : port) lost[frame.number] = false;
  }
  return lost;
}

/// Frames of a trace, by clock, whose head does not come alone.
std::size_t heads_together(const SliceTrace& trace) {
  const auto& frames = trace.frames;
  std::size_t together = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool before = i > 0 && frames[i - 1].clock == frames[i].clock;
    const bool after = i + 1 < frames.size() && frames[i + 1].clock == frames[i].clock;
    together += before || after;
  }
  return together;
}

}  // namespace

double SliceErrors::at(double quantile) {
  std::sort(all.begin(), all.end());
  const auto last = static_cast<double>(all.size() - 1);
  return all[static_cast<std::size_t>(std::floor(quantile * last))];
}

double SliceErrors::magnitude_at(double quantile) const {
  SliceErrors magnitudes;
  for (const double error : all) magnitudes.all.push_back(std::fabs(error));
  return magnitudes.at(quantile);
}

std::string SliceErrors::text(std::string_view name) {
  if (all.empty()) return {};
  // No negative zeroes.
  const auto rounded = [](double clocks) { return std::round(clocks * 100) / 100 + 0.0; };
  constexpr double kMedian = 0.5;
  const double min = rounded(at(0));
  return fmt::format(
      "  {:<30} {:>6} frames, error in clocks: min {:+.2f}, p50 {:+.2f}, p99 {:+.2f}, max {:+.2f}, "
      "p99 of |error| {:.2f}\n",
      name, all.size(), min, rounded(at(kMedian)), rounded(at(SliceComparison::kPercentile)),
      rounded(at(1)), magnitude_at(SliceComparison::kPercentile));
}

SliceComparison::SliceComparison(BenchRun& run, const SliceTrace& trace, const SliceBoth& both)
    : run_(run), trace_(trace), both_(both), by_pattern_(trace.patterns.size()) {}

std::string SliceComparison::name(std::uint32_t number) const {
  const SliceFrame& frame = trace_.frames[number];
  return fmt::format("frame {} of port {} in clock {}", number, frame.port, frame.clock);
}

void SliceComparison::orders() {
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    const auto& model = both_.model.ports[port];
    const auto& rtl = both_.rtl.ports[port];
    for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); ++i) {
      if (model[i].number != rtl[i].number) {
        run_.at_cycle(both_.first_cycle + static_cast<std::uint64_t>(rtl[i].clock));
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
  run_.expect("frames refused by the MMU", both_.model.dropped, both_.rtl.dropped);
  run_.expect("frames without a route", both_.model.no_route, both_.rtl.no_route);
}

void SliceComparison::times(double quantile, double most) const {
  for (std::size_t i = 0; i < by_pattern_.size(); ++i) {
    if (by_pattern_[i].all.empty()) continue;
    const double error = by_pattern_[i].magnitude_at(quantile);
    if (error > most) {
      run_.differ(
          fmt::format("p{:.0f} of departure-time errors, {}", 100 * quantile, trace_.patterns[i]),
          fmt::format("at most {} clocks", most), fmt::format("{:.2f} clocks", error));
    }
  }
}

std::string SliceComparison::text() {
  std::string text;
  for (std::size_t i = 0; i < by_pattern_.size(); ++i) {
    text += by_pattern_[i].text(trace_.patterns[i]);
  }
  if (by_pattern_.size() > 1) text += all_.text("all of these");
  if (const std::size_t together = heads_together(trace_); together != 0) {
    text += fmt::format("  {:<30} {:>6} of {} heads come in one clock with another port's\n", "",
                        together, trace_.frames.size());
  }
  const auto pauses = std::count_if(trace_.frames.begin(), trace_.frames.end(),
                                    [](const SliceFrame& frame) { return frame.pauses != 0; });
  if (pauses != 0) text += fmt::format("  {:<30} {:>6} PFC frames among them\n", "", pauses);
  if (both_.model.dropped != 0) {
    text += fmt::format(
        "  {:<30} {:>6} of {} frames refused by the MMU, the same ones; at most {} cells in the "
        "memory\n",
        "", both_.model.dropped, trace_.frames.size(), both_.rtl.most_cells);
  }
  if (both_.rtl.late_verdicts != 0) {
    text += fmt::format("  {:<30} {:>6} verdicts of the RTL behind their clock\n", "",
                        both_.rtl.late_verdicts);
  }
  return text;
}

SliceLosses count_losses(const SliceTrace& trace, const SliceBoth& both) {
  const std::vector<bool> model = lost(trace, both.model);
  const std::vector<bool> rtl = lost(trace, both.rtl);
  SliceLosses losses;
  for (std::size_t i = 0; i < model.size(); ++i) {
    losses.model += model[i];
    losses.rtl += rtl[i];
    losses.one_alone += model[i] != rtl[i];
  }
  return losses;
}

}  // namespace sluice::cosim
