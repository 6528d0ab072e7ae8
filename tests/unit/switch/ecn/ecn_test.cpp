// SPDX-License-Identifier: Apache-2.0
// Golden section G5 (marking curve), the averaging step response, and the marking cases of users'
// reports. Leaves out: rewriting the packet, which the chip does.
#include "switch/ecn/ecn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

EcnParams profile(std::uint64_t kmin, std::uint64_t kmax, double pmax) {
  EcnParams p;
  p.kmin_bytes = Bytes{kmin};
  p.kmax_bytes = Bytes{kmax};
  p.pmax = pmax;
  return p;
}

std::unique_ptr<EcnMarker> marker(const EcnParams& p) { return make_ecn_marker({p}, {0}); }

bool marks(EcnMarker& m, std::uint32_t q, std::uint32_t random) {
  return m.decide({.queue = 0, .queue_bytes = q, .random = random}) == EcnAction::kMark;
}

/// Holds the queue at one depth for a million packets.
double measured(EcnMarker& m, std::uint32_t q) {
  RandomStream random(7, q, RandomPurpose::kTest);
  int hits = 0;
  constexpr int kPackets = 1000000;
  for (int i = 0; i < kPackets; ++i) hits += marks(m, q, random.next_u32());
  return static_cast<double>(hits) / kPackets;
}

void expect_curve(std::uint32_t kmin, std::uint32_t kmax, double pmax) {
  const auto m = marker(profile(kmin, kmax, pmax));
  for (const std::uint32_t q : {0u, kmin - 1, kmin}) EXPECT_FALSE(marks(*m, q, 0)) << q;
  EXPECT_TRUE(marks(*m, kmax, UINT32_MAX));
  EXPECT_TRUE(marks(*m, 2 * kmax, UINT32_MAX));
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    const auto q = static_cast<std::uint32_t>(std::llround(kmin + part * (kmax - kmin))) -
                   (part == 1.0 ? 1 : 0);
    const double p = pmax * (static_cast<double>(q) - kmin) / (static_cast<double>(kmax) - kmin);
    // The draw at which marking stops is the probability itself, to 1 in 2^32.
    const double edge = p * 0x1p32;
    EXPECT_TRUE(marks(*m, q, static_cast<std::uint32_t>(std::max(edge - 2, 0.0)))) << q;
    if (edge + 2 < 0x1p32) {
      EXPECT_FALSE(marks(*m, q, static_cast<std::uint32_t>(edge + 2))) << q;
    }
    EXPECT_NEAR(measured(*m, q), p, 4 * std::sqrt(p * (1 - p) / 1e6)) << q;
  }
}

TEST(G5, G5_01_Model400G) { expect_curve(400000, 1600000, 0.2); }
TEST(G5, G5_02_Model800G) { expect_curve(800000, 3200000, 0.2); }
TEST(G5, G5_03_SonicAzureLossless) { expect_curve(1048576, 2097152, 0.05); }
TEST(G5, G5_04_SonicTomahawk5) { expect_curve(131072, 262144, 0.05); }
TEST(G5, G5_05_OnyxCumulus) { expect_curve(150000, 1500000, 1); }
TEST(G5, G5_06_Hpcc25G) { expect_curve(100000, 400000, 0.2); }
TEST(G5, G5_07_DcqcnPaper40G) { expect_curve(5000, 200000, 0.01); }

TEST(Ecn, DefaultsFollowThePortRate) {
  EXPECT_EQ(EcnParams::for_rate({400000000000}).kmin_bytes.value, 400000u);
  EXPECT_EQ(EcnParams::for_rate({400000000000}).kmax_bytes.value, 1600000u);
  EXPECT_EQ(EcnParams::for_rate({800000000000}).kmin_bytes.value, 800000u);
  EXPECT_EQ(EcnParams::for_rate({800000000000}).kmax_bytes.value, 3200000u);
}

TEST(Ecn, AveragingFollowsTheStepResponse) {
  // q (1 - (1 - 2^-w)^k), w = 9.
  EcnParams p = profile(0, 1 << 30, 0);
  p.weight = 9;
  const auto m = marker(p);
  constexpr std::uint32_t kQueue = 1000000;
  for (int k = 1; k <= 1024; ++k) {
    marks(*m, kQueue, 0);
    const double part = static_cast<double>(m->length(0)) / kQueue;
    if (k == 355) {
      EXPECT_NEAR(part, 0.5004, 1e-4);
    }
    if (k == 512) {
      EXPECT_NEAR(part, 0.6325, 1e-4);
    }
    if (k == 1024) {
      EXPECT_NEAR(part, 0.8649, 1e-4);
    }
  }
}

TEST(Ecn, TheAverageReachesAnEmptyQueueAgain) {
  EcnParams p = profile(0, 1 << 30, 0);
  p.weight = 15;
  const auto m = marker(p);
  for (int i = 0; i < 100000; ++i) marks(*m, 1000000, 0);
  for (int i = 0; i < 2000000; ++i) marks(*m, 0, 0);
  EXPECT_EQ(m->length(0), 0u);
}

TEST(Ecn, PacketsThatCannotBeMarkedFollowTheDropCurveWhenAsked) {
  EcnParams p = profile(1000, 2000, 0.5);
  const auto mark_only = marker(p);
  p.drop_not_ect = true;
  const auto wred = marker(p);
  const EcnRequest full{.queue = 0, .queue_bytes = 2000, .random = 0, .ect = false};
  EXPECT_EQ(mark_only->decide(full), EcnAction::kForward);
  EXPECT_EQ(wred->decide(full), EcnAction::kDrop);
  EcnRequest slope = full;
  slope.queue_bytes = 1500;  // probability 0.25
  slope.random = 0x3fffffff;
  EXPECT_EQ(wred->decide(slope), EcnAction::kDrop);
  slope.random = 0x40000000;
  EXPECT_EQ(wred->decide(slope), EcnAction::kForward);
}

TEST(Ecn, ADrawIsNeededOnTheSlopeOnly) {
  const auto m = marker(profile(1000, 2000, 0.5));
  EXPECT_FALSE(m->draws(0, 1000));
  EXPECT_TRUE(m->draws(0, 1001));
  EXPECT_TRUE(m->draws(0, 1999));
  EXPECT_FALSE(m->draws(0, 2000));
}

TEST(Ecn, ADisabledProfileMarksNothing) {
  EcnParams off = profile(0, 1, 1);
  off.enabled = false;
  const auto m = make_ecn_marker({profile(0, 1, 1), off}, {0, 1});
  EXPECT_EQ(m->decide({.queue = 0, .queue_bytes = 100}), EcnAction::kMark);
  EXPECT_EQ(m->decide({.queue = 1, .queue_bytes = 100}), EcnAction::kForward);
}

TEST(FieldReport, B14_AMinimumAboveTheMaximumIsRefused) {
  EXPECT_THROW(profile(123, 122, 0.1).validate(), ConfigError);
  EXPECT_THROW(profile(1, 2, 1.01).validate(), ConfigError);
  EXPECT_THROW(profile(1, 2, -0.01).validate(), ConfigError);
  EXPECT_THROW(profile(1, 2, std::nan("")).validate(), ConfigError);
  EXPECT_NO_THROW(profile(100000, 100000, 0.1).validate());
}

TEST(FieldReport, B14_EqualThresholdsMarkEverythingAboveAndNothingUpToThem) {
  const auto m = marker(profile(100000, 100000, 0.1));
  EXPECT_FALSE(marks(*m, 99999, 0));
  EXPECT_FALSE(marks(*m, 100000, 0)) << "at the threshold: not yet";
  EXPECT_TRUE(marks(*m, 100001, UINT32_MAX));
}

TEST(Ecn, TheDropCurveIsCheckedLikeTheMarkingCurve) {
  EcnParams p = profile(1000, 2000, 0.5);
  p.drop_not_ect = true;
  p.drop_kmin_bytes = Bytes{500};
  p.drop_kmax_bytes = Bytes{400};
  EXPECT_THROW(p.validate(), ConfigError);
  p.drop_kmax_bytes = Bytes{600};
  EXPECT_NO_THROW(p.validate());
  p.drop_pmax = 1.5;
  EXPECT_THROW(p.validate(), ConfigError);
}

TEST(Ecn, DropParametersWithoutEffectAreRefused) {
  EcnParams p = profile(1000, 2000, 0.5);
  p.drop_kmax_bytes = Bytes{600};
  EXPECT_THROW(p.validate(), ConfigError) << "nothing is dropped";
  p.drop_kmax_bytes = Bytes{0};
  p.drop_pmax = 0.9;
  EXPECT_THROW(p.validate(), ConfigError) << "the marking curve is used";
}

TEST(Ecn, TheDropCurveIsApartFromTheMarkingCurve) {
  EcnParams p = profile(1000, 2000, 0.5);
  p.drop_not_ect = true;
  p.drop_kmin_bytes = Bytes{200};
  p.drop_kmax_bytes = Bytes{400};
  p.drop_pmax = 1;
  EXPECT_EQ(p.quiet_depth(), 200u);
  const auto m = marker(p);
  EcnRequest half{.queue = 0, .queue_bytes = 300, .random = 0x7fffffff, .ect = false};
  EXPECT_EQ(m->decide(half), EcnAction::kDrop);
  half.random = 0x80000000;
  EXPECT_EQ(m->decide(half), EcnAction::kForward);
  half.ect = true;
  half.random = 0;
  EXPECT_EQ(m->decide(half), EcnAction::kForward);
  EXPECT_TRUE(m->draws(0, 300));
  EXPECT_FALSE(m->draws(0, 400));
  EXPECT_TRUE(m->draws(0, 1500));
}

TEST(Ecn, TheDepthBelowWhichNobodyNeedAsk) {
  EcnParams p = profile(1000, 2000, 0.5);
  EXPECT_EQ(p.quiet_depth(), 1000u);
  p.weight = 3;
  EXPECT_EQ(p.quiet_depth(), 0u) << "the average wants every sample";
  p.enabled = false;
  EXPECT_EQ(p.quiet_depth(), UINT32_MAX);
}

TEST(FieldReport, B15_ShapesOfDequeueAndEnqueueMarking) {
  // 200 packets of 1 KB behind a paused port, then released; K = 100 KB.
  constexpr std::uint32_t kPacket = 1000;
  const auto m = marker(profile(100000, 100000, 0.1));
  for (std::uint32_t n = 1; n <= 200; ++n) {
    const std::uint32_t found = (n - 1) * kPacket;
    const std::uint32_t left_behind = (200 - n) * kPacket;
    EXPECT_EQ(marks(*m, found, UINT32_MAX), n >= 102) << "enqueue, packet " << n;
    EXPECT_EQ(marks(*m, left_behind, UINT32_MAX), n <= 99) << "dequeue, packet " << n;
  }
}

TEST(FieldReport, B17_SlopeAccuracyOverTwoHundredSeeds) {
  // 2010 packets of 1 KB drain; each sees the depth it leaves behind. Expected 46.525 marks a run.
  const auto m = marker(profile(500000, 2000000, 0.05));
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, 1, RandomPurpose::kEcnMark);
    for (std::uint32_t n = 1; n <= 2010; ++n) {
      const std::uint32_t left_behind = (2010 - n) * 1000;
      sum += marks(*m, left_behind, m->draws(0, left_behind) ? random.next_u32() : 0);
    }
  }
  EXPECT_NEAR(sum / 200, 46.525, 1.28);
}

}  // namespace
}  // namespace sluice
