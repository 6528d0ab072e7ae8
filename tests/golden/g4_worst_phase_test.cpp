// SPDX-License-Identifier: Apache-2.0
// The pause loop's budget against running chips: 10^4 XOFF events of random phase, both directions
// saturated. With the budget as headroom nothing is lost and all of it is used; a frame less loses.
// Leaves out: mixes of frame sizes, which no schedule here drives to their worst.
#include <gtest/gtest.h>

#include "golden/pause_rounds.h"
#include "packet/serialisation.h"
#include "study/check/port_loops.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kEvents = 10'000;
constexpr std::uint32_t kFrame = 4158;

struct Scene {
  FabricSpec spec;
  std::vector<WatchedGroup> groups;
  std::uint32_t frame_bytes = kFrame;
  RoundTimes times{};

  LoopBudget budget() const {
    const Wiring wiring(make_topology(spec.topology));
    return loop_budget(PortLoops(spec, wiring, frame_bytes).loop(groups[0].chip, groups[0].port));
  }
  std::uint32_t frame_cells() const {
    return cells_of_frame(frame_bytes, spec.chips[groups[0].chip].mmu.cell_bytes);
  }
  RoundResult run(std::uint32_t headroom, std::uint32_t events = kEvents) const {
    FabricSpec limited = spec;
    Ps start{};
    for (const WatchedGroup& group : groups) {
      limit_group(limited, group, 20, frame_bytes, headroom);
      add_streams(limited, group, frame_bytes, frame_bytes, start);
      start += Ps{3'331};  // so that pairs are out of step
    }
    const auto pairs = static_cast<std::uint32_t>(groups.size());
    return run_rounds(limited, groups, times, events / pairs + 2);
  }
};

void expect_exact(const Scene& scene) {
  const LoopBudget budget = scene.budget();
  const std::uint32_t frame = scene.frame_cells();
  const RoundResult ample = scene.run(budget.cells + frame);
  EXPECT_GE(ample.xoff_events, kEvents);
  EXPECT_EQ(ample.lossless_drops, 0u);
  EXPECT_LE(ample.most_headroom, budget.cells);
  EXPECT_GE(ample.most_headroom, 0.95 * (budget.cells - frame));
  testing::Test::RecordProperty("budget_cells", std::to_string(budget.cells));
  testing::Test::RecordProperty("used_cells", std::to_string(ample.most_headroom));
  // Stricter than the bound asks for: not even the frame above the budget is needed, and one below
  // it is missed.
  EXPECT_EQ(scene.run(budget.cells, kEvents / 4).lossless_drops, 0u);
  EXPECT_GE(scene.run(budget.cells - frame).lossless_drops, 1u);
}

/// Pairs of testers on one switch: the peer is a tester.
Scene testers(std::uint32_t pairs, std::string_view mode) {
  Scene scene;
  scene.spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: 800Gbps, length: 100m}}}}
switch: {{preset: tomahawk5, mode: {}, freq_offset_ppm: 0, mmu: {{shared_headroom_bytes: 0}}}}
workload: {{type: raw, pfc_response: 200ns, tx_latency: 50ns}}
)",
                                     2 * pairs, mode));
  for (std::uint32_t i = 0; i < pairs; ++i) scene.groups.push_back({0, 2 * i, 2 * i, 2 * i + 1});
  scene.times = {5_us, 3_us};
  return scene;
}

/// One spine between leaves with a host each: the peer of a leaf's uplink is a chip with a FIFO.
Scene chips(std::uint32_t pairs) {
  Scene scene;
  scene.spec = fabric_of(fmt::format(R"(
fabric: {{type: leaf_spine, leaves: {}, spines: 1, hosts_per_leaf: 1, link: {{rate: 800Gbps, length: 30m}}}}
switch: {{preset: tomahawk5, freq_offset_ppm: 0, mmu: {{shared_headroom_bytes: 0, pg_alpha_exp: -6}}}}
workload: {{type: raw}}
)",
                                     2 * pairs));
  for (std::uint32_t i = 0; i < pairs; ++i) {
    scene.groups.push_back({2 * i + 1, 1, 2 * i, 2 * i + 1});
  }
  scene.times = {6_us, 4_us};
  return scene;
}

TEST(WorstPhase, TheBudgetOfATestersLoopIsExact) { expect_exact(testers(16, "cut_through")); }

TEST(WorstPhase, TheBudgetHoldsWhereTheChipStoresFrames) {
  expect_exact(testers(16, "store_and_forward"));
}

TEST(WorstPhase, TheBudgetOfALoopBetweenChipsHasTheirFifoInIt) {
  const Scene scene = chips(8);
  ASSERT_EQ(scene.spec.chips[0].egress_fifo_cells, 714u);
  expect_exact(scene);
}

}  // namespace
}  // namespace sluice::golden
