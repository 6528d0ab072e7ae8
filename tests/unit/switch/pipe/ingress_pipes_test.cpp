// SPDX-License-Identifier: Apache-2.0
// The packet rate of an ingress pipeline as a server with a short queue, in closed form.
#include "switch/pipe/ingress_pipes.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice::test {
namespace {

PipeParams one_pipe(std::uint64_t rate, std::uint32_t fifo) {
  PipeParams params;
  params.count = 1;
  params.lanes_per_pipe = 512;
  params.packets_per_second = rate;
  params.fifo_packets = fifo;
  return params;
}

TEST(IngressPipes, LetAPacketThroughAtOnceWhenIdle) {
  IngressPipes pipes(one_pipe(1'000'000'000, 4));
  EXPECT_EQ(pipes.enter(0, Ps{5000}), Ps{5000});
  EXPECT_EQ(pipes.enter(0, Ps{6000}), Ps{6000});
}

TEST(IngressPipes, SpaceABurstByTheirPacketRateAndLoseWhatTheFifoHasNoRoomFor) {
  IngressPipes pipes(one_pipe(1'000'000'000, 4));
  // One in the pipe, four waiting, 1 ns apart; the sixth of a burst finds no room.
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(pipes.enter(0, Ps{}), Ps{i * 1000});
  EXPECT_EQ(pipes.enter(0, Ps{}), kNever);
  EXPECT_EQ(pipes.enter(0, Ps{1000}), Ps{5000}) << "one has been classified by then";
}

TEST(IngressPipes, KeepTheirRateExactlyThoughItIsNoWholeNumberOfPicoseconds) {
  IngressPipes pipes(one_pipe(1'325'000'000, 4096));
  Ps last{};
  for (int i = 0; i < 3000; ++i) last = pipes.enter(0, Ps{});
  // 2999 intervals of 754.717 ps; the fraction kept has 8 bits: 2^-8 ps an interval at most.
  EXPECT_NEAR(static_cast<double>(last.value), 2999 * 1e12 / 1.325e9, 12.0);
}

TEST(IngressPipes, ServePortsByTheirLanes) {
  PipeParams params;  // 16 pipes of 32 lanes
  const BitsPerSecond capacity{51'200'000'000'000};
  const std::vector<BitsPerSecond> rates(64, BitsPerSecond{800'000'000'000});
  const auto in_order = pipes_of_ports(params, capacity, rates, {});
  for (std::uint32_t port = 0; port < 64; ++port) EXPECT_EQ(in_order[port], port / 4);
  // A service port behind the 512 lanes shares the last pipe.
  const auto named =
      pipes_of_ports(params, capacity, {rates[0], rates[0], {10'000'000'000}}, {33, 1, 513});
  EXPECT_EQ(named, (std::vector<std::uint32_t>{1, 0, 15}));
}

TEST(IngressPipes, AreAskedOnlyWhereSmallFramesCouldExceedThem) {
  PipeParams params;  // 1.325 Gpps a pipe
  const std::vector<BitsPerSecond> one{{800'000'000'000}};
  const std::vector<BitsPerSecond> two(2, one[0]);
  // 800G of 64 B frames is 1.19 Gpps.
  EXPECT_FALSE(IngressPipes::can_be_oversubscribed(params, one, {0}));
  EXPECT_TRUE(IngressPipes::can_be_oversubscribed(params, two, {0, 0}));
  EXPECT_FALSE(IngressPipes::can_be_oversubscribed(params, two, {0, 1}));
}

TEST(IngressPipes, RefuseValuesThatMakeNoPipe) {
  const auto refused = [](const PipeParams& params) {
    EXPECT_THROW(params.validate(), ConfigError);
  };
  PipeParams params = one_pipe(0, 4);
  refused(params);
  params = one_pipe(1'000'000'000, 0);
  refused(params);
  params = one_pipe(1'000'000'000, 1);
  params.slice_of_pipe = {0, 1};
  refused(params);
}

}  // namespace
}  // namespace sluice::test
