// SPDX-License-Identifier: Apache-2.0
// Headroom of a running chip counted in cells, with frames at a cell's edge (users' report B02),
// and the reason of a drop that the shared headroom pool causes. Leaves out: how much headroom a
// pause loop needs (golden and study tests).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint32_t kCell = 254;
constexpr std::uint32_t kPoolCells = 1000;

class OwnContext : public FreshSystemC {
  void TestBody() override {}
};

SwitchParams small_pool(std::uint64_t headroom_bytes) {
  SwitchParams params = quiet_chip();
  params.mmu.policy = MmuPolicy::kBroadcom;
  params.mmu.cell_bytes = kCell;
  params.mmu.reserves_in_pool = false;
  params.mmu.pool_bytes = {kPoolCells * kCell};
  params.mmu.port_alpha_enabled = false;
  params.mmu.xon_bytes = {0};
  params.mmu.xoff_bytes = {headroom_bytes};
  return params;
}

/// Port 1 is closed; port 0 sends until XOFF, and then `more` raw bytes that were on their way.
std::uint64_t drops_after_xoff(std::uint16_t frame, std::uint32_t more) {
  const OwnContext context;
  const std::uint32_t cells = (frame + kCell - 1) / kCell;
  const std::uint32_t to_xoff = kPoolCells / 2 / cells;
  ChipBench bench(small_pool(more));
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);
  bench.tester(0).send(1_us, {.bytes = frame}, to_xoff + more / frame);
  bench.run(40_us);
  EXPECT_EQ(bench.chip.watermarks().pg(0, 3).first_xoff_rx_frames, to_xoff);
  EXPECT_EQ(bench.chip.mmu().pg(0, 3).total() % cells, 0u) << "whole frames in whole cells";
  const ChipReport report = bench.chip.report();
  EXPECT_EQ(report.drops[static_cast<std::size_t>(ChipDrop::kIngressPg)], report.lossless_drops);
  return report.lossless_drops;
}

TEST(FieldReport, B02_FramesJustOverACellNeedTwiceTheHeadroom) {
  // 100 cells of headroom, 25,400 B on their way: 100 frames of 254 B, or 99 of 255 B in 2 cells.
  EXPECT_EQ(drops_after_xoff(254, 25'400), 0u);
  EXPECT_EQ(drops_after_xoff(255, 25'400), 49u);
}

TEST(FieldReport, B02_FramesOf64BytesNeedFourTimesTheHeadroom) {
  // 396 frames of 64 B for 100 cells.
  EXPECT_EQ(drops_after_xoff(64, 25'400), 296u);
}

TEST(FieldReport, B30_TheSamePacketTripsXoffEveryTime) {
  for (int run = 0; run < 3; ++run) {
    const OwnContext context;
    SwitchParams params = small_pool(kCell * 20);
    params.mmu.xon_offset_bytes = {3556};
    ChipBench bench(params);
    bench.tester(1).pause(Ps{}, 1u << 3, 65535);
    bench.tester(0).send(1_us, {.bytes = 64}, 510);
    bench.run(40_us);
    EXPECT_EQ(bench.chip.watermarks().pg(0, 3).first_xoff_rx_frames, 500u);
    EXPECT_EQ(bench.chip.watermarks().pg(0, 3).first_xoff_cells, 500u);
    EXPECT_EQ(bench.chip.mmu().pg(0, 3).peak, 510u);
    EXPECT_EQ(bench.chip.mmu().pg(0, 3).peak_headroom, 10u);
  }
}

class ChipHeadroom : public FreshSystemC {};

TEST_F(ChipHeadroom, DropsThatTheSharedPoolCausesHaveTheirOwnReason) {
  SwitchParams params = small_pool(kCell * 60);
  params.mmu.shared_headroom_bytes = {kCell * 30};
  params.mmu.shp_in_pool = false;
  ChipBench bench(params);
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);
  bench.tester(0).send(1_us, {.bytes = 254}, 540);
  bench.run(40_us);
  const ChipReport report = bench.chip.report();
  EXPECT_EQ(report.drops[static_cast<std::size_t>(ChipDrop::kSharedHeadroom)], 10u);
  EXPECT_EQ(report.drops[static_cast<std::size_t>(ChipDrop::kIngressPg)], 0u);
  EXPECT_EQ(report.lossless_drops, 10u);
  EXPECT_EQ(report.first_loss.reason, ChipDrop::kSharedHeadroom);
}

}  // namespace
}  // namespace sluice::test
