// SPDX-License-Identifier: Apache-2.0
// Lossy pools, port levels, minima, static thresholds and the parameters that move memory between
// accounts: each by the cells that it makes. One-cell packets. Leaves out: profiles of real chips
// (the g15 tests).
#include <gtest/gtest.h>

#include <string>

#include "kernel/error.h"
#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {
namespace {

using testing::fill;
using testing::kLossless;
using testing::kLossy;
using testing::one_pool;
using testing::packet;

constexpr std::uint32_t kCell = 254;
constexpr Bytes cells(std::uint64_t n) { return Bytes{n * kCell}; }

/// 1000 cells that PGs and lossy queues share with alpha 1.
MmuParams thousand() {
  MmuParams p = one_pool(kCell, 254000, 0);
  p.total_cells = 4000;
  return p;
}

/// A lossy packet through a queue that refuses nothing, so that its PG alone decides.
MmuRequest lossy_in(std::uint32_t in, std::uint32_t out) {
  MmuRequest r = packet(in, kLossy, out);
  r.queue = kLossless;
  return r;
}

class LossyPool : public ::testing::TestWithParam<MmuPolicy> {
 protected:
  MmuParams params() const {
    MmuParams p = thousand();
    p.policy = GetParam();
    p.lossy_pool_bytes = cells(600);
    return p;
  }
};

TEST_P(LossyPool, LossyGroupsShareTheirOwnPoolAndLeaveTheLosslessOneAlone) {
  const auto mmu = make_mmu(params(), {.ports = 3});
  fill(*mmu, lossy_in(0, 2), false);
  EXPECT_EQ(mmu->pg(0, kLossy).shared, 300u) << "alpha 1 of 600 cells";
  EXPECT_EQ(mmu->slice(0).lossy_shared, 300u);
  EXPECT_EQ(mmu->slice(0).ingress_shared, 0u);
  EXPECT_EQ(fill(*mmu, packet(1, kLossless, 2), true).xoff_at, 500u) << "of 1000, as if alone";
  EXPECT_EQ(mmu->pg_limit(1, kLossy), 300u);
  mmu->check_conservation();
  while (mmu->pg(0, kLossy).total() > 0) mmu->release(lossy_in(0, 2));
  EXPECT_EQ(mmu->slice(0).lossy_shared, 0u);
  EXPECT_EQ(mmu->slice(0).peak_lossy_shared, 300u);
  mmu->check_conservation();
}

TEST_P(LossyPool, WithoutOneTheyShareThePoolOfTheLosslessGroups) {
  MmuParams p = params();
  p.lossy_pool_bytes = Bytes{0};
  const auto mmu = make_mmu(p, {.ports = 3});
  fill(*mmu, lossy_in(0, 2), false);
  EXPECT_EQ(mmu->pg(0, kLossy).shared, 500u);
  EXPECT_EQ(fill(*mmu, packet(1, kLossless, 2), true).xoff_at, 250u);
}

TEST_P(LossyPool, LossyQueuesShareAnEgressPoolOfItsOwnSize) {
  MmuParams p = params();
  p.lossy_pool_bytes = Bytes{0};
  p.lossy_pg_static_bytes = cells(1000);
  p.lossy_alpha_exp = 0;
  p.egress_lossy_pool_bytes = cells(200);
  const auto mmu = make_mmu(p, {.ports = 3});
  EXPECT_EQ(fill(*mmu, packet(0, kLossy, 1), false).drop_at, 101u);
  EXPECT_EQ(mmu->admit(packet(0, kLossy, 1)).drop, DropReason::kEgressQueue);
  EXPECT_EQ(fill(*mmu, packet(0, kLossy, 2), false).drop_at, 51u) << "half of the other 100";
  EXPECT_EQ(mmu->slice(0).peak_egress_shared, 150u);
}

TEST_P(LossyPool, ItsMinimaComeOutOfIt) {
  MmuParams p = params();
  p.lossy_pg_min_bytes = cells(10);  // 7 lossy PGs a port
  const auto mmu = make_mmu(p, {.ports = 2});
  EXPECT_EQ(mmu->slice(0).lossy_limit, 600u - 2 * 7 * 10);
  EXPECT_EQ(mmu->slice(0).shared_limit, 1000u);
  fill(*mmu, lossy_in(0, 1), false);
  EXPECT_EQ(mmu->pg(0, kLossy).total(), 10u + 230);
}

INSTANTIATE_TEST_SUITE_P(Policies, LossyPool,
                         ::testing::Values(MmuPolicy::kBroadcom, MmuPolicy::kNvidia));

TEST(LossyPools, BothPoolsMustFitIntoTheMemory) {
  MmuParams p = thousand();
  p.total_cells = 1500;
  p.lossy_pool_bytes = cells(501);
  try {
    p.validate({.ports = 2});
    FAIL() << "1501 cells fit into 1500";
  } catch (const ConfigError& e) {
    EXPECT_NE(std::string(e.what()).find("lossy pool 501"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("1501"), std::string::npos) << e.what();
  }
  p.lossy_pool_bytes = cells(500);
  EXPECT_NO_THROW(p.validate({.ports = 2}));
}

TEST(PortLevel, TheStaticLimitHoldsForAllGroupsOfAPortTogether) {
  MmuParams p = thousand();
  p.lossless_pgs = {3, 4};
  p.pg_alpha_exp = 3;
  p.xoff_bytes = cells(20);
  p.port_static_bytes = cells(100);
  const auto mmu = make_mmu(p, {.ports = 3});
  EXPECT_EQ(fill(*mmu, packet(0, 3, 2), true).xoff_at, 100u);
  EXPECT_EQ(fill(*mmu, packet(0, 4, 2), true).xoff_at, 1u)
      << "nothing left for the port's other PG";
  EXPECT_EQ(mmu->pg(0, 4).headroom, 1u);
  EXPECT_EQ(fill(*mmu, packet(1, 3, 2), true).xoff_at, 100u) << "another port has its own";
  mmu->check_conservation();
}

TEST(PortLevel, TheReserveIsFreeOfThePool) {
  MmuParams p = thousand();
  p.port_min_bytes = cells(50);
  p.lossy_pg_static_bytes = cells(1000);
  const auto mmu = make_mmu(p, {.ports = 3});
  EXPECT_EQ(mmu->slice(0).shared_limit, 850u) << "3 x 50 set aside";
  // A PG that takes all it gets leaves 850 cells of the pool taken, and its port's 50.
  EXPECT_EQ(fill(*mmu, lossy_in(0, 2), false).drop_at, 901u);
  EXPECT_EQ(mmu->slice(0).ingress_shared, 850u);
  // The pool is empty, but another port still has its reserve.
  EXPECT_EQ(fill(*mmu, packet(1, kLossless, 2), true).xoff_at, 50u);
  EXPECT_EQ(mmu->slice(0).ingress_shared, 850u);
  mmu->check_conservation();
  for (int i = 0; i < 50; ++i) mmu->release(packet(1, kLossless, 2));
  EXPECT_EQ(mmu->slice(0).ingress_shared, 850u) << "what lay outside the pool comes back there";
  while (mmu->pg(0, kLossy).total() > 0) mmu->release(lossy_in(0, 2));
  EXPECT_EQ(mmu->slice(0).ingress_shared, 0u);
  EXPECT_EQ(mmu->totals().used, 0u);
  mmu->check_conservation();
}

TEST(PortLevel, TheEgressLimitHoldsForAllLossyQueuesOfAPort) {
  MmuParams p = thousand();
  p.lossy_pg_static_bytes = cells(1000);
  p.egress_port_static_bytes = cells(30);
  const auto mmu = make_mmu(p, {.ports = 3});
  EXPECT_EQ(fill(*mmu, packet(0, kLossy, 1), false).drop_at, 31u);
  EXPECT_EQ(mmu->admit(packet(0, 1, 1)).drop, DropReason::kEgressQueue) << "its queue 1";
  EXPECT_EQ(mmu->admit(packet(0, 1, 2)).drop, DropReason::kNone) << "another port";
}

TEST(PortLevel, TheEgressReserveIsFreeOfThePool) {
  MmuParams p = thousand();
  p.lossy_pg_static_bytes = cells(1000);
  p.lossy_alpha_exp = 0;
  p.egress_port_min_bytes = cells(40);
  const auto mmu = make_mmu(p, {.ports = 3});
  const std::uint32_t pool = 1000 - 3 * 40;
  EXPECT_EQ(mmu->slice(0).egress_limit, pool);
  // q <= pool - (q - 40), so (pool + 40) / 2.
  EXPECT_EQ(fill(*mmu, packet(0, kLossy, 1), false).drop_at, (pool + 40) / 2 + 1);
  EXPECT_EQ(mmu->slice(0).egress_shared, (pool + 40) / 2 - 40);
  mmu->check_conservation();
  while (mmu->pg(0, kLossy).total() > 0) mmu->release(packet(0, kLossy, 1));
  EXPECT_EQ(mmu->slice(0).egress_shared, 0u);
}

TEST(PortLevel, ALimitBelowTheReserveIsRefused) {
  MmuParams p = thousand();
  p.port_min_bytes = cells(10);
  p.port_static_bytes = cells(9);
  EXPECT_THROW(p.validate(), ConfigError);
}

TEST(StaticThresholds, HoldWhateverThePoolHolds) {
  MmuParams p = thousand();
  p.pg_static_bytes = cells(300);
  p.lossy_queue_static_bytes = cells(70);
  p.lossy_pg_static_bytes = cells(400);
  const auto mmu = make_mmu(p, {.ports = 4});
  EXPECT_EQ(fill(*mmu, packet(0, kLossless, 3), true).xoff_at, 300u);
  EXPECT_EQ(fill(*mmu, packet(1, kLossless, 3), true).xoff_at, 300u) << "dynamic would say 350";
  EXPECT_EQ(fill(*mmu, packet(2, kLossy, 3), false).drop_at, 71u);
}

TEST(StaticThresholds, XoffComesWithThePacketThatTakesTheLastCellOfThePool) {
  MmuParams p = thousand();
  p.pg_static_bytes = cells(600);
  const auto mmu = make_mmu(p, {.ports = 3});
  EXPECT_EQ(fill(*mmu, packet(0, kLossless, 2), true).xoff_at, 600u);
  EXPECT_EQ(fill(*mmu, packet(1, kLossless, 2), true).xoff_at, 400u) << "far below its threshold";
}

TEST(Minima, GroupsAndQueuesHaveThemBeforeTheyShare) {
  MmuParams p = thousand();
  p.pg_min_bytes = cells(20);
  p.lossless_queue_min_bytes = cells(15);
  const auto mmu = make_mmu(p, {.ports = 2});
  EXPECT_EQ(mmu->slice(0).shared_limit, 1000u - 2 * (20 + 15));
  for (int i = 0; i < 20; ++i) mmu->admit(packet(0, kLossless, 1));
  EXPECT_EQ(mmu->pg(0, kLossless).min, 20u);
  EXPECT_EQ(mmu->pg(0, kLossless).shared, 0u);
  EXPECT_EQ(mmu->queue(1, kLossless).min, 15u);
  EXPECT_EQ(mmu->queue(1, kLossless).shared, 5u);
  mmu->release(packet(0, kLossless, 1));
  EXPECT_EQ(mmu->queue(1, kLossless).shared, 4u) << "shared goes back first";
  EXPECT_EQ(mmu->pg(0, kLossless).min, 19u);
}

TEST(SharedHeadroom, InsideThePoolItTakesFromWhatIsShared) {
  MmuParams p = thousand();
  p.shared_headroom_bytes = cells(100);
  p.xoff_bytes = cells(60);
  p.shp_in_pool = true;
  EXPECT_EQ(make_mmu(p, {.ports = 4})->slice(0).shared_limit, 900u);
  p.shp_in_pool = false;
  EXPECT_EQ(make_mmu(p, {.ports = 4})->slice(0).shared_limit, 1000u);
}

TEST(SharedHeadroom, ItsExhaustionIsAReasonOfItsOwn) {
  MmuParams p = thousand();
  p.shared_headroom_bytes = cells(100);
  p.xoff_bytes = cells(60);
  p.shp_in_pool = false;
  const auto mmu = make_mmu(p, {.ports = 4});
  const auto refused = [&](std::uint32_t port) {
    for (;;) {
      const AdmitResult r = mmu->admit(packet(port, kLossless, 3));
      if (r.drop != DropReason::kNone) return r.drop;
    }
  };
  EXPECT_EQ(refused(0), DropReason::kIngressPg) << "its own cap of 60";
  EXPECT_EQ(mmu->pg(0, kLossless).headroom, 60u);
  EXPECT_EQ(refused(1), DropReason::kSharedHeadroom) << "40 are left in the pool";
  EXPECT_EQ(mmu->pg(1, kLossless).headroom, 40u);
  EXPECT_EQ(mmu->slice(0).peak_headroom, 100u);
  EXPECT_EQ(mmu->totals().peak_headroom, 100u);
  EXPECT_EQ(drop_reason_name(DropReason::kSharedHeadroom), "shared_headroom");
}

TEST(Slices, ByIngressAndByEgressChargeDifferentSlices) {
  MmuParams p = thousand();
  p.num_slices = 2;
  for (const SliceBy by : {SliceBy::kIngress, SliceBy::kEgress}) {
    p.slice_by = by;
    const auto mmu = make_mmu(p, {.ports = 4});  // ports 0, 1 in slice 0
    // Two PGs of one slice send to two ports of different slices.
    EXPECT_EQ(fill(*mmu, packet(0, kLossless, 1), true).xoff_at, 250u);
    const std::uint32_t second = fill(*mmu, packet(1, kLossless, 2), true).xoff_at;
    if (by == SliceBy::kIngress) {
      EXPECT_EQ(second, 125u) << "what is left of slice 0";
      EXPECT_EQ(mmu->slice(1).ingress_shared, 0u);
    } else {
      EXPECT_EQ(second, 250u) << "slice 1 is fresh";
      EXPECT_EQ(mmu->slice(1).ingress_shared, 250u);
    }
    mmu->check_conservation();
  }
}

TEST(Slices, AnEmptyGroupRunsWhicheverSliceStoppedIt) {
  MmuParams p = thousand();
  p.num_slices = 2;
  p.slice_by = SliceBy::kEgress;
  const auto mmu = make_mmu(p, {.ports = 4});
  EXPECT_EQ(mmu->admit(packet(0, kLossless, 1)).drop, DropReason::kNone) << "in slice 0";
  const AdmitResult refused = mmu->admit(packet(0, kLossless, 2, 400));
  EXPECT_EQ(refused.drop, DropReason::kIngressPg) << "slice 1 has 500 cells, a PG takes half";
  EXPECT_TRUE(refused.xoff);
  EXPECT_TRUE(mmu->pg(0, kLossless).xoff);
  EXPECT_TRUE(mmu->release(packet(0, kLossless, 1))) << "nothing is left whose release would";
  EXPECT_FALSE(mmu->pg(0, kLossless).xoff);
}

TEST(Slices, AGroupStoppedInTwoRunsWhenBothSay) {
  MmuParams p = thousand();
  p.num_slices = 2;
  p.slice_by = SliceBy::kEgress;
  const auto mmu = make_mmu(p, {.ports = 4});
  EXPECT_EQ(fill(*mmu, packet(0, kLossless, 1), true).xoff_at, 250u);
  EXPECT_EQ(fill(*mmu, packet(0, kLossless, 2), false).xoff_at, 0u) << "it is stopped already";
  for (int i = 0; i < 25; ++i) EXPECT_FALSE(mmu->release(packet(0, kLossless, 1, 10)));
  EXPECT_TRUE(mmu->release(packet(0, kLossless, 2)));
}

TEST(Xon, ComesAtTheOffsetBelowTheLimitOrAtXonWhicheverIsLarger) {
  MmuParams p = thousand();
  p.xoff_bytes = cells(10);
  const auto level = [&](std::uint64_t xon, std::uint64_t offset) {
    p.xon_bytes = cells(xon);
    p.xon_offset_bytes = cells(offset);
    const auto mmu = make_mmu(p, {.ports = 2});
    fill(*mmu, packet(0, kLossless, 1), true);
    testing::drain_to_xon(*mmu, packet(0, kLossless, 1));
    return mmu->pg(0, kLossless).total();
  };
  // Private headroom of 2 x 10 leaves 980: XOFF at 490, and Q <= 980 - Q - offset.
  EXPECT_EQ(level(0, 100), 440u);
  EXPECT_EQ(level(430, 100), 440u) << "the offset's level is the larger";
  EXPECT_EQ(level(460, 100), 460u) << "xon is the larger";
  EXPECT_EQ(level(0, 0), 489u) << "the limit moves up as the queue drains";
}

TEST(Xon, HysteresisRaisesXoffAboveTheSharedLimitOnly) {
  MmuParams p = thousand();
  p.policy = MmuPolicy::kNvidia;
  p.xon_bytes = cells(20);
  p.xoff_bytes = cells(80);
  p.headroom_overhead_cells = 0;
  const auto levels = [&](std::int32_t hysteresis) {
    p.hysteresis_cells = hysteresis;
    const auto mmu = make_mmu(p, {.ports = 2});
    const std::uint32_t limit = (1000 - 2 * (100 + static_cast<std::uint32_t>(hysteresis))) / 2;
    const std::uint32_t xoff = fill(*mmu, packet(0, kLossless, 1), true).xoff_at;
    testing::drain_to_xon(*mmu, packet(0, kLossless, 1));
    return std::pair{xoff - limit, mmu->pg(0, kLossless).total() - limit};
  };
  EXPECT_EQ(levels(0), (std::pair{20u, 1u}));
  EXPECT_EQ(levels(7), (std::pair{27u, 1u}));
}

TEST(Watermarks, KeepTheHighestOfEveryAccount) {
  MmuParams p = thousand();
  p.xoff_bytes = cells(30);
  const auto mmu = make_mmu(p, {.ports = 2});
  for (const std::uint32_t level : {50u, 200u, 100u}) {
    for (std::uint32_t i = 0; i < level; ++i) mmu->admit(packet(0, kLossless, 1));
    for (std::uint32_t i = 0; i < level; ++i) mmu->release(packet(0, kLossless, 1));
  }
  EXPECT_EQ(mmu->pg(0, kLossless).peak, 200u);
  EXPECT_EQ(mmu->queue(1, kLossless).peak, 200u);
  EXPECT_EQ(mmu->slice(0).peak_ingress_shared, 200u);
  EXPECT_EQ(mmu->totals().peak, 200u);
  EXPECT_EQ(mmu->pg(0, kLossless).peak_headroom, 0u);
  fill(*mmu, packet(0, kLossless, 1), false);
  EXPECT_EQ(mmu->pg(0, kLossless).peak_headroom, 30u);
  EXPECT_EQ(mmu->totals().peak, mmu->pg(0, kLossless).peak);
  EXPECT_EQ(mmu->totals().peak_headroom, 30u);
}

}  // namespace
}  // namespace sluice
