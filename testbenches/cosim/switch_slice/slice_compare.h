// SPDX-License-Identifier: Apache-2.0
// What left the chip slice beside what left the SystemC chip: order, marks, losses and times, and
// the lines that tell of them. Leaves out: the traces (slice_trace.h) and who runs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/switch_slice/slice_rtl.h"

namespace sluice::cosim {

/// What left either side.
struct SliceBoth {
  SliceDepartures model;
  SliceDepartures rtl;
  std::uint64_t first_cycle = 0;  ///< of the RTL at clock 0 of the trace
};

/// Departure-time errors in core clocks, RTL less model.
struct SliceErrors {
  std::vector<double> all;

  double at(double quantile);
  /// Of magnitudes.
  double magnitude_at(double quantile) const;
  std::string text(std::string_view name);
};

class SliceComparison {
 public:
  static constexpr double kPercentile = 0.99;

  SliceComparison(BenchRun& run, const SliceTrace& trace, const SliceBoth& both);

  /// Ends the run with a difference at the first frame that leaves at another place, with another
  /// mark, or on one side alone.
  void orders();
  /// And when the error at a quantile of magnitudes is more than `most` clocks.
  void times(double quantile, double most) const;
  /// Errors of each pattern and of all, losses, what the RTL did out of time.
  std::string text();

 private:
  std::string name(std::uint32_t number) const;

  BenchRun& run_;
  const SliceTrace& trace_;
  const SliceBoth& both_;
  SliceErrors all_;
  std::vector<SliceErrors> by_pattern_;
};

/// How many of a trace's frames did not leave one side, the other, and one of them alone.
struct SliceLosses {
  std::size_t model = 0;
  std::size_t rtl = 0;
  std::size_t one_alone = 0;
};
SliceLosses count_losses(const SliceTrace& trace, const SliceBoth& both);

}  // namespace sluice::cosim
