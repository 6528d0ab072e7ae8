// SPDX-License-Identifier: Apache-2.0
// Marks and WRED drops of a running chip: which frames of a queue held closed get them.
// Leaves out: the curve itself (ecn/ecn_test.cpp).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

/// 200 x 1000 B against a closed port, Kmin = Kmax = 100 kB; the numbers of those marked.
class ChipMarks : public Chip {
 protected:
  std::vector<std::uint32_t> marked(MarkAt where, Ecn ecn = Ecn::kEct0, bool drop = false) {
    SwitchParams params = quiet_chip();
    params.ecn.enabled = true;
    params.ecn.kmin_bytes = params.ecn.kmax_bytes = {100'000};
    params.ecn.mark_at = where;
    params.ecn.drop_not_ect = drop;
    ChipBench bench(params);
    bench.tester(1).pause(Ps{}, 1u << 3, 65535);
    bench.tester(0).send(1_us, {.ecn = ecn}, 200);
    bench.run();
    std::vector<std::uint32_t> numbers;
    for (const Arrival& arrival : bench.arrivals(1)) {
      arrived_.push_back(arrival.packet.psn);
      if (arrival.packet.ecn == Ecn::kCe) numbers.push_back(arrival.packet.psn);
    }
    marks_counted_ = bench.chip.report().ecn_marked;
    wred_drops_ = bench.chip.report().drops[static_cast<std::size_t>(ChipDrop::kWred)];
    return numbers;
  }
  std::vector<std::uint32_t> arrived_;
  std::uint64_t marks_counted_ = 0;
  std::uint64_t wred_drops_ = 0;
};

std::vector<std::uint32_t> from_to(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

// Field report B15, frames counted from 1 there and from 0 here.
TEST_F(ChipMarks, B15_AtDequeueTheFirst99LeaveMoreThanTheThresholdBehind) {
  EXPECT_EQ(marked(MarkAt::kDequeue), from_to(0, 98));
  EXPECT_EQ(marks_counted_, 99u);
  EXPECT_EQ(arrived_.size(), 200u);
}

TEST_F(ChipMarks, B15_AtEnqueueTheLast99FindMoreThanTheThreshold) {
  EXPECT_EQ(marked(MarkAt::kEnqueue), from_to(101, 199));
  EXPECT_EQ(marks_counted_, 99u);
}

TEST_F(ChipMarks, WhatCannotBeMarkedPassesUnlessWredDrops) {
  EXPECT_TRUE(marked(MarkAt::kDequeue, Ecn::kNotEct).empty());
  EXPECT_EQ(arrived_, from_to(0, 199));
  EXPECT_EQ(wred_drops_, 0u);
}

TEST_F(ChipMarks, WhatCannotBeMarkedIsDroppedOnTheWayInWhereWredDrops) {
  EXPECT_TRUE(marked(MarkAt::kDequeue, Ecn::kNotEct, true).empty());
  // Frame 101 finds 100 frames, 100 kB, which is not above the threshold; the queue grows no more.
  EXPECT_EQ(arrived_, from_to(0, 100));
  EXPECT_EQ(wred_drops_, 99u);
}

TEST_F(ChipMarks, AMarkThatCameWithTheFrameIsKeptAndNotCounted) {
  EXPECT_EQ(marked(MarkAt::kDequeue, Ecn::kCe).size(), 200u);
  EXPECT_EQ(marks_counted_, 0u);
}

}  // namespace
}  // namespace sluice::test
