// SPDX-License-Identifier: Apache-2.0
// The packet tracker of a receiving QP: in order, ahead, duplicate, out of window; what is asked
// for and when. Expected values from IBTA 9.7.5.2.8 and from the definition of a bitmap.
#include "nic/responder/psn_tracker.h"

#include <gtest/gtest.h>

#include <set>

#include "kernel/random.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using Tracker = sluice::PsnTracker;
using Verdict = Tracker::Verdict;

class PsnTracker : public test::AtPsn {
 protected:
  /// Packets are numbered from that with the test's PSN on.
  Tracker::Decision on(const PsnTrackerConfig& config, std::uint32_t number,
                       std::uint32_t span = 1) {
    return tracker.on_packet(config, psn(number), span);
  }
  Tracker tracker{psn(0)};
};
INSTANTIATE_TEST_SUITE_P(StartPsn, PsnTracker, test::each_psn_start(), test::psn_name);
/// The wrap within the second word of a NAK, and near the end of a window.
INSTANTIATE_TEST_SUITE_P(LateWrap, PsnTracker, testing::Values((1u << 24) - 96, (1u << 24) - 1000),
                         test::psn_name);

constexpr PsnTrackerConfig kGoBackN{};
constexpr PsnTrackerConfig kSelective{.keeps_early = true, .selective = true, .window = 1024};

PsnTrackerConfig reordering(std::uint32_t packets) {
  return {.keeps_early = true, .selective = true, .window = 1024, .reorder_packets = packets};
}

TEST_P(PsnTracker, GoBackNAsksOnceAGapAndKeepsNothing) {
  EXPECT_EQ(on(kGoBackN, 0).verdict, Verdict::kInOrder);
  const auto early = on(kGoBackN, 2);
  EXPECT_EQ(early.verdict, Verdict::kOutOfOrder);
  EXPECT_TRUE(early.nak);
  EXPECT_EQ(early.nak_psn, psn(1));
  EXPECT_FALSE(on(kGoBackN, 3).nak);
  EXPECT_EQ(on(kGoBackN, 0).verdict, Verdict::kDuplicate);
  EXPECT_EQ(on(kGoBackN, 1).verdict, Verdict::kInOrder);
  EXPECT_EQ(on(kGoBackN, 2).verdict, Verdict::kInOrder);
  EXPECT_TRUE(on(kGoBackN, 4).nak);
}

TEST_P(PsnTracker, SelectiveAsksForTheMissingPacketsAloneAndKeepsTheRest) {
  EXPECT_EQ(on(kSelective, 0).verdict, Verdict::kInOrder);
  const auto gap = on(kSelective, 5);  // 1 to 4 are missing
  EXPECT_EQ(gap.verdict, Verdict::kEarly);
  ASSERT_TRUE(gap.nak);
  EXPECT_EQ(gap.nak_psn, psn(1));
  EXPECT_EQ(gap.lost, 0b1111u);
  const auto next = on(kSelective, 7);
  ASSERT_TRUE(next.nak);
  EXPECT_EQ(next.nak_psn, psn(6));
  EXPECT_EQ(next.lost, 1u);
  EXPECT_FALSE(on(kSelective, 8).nak);
  EXPECT_EQ(tracker.expected(), psn(1));
  EXPECT_EQ(tracker.received(kSelective), 0b11010000u);  // 5, 7 and 8
  EXPECT_EQ(on(kSelective, 5).verdict, Verdict::kDuplicate);
  for (const std::uint32_t number : {2u, 4u, 3u}) {
    EXPECT_EQ(on(kSelective, number).verdict, Verdict::kEarly);
  }
  EXPECT_EQ(on(kSelective, 1).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), psn(6));
  EXPECT_TRUE(tracker.has_gaps());
  EXPECT_EQ(on(kSelective, 6).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), psn(9));
  EXPECT_FALSE(tracker.has_gaps());
}

TEST_P(PsnTracker, OvertakingIsNoLossBelowTheThresholdAndIsOneAtIt) {
  const PsnTrackerConfig config = reordering(12);
  for (std::uint32_t number = 1; number < 12; ++number) {
    EXPECT_FALSE(on(config, number).nak) << number;
  }
  const auto twelfth = on(config, 12);
  ASSERT_TRUE(twelfth.nak);
  EXPECT_EQ(twelfth.nak_psn, psn(0));
  EXPECT_EQ(twelfth.lost, 1u);
}

TEST_P(PsnTracker, KeepsPacketsUpToTheLastOfItsWindow) {
  EXPECT_EQ(on(kSelective, 1024).verdict, Verdict::kOutOfWindow);
  EXPECT_EQ(on(kSelective, 1023).verdict, Verdict::kEarly);
  EXPECT_EQ(on(kSelective, 0).verdict, Verdict::kInOrder);
  EXPECT_EQ(on(kSelective, 1024).verdict, Verdict::kEarly);
}

TEST_P(PsnTracker, ANakLooksAt64PacketsAndTheNextOnesAtTheRest) {
  auto decision = on(kSelective, 130);
  EXPECT_EQ(decision.nak_psn, psn(0));
  EXPECT_EQ(decision.lost, UINT64_MAX);
  decision = on(kSelective, 131);
  EXPECT_EQ(decision.nak_psn, psn(64));
  EXPECT_EQ(decision.lost, UINT64_MAX);
  decision = on(kSelective, 132);
  EXPECT_EQ(decision.nak_psn, psn(128));
  EXPECT_EQ(decision.lost, 0b11u);
  EXPECT_FALSE(on(kSelective, 133).nak);
}

TEST_P(PsnTracker, AGapThatIsHalfFilledIsAskedForFromItsFirstMissingPacket) {
  const PsnTrackerConfig config = reordering(4);
  EXPECT_FALSE(on(config, 1).nak);
  EXPECT_FALSE(on(config, 0).nak);
  EXPECT_FALSE(on(config, 4).nak);
  EXPECT_FALSE(on(config, 2).nak);
  const auto decision = on(config, 7);
  ASSERT_TRUE(decision.nak);
  EXPECT_EQ(decision.nak_psn, psn(3));
  EXPECT_EQ(decision.lost, 1u);
}

TEST_P(PsnTracker, GoBackNWithPlacementKeepsPacketsAndAsksForTheExpectedOne) {
  const PsnTrackerConfig config{.keeps_early = true, .window = 64, .reorder_packets = 2};
  EXPECT_FALSE(on(config, 1).nak);
  const auto second = on(config, 2);
  EXPECT_TRUE(second.nak);
  EXPECT_EQ(second.nak_psn, psn(0));
  EXPECT_FALSE(on(config, 3).nak);
  EXPECT_EQ(on(config, 0).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), psn(4));
}

TEST_P(PsnTracker, AReadStandsForThePsnsOfItsAnswerInSequenceAndAhead) {
  EXPECT_EQ(on(kSelective, 0, 2000).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), psn(2000));
  EXPECT_EQ(on(kSelective, 2003, 5).verdict, Verdict::kEarly);
  EXPECT_EQ(tracker.kept(), 8u);
  EXPECT_EQ(tracker.received(kSelective), 0b11111000u);
  EXPECT_EQ(on(kSelective, 2000, 3).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker.expected(), psn(2008));
  EXPECT_FALSE(tracker.has_gaps());
}

TEST_P(PsnTracker, AReadIsKeptIfAllOfItFitsTheWindow) {
  EXPECT_EQ(on(kSelective, 1000, 25).verdict, Verdict::kOutOfWindow);
  EXPECT_EQ(on(kSelective, 1000, 24).verdict, Verdict::kEarly);
  EXPECT_EQ(tracker.kept(), 1024u);
}

/// What no requester does: PSNs are used twice. They count as one packet, and none comes back when
/// the window has moved on by its own length.
TEST_P(PsnTracker, AReadOverPsnsThatHaveComeForgetsAndInventsNone) {
  const PsnTrackerConfig config{.keeps_early = true, .selective = true, .window = 64};
  on(config, 9);
  EXPECT_EQ(on(config, 8, 4).verdict, Verdict::kEarly);  // 8 to 11, of which 9 has come
  EXPECT_EQ(tracker.received(config), 0xF00u);
  EXPECT_EQ(on(config, 0, 13).verdict, Verdict::kOutOfWindow);  // beyond what has come
  EXPECT_EQ(on(config, 0, 10).verdict, Verdict::kInOrder);      // 8 and 9 twice
  EXPECT_EQ(tracker.expected(), psn(12));
  EXPECT_EQ(on(config, 12, 59).verdict, Verdict::kInOrder);  // the window begins at 71
  on(config, 75);
  EXPECT_EQ(tracker.received(config), 0b10000u);  // not 72 and 73, which lie where 8 and 9 did
  EXPECT_FALSE(tracker.has(config, psn(72)) || tracker.has(config, psn(73)));
}

TEST_P(PsnTracker, GoingBackForgetsWhatWasKeptAndCountsIt) {
  for (const std::uint32_t number : {0u, 1u, 2u}) on(kSelective, number);
  on(kSelective, 7);
  on(kSelective, 10, 3);
  EXPECT_EQ(tracker.go_back(kSelective, psn(1)), 2u + 4u);  // 1 and 2; 7, 10 to 12
  EXPECT_EQ(tracker.expected(), psn(1));
  EXPECT_FALSE(tracker.has_gaps() || tracker.asked_for_expected());
  EXPECT_EQ(on(kSelective, 7).verdict, Verdict::kEarly);
  EXPECT_EQ(tracker.received(kSelective), 1u << 6);
  EXPECT_EQ(tracker.kept(), 7u);
}

TEST(PsnTrackerElsewhere, ShowsWhatOneElsewhereHoldsAndTakesNothingItself) {
  sluice::PsnTracker kept(0xFFFFFE);
  for (const std::uint32_t psn : {0u, 3u, 38u, 39u, 60u}) kept.on_packet(kSelective, psn);
  ASSERT_TRUE(kept.asked_for_expected());
  sluice::PsnTracker shown(5);
  shown.show(kSelective, kept.view(kSelective));
  EXPECT_EQ(shown.expected(), 0xFFFFFEu);
  EXPECT_TRUE(shown.asked_for_expected());
  EXPECT_EQ(shown.received(kSelective), kept.received(kSelective));
  EXPECT_FALSE(shown.accept_plain(0xFFFFFE));
  sluice::PsnTracker plain(7);
  shown.show(kSelective, plain.view(kSelective));
  EXPECT_EQ(shown.expected(), 7u);
  EXPECT_FALSE(shown.asked_for_expected());
  EXPECT_EQ(shown.received(kSelective), 0u);
  EXPECT_FALSE(shown.accept_plain(7));
}

/// Against a set of numbers: any order with losses and copies; nothing is taken twice or forgotten,
/// and what is asked for has not come.
TEST_P(PsnTracker, AgreesWithASetOfPsnsInAnyOrder) {
  RandomStream random(5, 0, RandomPurpose::kTest);
  const PsnTrackerConfig config{
      .keeps_early = true, .selective = true, .window = 256, .reorder_packets = 20};
  std::set<std::uint32_t> have;  // numbers, which do not wrap
  std::uint32_t expected = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t number = expected + random.below(60) - std::min(expected, 5u);
    EXPECT_EQ(tracker.has(config, psn(number)), have.contains(number));
    const auto decision = on(config, number);
    const bool fresh = have.insert(number).second;
    EXPECT_EQ(decision.verdict == Verdict::kDuplicate, !fresh);
    EXPECT_EQ(decision.verdict == Verdict::kInOrder, fresh && number == expected);
    while (have.contains(expected)) ++expected;
    ASSERT_EQ(tracker.expected(), psn(expected));
    EXPECT_EQ(tracker.has_gaps(), *have.rbegin() > expected);
    for (std::uint32_t bit = 0; decision.nak && bit < 64; ++bit) {
      if ((decision.lost >> bit & 1) == 0) continue;
      const std::uint32_t lost = psn_distance(psn_add(decision.nak_psn, bit), psn(0));
      EXPECT_FALSE(have.contains(lost));
      EXPECT_GE(*have.rbegin(), lost + 20);
    }
  }
}

}  // namespace
}  // namespace sluice
