// SPDX-License-Identifier: Apache-2.0
// rtl/switch_slice on its pins: a trace goes in cell by cell, departures come out.
// Leaves out: what is right (switch_slice_bench.cpp).
#pragma once

#include <functional>
#include <memory>

#include "rtl/harness/rtl_options.h"
#include "switch/switch_params.h"
#include "testbenches/cosim/switch_slice/slice_trace.h"

namespace sluice::cosim {

/// A frame's first byte on an egress wire.
struct SliceDeparture {
  std::uint32_t number = 0;
  double clock = 0;
  bool ce = false;
};
/// Of each egress port in order, and frames lost.
struct SliceDepartures {
  std::array<std::vector<SliceDeparture>, kSlicePorts> ports;
  std::uint64_t dropped = 0;
  std::uint64_t no_route = 0;
  // Of the RTL alone.
  std::uint64_t late_verdicts = 0;  ///< behind their clock
  std::uint64_t late_releases = 0;
  std::uint64_t most_cells = 0;  ///< in the memory at once
};

/// What a pin showed that it must not: signal, expected, found.
using SliceBad = std::function<void(std::string_view, std::uint64_t, std::uint64_t)>;

class SliceRtl {
 public:
  static constexpr std::uint64_t kSetupClocks = 200;  ///< of reset and configuration, about

  SliceRtl(const SwitchParams& params, const rtl::RtlOptions& options);
  ~SliceRtl();

  /// Of the RTL since reset began.
  std::uint64_t cycle() const;
  /// Clocks from 0 to `clocks`; `at` gets the RTL's clock as it goes on.
  SliceDepartures run(const SliceTrace& trace, std::uint64_t clocks,
                      const std::function<void(std::uint64_t)>& at, const SliceBad& bad);

 private:
  struct Rtl;
  void configure(const SwitchParams& params);
  void configure_mmu(const SwitchParams& params);
  void configure_pauses(const SwitchParams& params);
  void drive(const SliceTrace& trace, std::uint64_t clock);
  void watch(std::uint64_t clock, SliceDepartures& out, const SliceBad& bad);

  std::unique_ptr<Rtl> rtl_;
  /// Frames whose cells are still to be given, by ingress port; the next cell of the first.
  std::array<std::vector<std::uint32_t>, kSlicePorts> waiting_;
  std::array<std::size_t, kSlicePorts> next_{};
  std::array<std::uint32_t, kSlicePorts> cell_{};
  /// Cells of the frame that leaves an egress port, still to come.
  std::array<std::uint32_t, kSlicePorts> left_{};
  std::array<std::uint32_t, kSlicePorts> leaving_{};
  std::array<std::uint64_t, kSlicePorts> wire_free_{};  ///< units, of each egress port
  const SliceTrace* trace_ = nullptr;
};

}  // namespace sluice::cosim
