// SPDX-License-Identifier: Apache-2.0
// The packet tracker of a receiving QP: in order, ahead, duplicate, out of window; what is asked
// for and when. Expected values from IBTA 9.7.5.2.8 and from the definition of a bitmap.
#include "nic/responder/psn_tracker.h"

#include <gtest/gtest.h>

#include <set>

#include "kernel/random.h"

namespace sluice {
namespace {

using Verdict = PsnTracker::Verdict;

constexpr PsnTrackerConfig kGoBackN{};
constexpr PsnTrackerConfig kSelective{.keeps_early = true, .selective = true, .window = 1024};

PsnTrackerConfig reordering(std::uint32_t packets) {
  return {.keeps_early = true, .selective = true, .window = 1024, .reorder_packets = packets};
}

TEST(PsnTracker, GoBackNAsksOnceAGapAndKeepsNothing) {
  PsnTracker tracker(0xFFFFFF);
  EXPECT_EQ(tracker.on_packet(kGoBackN, 0xFFFFFF).verdict, Verdict::kInOrder);
  const auto early = tracker.on_packet(kGoBackN, 1);
  EXPECT_EQ(early.verdict, Verdict::kOutOfOrder);
  EXPECT_TRUE(early.nak);
  EXPECT_EQ(early.nak_psn, 0u);
  EXPECT_FALSE(tracker.on_packet(kGoBackN, 2).nak);
  EXPECT_EQ(tracker.on_packet(kGoBackN, 0xFFFFFF).verdict, Verdict::kDuplicate);
  EXPECT_EQ(tracker.on_packet(kGoBackN, 0).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.on_packet(kGoBackN, 1).verdict, Verdict::kInOrder);
  EXPECT_TRUE(tracker.on_packet(kGoBackN, 3).nak);
}

TEST(PsnTracker, SelectiveAsksForTheMissingPacketsAloneAndKeepsTheRest) {
  PsnTracker tracker(0xFFFFFE);  // across the wrap
  EXPECT_EQ(tracker.on_packet(kSelective, 0xFFFFFE).verdict, Verdict::kInOrder);
  const auto gap = tracker.on_packet(kSelective, 3);  // FFFFFF, 0, 1 and 2 are missing
  EXPECT_EQ(gap.verdict, Verdict::kEarly);
  ASSERT_TRUE(gap.nak);
  EXPECT_EQ(gap.nak_psn, 0xFFFFFFu);
  EXPECT_EQ(gap.lost, 0b1111u);
  const auto next = tracker.on_packet(kSelective, 5);
  ASSERT_TRUE(next.nak);
  EXPECT_EQ(next.nak_psn, 4u);
  EXPECT_EQ(next.lost, 1u);
  EXPECT_FALSE(tracker.on_packet(kSelective, 6).nak);
  EXPECT_EQ(tracker.expected(), 0xFFFFFFu);
  EXPECT_EQ(tracker.received(kSelective), 0b11010000u);  // 3, 5 and 6
  EXPECT_EQ(tracker.on_packet(kSelective, 3).verdict, Verdict::kDuplicate);
  for (const std::uint32_t psn : {0u, 2u, 1u}) {
    EXPECT_EQ(tracker.on_packet(kSelective, psn).verdict, Verdict::kEarly);
  }
  EXPECT_EQ(tracker.on_packet(kSelective, 0xFFFFFF).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), 4u);
  EXPECT_TRUE(tracker.has_gaps());
  EXPECT_EQ(tracker.on_packet(kSelective, 4).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), 7u);
  EXPECT_FALSE(tracker.has_gaps());
}

TEST(PsnTracker, OvertakingIsNoLossBelowTheThresholdAndIsOneAtIt) {
  const PsnTrackerConfig config = reordering(12);
  PsnTracker tracker(100);
  for (std::uint32_t psn = 101; psn < 112; ++psn) {
    EXPECT_FALSE(tracker.on_packet(config, psn).nak) << psn;
  }
  const auto twelfth = tracker.on_packet(config, 112);
  ASSERT_TRUE(twelfth.nak);
  EXPECT_EQ(twelfth.nak_psn, 100u);
  EXPECT_EQ(twelfth.lost, 1u);
}

TEST(PsnTracker, KeepsPacketsUpToTheLastOfItsWindow) {
  PsnTracker tracker(7);
  EXPECT_EQ(tracker.on_packet(kSelective, 7 + 1024).verdict, Verdict::kOutOfWindow);
  EXPECT_EQ(tracker.on_packet(kSelective, 7 + 1023).verdict, Verdict::kEarly);
  EXPECT_EQ(tracker.on_packet(kSelective, 7).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.on_packet(kSelective, 7 + 1024).verdict, Verdict::kEarly);
}

TEST(PsnTracker, ANakLooksAt64PacketsAndTheNextOnesAtTheRest) {
  PsnTracker tracker(0);
  auto decision = tracker.on_packet(kSelective, 130);
  EXPECT_EQ(decision.nak_psn, 0u);
  EXPECT_EQ(decision.lost, UINT64_MAX);
  decision = tracker.on_packet(kSelective, 131);
  EXPECT_EQ(decision.nak_psn, 64u);
  EXPECT_EQ(decision.lost, UINT64_MAX);
  decision = tracker.on_packet(kSelective, 132);
  EXPECT_EQ(decision.nak_psn, 128u);
  EXPECT_EQ(decision.lost, 0b11u);
  EXPECT_FALSE(tracker.on_packet(kSelective, 133).nak);
}

TEST(PsnTracker, AGapThatIsHalfFilledIsAskedForFromItsFirstMissingPacket) {
  PsnTracker tracker(0);
  const PsnTrackerConfig config = reordering(4);
  EXPECT_FALSE(tracker.on_packet(config, 1).nak);
  EXPECT_FALSE(tracker.on_packet(config, 0).nak);
  EXPECT_FALSE(tracker.on_packet(config, 4).nak);
  EXPECT_FALSE(tracker.on_packet(config, 2).nak);
  const auto decision = tracker.on_packet(config, 7);
  ASSERT_TRUE(decision.nak);
  EXPECT_EQ(decision.nak_psn, 3u);
  EXPECT_EQ(decision.lost, 1u);
}

TEST(PsnTracker, GoBackNWithPlacementKeepsPacketsAndAsksForTheExpectedOne) {
  const PsnTrackerConfig config{.keeps_early = true, .window = 64, .reorder_packets = 2};
  PsnTracker tracker(0);
  EXPECT_FALSE(tracker.on_packet(config, 1).nak);
  const auto second = tracker.on_packet(config, 2);
  EXPECT_TRUE(second.nak);
  EXPECT_EQ(second.nak_psn, 0u);
  EXPECT_FALSE(tracker.on_packet(config, 3).nak);
  EXPECT_EQ(tracker.on_packet(config, 0).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), 4u);
}

TEST(PsnTracker, ShowsWhatOneElsewhereHoldsAndTakesNothingItself) {
  PsnTracker kept(0xFFFFFE);
  for (const std::uint32_t psn : {0u, 3u, 38u, 39u, 60u}) kept.on_packet(kSelective, psn);
  ASSERT_TRUE(kept.asked_for_expected());
  PsnTracker shown(5);
  shown.show(kSelective, kept.view(kSelective));
  EXPECT_EQ(shown.expected(), 0xFFFFFEu);
  EXPECT_TRUE(shown.asked_for_expected());
  EXPECT_EQ(shown.received(kSelective), kept.received(kSelective));
  EXPECT_FALSE(shown.accept_plain(0xFFFFFE));
  PsnTracker plain(7);
  shown.show(kSelective, plain.view(kSelective));
  EXPECT_EQ(shown.expected(), 7u);
  EXPECT_FALSE(shown.asked_for_expected());
  EXPECT_EQ(shown.received(kSelective), 0u);
  EXPECT_FALSE(shown.accept_plain(7));
}

/// Against a set of numbers: any order with losses and copies; nothing is taken twice or forgotten,
/// and what is asked for has not come.
TEST(PsnTracker, AgreesWithASetOfPsnsInAnyOrder) {
  RandomStream random(5, 0, RandomPurpose::kTest);
  const PsnTrackerConfig config{
      .keeps_early = true, .selective = true, .window = 256, .reorder_packets = 20};
  constexpr std::uint32_t kFirst = 0xFFFF00;
  PsnTracker tracker(kFirst);
  std::set<std::uint32_t> have;  // numbers from 0 on, without the wrap
  std::uint32_t expected = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint32_t number = expected + random.below(60) - std::min(expected, 5u);
    const auto decision = tracker.on_packet(config, psn_add(kFirst, number));
    const bool fresh = have.insert(number).second;
    EXPECT_EQ(decision.verdict == Verdict::kDuplicate, !fresh);
    EXPECT_EQ(decision.verdict == Verdict::kInOrder, fresh && number == expected);
    while (have.contains(expected)) ++expected;
    ASSERT_EQ(tracker.expected(), psn_add(kFirst, expected));
    EXPECT_EQ(tracker.has_gaps(), *have.rbegin() > expected);
    for (std::uint32_t bit = 0; decision.nak && bit < 64; ++bit) {
      if ((decision.lost >> bit & 1) == 0) continue;
      const std::uint32_t lost = psn_distance(psn_add(decision.nak_psn, bit), kFirst);
      EXPECT_FALSE(have.contains(lost));
      EXPECT_GE(*have.rbegin(), lost + 20);
    }
  }
}

}  // namespace
}  // namespace sluice
