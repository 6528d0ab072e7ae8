// SPDX-License-Identifier: Apache-2.0
// Random streams against the published Philox 4x32-10 known answers, and the properties that
// results rely on. Leaves out: statistical batteries, which the generator's authors ran.
#include "kernel/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sluice {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Vectors of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, MatchesTheKnownAnswerOfZeroCounterAndKey) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, MatchesTheKnownAnswerOfAllOnes) {
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, MatchesTheKnownAnswerOfTheDigitsOfPi) {
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<std::uint32_t> draws(RandomStream stream, std::size_t count) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(stream.next_u32());
  return out;
}

TEST(RandomStream, RepeatsItselfForTheSameKey) {
  EXPECT_EQ(draws(RandomStream(1, 2, RandomPurpose::kTest), 100),
            draws(RandomStream(1, 2, RandomPurpose::kTest), 100));
}

TEST(RandomStream, DiffersBySeedEntityAndPurpose) {
  std::set<std::vector<std::uint32_t>> seen;
  std::size_t streams = 0;
  for (std::uint64_t seed : {0ULL, 1ULL, 2ULL, 1ULL << 63}) {
    for (std::uint64_t entity : {0ULL, 1ULL, 1ULL << 32, (1ULL << 32) + 1}) {
      for (RandomPurpose purpose : {RandomPurpose::kEcnMark, RandomPurpose::kSpray}) {
        seen.insert(draws(RandomStream(seed, entity, purpose), 8));
        ++streams;
      }
    }
  }
  EXPECT_EQ(seen.size(), streams);
}

TEST(RandomStream, NeverRepeatsADrawOfAnotherEntity) {
  // 64 entities x 256 draws of 64 bits: an equal pair by chance has probability 7e-12.
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (std::uint64_t entity = 0; entity < 64; ++entity) {
    RandomStream stream(7, entity, RandomPurpose::kTest);
    for (int i = 0; i < 256; ++i, ++count) seen.insert(stream.next_u64());
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(RandomStream, NeighbourEntitiesAreUncorrelated) {
  // Bits of two independent streams agree half the time: 64000 coin flips, 5 sigma = 632.
  RandomStream a(3, 10, RandomPurpose::kTest), b(3, 11, RandomPurpose::kTest);
  int agree = 0;
  for (int i = 0; i < 2000; ++i) agree += __builtin_popcount(~(a.next_u32() ^ b.next_u32()));
  EXPECT_NEAR(agree, 32000, 632);
}

TEST(RandomStream, BelowStaysBelowItsBound) {
  RandomStream stream(1, 1, RandomPurpose::kTest);
  for (std::uint32_t bound : {1U, 2U, 3U, 1000U, 0x80000001U, UINT32_MAX}) {
    for (int i = 0; i < 200; ++i) ASSERT_LT(stream.below(bound), bound);
  }
}

TEST(RandomStream, BelowIsUniformForASmallBound) {
  // Chi-square with 9 degrees of freedom: 27.88 is the 0.1 % point.
  RandomStream stream(5, 5, RandomPurpose::kTest);
  std::array<int, 10> bins{};
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) ++bins[stream.below(10)];
  double chi2 = 0;
  for (int n : bins) chi2 += (n - kDraws / 10.0) * (n - kDraws / 10.0) / (kDraws / 10.0);
  EXPECT_LT(chi2, 27.88);
}

TEST(RandomStream, BelowHasNoBiasWhereTheBoundDoesNotDivideTheRange) {
  // bound = 3 * 2^30: a plain multiply or modulo gives one third of the values twice the weight
  // (0.5 instead of 1/3 of the draws below 2^30 or at residue 0 mod 3). 5 sigma of 60000 draws =
  // 577.
  RandomStream stream(9, 9, RandomPurpose::kTest);
  constexpr std::uint32_t kBound = 3U << 30;
  int low = 0, residue0 = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::uint32_t x = stream.below(kBound);
    low += x < (1U << 30);
    residue0 += x % 3 == 0;
  }
  EXPECT_NEAR(low, 20000, 577);
  EXPECT_NEAR(residue0, 20000, 577);
}

TEST(RandomStream, UniformCoversTheUnitIntervalEvenly) {
  // Mean of 10^5 draws: 0.5, 5 sigma = 5 / sqrt(12 * 10^5) = 0.00457.
  RandomStream stream(2, 2, RandomPurpose::kTest);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = stream.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.00457);
}

TEST(HashName, SeparatesNamesThatDifferInOneCharacter) {
  std::set<std::uint64_t> seen;
  for (int chip = 0; chip < 200; ++chip) {
    for (int port = 0; port < 64; ++port) {
      seen.insert(hash_name("fabric.leaf" + std::to_string(chip) + ".port" + std::to_string(port)));
    }
  }
  EXPECT_EQ(seen.size(), 200U * 64U);
  EXPECT_NE(hash_name("a.b"), hash_name("b.a"));
}

}  // namespace
}  // namespace sluice
