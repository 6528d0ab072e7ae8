// SPDX-License-Identifier: Apache-2.0
// Golden section G15: what a real Tomahawk 5 does in the public SONiC QoS tests (sonic-mgmt
// tests/qos), fed packet by packet from the public pool, headroom and minimum figures. Nothing is
// tuned. Leaves out: the egress FIFO, which fills before the MMU does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {
namespace {

using testing::kLossless;
using testing::kLossy;
using testing::packet;

constexpr std::uint32_t kCell = 254;

/// Ports of one speed, their profile and cable.
struct PortGroup {
  std::uint32_t count;
  std::uint64_t xoff_bytes;
};

struct Row {
  std::uint64_t pool_bytes;
  std::uint64_t shp_bytes;
  std::uint64_t pg_min_bytes;
  std::vector<PortGroup> groups;    ///< the group under test first
  std::uint32_t service_ports;      ///< without lossless PG
  std::vector<std::uint32_t> xoff;  ///< of the PGs of one slice filled one after the other
  std::uint32_t drop;
  std::uint32_t headroom_of_one;
  std::uint32_t pgs;  ///< PGs that share the slice's headroom, 0: not all are driven by the test
  std::uint32_t rest;
  std::uint32_t lossy_drop;
  std::uint32_t drop_margin = 0;  ///< 0 where the rule meets the test's value exactly
};

class Tomahawk5 {
 public:
  explicit Tomahawk5(const Row& row) : row_(row) {
    params_.pool_bytes = Bytes{row.pool_bytes};
    params_.shared_headroom_bytes = Bytes{row.shp_bytes};
    params_.lossless_pgs = {3, 4};
    params_.pg_min_bytes = Bytes{row.pg_min_bytes};
    params_.lossy_pg_static_bytes = Bytes{82434938};
    // Ports alternate between the slices, so that each group has half of its ports in each.
    for (const PortGroup& group : row.groups) {
      for (std::uint32_t i = 0; i < group.count; ++i) add_port(group.xoff_bytes);
    }
    for (std::uint32_t i = 0; i < row.service_ports; ++i) {
      for (const std::uint32_t pg : {3u, 4u}) {
        params_.pg_overrides.push_back({geometry_.ports, pg, {}});
      }
      add_port(0);
    }
  }

  std::unique_ptr<Mmu> make() const { return make_mmu(params_, geometry_); }

  /// k-th lossless PG of slice 0 within the group under test: two a port.
  MmuRequest nth(std::uint32_t k) const {
    const std::uint32_t port = (k / 2) * 2;
    const auto pg = static_cast<std::uint8_t>(3 + k % 2);
    return packet(port, pg, 2 * (row_.groups[0].count / 2 - 1));
  }

 private:
  void add_port(std::uint64_t xoff_bytes) {
    if (xoff_bytes != row_.groups[0].xoff_bytes && xoff_bytes != 0) {
      for (const std::uint32_t pg : {3u, 4u}) {
        PgProfile profile = params_.pg_default(pg);
        profile.xoff = Bytes{xoff_bytes};
        params_.pg_overrides.push_back({geometry_.ports, pg, profile});
      }
    } else if (xoff_bytes != 0) {
      params_.xoff_bytes = Bytes{xoff_bytes};
    }
    params_.slice_map.push_back(geometry_.ports % 2);
    ++geometry_.ports;
  }

  const Row& row_;
  MmuParams params_;
  MmuGeometry geometry_;
};

void expect_row(const Row& row) {
  const Tomahawk5 chip(row);
  {
    const auto mmu = chip.make();
    const testing::Filled first = testing::fill(*mmu, chip.nth(0), false);
    EXPECT_EQ(first.xoff_at, row.xoff[0]);
    EXPECT_NEAR(first.drop_at, row.drop, row.drop_margin);
    mmu->check_conservation();
  }
  {
    // XON: 14 cells below the limit, which rises by one for each cell drained (alpha 1).
    const auto mmu = chip.make();
    testing::fill(*mmu, chip.nth(0), true);
    const std::uint32_t limit_at_xoff = mmu->pg_limit(0, kLossless);
    const std::uint32_t drained = testing::drain_to_xon(*mmu, chip.nth(0));
    const PgUsage pg = mmu->pg(0, kLossless);
    EXPECT_EQ(mmu->pg_limit(0, kLossless), limit_at_xoff + drained);
    EXPECT_LE(pg.shared + 14, mmu->pg_limit(0, kLossless));
    EXPECT_GT(pg.shared + 1 + 14, mmu->pg_limit(0, kLossless) - 1);
  }
  const auto mmu = chip.make();
  const std::uint32_t pgs = row.pgs != 0 ? row.pgs : static_cast<std::uint32_t>(row.xoff.size());
  for (std::uint32_t k = 0; k < pgs; ++k) {
    const testing::Filled filled = testing::fill(*mmu, chip.nth(k), true);
    if (k < row.xoff.size()) {
      EXPECT_EQ(filled.xoff_at, row.xoff[k]) << "PG " << k + 1;
    }
  }
  for (std::uint32_t k = 0; k < pgs; ++k) {
    testing::fill(*mmu, chip.nth(k), false);
    const PgUsage pg = mmu->pg(chip.nth(k).ingress_port, chip.nth(k).pg);
    if (k + 1 < pgs || row.pgs == 0) {
      EXPECT_EQ(pg.headroom, row.headroom_of_one) << "PG " << k + 1;
    } else {
      EXPECT_EQ(pg.headroom, row.rest) << "last PG";
    }
  }
  mmu->check_conservation();

  const auto lossy = chip.make();
  EXPECT_EQ(testing::fill(*lossy, packet(0, kLossy, 2), false).drop_at, row.lossy_drop);
}

TEST(G15, G15_t0_standalone_200g) {
  expect_row({.pool_bytes = 165660324,
              .shp_bytes = 29520896,
              .pg_min_bytes = 18796,
              .groups = {{256, 300990}},
              .service_ports = 0,
              .xoff = {120117, 60096, 30085, 15079, 7577},
              .drop = 121302,
              .headroom_of_one = 1185,
              .pgs = 50,
              .rest = 47,
              .lossy_drop = 120051,
              .drop_margin = 2});
}

TEST(G15, G15_ft2_64) {
  expect_row({.pool_bytes = 164733224,
              .shp_bytes = 17962880,
              .pg_min_bytes = 8636,
              .groups = {{64, 724662}},
              .service_ports = 0,
              .xoff = {142285, 71159, 35597, 17815, 8925},
              .drop = 145139,
              .headroom_of_one = 2853,
              .pgs = 13,
              .rest = 1124,
              .lossy_drop = 142259});
}

TEST(G15, G15_lt2_p32o64_800g) {
  // The test drives 22 of the 24 PGs that the slice's headroom pool serves.
  expect_row({.pool_bytes = 164619432,
              .shp_bytes = 33690560,
              .pg_min_bytes = 8636,
              .groups = {{32, 724662}, {64, 1136396}},
              .service_ports = 0,
              .xoff = {125589, 62811, 31423, 15728, 7881},
              .drop = 128443,
              .headroom_of_one = 2853,
              .pgs = 24,
              .rest = 701,
              .lossy_drop = 125563});
}

TEST(G15, G15_t0_f2_d40u8_200g) {
  expect_row({.pool_bytes = 163961572,
              .shp_bytes = 21279104,
              .pg_min_bytes = 8636,
              .groups = {{128, 224536}, {32, 830580}},
              .service_ports = 0,
              .xoff = {134949},
              .drop = 135834,
              .headroom_of_one = 884,
              .pgs = 48,
              .rest = 340,
              .lossy_drop = 134923});
}

TEST(G15, G15_t0_f2_d40u8_800g) {
  expect_row({.pool_bytes = 163961572,
              .shp_bytes = 21279104,
              .pg_min_bytes = 8636,
              .groups = {{32, 830580}, {128, 224536}},
              .service_ports = 0,
              .xoff = {134949},
              .drop = 138220,
              .headroom_of_one = 3270,
              .pgs = 13,
              .rest = 2648,
              .lossy_drop = 134923});
}

TEST(G15, G15_t1_f2_d10u8_800g) {
  expect_row({.pool_bytes = 147226020,
              .shp_bytes = 38843712,
              .pg_min_bytes = 8636,
              .groups = {{32, 1621536}, {64, 839216}},
              .service_ports = 0,
              .xoff = {103397},
              .drop = 109782,
              .headroom_of_one = 6384,
              .pgs = 12,
              .rest = 6240,
              .lossy_drop = 103371});
}

TEST(G15, G15_t0_isolated_d96u32s2_400g) {
  expect_row({.pool_bytes = 164110924,
              .shp_bytes = 20181824,
              .pg_min_bytes = 18796,
              .groups = {{96, 393192}, {32, 445770}},
              .service_ports = 2,
              .xoff = {134725, 67400, 33737, 16905, 8490},
              .drop = 136274,
              .headroom_of_one = 1548,
              .pgs = 26,
              .rest = 1028,
              .lossy_drop = 134659});
}

TEST(G15, G15_t1_isolated_d128_400g) {
  expect_row({.pool_bytes = 164505640,
              .shp_bytes = 22010624,
              .pg_min_bytes = 18796,
              .groups = {{128, 445770}},
              .service_ports = 0,
              .xoff = {133349, 66711, 33393, 16733, 8404},
              .drop = 135105,
              .headroom_of_one = 1755,
              .pgs = 25,
              .rest = 1208,
              .lossy_drop = 133283});
}

}  // namespace
}  // namespace sluice
