// SPDX-License-Identifier: Apache-2.0
// Marks and WRED drops of a running chip: which frames of a queue held closed get them, and whether
// marks come before pauses. Users' reports B12, B15, B18. Leaves out: the curve itself
// (ecn/ecn_test.cpp) and its statistics (golden/field_reports_marking_test.cpp).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

/// FreshSystemC for tests of a suite that has no fixture.
class OwnContext : public FreshSystemC {
  void TestBody() override {}
};

std::vector<std::uint32_t> from_to(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

/// What came of 200 x 1000 B against a closed port; frames are numbered from 0.
struct Drained {
  std::vector<std::uint32_t> arrived;
  std::vector<std::uint32_t> marked;
  std::uint64_t marks_counted = 0;
  std::uint64_t wred_drops = 0;
};

EcnParams step(MarkAt where, std::uint64_t kmin = 100'000) {
  EcnParams ecn;
  ecn.kmin_bytes = ecn.kmax_bytes = {kmin};
  ecn.mark_at = where;
  return ecn;
}

Drained drain(const EcnParams& ecn, Ecn field = Ecn::kEct0) {
  const OwnContext context;
  SwitchParams params = quiet_chip();
  params.ecn = ecn;
  ChipBench bench(params);
  bench.tester(1).pause(Ps{}, 1u << 3, 65535);
  bench.tester(0).send(1_us, {.ecn = field}, 200);
  bench.run();
  Drained result;
  for (const Arrival& arrival : bench.arrivals(1)) {
    result.arrived.push_back(arrival.packet.psn);
    if (arrival.packet.ecn == Ecn::kCe) result.marked.push_back(arrival.packet.psn);
  }
  const ChipReport report = bench.chip.report();
  result.marks_counted = report.ecn_marked;
  result.wred_drops = report.drops[static_cast<std::size_t>(ChipDrop::kWred)];
  return result;
}

// Frames are counted from 1 in the report and from 0 here.
TEST(FieldReport, B15_AtDequeueTheFirst99LeaveMoreThanTheThresholdBehind) {
  const Drained result = drain(step(MarkAt::kDequeue));
  EXPECT_EQ(result.marked, from_to(0, 98));
  EXPECT_EQ(result.marks_counted, 99u);
  EXPECT_EQ(result.arrived.size(), 200u);
}

TEST(FieldReport, B15_AtEnqueueTheLast99FindMoreThanTheThreshold) {
  const Drained result = drain(step(MarkAt::kEnqueue));
  EXPECT_EQ(result.marked, from_to(101, 199));
  EXPECT_EQ(result.marks_counted, 99u);
}

/// The frame that leaves the least behind of those marked.
std::uint32_t least_depth_marked(std::uint64_t kmin) {
  return (199 - drain(step(MarkAt::kDequeue, kmin)).marked.back()) * 1000;
}

TEST(FieldReport, B18_TwiceTheThresholdIsTwiceTheFirstMarkedDepth) {
  EXPECT_EQ(least_depth_marked(50'000), 51'000u);
  EXPECT_EQ(least_depth_marked(100'000), 101'000u);
}

TEST(FieldReport, B18_MarkingSwitchedOffMarksNothing) {
  EcnParams ecn = step(MarkAt::kDequeue);
  ecn.enabled = false;
  EXPECT_TRUE(drain(ecn).marked.empty());
}

TEST(ChipMarks, WhatCannotBeMarkedPassesUnlessWredDrops) {
  const Drained result = drain(step(MarkAt::kDequeue), Ecn::kNotEct);
  EXPECT_TRUE(result.marked.empty());
  EXPECT_EQ(result.arrived, from_to(0, 199));
  EXPECT_EQ(result.wred_drops, 0u);
}

TEST(ChipMarks, WhatCannotBeMarkedIsDroppedOnTheWayInWhereWredDrops) {
  EcnParams ecn = step(MarkAt::kDequeue);
  ecn.drop_not_ect = true;
  const Drained result = drain(ecn, Ecn::kNotEct);
  EXPECT_TRUE(result.marked.empty());
  // Frame 101 finds 100 frames, 100 kB, which is not above the threshold; the queue grows no more.
  EXPECT_EQ(result.arrived, from_to(0, 100));
  EXPECT_EQ(result.wred_drops, 99u);
}

TEST(ChipMarks, DropsFollowACurveOfTheirOwn) {
  EcnParams ecn = step(MarkAt::kDequeue);
  ecn.drop_not_ect = true;
  ecn.drop_kmin_bytes = ecn.drop_kmax_bytes = {50'000};  // below the marks
  EXPECT_EQ(drain(ecn, Ecn::kNotEct).arrived, from_to(0, 50));
  const Drained ect = drain(ecn);
  EXPECT_EQ(ect.arrived, from_to(0, 199));
  EXPECT_EQ(ect.marked, from_to(0, 98));
  ecn.drop_kmin_bytes = ecn.drop_kmax_bytes = {150'000};  // above them
  EXPECT_EQ(drain(ecn, Ecn::kNotEct).arrived, from_to(0, 150));
}

TEST(ChipMarks, AMarkThatCameWithTheFrameIsKeptAndNotCounted) {
  const Drained result = drain(step(MarkAt::kDequeue), Ecn::kCe);
  EXPECT_EQ(result.marked.size(), 200u);
  EXPECT_EQ(result.marks_counted, 0u);
}

/// One or two senders and a receiver that takes `out`, a pool of 1,000,000 B without minima.
struct Signals {
  std::uint64_t first_ce_ps = 0;
  std::uint64_t first_xoff_ps = 0;
  double xoff_bytes = 0;
  std::uint64_t marks = 0;
};

Signals congest(int alpha_exp, std::uint32_t senders, BitsPerSecond out) {
  const OwnContext context;
  constexpr std::uint32_t kCell = 254;
  SwitchParams params = quiet_chip();
  params.mmu.policy = MmuPolicy::kBroadcom;
  params.mmu.cell_bytes = kCell;
  params.mmu.pool_bytes = {1'000'000};
  params.mmu.port_alpha_enabled = false;
  params.mmu.pg_alpha_exp = alpha_exp;
  params.mmu.xon_bytes = params.mmu.xoff_bytes = {0};
  params.ecn.enabled = true;
  params.ecn.kmin_bytes = {400'000};
  params.ecn.kmax_bytes = {1'600'000};
  params.ecn.pmax = 1;
  ChipBench bench(params, {k800G, k800G, out});
  for (std::uint32_t sender = 0; sender < senders; ++sender) {
    bench.tester(sender).send(1_us, {.destination = 2, .bytes = 4 * kCell}, 2000);
  }
  bench.run();
  const Watermarks& marks = bench.chip.watermarks();
  return {marks.queue(2 * SwitchChip::kQueues + 3).first_ce_ps, marks.pg(0, 3).first_xoff_ps,
          static_cast<double>(marks.pg(0, 3).first_xoff_cells) * kCell,
          bench.chip.report().ecn_marked};
}

TEST(FieldReport, B12_PausesComeAloneWhenTheyComeBelowTheMarkingThreshold) {
  const Signals low = congest(-3, 1, k400G);
  EXPECT_NEAR(low.xoff_bytes, 111'111, 4 * 254);
  EXPECT_EQ(low.marks, 0u);
  EXPECT_GT(low.first_xoff_ps, 0u);
}

TEST(FieldReport, B12_MarksComeFirstWhenThePauseThresholdIsHigh) {
  const Signals high = congest(0, 1, k400G);
  EXPECT_NEAR(high.xoff_bytes, 500'000, 4 * 254);
  EXPECT_GT(high.first_ce_ps, 0u);
  EXPECT_LT(high.first_ce_ps, high.first_xoff_ps);
}

/// Marks first if and only if Kmin < N alpha B / (1 + N alpha).
TEST(FieldReport, B12_TwoPortsHoldTwiceAsMuchBeforeTheyPause) {
  const Signals quarter = congest(-2, 2, k800G);  // 333,333 B
  EXPECT_EQ(quarter.marks, 0u);
  EXPECT_GT(quarter.first_xoff_ps, 0u);
  const Signals half = congest(-1, 2, k800G);  // 500,000 B
  EXPECT_GT(half.first_ce_ps, 0u);
  EXPECT_LT(half.first_ce_ps, half.first_xoff_ps);
}

}  // namespace
}  // namespace sluice::test
