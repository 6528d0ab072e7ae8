// SPDX-License-Identifier: Apache-2.0
// First XOFF, first mark and highest use of a running chip, against closed forms: 30 m cables,
// stages of 600 ns, frames of 1000 B at 800 Gb/s. Leaves out: the MMU's own peaks (mmu/mmu_test).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr Ps kSlot = 10'200_ps;  // 1000 B frame, preamble and gap at 800 Gb/s
constexpr Ps kToAdmission = 436_ns;

/// Group 3 of port 0 stops at a static limit of ten frames of 4 cells; headroom takes more.
SwitchParams stopped_after_ten_frames() {
  SwitchParams params = quiet_chip();
  params.mmu = MmuParams{};
  PgProfile profile = params.mmu.pg_default(3);
  profile.min = Bytes{0};
  profile.static_limit = Bytes{40 * 254};
  params.mmu.pg_overrides = {{0, 3, profile}};
  return params;
}

TEST_F(Chip, KeepsTheFirstXoffOfAGroupAndItsPeaks) {
  ChipBench bench(stopped_after_ten_frames());
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);
  bench.tester(0).send(1_us, {}, 30);  // ten to the limit, twenty into headroom
  bench.tester(1).pause(58_us, 1u << 3, 65535);
  bench.tester(0).send(60_us, {}, 30);
  bench.run();
  const PgWatermarks& mark = bench.chip.watermarks().pg(0, 3);
  EXPECT_EQ(mark.first_xoff_ps, (1_us + 9 * kSlot + kCable + kToAdmission).value);
  EXPECT_EQ(mark.first_xoff_cells, 40u) << "the threshold, without headroom";
  EXPECT_EQ(mark.first_xoff_rx_frames, 10u);
  EXPECT_EQ(mark.xoffs, 2u) << "again by the second thirty, long after the first";
  EXPECT_EQ(mark.last_xoff_ps, (60_us + 9 * kSlot + kCable + kToAdmission).value);
  EXPECT_EQ(mark.peak_cells, 120u);
  EXPECT_EQ(mark.peak_headroom_cells, 80u);
  EXPECT_EQ(bench.statistics.sum("pg", "first_xoff_cells"), 40u) << "no other group stopped";
  EXPECT_EQ(bench.statistics.sum("queue", "peak_cells"), 120u);
  EXPECT_EQ(bench.statistics.sum("slice", "peak_shared_cells"), 40u);
  EXPECT_EQ(bench.statistics.sum("slice", "peak_headroom_cells"), 80u);
  EXPECT_EQ(bench.statistics.sum("slice", "peak_egress_cells"), 0u) << "lossy queues only";
}

TEST_F(Chip, KeepsWhatLossyQueuesShared) {
  ChipBench bench(quiet_chip());
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);  // holds nothing lossy back
  bench.tester(0).send(1_us, {.dscp = 0}, 2);
  bench.tester(2).send(1_us, {.dscp = 0}, 2);
  bench.run();
  // Four frames of 1000 B, 6 cells of 192 B each, at twice the rate that they leave.
  EXPECT_GE(bench.statistics.sum("slice", "peak_egress_cells"), 12u);
  EXPECT_LE(bench.statistics.sum("slice", "peak_egress_cells"), 24u);
}

TEST_F(Chip, KeepsTheTimeOfAQueuesFirstMark) {
  SwitchParams params = quiet_chip();
  params.ecn.enabled = true;
  params.ecn.kmin_bytes = params.ecn.kmax_bytes = {100'000};
  params.ecn.mark_at = MarkAt::kEnqueue;
  ChipBench bench(params);
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);
  bench.tester(0).send(1_us, {}, 200);
  bench.run();
  // Frames 0..100 fill the queue to 101 kB; frame 101 is the first to find more than 100 kB.
  EXPECT_EQ(bench.statistics.sum("queue", "first_ce_ps"),
            (1_us + 101 * kSlot + kCable + kToAdmission).value);
}

TEST_F(Chip, WithoutPressureNothingIsKept) {
  ChipBench bench(quiet_chip());
  bench.tester(0).send(1_us, {}, 30);
  bench.run();
  EXPECT_EQ(bench.statistics.sum("pg", "first_xoff_ps"), 0u);
  EXPECT_EQ(bench.statistics.sum("pg", "peak_headroom_cells"), 0u);
  EXPECT_EQ(bench.statistics.sum("queue", "first_ce_ps"), 0u);
  EXPECT_GT(bench.statistics.sum("pg", "peak_cells"), 0u);
}

}  // namespace
}  // namespace sluice::test
