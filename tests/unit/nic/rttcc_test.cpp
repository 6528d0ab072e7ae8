// SPDX-License-Identifier: Apache-2.0
// rttcc against its equations: each step by hand, and many flows on one bottleneck as a fluid.
#include "nic/congestion/rttcc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sluice {
namespace {

constexpr double kOne = Rttcc::kLineRate;
constexpr BitsPerSecond kLine{400'000'000'000};

struct OneFlow {
  explicit OneFlow(const RttccParams& params = {}) : control(params, kLine) { control.add_flow(); }
  double rate() const { return control.at(0).rate / kOne; }
  /// The rate after one more sample, over the rate before.
  double factor(Ps rtt, Ps now = 100_us) {
    const double before = rate();
    control.on_rtt(0, rtt, now);
    return rate() / before;
  }
  Rttcc control;
};

TEST(Rttcc, TheFirstCongestionHalvesTheLineRate) {
  OneFlow flow;
  EXPECT_FALSE(flow.control.on_rtt(0, 13_us, 1_us));  // the threshold itself is none
  EXPECT_EQ(flow.rate(), 1);
  EXPECT_TRUE(flow.control.on_rtt(0, 13_us + Ps{1}, 2_us));
  EXPECT_EQ(flow.rate(), 0.5);
  EXPECT_GT(flow.factor(14_us), 0.99) << "the second is an ordinary one";
}

TEST(Rttcc, ACutTakesAlphaOfTheShareOfTheRoundTripAboveTheThreshold) {
  for (const auto& [rtt, factor] : {std::pair{14_us, 1 - 0.1 / 14},
                                    {15_us, 1 - 0.1 * 2 / 15},
                                    {18_us, 1 - 0.1 * 5 / 18},
                                    {Ps{25'999'999}, 0.97},  // 1 - 0.1 / 2, but for the largest
                                    {26_us, 0.97 * 0.97},    // a cut a T of the round trip
                                    {249_us, std::pow(0.97, 19)}}) {
    OneFlow flow;
    flow.factor(20_us);
    EXPECT_NEAR(flow.factor(rtt), factor, 2e-4) << rtt.value;
  }
  // The same in the fixed point that the hardware would have.
  OneFlow flow;
  flow.factor(20_us);
  flow.control.on_rtt(0, 15_us, 100_us);
  EXPECT_EQ(flow.control.at(0).rate, ((std::uint64_t{1} << 29) * (65536 - 6553 * 2 / 15)) >> 16);
}

TEST(Rttcc, FromTheLargestQueuingDelayOnTheRateIsHalved) {
  OneFlow flow;
  flow.factor(20_us);
  EXPECT_EQ(flow.factor(250_us), 0.5);
}

TEST(Rttcc, AShortRoundTripAddsAStepAndAfterAQuietTimeALargerOne) {
  OneFlow flow;
  flow.factor(20_us, 10_us);
  double before = flow.rate();
  flow.factor(5_us, 2009_us);
  EXPECT_DOUBLE_EQ(flow.rate() - before, 96.0 / (1 << 20));
  before = flow.rate();
  flow.factor(5_us, 2010_us);  // 2 ms after the congestion
  EXPECT_DOUBLE_EQ(flow.rate() - before, 1700.0 / (1 << 20));
  flow.factor(14_us, 2011_us);
  before = flow.rate();
  flow.factor(5_us, 2012_us);
  EXPECT_DOUBLE_EQ(flow.rate() - before, 96.0 / (1 << 20));
}

TEST(Rttcc, AStepIsBoundedByTheLargestIncrease) {
  OneFlow flow;
  for (int i = 0; i < 8; ++i) flow.factor(250_us, 1_us);  // 1/256 of the line
  // 1700 / 2^20 of the line would be 1.41 times that.
  EXPECT_NEAR(flow.factor(5_us, 5000_us), 69468.0 / 65536, 1e-5);
}

TEST(Rttcc, IsUnlimitedAgainAtTheLineRate) {
  OneFlow flow;
  flow.factor(20_us, 0_us);
  unsigned steps = 0;
  while (flow.control.on_rtt(0, 5_us, 3000_us)) ++steps;
  EXPECT_EQ(steps, (1u << 19) / 1700);  // and the last one, which is cut short
  EXPECT_EQ(flow.rate(), 1);
  EXPECT_FALSE(flow.control.on_sent(0, 1000, 3000_us).limited);
}

TEST(Rttcc, ACnpIsALargestCut) {
  OneFlow flow;
  EXPECT_TRUE(flow.control.on_cnp(0, 1_us));
  EXPECT_EQ(flow.rate(), 0.5);
  flow.control.on_cnp(0, 5_us);
  EXPECT_NEAR(flow.rate(), 0.5 * 63570 / 65536, 1e-8);
}

TEST(Rttcc, EitherSignalCanBeAlone) {
  RttccParams params;
  params.signal = RttccSignal::kDelay;
  OneFlow delay(params);
  EXPECT_FALSE(delay.control.on_cnp(0, 1_us));
  EXPECT_TRUE(delay.control.on_rtt(0, 100_us, 2_us));
  params.signal = RttccSignal::kCnp;
  OneFlow cnp(params);
  EXPECT_FALSE(cnp.control.on_rtt(0, 100_us, 1_us));
  EXPECT_TRUE(cnp.control.on_cnp(0, 2_us));
  EXPECT_GT(cnp.factor(100_us, 3_us), 1) << "a round trip without CNP is a step up";
}

TEST(Rttcc, EachParameterMovesItsStep) {
  RttccParams params;
  params.alpha = 32768;
  params.max_decrease_factor = 32768;
  params.max_increase_factor = 2 * 65536;
  params.congestion_delay_threshold = 20_us;
  params.max_queuing_delay = 50_us;
  params.first_congestion_factor = 1 << 18;
  params.hai_interval = 100_us;
  params.ai_step = 1 << 10;
  params.hai_step = 1 << 15;
  params.min_rate_share = 1 << 15;
  OneFlow flow(params);
  EXPECT_EQ(flow.factor(20_us, 0_us), 1);
  EXPECT_EQ(flow.factor(21_us, 0_us), 0.25);
  EXPECT_EQ(flow.factor(40_us, 0_us), 0.75 * 0.75);  // twice 1 - 0.5 * 20 / 40
  EXPECT_EQ(flow.factor(50_us, 0_us), 0.25);
  EXPECT_DOUBLE_EQ(flow.rate(), 0.03515625);
  flow.factor(10_us, 99_us);
  EXPECT_DOUBLE_EQ(flow.rate(), 0.03515625 + 1.0 / 1024);
  flow.factor(10_us, 100_us);
  EXPECT_DOUBLE_EQ(flow.rate(), 0.03515625 + 1.0 / 1024 + 1.0 / 32);
  for (int i = 0; i < 9; ++i) flow.factor(50_us, 0_us);
  EXPECT_EQ(flow.rate(), 1.0 / 32);
}

TEST(Rttcc, PacesWireBytesAtItsRate) {
  OneFlow flow;
  flow.factor(20_us);
  // 4178 B at 200 Gb/s.
  EXPECT_EQ(flow.control.on_sent(0, 4178, 0_us).interval, Ps{167'120});
}

// ---- flows that share a bottleneck, as a fluid ----

/// From sample to sample the rates stand still, so that the queue is a straight line: no time step.
struct Bottleneck {
  static constexpr double kBasePs = 4e6;

  explicit Bottleneck(unsigned flows) : control(RttccParams{}, kLine), next(flows), sums(flows) {
    for (unsigned i = 0; i < flows; ++i) {
      control.add_flow();
      next[i] = kBasePs * i / flows;
    }
  }
  double share(std::uint32_t i) { return control.at(i).rate / kOne; }
  /// Rates and queue up to the next sample.
  void pass_to(double t, bool counts) {
    double in = 0;
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      in += share(i);
      if (counts) sums[i] += share(i) * (t - now);
    }
    queue_ps = std::max(0.0, queue_ps + (in - 1) * (t - now));
    now = t;
  }
  /// Each flow takes a sample a round trip. Averages from `settled` on.
  void run(double settled, double end) {
    double samples = 0;
    while (now < end) {
      const auto first = std::min_element(next.begin(), next.end());
      const bool counts = now >= settled;
      pass_to(*first, counts);
      const double rtt = kBasePs + queue_ps;
      control.on_rtt(static_cast<std::uint32_t>(first - next.begin()),
                     Ps{static_cast<std::uint64_t>(rtt)}, Ps{static_cast<std::uint64_t>(now)});
      *first = now + rtt;
      if (!counts) continue;
      mean_rtt += rtt;
      ++samples;
      least = std::min(least, rtt);
    }
    mean_rtt /= samples;
    double sum = 0;
    double squares = 0;
    for (const double s : sums) {
      sum += s / (end - settled);
      squares += s / (end - settled) * s / (end - settled);
    }
    utilisation = sum;
    jain = sum * sum / (static_cast<double>(sums.size()) * squares);
  }
  Rttcc control;
  std::vector<double> next;
  std::vector<double> sums;
  double now = 0;
  double queue_ps = 0;
  double mean_rtt = 0;
  double least = 1e12;
  double utilisation = 0;
  double jain = 0;
};

constexpr double kThresholdPs = 13e6;
constexpr double kAdditive = 96.0 / (1 << 20);

/// Unequal at the start: half of the flows were told of congestion ten times more.
Bottleneck unequal(unsigned flows) {
  Bottleneck bottleneck(flows);
  for (std::uint32_t i = 0; i < flows; i += 2) {
    for (int k = 0; k < 10; ++k) bottleneck.control.on_cnp(i, 0_us);
  }
  return bottleneck;
}

TEST(Rttcc, FlowsOnOneBottleneckSettleAtTheThresholdAndShareIt) {
  for (const unsigned n : {2u, 8u, 32u}) {
    // The swing around T dies out by a factor e in 3 T / (n ai): 213 ms for two flows, whose depth
    // is then a 10,000th.
    Bottleneck bottleneck = unequal(n);
    bottleneck.run(1000e9, 2000e9);
    EXPECT_NEAR(bottleneck.mean_rtt / kThresholdPs, 1, 0.01) << n;
    // What came in beyond the line stands in the queue: less than 20 us in a second.
    EXPECT_NEAR(bottleneck.utilisation, 1, 2e-5) << n;
    EXPECT_GE(bottleneck.jain, 0.9999) << n;
  }
}

/// Below T the sum of the rates rises by a = n ai a T; above, cuts of alpha (rtt - T) / rtt turn it
/// round. A swing that comes to T with a sum of 1 + v leaves it with 1 - v + 2/3 v^2 and reaches
/// v^2 / 2a below. It takes 2 v / a, so that v falls as exp(-a t / 3), the depth twice as fast.
TEST(Rttcc, TheSwingAroundTheThresholdDiesOutAsItsEquationsSay) {
  const auto depth_from = [](double start) {
    Bottleneck bottleneck = unequal(2);
    bottleneck.run(start, start + 5e9);
    return kThresholdPs - bottleneck.least;
  };
  const double decay = std::exp(-2 * 150e9 * 2 * kAdditive / kThresholdPs / 3);
  // A swing is 2 ms and less, by which both depths may be late: 2 % each. Half a sine above T,
  // left out of the time that a swing takes, is 0.13 ms of it, 7 to 15 %.
  EXPECT_NEAR(depth_from(200e9) / depth_from(50e9) / decay, 1, 0.2);
}

}  // namespace
}  // namespace sluice
