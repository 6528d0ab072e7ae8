// SPDX-License-Identifier: Apache-2.0
// The ingress arbiter: turns, stalls, FIFOs, and that it classifies when IngressPipes says.
#include "switch/pipe/ingress_arbiter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"
#include "switch/pipe/ingress_pipes.h"

namespace sluice::test {
namespace {

IngressArbiter::Inputs bring(std::uint64_t ports, bool out_ready = true) {
  IngressArbiter::Inputs in{ports, std::vector<std::uint32_t>(64), out_ready};
  for (std::uint32_t i = 0; i < 64; ++i) in.desc[i] = 100 + i;
  return in;
}

TEST(IngressArbiter, TakesTwoClocksThroughAnEmptyPort) {
  IngressArbiter arbiter({4, 2});
  arbiter.clock(bring(1u << 2));
  EXPECT_FALSE(arbiter.outputs().valid);
  arbiter.clock(bring(0));
  const IngressArbiter::Outputs out = arbiter.outputs();
  EXPECT_TRUE(out.valid);
  EXPECT_EQ(out.port, 2u);
  EXPECT_EQ(out.desc, 102u);
  arbiter.clock(bring(0));
  EXPECT_FALSE(arbiter.outputs().valid);
}

TEST(IngressArbiter, GivesBusyPortsTheirTurnsInOrderAndNoneToIdleOnes) {
  IngressArbiter arbiter({4, 4});
  for (int i = 0; i < 3; ++i) arbiter.clock(bring(0b1011));
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 7; ++i) {
    order.push_back(arbiter.outputs().port);
    arbiter.clock(bring(0b1011));
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 0, 1, 3, 0, 1}));
}

TEST(IngressArbiter, GivesTheOldestPacketFirstAndOfOneClockThatOfTheLowestPort) {
  IngressArbiter arbiter({4, 4, ArbiterPolicy::kOldestFirst});
  std::vector<std::uint32_t> order;
  // Came in clock 0: 1, 3; in clock 1: 0, 3; in clock 2: 1; in clock 4: 2, then 0 and 1.
  for (const std::uint64_t ports : {0b1010, 0b1001, 0b0010, 0b0000, 0b0100, 0b0011, 0, 0, 0, 0}) {
    if (arbiter.outputs().valid) order.push_back(arbiter.outputs().port);
    arbiter.clock(bring(ports));
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 0, 3, 1, 2, 0, 1}));
}

TEST(IngressArbiter, CountsTheAgeOfAPacketFromWhenItsFifoTookIt) {
  IngressArbiter arbiter({2, 1, ArbiterPolicy::kOldestFirst});
  arbiter.clock(bring(0b01));
  arbiter.clock(bring(0b01, false));  // refused: the FIFO is full until the end of this clock
  arbiter.clock(bring(0b11, false));
  arbiter.clock(bring(0b01, false));  // refused behind the one of clock 2
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(arbiter.outputs().port);
    arbiter.clock(bring(0));
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_FALSE(arbiter.outputs().valid);
}

TEST(IngressArbiter, HoldsItsPacketWhileThePipelineStallsAndFillsEachFifoToItsDepth) {
  IngressArbiter arbiter({2, 3});
  arbiter.clock(bring(1));
  arbiter.clock(bring(0));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(arbiter.outputs().ready, 0b11u);
    arbiter.clock(bring(0b11, false));
    EXPECT_TRUE(arbiter.outputs().valid);
    EXPECT_EQ(arbiter.outputs().port, 0u);
  }
  EXPECT_EQ(arbiter.outputs().ready, 0u);
  arbiter.clock(bring(0, true));
  EXPECT_EQ(arbiter.outputs().port, 1u);
  EXPECT_EQ(arbiter.outputs().ready, 0b10u);
}

/// The clocks of grants are those of a server of one packet a clock, whoever's turn it is.
TEST(IngressArbiter, ClassifiesAsOftenAsThePipeOfAFabric) {
  PipeParams params;
  params.count = 1;
  params.packets_per_second = 1'000'000'000;  // a clock is 1 ns
  params.fifo_packets = 4096;
  for (const ArbiterPolicy policy : {ArbiterPolicy::kRoundRobin, ArbiterPolicy::kOldestFirst}) {
    IngressPipes pipes(params);
    IngressArbiter arbiter({8, 1000, policy});
    RandomStream random(5, 0, RandomPurpose::kTest);
    std::vector<std::uint64_t> expected;
    std::vector<std::uint64_t> granted;
    for (std::uint64_t clock = 0; clock < 6000; ++clock) {
      std::uint64_t want = 0;
      for (std::uint32_t port = 0; port < 8 && clock < 5000; ++port) {
        if (random.below(8) != 0) continue;
        want |= std::uint64_t{1} << port;
        expected.push_back(pipes.enter(0, Ps{clock * 1000}).value / 1000);
      }
      arbiter.clock(bring(want));
      // Granted in this clock; a packet can be from the clock after it came in.
      if (arbiter.outputs().valid) granted.push_back(clock - 1);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(granted, expected);
  }
}

TEST(IngressArbiter, RefusesMorePortsThanAMaskHas) {
  EXPECT_THROW(IngressArbiter({65, 1}), ConfigError);
  EXPECT_THROW(IngressArbiter({0, 1}), ConfigError);
  EXPECT_THROW(IngressArbiter({4, 0}), ConfigError);
}

}  // namespace
}  // namespace sluice::test
