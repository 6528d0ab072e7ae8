// SPDX-License-Identifier: Apache-2.0
// Golden section G3: steady state of the dynamic threshold, Q = alpha B / (1 + n alpha) (Choudhury
// and Hahne, IEEE/ACM ToN 6(2), 1998), met frame by frame. Leaves out: transients, which need time.
#include <gtest/gtest.h>

#include <array>

#include "kernel/error.h"
#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {
namespace {

using testing::one_pool;
using testing::packet;

constexpr std::uint32_t kFrameCells = 16;
constexpr std::array<std::uint32_t, 8> kQueueCounts{1, 2, 3, 4, 8, 16, 32, 64};

/// Fills n PGs frame by frame in turn until all are refused; checks each against the closed form
/// within one frame above, one frame and one cell below.
void expect_steady_state(std::uint32_t cell, std::uint64_t pool, int alpha_exp) {
  const double alpha = alpha_exp >= 0 ? 1 << alpha_exp : 1.0 / (1 << -alpha_exp);
  for (const std::uint32_t n : kQueueCounts) {
    const auto mmu = make_mmu(one_pool(cell, pool, alpha_exp), {.ports = n});
    bool any = true;
    while (any) {
      any = false;
      for (std::uint32_t i = 0; i < n; ++i) {
        const AdmitResult r = mmu->admit(packet(i, testing::kLossy, i, kFrameCells));
        any |= r.drop == DropReason::kNone;
      }
    }
    const double expected = alpha * static_cast<double>(pool) / (1 + n * alpha);
    const double frame = kFrameCells * cell;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double held = mmu->pg(static_cast<std::uint16_t>(i), 0).total() * double{1} * cell;
      EXPECT_LE(held, expected + frame) << "n = " << n << ", PG of port " << i;
      EXPECT_GE(held, expected - frame - cell) << "n = " << n << ", PG of port " << i;
    }
    mmu->check_conservation();
  }
}

// The ratio rows, on a pool of 1e6 cells.
#define SLUICE_G3_RATIO(row, exponent) \
  TEST(G3, row) { expect_steady_state(100, 100000000, exponent); }
SLUICE_G3_RATIO(G3_01, -6)
SLUICE_G3_RATIO(G3_02, -5)
SLUICE_G3_RATIO(G3_03, -4)
SLUICE_G3_RATIO(G3_04, -3)
SLUICE_G3_RATIO(G3_05, -2)
SLUICE_G3_RATIO(G3_06, -1)
SLUICE_G3_RATIO(G3_07, 0)
SLUICE_G3_RATIO(G3_08, 1)
SLUICE_G3_RATIO(G3_09, 2)
SLUICE_G3_RATIO(G3_10, 3)

#define SLUICE_G3_SPECTRUM4(row, exponent) \
  TEST(G3, row) { expect_steady_state(192, 158229504, exponent); }
SLUICE_G3_SPECTRUM4(G3_11, -3)
SLUICE_G3_SPECTRUM4(G3_12, -2)
SLUICE_G3_SPECTRUM4(G3_13, -1)
SLUICE_G3_SPECTRUM4(G3_14, 0)
SLUICE_G3_SPECTRUM4(G3_15, 1)
SLUICE_G3_SPECTRUM4(G3_16, 2)
SLUICE_G3_SPECTRUM4(G3_17, 3)

#define SLUICE_G3_TOMAHAWK5(row, exponent) \
  TEST(G3, row) { expect_steady_state(254, 164505640, exponent); }
SLUICE_G3_TOMAHAWK5(G3_18, -3)
SLUICE_G3_TOMAHAWK5(G3_19, -2)
SLUICE_G3_TOMAHAWK5(G3_20, -1)
SLUICE_G3_TOMAHAWK5(G3_21, 0)
SLUICE_G3_TOMAHAWK5(G3_22, 1)
SLUICE_G3_TOMAHAWK5(G3_23, 2)
SLUICE_G3_TOMAHAWK5(G3_24, 3)

#define SLUICE_G3_TOMAHAWK4(row, exponent) \
  TEST(G3, row) { expect_steady_state(254, 113620296, exponent); }
SLUICE_G3_TOMAHAWK4(G3_25, -3)
SLUICE_G3_TOMAHAWK4(G3_26, -2)
SLUICE_G3_TOMAHAWK4(G3_27, -1)
SLUICE_G3_TOMAHAWK4(G3_28, 0)
SLUICE_G3_TOMAHAWK4(G3_29, 1)
SLUICE_G3_TOMAHAWK4(G3_30, 2)
SLUICE_G3_TOMAHAWK4(G3_31, 3)

TEST(G3, AnUnboundedAlphaSharesThePoolEvenly) {
  // alpha = 256 is the largest there is: B / (n + 1/256) each.
  expect_steady_state(100, 100000000, 8);
}

TEST(FieldReport, B08_NegativeAlphaExponentsShift) {
  constexpr std::uint64_t kPool = 165660324;
  constexpr std::array<std::pair<int, double>, 7> kRows{{{-7, 1284188},
                                                         {-4, 9744724},
                                                         {-3, 18406702},
                                                         {-1, 55220108},
                                                         {0, 82830162},
                                                         {1, 110440216},
                                                         {3, 147253621}}};
  for (const auto& [exponent, bytes] : kRows) {
    const auto mmu = make_mmu(one_pool(254, kPool, exponent), {.ports = 2});
    testing::fill(*mmu, packet(0, testing::kLossy, 1), false);
    EXPECT_NEAR(mmu->pg(0, 0).total() * 254.0, bytes, 254) << "exponent " << exponent;
  }
}

TEST(FieldReport, B30_XoffAtTheLimitAndXonBelowTheMovingLimit) {
  MmuParams p = one_pool(254, 254000, 0);
  p.xon_offset_bytes = Bytes{3556};
  p.lossless_queue_static_bytes = Bytes{0};
  const auto mmu = make_mmu(p, {.ports = 2});
  const MmuRequest blocked = packet(0, testing::kLossless, 1);
  EXPECT_EQ(testing::fill(*mmu, blocked, true).xoff_at, 500u);
  EXPECT_EQ(mmu->totals().peak, 500u);
  EXPECT_EQ(mmu->pg(0, testing::kLossless).peak, 500u);
  EXPECT_EQ(mmu->queue(1, testing::kLossless).peak, 500u);
  EXPECT_EQ(testing::drain_to_xon(*mmu, blocked), 7u);
  EXPECT_EQ(mmu->pg(0, testing::kLossless).total(), 493u);
}

TEST(FieldReport, B10_TheThresholdIsZeroNotHugeWhenThePoolIsFull) {
  MmuParams p = one_pool(254, 254000, 8);
  p.total_cells = 1100;
  p.xoff_bytes = Bytes{254 * 10};
  p.shared_headroom_bytes = Bytes{254 * 100};
  p.shp_in_pool = false;
  p.lossy_pg_static_bytes = Bytes{254000};
  const auto mmu = make_mmu(p, {.ports = 4});
  // A lossy PG without dynamic limit takes the whole pool, through a queue that takes everything.
  MmuRequest hog = packet(2, testing::kLossy, 1);
  hog.queue = testing::kLossless;
  EXPECT_EQ(testing::fill(*mmu, hog, false).drop_at, 1001u);
  EXPECT_EQ(mmu->pg_limit(1, testing::kLossless), 0u);
  const AdmitResult r = mmu->admit(packet(1, testing::kLossless, 3));
  EXPECT_EQ(r.drop, DropReason::kNone);
  EXPECT_TRUE(r.xoff);
  EXPECT_EQ(mmu->pg(1, testing::kLossless).headroom, 1u);
  EXPECT_TRUE(mmu->release(packet(1, testing::kLossless, 3))) << "a drained PG is always XON";
}

TEST(FieldReport, B10_ReservesBeyondThePoolAreRejected) {
  MmuParams p = one_pool(254, 254000, 0);
  p.xoff_bytes = Bytes{254 * 40};
  p.pg_min_bytes = Bytes{254 * 20};
  EXPECT_NO_THROW(p.validate({.ports = 16}));  // 16 x 60 = 960 of 1000 cells
  try {
    p.validate({.ports = 17});
    FAIL() << "1020 cells fit into 1000";
  } catch (const ConfigError& e) {
    EXPECT_NE(std::string(e.what()).find("1020"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("1000"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sluice
