// SPDX-License-Identifier: Apache-2.0
// The lazy evaluation of DCQCN's timers is bit-exact with one that steps them all, every
// nanosecond.
#include <gtest/gtest.h>

#include "kernel/random.h"
#include "nic/congestion/dcqcn.h"

namespace sluice {
namespace {

void expect_same(const DcqcnFlow& a, const DcqcnFlow& b, Ps now) {
  ASSERT_EQ(a.rate_kbps, b.rate_kbps) << now.value;
  ASSERT_EQ(a.target_kbps, b.target_kbps) << now.value;
  ASSERT_EQ(a.alpha, b.alpha) << now.value;
  ASSERT_EQ(a.bytes_left, b.bytes_left) << now.value;
  ASSERT_EQ(a.timer_stage, b.timer_stage) << now.value;
  ASSERT_EQ(a.byte_stage, b.byte_stage) << now.value;
  ASSERT_EQ(a.ps_per_byte, b.ps_per_byte) << now.value;
}

/// Random CNPs, sends and silences into two copies; one is also advanced every nanosecond while it
/// is busy and every 100 ns in long silences.
void compare(const DcqcnParams& params, std::uint64_t seed) {
  const BitsPerSecond line{400'000'000'000};
  Dcqcn lazy(params, line);
  Dcqcn eager(params, line);
  lazy.add_flow();
  eager.add_flow();
  RandomStream random(seed, 0, RandomPurpose::kTest);
  Ps now{};
  for (int step = 0; step < 3000; ++step) {
    const std::uint32_t kind = random.below(100);
    const Ps pause = kind < 2 ? Ps{random.below(2'000'000'000)} : Ps{random.below(300'000)};
    const Ps tick = kind < 2 ? 100_ns : 1_ns;
    const Ps end = now + pause + Ps{1};
    for (; now < end; now += tick) (void)eager.at(0, now);
    now = end;
    if (kind < 10) {
      ASSERT_EQ(lazy.on_cnp(0, now), eager.on_cnp(0, now));
    } else if (kind < 97) {
      const std::uint32_t bytes = 84 + random.below(4100);
      const RateControl::Pace a = lazy.on_sent(0, bytes, now);
      const RateControl::Pace b = eager.on_sent(0, bytes, now);
      ASSERT_EQ(a.interval, b.interval);
      ASSERT_EQ(a.limited, b.limited);
    } else {
      expect_same(lazy.at(0, now), eager.at(0, now), now);
    }
  }
  expect_same(lazy.at(0, now), eager.at(0, now), now);
}

TEST(DcqcnLazy, IsBitExactWithThePaperSet) {
  DcqcnParams params;
  params.byte_counter = {20'000};
  params.rate_timer = 3_us;
  params.alpha_period = 2_us;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) compare(params, seed);
}

TEST(DcqcnLazy, IsBitExactWithTheNvidiaSet) {
  DcqcnParams params = dcqcn_nvidia();
  params.rate_timer = 7_us;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) compare(params, seed);
  params.byte_counter = {100'000};
  params.fast_recovery_stages = 3;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) compare(params, seed);
}

TEST(DcqcnLazy, ACnpAtTheInstantOfATimerComesFirst) {
  DcqcnParams params;
  Dcqcn dcqcn(params, {400'000'000'000});
  dcqcn.add_flow();
  dcqcn.on_cnp(0, 0_ps);
  dcqcn.on_cnp(0, 55_us);  // both timers are due now; the CNP restarts them
  const DcqcnFlow& flow = dcqcn.after(0, 55_us);
  EXPECT_EQ(flow.rate_kbps, 100'000'000u);
  EXPECT_EQ(flow.alpha, 1u << 30);
  EXPECT_EQ(flow.timer_stage, 0u);
}

TEST(DcqcnLazy, DaysOfSilenceAreCaughtUpInBoundedWork) {
  for (const DcqcnParams& params : {DcqcnParams{}, dcqcn_nvidia()}) {
    Dcqcn dcqcn(params, {400'000'000'000});
    dcqcn.add_flow();
    dcqcn.on_cnp(0, 0_ps);
    const Ps later{86'400'000'000'000'000};  // a day: 86 billion periods of 1 us
    EXPECT_EQ(dcqcn.at(0, later).alpha, 0u);
    EXPECT_EQ(dcqcn.at(0, later).rate_kbps, 400'000'000u);
    EXPECT_FALSE(dcqcn.on_sent(0, 4178, later).limited);
  }
}

}  // namespace
}  // namespace sluice
