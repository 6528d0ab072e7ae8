// SPDX-License-Identifier: Apache-2.0
// Golden rows G13-20..24: shares of strict and DWRR classes in bytes; pause and idle rules.
// Leaves out: time; a slot is a frame.
#include "switch/scheduler/scheduler.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

constexpr std::uint32_t kBigFrame = 4158 + 20;
constexpr std::uint32_t kSmallFrame = 64 + 20;

using Heads = std::array<std::uint32_t, kSchedulerQueues>;

SchedulerParams weighted(const std::vector<std::uint32_t>& first) {
  SchedulerParams p;
  p.strict_queues.clear();
  p.weights.assign(kSchedulerQueues, 100);
  std::copy(first.begin(), first.end(), p.weights.begin());
  return p;
}

/// Serves backlogged queues 0..n-1 for `frames` frames; each queue's next frame size from `size`.
template <class Size>
std::vector<double> shares(Scheduler& s, std::size_t n, int frames, Size size) {
  Heads heads{};
  for (std::uint32_t q = 0; q < n; ++q) heads[q] = size(q);
  std::vector<double> bytes(n);
  double total = 0;
  const std::uint32_t ready = (1u << n) - 1;
  for (int i = 0; i < frames; ++i) {
    const std::uint32_t q = s.pick(0, ready, heads);
    bytes[q] += heads[q];
    total += heads[q];
    heads[q] = size(q);
  }
  for (double& share : bytes) share /= total;
  return bytes;
}

void expect_shares(const std::vector<std::uint32_t>& weights) {
  double sum = 0;
  for (const std::uint32_t w : weights) sum += w;
  const auto equal = make_scheduler(weighted(weights), 1);
  const auto mixed = make_scheduler(weighted(weights), 1);
  RandomStream random(3, 0, RandomPurpose::kTest);
  const auto equal_shares =
      shares(*equal, weights.size(), 50000, [](std::uint32_t) { return kBigFrame; });
  const auto mixed_shares = shares(*mixed, weights.size(), 100000, [&](std::uint32_t) {
    return random.below(2) == 0 ? kSmallFrame : kBigFrame;
  });
  for (std::size_t q = 0; q < weights.size(); ++q) {
    EXPECT_NEAR(equal_shares[q], weights[q] / sum, 0.005) << "queue " << q;
    EXPECT_NEAR(mixed_shares[q], weights[q] / sum, 0.005) << "queue " << q << ", mixed frames";
  }
}

TEST(G13, G13_20_WeightsFiftyFifty) { expect_shares({50, 50}); }
TEST(G13, G13_21_WeightsFourteenFifteen) { expect_shares({14, 15}); }
TEST(G13, G13_22_WeightsFortyThirtyTwentyfiveFive) { expect_shares({40, 30, 25, 5}); }
TEST(G13, G13_23_WeightsOneOneHundred) { expect_shares({1, 1, 100}); }

TEST(G13, G13_24_StrictOverDwrr) {
  // The strict class is offered 30 % of the link; the others share the rest by weight.
  SchedulerParams p = weighted({40, 30, 30});
  p.strict_queues = {6};
  const auto s = make_scheduler(p, 1);
  Heads heads;
  heads.fill(kBigFrame);
  RandomStream random(5, 0, RandomPurpose::kTest);
  std::vector<double> sent(kSchedulerQueues);
  std::uint32_t waiting = 0;
  constexpr int kSlots = 100000;
  for (int i = 0; i < kSlots; ++i) {
    waiting += random.below(10) < 3 ? 1 : 0;
    const std::uint32_t q = s->pick(0, 0b111u | (waiting != 0 ? 1u << 6 : 0u), heads);
    if (waiting != 0) {
      ASSERT_EQ(q, 6u);
      --waiting;
      if (waiting == 0) s->emptied(0, 6);
    }
    sent[q] += 1.0 / kSlots;
  }
  EXPECT_NEAR(sent[6], 0.30, 0.005);
  EXPECT_NEAR(sent[0], 0.70 * 0.4, 0.005);
  EXPECT_NEAR(sent[1], 0.70 * 0.3, 0.005);
  EXPECT_NEAR(sent[2], 0.70 * 0.3, 0.005);
}

TEST(Scheduler, HigherStrictClassesComeFirst) {
  SchedulerParams p;
  p.strict_queues = {5, 7};
  const auto s = make_scheduler(p, 1);
  Heads heads;
  heads.fill(kBigFrame);
  EXPECT_EQ(s->pick(0, 0xff, heads), 7u);
  EXPECT_EQ(s->pick(0, 0x7f, heads), 5u);
  EXPECT_EQ(s->pick(0, 0x5f, heads), 0u);
}

TEST(Scheduler, TheDefaultProfileServesCnpsFirstAndSplitsTheRestEvenly) {
  const auto s = make_scheduler(SchedulerParams{}, 1);
  Heads heads;
  heads.fill(kBigFrame);
  EXPECT_EQ(s->pick(0, 1u << 0 | 1u << 3 | 1u << 6, heads), 6u);
  int roce = 0;
  for (int i = 0; i < 1000; ++i) roce += s->pick(0, 1u << 0 | 1u << 3, heads) == 3;
  EXPECT_EQ(roce, 500);
}

TEST(Scheduler, APausedClassKeepsItsDeficit) {
  const auto s = make_scheduler(weighted({50, 50}), 1);
  Heads heads;
  heads.fill(1000);
  const std::uint32_t q = s->pick(0, 0b11, heads);
  const std::uint32_t left = s->deficit(0, q);
  EXPECT_EQ(left, 4178u - 1000);
  for (int i = 0; i < 100; ++i) s->pick(0, 0b11u & ~(1u << q), heads);  // q is paused
  EXPECT_EQ(s->deficit(0, q), left);
}

TEST(Scheduler, AnEmptyQueueLosesItsDeficit) {
  const auto s = make_scheduler(weighted({50, 50}), 1);
  Heads heads;
  heads.fill(1000);
  const std::uint32_t q = s->pick(0, 0b11, heads);
  s->emptied(0, q);
  EXPECT_EQ(s->deficit(0, q), 0u);
  EXPECT_NE(s->pick(0, 0b11, heads), q) << "its turn is over";
}

TEST(Scheduler, ALoneQueueIsAlwaysServedWhateverItsFrameSize) {
  const auto s = make_scheduler(weighted({1}), 1);
  Heads heads;
  heads.fill(9236);  // more than two quanta
  for (int i = 0; i < 100; ++i) EXPECT_EQ(s->pick(0, 1, heads), 0u);
  EXPECT_LT(s->deficit(0, 0), 4178u) << "no credit is hoarded";
}

TEST(Scheduler, PortsHaveTheirOwnState) {
  const auto s = make_scheduler(weighted({50, 50}), 2);
  Heads heads;
  heads.fill(kBigFrame);
  EXPECT_EQ(s->pick(0, 0b11, heads), s->pick(1, 0b11, heads));
}

/// Paused after each first frame of its turn, a queue comes back to a turn with what was left.
TEST(Scheduler, ADeficitStopsGrowingBelowSixteenMebibytes) {
  SchedulerParams params = weighted({100, 1});
  params.quantum_bytes = Bytes{65536};
  const auto s = make_scheduler(params, 1);
  constexpr std::uint32_t kQuantum = 65536 * 100;
  const Heads heads{kSmallFrame, kBigFrame};
  ASSERT_EQ(s->pick(0, 0b11, heads), 0u);
  EXPECT_EQ(s->deficit(0, 0), kQuantum - kSmallFrame);
  for (std::uint32_t turn = 2; turn <= 1000; ++turn) {
    ASSERT_EQ(s->pick(0, 0b10, heads), 1u);
    ASSERT_EQ(s->pick(0, 0b01, heads), 0u);
    const std::uint32_t unbounded = 2 * (kQuantum - kSmallFrame);
    EXPECT_EQ(s->deficit(0, 0), turn == 2 ? unbounded : (1u << 24) - 1 - kSmallFrame) << turn;
  }
}

TEST(SchedulerParams, BadValuesAreRefused) {
  SchedulerParams p;
  p.weights = {1, 2};
  EXPECT_THROW(p.validate(), ConfigError);
  p = {};
  p.weights[2] = 0;
  EXPECT_THROW(p.validate(), ConfigError);
  p = {};
  p.strict_queues = {8};
  EXPECT_THROW(p.validate(), ConfigError);
  p = {};
  p.quantum_bytes = Bytes{63};
  EXPECT_THROW(p.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
