// SPDX-License-Identifier: Apache-2.0
// The token bucket of a QP: rate and burst by hand, alone and beside congestion control.
#include "nic/limiter/qp_rate_limiter.h"

#include <gtest/gtest.h>

#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

QpRateLimiter bucket(std::uint64_t gbps, std::uint32_t burst) {
  return {{.rate = {gbps * 1'000'000'000}, .burst_bytes = burst},
          std::make_unique<NoRateControl>()};
}

TEST(QpRateLimiter, WithoutABurstEveryFrameWaitsForTheOneBefore) {
  QpRateLimiter limiter = bucket(8, 0);  // 1 ns a byte
  EXPECT_TRUE(limiter.add_flow());
  EXPECT_EQ(limiter.on_sent(0, 1000, 5_us).not_before, 6_us);
  EXPECT_EQ(limiter.on_sent(0, 500, 6_us).not_before, 6500_ns);
  EXPECT_EQ(limiter.on_sent(0, 1000, 20_us).not_before, 21_us) << "idle time saves nothing";
}

TEST(QpRateLimiter, ABurstIsWhatMayGoAheadOfTheRate) {
  QpRateLimiter limiter = bucket(8, 3000);
  limiter.add_flow();
  EXPECT_LE(limiter.on_sent(0, 1000, 10_us).not_before, 10_us);
  EXPECT_LE(limiter.on_sent(0, 1000, 10_us).not_before, 10_us);
  EXPECT_LE(limiter.on_sent(0, 1000, 10_us).not_before, 10_us);  // owes nothing yet
  EXPECT_EQ(limiter.on_sent(0, 1000, 10_us).not_before, 11_us);  // owes 1000 B
  EXPECT_EQ(limiter.on_sent(0, 1000, 11_us).not_before, 12_us);
  limiter.on_sent(0, 1000, 100_us);  // full again, and no fuller
  limiter.on_sent(0, 2000, 100_us);
  EXPECT_EQ(limiter.on_sent(0, 500, 100_us).not_before, 100'500_ns);
}

TEST(QpRateLimiter, IsExactOverAMillionFrames) {
  QpRateLimiter limiter = bucket(7, 0);  // 8/7 ns a byte
  limiter.add_flow();
  Ps next{};
  for (int i = 0; i < 1'000'000; ++i) next = limiter.on_sent(0, 4178, next).not_before;
  EXPECT_NEAR(static_cast<double>(next.value), 1e6 * 4178 * 8e3 / 7, 1);
}

TEST(QpRateLimiter, EachFlowHasABucketOfItsOwn) {
  QpRateLimiter limiter = bucket(8, 0);
  limiter.add_flow();
  limiter.add_flow();
  limiter.on_sent(0, 9000, 0_us);
  EXPECT_EQ(limiter.on_sent(1, 1000, 0_us).not_before, 1_us);
}

/// Wire bits a picosecond times 1000, between 50 us and the end, of what node 0 sends to node 1.
double sent_gbps(const NicParams& params, bool mark_first) {
  NicRig rig(params);
  std::uint64_t bytes = 0;
  unsigned seen = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (packet.kind != PacketKind::kWriteData) return true;
    if (mark_first && seen++ == 0) packet.ecn = Ecn::kCe;
    if (now >= 50_us) bytes += packet.frame_bytes + 20;
    return true;
  };
  rig.write(0, 1, 1ull << 30);
  rig.run_until(1050_us);
  return static_cast<double>(bytes) * 8 / 1e6;
}

TEST(NicRateLimit, HoldsEachQpBelowTheLine) {
  NicParams params = exact_params(400);
  EXPECT_NEAR(sent_gbps(params, false), 400, 0.1);
  params.qp_rate_limit = {100'000'000'000};
  EXPECT_NEAR(sent_gbps(params, false), 100, 0.1);
}

TEST(NicRateLimit, TheSlowerOfLimitAndCongestionControlDecides) {
  NicParams params = exact_params(400);
  params.dcqcn.rate_timer = 1'000'000_us;  // hold 200 Gb/s after the one cut
  params.dcqcn.byte_counter = {0};
  params.qp_rate_limit = {300'000'000'000};
  EXPECT_NEAR(sent_gbps(params, false), 300, 0.1);
  EXPECT_NEAR(sent_gbps(params, true), 200, 0.1);
  params.qp_rate_limit = {150'000'000'000};
  EXPECT_NEAR(sent_gbps(params, true), 150, 0.1);
}

/// Frames that leave back to back when a QP that rested begins.
unsigned first_run(std::uint64_t burst_bytes) {
  NicParams params = exact_params(400);
  params.qp_rate_limit = {10'000'000'000};
  params.qp_rate_burst_bytes = {burst_bytes};
  NicRig rig(params);
  unsigned run = 0;
  Ps before{};
  bool over = false;
  rig[0].look = [&](Packet&, Ps now) {
    over = over || (run != 0 && now - before > 200_ns);
    if (!over) ++run;
    before = now;
    return true;
  };
  rig.write(0, 1, 1 << 20);
  rig.run_until(20_us);
  return run;
}

TEST(NicRateLimit, TheBurstIsTheRunAtLineRateThatItSays) {
  // The k-th frame may start while 4178 (k - 1) (1 - 10/400) B are at most the burst.
  EXPECT_EQ(first_run(0), 1u);
  EXPECT_EQ(first_run(40'000), 10u);  // 9 * 4074 = 36,662; 10 * 4074 = 40,736
  EXPECT_EQ(first_run(40'800), 11u);
}

}  // namespace
}  // namespace sluice
