// SPDX-License-Identifier: Apache-2.0
// Golden section G15, Spectrum-4: the cells that the generator of the public SONiC QoS tests
// expects of two SN5600 configurations. Margins are the tests': XOFF and drop 4, XON 3, lossy drop
// 2 %. Leaves out: the egress FIFO.
#include <gtest/gtest.h>

#include <array>

#include "switch/mmu/mmu_presets.h"
#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {
namespace {

using testing::kLossless;
using testing::kLossy;
using testing::packet;

constexpr BitsPerSecond kAnyRate{400000000000};

/// SN5600 in 128x400G, 5 m: port level on, headroom private. SONiC states the pool net of reserves.
MmuParams sn5600_o128() {
  MmuParams p = spectrum4_mmu(128, kAnyRate, Millimetres{5000});
  p.lossless_pgs = {3, 4};
  p.pool_bytes = Bytes{67737959};
  p.reserves_in_pool = false;
  p.xon_bytes = Bytes{19456};
  p.xoff_bytes = Bytes{231424};
  p.hysteresis_cells = -1;  // ceil(size) - ceil(xon) - ceil(xoff), size = 250880 B
  return p;
}

/// SN5600 in 256x200G, 300 m: port level off, shared headroom pool.
MmuParams sn5600_v256() {
  MmuParams p = sn5600_o128();
  p.pool_bytes = Bytes{73684992};
  p.port_alpha_enabled = false;
  p.shared_headroom_bytes = Bytes{60293120};
  p.xoff_bytes = Bytes{240640};
  p.hysteresis_cells = 0;
  return p;
}

struct Expected {
  std::uint32_t xoff;
  std::uint32_t xon;
  std::uint32_t drop;
  std::uint32_t lossy_drop;
};

void expect_row(const MmuParams& params, std::uint32_t ports, const Expected& expected) {
  const MmuRequest blocked = packet(0, kLossless, 1);
  const auto mmu = make_mmu(params, {.ports = ports});
  const testing::Filled filled = testing::fill(*mmu, blocked, false);
  EXPECT_NEAR(filled.xoff_at, expected.xoff, 4);
  EXPECT_NEAR(filled.drop_at, expected.drop, 4);
  EXPECT_NE(testing::drain_to_xon(*mmu, blocked), 0u);
  EXPECT_NEAR(mmu->pg(0, kLossless).total(), expected.xon, 3);
  mmu->check_conservation();
  const auto lossy = make_mmu(params, {.ports = ports});
  const std::uint32_t drop = testing::fill(*lossy, packet(0, kLossy, 1), false).drop_at;
  EXPECT_NEAR(drop, expected.lossy_drop, 0.02 * expected.lossy_drop);
}

TEST(G15, G15_spectrum4_o128_400g) {
  expect_row(sn5600_o128(), 128, {342212, 342112, 343371, 346708});
}

TEST(G15, G15_spectrum4_v256_200g) {
  expect_row(sn5600_v256(), 256, {191990, 191889, 194498, 341135});
}

TEST(G15, G15_spectrum4_o128_filled_in_turn) {
  // Two PGs a port, one port after the other, each up to its shared limit.
  constexpr std::array<std::uint32_t, 8> kExpected{342112, 5183, 5341, 81, 83, 1, 1, 0};
  MmuParams p = sn5600_o128();
  p.xon_bytes = Bytes{0};
  p.xoff_bytes = Bytes{0};  // nothing beyond the shared limit
  p.hysteresis_cells = 0;
  const auto mmu = make_mmu(p, {.ports = 128});
  for (std::uint32_t k = 0; k < kExpected.size(); ++k) {
    const auto pg = static_cast<std::uint8_t>(3 + k % 2);
    testing::fill(*mmu, packet(k / 2, pg, 100), false);
    EXPECT_NEAR(mmu->pg(static_cast<std::uint16_t>(k / 2), pg).total(), kExpected[k], 4)
        << "PG " << k + 1;
  }
}

TEST(NvidiaMmu, OnePgTakesNearlyTheWholePoolWithThePortLevelOn) {
  // pool x 64 / (64 + 1 + 1), alpha_port 7 meaning 64.
  const auto mmu = make_mmu(sn5600_o128(), {.ports = 128});
  const std::uint32_t pool = 67737959 / 192;
  testing::fill(*mmu, packet(0, kLossless, 1), false);
  EXPECT_NEAR(mmu->pg(0, kLossless).shared, pool * 64.0 / 66.0, 1);
}

}  // namespace
}  // namespace sluice
