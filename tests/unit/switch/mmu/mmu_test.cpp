// SPDX-License-Identifier: Apache-2.0
// Accounting rules of the shared buffer: conservation, slices, minima, refusal, bad parameters.
// Leaves out: the numbers of real switches (tomahawk5_g15_test, spectrum4_g15_test).
#include "switch/mmu/mmu.h"

#include <gtest/gtest.h>

#include <deque>

#include "kernel/error.h"
#include "kernel/random.h"
#include "switch/mmu/mmu_presets.h"
#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {
namespace {

using testing::kLossless;
using testing::kLossy;
using testing::one_pool;
using testing::packet;

std::string error_of(const MmuParams& params, const MmuGeometry& geometry) {
  try {
    params.validate(geometry);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

/// Random traffic over all ports, PGs and queues; every law must hold at every step.
void torture(const MmuParams& params, std::uint64_t seed) {
  constexpr std::uint32_t kPorts = 6;
  const auto mmu = make_mmu(params, {.ports = kPorts});
  RandomStream random(seed, 0, RandomPurpose::kTest);
  std::deque<MmuRequest> held;
  std::vector<bool> xoff(kPorts * kPriorityGroups);
  for (int step = 0; step < 20000; ++step) {
    // Phases of filling and of draining.
    const bool admit = held.empty() || random.below(100) < ((step / 2000) % 2 == 0 ? 75u : 25u);
    if (admit) {
      MmuRequest r = packet(random.below(kPorts), random.below(2) == 0 ? kLossless : kLossy,
                            random.below(kPorts), 1 + random.below(37));
      const AdmitResult result = mmu->admit(r);
      if (result.xoff) {
        ASSERT_FALSE(xoff[r.ingress_port * 8u + r.pg]) << "XOFF twice";
        xoff[r.ingress_port * 8u + r.pg] = true;
      }
      if (result.drop == DropReason::kNone) held.push_back(r);
    } else {
      const std::size_t i = random.below(static_cast<std::uint32_t>(held.size()));
      const MmuRequest r = held[i];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
      if (mmu->release(r)) {
        ASSERT_TRUE(xoff[r.ingress_port * 8u + r.pg]) << "XON without XOFF";
        xoff[r.ingress_port * 8u + r.pg] = false;
      }
    }
    std::uint32_t sum = 0;
    for (const MmuRequest& r : held) sum += r.cells;
    ASSERT_EQ(mmu->totals().used, sum);
    mmu->check_conservation();
    for (std::uint16_t port = 0; port < kPorts; ++port) {
      const SliceUsage slice = mmu->slice(mmu->slices() == 1 ? 0 : port * mmu->slices() / kPorts);
      ASSERT_LE(mmu->pg_limit(port, kLossless), slice.shared_limit);
      ASSERT_EQ(mmu->pg(port, kLossless).xoff, xoff[port * 8u + kLossless]);
    }
  }
  for (const MmuRequest& r : held) {
    if (mmu->release(r)) xoff[r.ingress_port * 8u + r.pg] = false;
  }
  mmu->check_conservation();
  EXPECT_EQ(mmu->totals().used, 0u);
  EXPECT_EQ(mmu->totals().headroom, 0u);
  for (std::uint32_t s = 0; s < mmu->slices(); ++s) {
    EXPECT_EQ(mmu->slice(s).ingress_shared, 0u);
    EXPECT_EQ(mmu->slice(s).egress_shared, 0u);
    EXPECT_EQ(mmu->slice(s).headroom, 0u);
  }
  for (const bool stopped : xoff) EXPECT_FALSE(stopped) << "an empty PG is XOFF";
}

MmuParams small(MmuPolicy policy) {
  MmuParams p = one_pool(254, 254 * 2400, 0);
  p.policy = policy;
  p.total_cells = 2400;
  p.shared_headroom_bytes = Bytes{254 * 400};
  p.pg_min_bytes = Bytes{254 * 34};
  p.queue_min_bytes = Bytes{254 * 7};
  p.queue_min_count = 7;
  p.xoff_bytes = Bytes{254 * 90};
  p.xon_offset_bytes = Bytes{254 * 14};
  p.xon_bytes = Bytes{254 * 10};
  p.lossy_alpha_exp = 0;
  p.lossy_pg_static_bytes = Bytes{254 * 1000};
  return p;
}

TEST(Mmu, CellsAreConservedUnderRandomTraffic) {
  for (const MmuPolicy policy : {MmuPolicy::kBroadcom, MmuPolicy::kNvidia}) {
    for (const std::uint32_t slices : {1u, 2u}) {
      for (const SliceBy by : {SliceBy::kIngress, SliceBy::kEgress}) {
        for (const int alpha : {-3, 0, 3}) {
          for (const bool shared : {false, true}) {
            MmuParams p = small(policy);
            p.num_slices = slices;
            p.slice_by = by;
            p.pg_alpha_exp = alpha;
            p.port_alpha_enabled = policy == MmuPolicy::kNvidia;
            p.headroom_overhead_cells = 5;
            if (!shared) p.shared_headroom_bytes = Bytes{0};
            torture(p, 1 + slices);
          }
        }
      }
    }
  }
}

TEST(Mmu, PeaksAreTheExactMaxima) {
  const auto mmu = make_mmu(one_pool(254, 254000, 0), {.ports = 2});
  mmu->admit(packet(0, kLossy, 1, 17));
  mmu->admit(packet(1, kLossy, 1, 5));
  mmu->release(packet(0, kLossy, 1, 17));
  mmu->admit(packet(1, kLossy, 1, 3));
  EXPECT_EQ(mmu->totals().used, 8u);
  EXPECT_EQ(mmu->totals().peak, 22u);
  EXPECT_EQ(mmu->pg(0, kLossy).peak, 17u);
  EXPECT_EQ(mmu->pg(1, kLossy).peak, 8u);
  EXPECT_EQ(mmu->queue(1, kLossy).peak, 22u);
}

TEST(Mmu, APacketIsChargedWholeToOneAccount) {
  MmuParams p = one_pool(254, 254000, 0);
  p.pg_min_bytes = Bytes{254 * 20};
  const auto mmu = make_mmu(p, {.ports = 2});
  mmu->admit(packet(0, kLossless, 1, 17));
  mmu->admit(packet(0, kLossless, 1, 17));
  EXPECT_EQ(mmu->pg(0, kLossless).min, 17u);
  EXPECT_EQ(mmu->pg(0, kLossless).shared, 17u);
  mmu->release(packet(0, kLossless, 1, 17));
  EXPECT_EQ(mmu->pg(0, kLossless).min, 17u) << "shared cells are given back before the minimum";
}

TEST(Mmu, BytesAreRoundedDownToCells) {
  MmuParams p = one_pool(254, 254000, 0);
  p.pg_min_bytes = Bytes{254 * 3 - 1};
  const auto mmu = make_mmu(p, {.ports = 2});
  for (int i = 0; i < 3; ++i) mmu->admit(packet(0, kLossless, 1));
  EXPECT_EQ(mmu->pg(0, kLossless).min, 2u);
  EXPECT_EQ(mmu->slice(0).shared_limit, 1000u - 2 * 2);
}

TEST(Mmu, SlicesDoNotShareTheirPool) {
  MmuParams p = one_pool(254, 254 * 2000, 0);
  p.num_slices = 2;
  const auto mmu = make_mmu(p, {.ports = 4});
  testing::fill(*mmu, packet(0, kLossy, 1), false);
  EXPECT_EQ(mmu->pg(0, kLossy).total(), 500u);
  testing::fill(*mmu, packet(1, kLossy, 1), false);
  EXPECT_EQ(mmu->pg(1, kLossy).total(), 250u) << "same slice: what is left";
  testing::fill(*mmu, packet(2, kLossy, 1), false);
  EXPECT_EQ(mmu->pg(2, kLossy).total(), 500u) << "the other slice is untouched";
}

TEST(Mmu, TheSliceIsThatOfTheEgressPortWhenSlicedByEgress) {
  MmuParams p = one_pool(254, 254 * 2000, 0);
  p.num_slices = 2;
  p.slice_by = SliceBy::kEgress;
  const auto mmu = make_mmu(p, {.ports = 4});
  testing::fill(*mmu, packet(0, kLossy, 1), false);
  testing::fill(*mmu, packet(0, kLossy, 2), false);
  EXPECT_EQ(mmu->slice(0).ingress_shared, 500u);
  EXPECT_EQ(mmu->slice(1).ingress_shared, 500u);
  EXPECT_EQ(mmu->pg(0, kLossy).total(), 1000u);
}

TEST(Mmu, PortsMapToSlicesAsTold) {
  MmuParams p = one_pool(254, 254 * 2000, 0);
  p.num_slices = 2;
  p.slice_map = {0, 1, 0, 1};
  const auto mmu = make_mmu(p, {.ports = 4});
  mmu->admit(packet(1, kLossy, 0, 9));
  EXPECT_EQ(mmu->slice(1).ingress_shared, 9u);
}

TEST(Mmu, AnInactivePortReservesNothing) {
  MmuParams p = small(MmuPolicy::kBroadcom);
  const auto all = make_mmu(p, {.ports = 2});
  const auto one = make_mmu(p, {.ports = 2, .active = {1, 0}});
  EXPECT_EQ(one->slice(0).shared_limit - all->slice(0).shared_limit, 34u + 7 * 7);
}

TEST(Mmu, ALossyQueueDropsAtItsOwnLimitAndALosslessQueueNever) {
  MmuParams p = one_pool(254, 254000, 8);
  p.lossy_alpha_exp = 0;
  p.queue_min_bytes = Bytes{254 * 7};
  const auto mmu = make_mmu(p, {.ports = 2});
  testing::fill(*mmu, packet(0, kLossy, 1), false);
  EXPECT_EQ(mmu->admit(packet(0, kLossy, 1)).drop, DropReason::kEgressQueue);
  EXPECT_EQ(mmu->queue(1, kLossy).total(), 507u);
  EXPECT_EQ(mmu->admit(packet(0, kLossless, 1)).drop, DropReason::kNone);
}

TEST(Mmu, PhysicalMemoryIsNeverExceeded) {
  MmuParams p = one_pool(254, 254000, 8);
  p.queue_min_bytes = Bytes{254 * 500};  // promised beyond the pool: queue_min_count says 0
  p.lossy_pg_min_bytes = Bytes{0};
  const auto mmu = make_mmu(p, {.ports = 3});
  for (int i = 0; i < 3000; ++i) {
    mmu->admit(packet(0, kLossy, 1));
    mmu->admit(packet(1, kLossy, 2));
    ASSERT_LE(mmu->totals().used, mmu->totals().total);
  }
  mmu->check_conservation();
}

TEST(Mmu, XoffIsSentEvenWhenThePacketThatNeedsItIsLost) {
  // Without headroom a 17-cell packet may be refused before the limit is reached to the cell.
  const auto mmu = make_mmu(one_pool(254, 254000, 0), {.ports = 2});
  AdmitResult result;
  while (result.drop == DropReason::kNone && !result.xoff) {
    result = mmu->admit(packet(0, kLossless, 1, 17));
  }
  EXPECT_EQ(result.drop, DropReason::kIngressPg);
  EXPECT_TRUE(result.xoff);
  EXPECT_FALSE(mmu->admit(packet(0, kLossless, 1, 17)).xoff) << "only once";
}

TEST(Mmu, AnEmptyPgIsNeverStopped) {
  MmuParams p = one_pool(254, 254000, -8);
  const auto mmu = make_mmu(p, {.ports = 2});
  const AdmitResult r = mmu->admit(packet(0, kLossless, 1, 30));  // limit 3 cells, no headroom
  EXPECT_EQ(r.drop, DropReason::kIngressPg);
  EXPECT_FALSE(r.xoff);
}

TEST(Mmu, ReleasingWhatWasNeverAdmittedBreaksAnInvariant) {
  const auto mmu = make_mmu(one_pool(254, 254000, 0), {.ports = 2});
  mmu->admit(packet(0, kLossy, 1, 3));
  EXPECT_THROW(mmu->release(packet(0, kLossy, 1, 4)), InvariantError);
  EXPECT_THROW(mmu->release(packet(0, kLossless, 1, 1)), InvariantError);
}

TEST(Mmu, TwoChipsWithDifferentAlphasLiveInOneProcess) {
  const auto half = make_mmu(one_pool(254, 254000, 0), {.ports = 2});
  const auto third = make_mmu(one_pool(254, 254000, -1), {.ports = 2});
  testing::fill(*half, packet(0, kLossy, 1), false);
  testing::fill(*third, packet(0, kLossy, 1), false);
  EXPECT_EQ(half->pg(0, kLossy).total(), 500u);
  EXPECT_EQ(third->pg(0, kLossy).total(), 333u);
}

TEST(FieldReport, B01_ALosslessPgWithoutHeadroomIsReported) {
  MmuParams p = one_pool(254, 254000, 0);
  const std::vector<std::string> lines = warnings(p, {.ports = 2});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find("port 1"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("PG 3"), std::string::npos) << lines[1];
  p.lossless_pgs.clear();
  EXPECT_TRUE(warnings(p, {.ports = 2}).empty());
}

TEST(FieldReport, B05_PoolAndHeadroomBeyondTheMemoryAreRejected) {
  MmuParams p;
  p.cell_bytes = 420;
  p.total_cells = 636183;
  p.pool_bytes = Bytes{258035400};
  p.shared_headroom_bytes = Bytes{81553920};
  p.shp_in_pool = false;
  const std::string text = error_of(p, {.ports = 64});
  for (const char* number : {"808546", "636183", "172363"}) {
    EXPECT_NE(text.find(number), std::string::npos) << text;
  }
}

TEST(FieldReport, B07_AByteCountIsNotAnExponent) {
  MmuParams p = one_pool(254, 25400000, 0);
  p.total_cells = 100000;
  PgProfile profile;
  profile.static_limit = Bytes{9497600};
  p.pg_overrides = {{0, kLossy, profile}};
  const auto mmu = make_mmu(p, {.ports = 2});
  testing::fill(*mmu, packet(0, kLossy, 1), false);
  EXPECT_EQ(mmu->pg(0, kLossy).total(), 9497600u / 254);
  p.pg_overrides[0].profile.alpha_exp = 9497600;
  EXPECT_NE(error_of(p, {.ports = 2}).find("9497600"), std::string::npos);
}

TEST(MmuParams, BadValuesAreRefusedByName) {
  const MmuParams good = one_pool(254, 254000, 0);
  const auto refused = [&](auto change, const char* key) {
    MmuParams bad = good;
    change(bad);
    const std::string text = error_of(bad, {.ports = 4});
    EXPECT_NE(text.find(key), std::string::npos) << key << ": " << text;
  };
  refused([](MmuParams& p) { p.num_slices = 5; }, "mmu.num_slices");
  refused([](MmuParams& p) { p.cell_bytes = 0; }, "mmu.cell_bytes");
  refused([](MmuParams& p) { p.total_cells = 0; }, "mmu.total_cells");
  refused([](MmuParams& p) { p.pg_alpha_exp = 9; }, "mmu.pg_alpha_exp");
  refused([](MmuParams& p) { p.lossy_alpha_exp = -9; }, "mmu.lossy_alpha_exp");
  refused([](MmuParams& p) { p.lossless_pgs = {8}; }, "mmu.lossless_pgs");
  refused([](MmuParams& p) { p.slice_map = {0, 0, 0}; }, "mmu.slice_map");
  refused([](MmuParams& p) { p.slice_map = {0, 0, 0, 1}; }, "mmu.slice_map");
  refused([](MmuParams& p) { p.pool_bytes = Bytes{254 * 1001}; }, "mmu.pool_bytes");
}

}  // namespace
}  // namespace sluice
