// SPDX-License-Identifier: Apache-2.0
// RS(544,514) from its definition: roots, generator, and what can and cannot be corrected.
#include "link/fec/rs544.h"

#include <gtest/gtest.h>

#include "kernel/random.h"

namespace sluice::fec {
namespace {

std::vector<Symbol> codeword(RandomStream& random) {
  std::vector<Symbol> word(kDataSymbols);
  for (Symbol& s : word) s = static_cast<Symbol>(random.below(1024));
  const auto rest = parity(word);
  word.insert(word.end(), rest.begin(), rest.end());
  return word;
}

std::vector<Symbol> damaged(RandomStream& random, const std::vector<Symbol>& code, std::size_t n) {
  std::vector<Symbol> word = code;
  while (n > 0) {
    const std::uint32_t at = random.below(kCodeSymbols);
    if (word[at] != code[at]) continue;
    word[at] = static_cast<Symbol>(word[at] ^ (1 + random.below(1023)));
    --n;
  }
  return word;
}

TEST(Rs544, AlphaGeneratesAllOfTheField) {
  EXPECT_EQ(multiply(512, 2), 9);  // x^10 = x^3 + 1
  EXPECT_EQ(alpha(1023), 1);
  for (const unsigned divisor : {3U, 11U, 31U}) EXPECT_NE(alpha(1023 / divisor), 1);
  Symbol power = 1;  // alpha() reduces its exponent itself
  for (int i = 0; i < 1023; ++i) power = multiply(power, 2);
  EXPECT_EQ(power, 1);
}

TEST(Rs544, TheGeneratorVanishesAtItsThirtyRootsOnly) {
  const auto g = generator();
  EXPECT_EQ(g[30], 1);
  for (unsigned e = 0; e < 1023; ++e) {
    Symbol sum = 0;
    for (std::size_t i = g.size(); i-- > 0;)
      sum = static_cast<Symbol>(multiply(sum, alpha(e)) ^ g[i]);
    EXPECT_EQ(sum == 0, e < 30) << e;
  }
}

TEST(Rs544, CodewordsHaveNoSyndromes) {
  RandomStream random(1, 0, RandomPurpose::kTest);
  for (const Symbol s : syndromes(codeword(random))) EXPECT_EQ(s, 0);
}

TEST(FieldReport, B84_FifteenSymbolsAreCorrectedAndSixteenAreNot) {
  RandomStream random(2, 0, RandomPurpose::kTest);
  EXPECT_DOUBLE_EQ(lane_gbps(100), 106.25);
  for (std::size_t errors = 0; errors <= 15; ++errors) {
    const auto code = codeword(random);
    auto word = damaged(random, code, errors);
    const Decoded result = decode(word);
    EXPECT_TRUE(result.good) << errors;
    EXPECT_EQ(word, code);
    EXPECT_EQ(result.symbol_errors, errors);
    EXPECT_GE(result.bit_errors, result.symbol_errors);
  }
  for (std::size_t errors = 16; errors < 30; ++errors) {
    auto word = damaged(random, codeword(random), errors);
    const auto before = word;
    EXPECT_FALSE(decode(word).good) << errors;
    EXPECT_EQ(word, before);
  }
}

}  // namespace
}  // namespace sluice::fec
