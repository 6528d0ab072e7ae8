// SPDX-License-Identifier: Apache-2.0
// Field report B11: what comes in after an XOFF decision, over all phases of both serialisers in
// steps of 10 ns, on a 400G link of 150 m. Leaves out: random phases (g4_worst_phase_test.cpp).
#include <gtest/gtest.h>

#include "golden/pause_rounds.h"
#include "packet/serialisation.h"
#include "study/check/port_loops.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kFrame = 4158;  // 4178 B on the wire, 83.56 ns at 400G
constexpr std::uint32_t kPhases = 9;    // of 10 ns: a whole frame
constexpr std::uint64_t kStepPs = 10'000;

/// Pairs of testers, the reverse stream of pair j 10 j ns behind; the loop is 20 ns longer a step.
FabricSpec sweep_of(std::uint32_t step) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: 400Gbps, length: 150m, extra_latency: {}ns}}}}
switch: {{preset: tomahawk5, freq_offset_ppm: 0, mmu: {{shared_headroom_bytes: 0}}}}
nic: {{preset: cx7}}
workload: {{type: raw, pfc_response: 200ns, pause_priorities: 8, pause_start: 3us}}
)",
                                          2 * kPhases, 10 * step));
  for (std::uint32_t pair = 0; pair < kPhases; ++pair) {
    const WatchedGroup group{0, 2 * pair, 2 * pair, 2 * pair + 1};
    add_streams(spec, group, kFrame, kFrame, 0_ps);
    RawStream& back = spec.raw.streams.back();
    back.rate = BitsPerSecond{0};  // line rate: its phase stays
    back.start = Ps{pair * kStepPs};
    spec.raw.pausing_hosts.push_back(group.receiver);
  }
  return spec;
}

struct SweepResult {
  std::vector<std::uint32_t> cells;  ///< of headroom, by pair
  std::uint64_t drops = 0;
};

SweepResult run(FabricSpec spec, std::uint32_t headroom) {
  for (std::uint32_t pair = 0; pair < kPhases; ++pair) {
    limit_group(spec, {0, 2 * pair, 2 * pair, 2 * pair + 1}, 20, kFrame, headroom);
  }
  const auto fabric = RunningFabric::of(spec);
  fabric->run(20_us);
  SweepResult result;
  result.drops = fabric->chip(0).report().lossless_drops;
  for (std::uint32_t pair = 0; pair < kPhases; ++pair) {
    EXPECT_EQ(fabric->chip(0).egress(2 * pair).tx_pfc_xoff_frames, 1u);
    result.cells.push_back(
        fabric->chip(0).mmu().pg(static_cast<std::uint16_t>(2 * pair), kLosslessPg).peak_headroom);
  }
  return result;
}

TEST(FieldReport, B11_AfterAnXoffNoMoreComesThanTheBoundInAnyPhase) {
  constexpr std::uint64_t kWire = kFrame + kWireOverheadBytes;
  std::uint64_t nearest = UINT64_MAX;  // bytes below the bound
  std::uint64_t drops_below = 0;
  for (std::uint32_t step = 0; step < kPhases; ++step) {
    const FabricSpec spec = sweep_of(step);
    const Wiring wiring(make_topology(spec.topology));
    const LoopBudget bound = loop_budget(PortLoops(spec, wiring, 0).loop(0, 0));
    const std::uint32_t frame_cells = cells_of_frame(kFrame, spec.chips[0].mmu.cell_bytes);
    const SweepResult enough = run(spec, bound.cells);
    EXPECT_EQ(enough.drops, 0u) << "step " << step;
    for (const std::uint32_t cells : enough.cells) {
      EXPECT_EQ(cells % frame_cells, 0u);
      const std::uint64_t bytes = cells / frame_cells * kWire;
      EXPECT_LE(bytes, bound.wire_bytes) << "step " << step;
      nearest = std::min(nearest, bound.wire_bytes - bytes);
    }
    drops_below += run(spec, bound.cells - 2 * frame_cells).drops;
  }
  EXPECT_LE(nearest, kWire) << "the bound is met to within a frame";
  EXPECT_GE(drops_below, 1u);
}

}  // namespace
}  // namespace sluice::golden
