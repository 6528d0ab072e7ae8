// SPDX-License-Identifier: Apache-2.0
// Field reports that `check` warns of, run all the same: what the warning says is what happens.
// Leaves out: the warnings themselves (check_fabric_test.cpp).
#include <gtest/gtest.h>

#include "study/check/check.h"
#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

/// Testers 1 and 2 send 1,024-B frames to 0 at line rate, whose latency is in its response alone.
std::string two_to_one(std::string_view xoff) {
  return fmt::format(R"(
fabric: {{type: single_switch, hosts: 3, link: {{rate: 400Gbps, length: 150m, propagation_per_metre: 5050ps}}}}
switch:
  preset: tomahawk5
  freq_offset_ppm: 0
  egress_fifo_cells: 0
  latency: {{rx_phy: 0, rx_mac: 0, ingress_pipeline: 0, mmu: 0, egress_pipeline: 0, tx_phy: 0}}
  mmu: {{cell_bytes: 1024, total_cells: 10000, pool_bytes: 8MB, num_slices: 1, pg_min_bytes: 0,
        shared_headroom_bytes: 0, xoff_bytes: {}B, xon_offset_bytes: 0, pg_alpha_exp: -6}}
nic: {{preset: cx7}}
workload:
  type: raw
  pfc_response: 1158400ps
  streams:
    - {{source: 1, destination: 0, frame_bytes: 1024, dscp: 26, priority: 3, stop: 300us}}
    - {{source: 2, destination: 0, frame_bytes: 1024, dscp: 26, priority: 3, stop: 300us}}
)",
                     xoff);
}

TEST(FieldReport, B01_WithoutHeadroomFramesAreLostAfterTheFirstXoff) {
  SmallRun run(two_to_one("0"));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitCode::kNotLossless);
  EXPECT_NE(outcome.message.find("NOT LOSSLESS"), std::string::npos) << outcome.message;
  EXPECT_GT(outcome.summary.pfc.xoff_frames, 0u);
  const SwitchChip& chip = *run.fabric().chips()[0];
  EXPECT_GT(chip.ingress(1).dropped(ChipDrop::kIngressPg), 0u);
  EXPECT_GT(chip.ingress(1).rx_frames, 60u) << "not from the start: the shared part takes them";
}

TEST(FieldReport, B01_WithTheByteCountOfTheLoopNothingIsLost) {
  // 9,100 + 75,758 + 57,920 + 1,024 B, in cells of a frame each: 140.
  SmallRun run(two_to_one("143802"));
  const RunOutcome outcome = run.run();
  EXPECT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
  EXPECT_GT(outcome.summary.pfc.xoff_frames, 2u);
  EXPECT_EQ(outcome.summary.drops_total(), 0u);
}

/// Tester 1 sends to 0, which keeps its port closed. Every frame has one size.
std::string closed_port(std::uint32_t frame, std::uint64_t xoff, std::string_view mmu,
                        std::string_view ecn = "") {
  return fmt::format(R"(
fabric: {{type: single_switch, hosts: 2, link: {{rate: 400Gbps, length: 150m}}}}
switch:
  preset: tomahawk5
  freq_offset_ppm: 0
  mmu: {{num_slices: 1, pg_min_bytes: 0, queue_min_bytes: 0, lossy_pg_static_bytes: 0,
        shared_headroom_bytes: 0, xoff_bytes: {}B, {}}}
  {}
nic: {{preset: cx7}}
workload:
  type: raw
  pfc_response: 200ns
  pause_hosts: [0]
  pause_priorities: 8
  pause_release: 40us
  streams:
    - {{source: 1, destination: 0, frame_bytes: {}, dscp: 26, priority: 3, ecn: 2, start: 1us, stop: 60us}}
)",
                     xoff, mmu, ecn, frame);
}

TEST(FieldReport, B02_AByteMoreThanACellTakesTwoCellsAndTheHeadroomOfOneIsTooSmall) {
  constexpr std::string_view kMmu = "pool_bytes: 100MB, pg_alpha_exp: -8";
  const FabricSpec spec =
      read_fabric(ConfigTree::parse(closed_port(254, 1'000'000, kMmu), "b02.yaml"));
  const LoopBudget budget = check_fabric(spec).headroom.at(0).budget;
  ASSERT_EQ(spec.chips[0].mmu.cell_bytes, 254u);
  for (const std::uint32_t frame : {254u, 255u}) {
    SmallRun run(closed_port(frame, budget.cell_bytes, kMmu));
    const RunOutcome outcome = run.run();
    EXPECT_EQ(outcome.exit, frame == 254 ? ExitCode::kOk : ExitCode::kNotLossless) << frame;
    EXPECT_EQ(run.fabric().chips()[0]->mmu().pg(1, 3).peak % (frame == 254 ? 1 : 2), 0u);
  }
}

TEST(FieldReport, B12_MarksOrPausesComeFirstAsTheCheckSays) {
  struct Seen {
    std::uint64_t marks;
    std::uint64_t first_ce;
    std::uint64_t first_xoff;
  };
  const auto run_with = [](std::int32_t alpha_exp) {
    SmallRun run(closed_port(
        1000, 200'000,
        fmt::format("cell_bytes: 250, total_cells: 100000, pool_bytes: 1400kB, pg_alpha_exp: {}",
                    alpha_exp),
        "ecn: {kmin_bytes: 400kB, kmax_bytes: 400kB, mark_at: enqueue}"));
    const RunOutcome outcome = run.run();
    EXPECT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
    EXPECT_GT(outcome.summary.pfc.xoff_frames, 0u);
    const Watermarks& marks = run.fabric().chips()[0]->watermarks();
    return Seen{outcome.summary.ecn_marked, marks.queue(0 * 8 + 3).first_ce_ps,
                marks.pg(1, 3).first_xoff_ps};
  };
  const Seen narrow = run_with(-3);
  EXPECT_EQ(narrow.marks, 0u);
  EXPECT_GT(narrow.first_xoff, 0u);
  const Seen wide = run_with(0);
  EXPECT_GT(wide.marks, 0u);
  EXPECT_LT(wide.first_ce, wide.first_xoff);
}

}  // namespace
}  // namespace sluice::test
