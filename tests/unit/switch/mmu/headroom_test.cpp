// SPDX-License-Identifier: Apache-2.0
// Golden rows G4-07..32: the vendor headroom formula against the published SN5600 table, and the
// Tomahawk 5 table. Leaves out: the physical loop budget, which a running fabric is held to.
#include <gtest/gtest.h>

#include <array>

#include "kernel/error.h"
#include "switch/mmu/mmu.h"
#include "switch/mmu/mmu_presets.h"

namespace sluice {
namespace {

constexpr BitsPerSecond gbit(std::uint64_t n) { return BitsPerSecond{n * 1000000000}; }
constexpr Millimetres metres(std::uint64_t n) { return Millimetres{n * 1000}; }

TEST(Headroom, G4_07_to_30_ReproduceThePublishedSn5600Table) {
  constexpr std::array<std::uint64_t, 8> kGbit{10, 25, 40, 50, 100, 200, 400, 800};
  struct Cable {
    std::uint64_t metres;
    std::array<std::uint64_t, 8> xoff;
  };
  constexpr std::array<Cable, 3> kPublished{
      {{5, {45056, 48128, 57344, 63488, 113664, 131072, 231424, 257024}},
       {40, {46080, 52224, 62464, 69632, 126976, 157696, 283648, 362496}},
       {300, {56320, 76800, 101376, 118784, 225280, 355328, 677888, 1150976}}}};
  for (const Cable& cable : kPublished) {
    for (std::size_t i = 0; i < kGbit.size(); ++i) {
      HeadroomInputs in;
      in.rate = gbit(kGbit[i]);
      in.cable = metres(cable.metres);
      EXPECT_EQ(vendor_xoff(in).value, cable.xoff[i]) << kGbit[i] << "G, " << cable.metres << " m";
    }
  }
}

TEST(Headroom, G4_31_and_32_HundredMetresComeFromTheFormula) {
  EXPECT_EQ(spectrum4_mmu(64, gbit(400), metres(100)).xoff_bytes.value, 374784u);
  EXPECT_EQ(spectrum4_mmu(64, gbit(800), metres(100)).xoff_bytes.value, 544768u);
}

TEST(Headroom, XonIsDoubledOnEightLanes) {
  EXPECT_EQ(vendor_xon(gbit(400)).value, 19456u);
  EXPECT_EQ(vendor_xon(gbit(800)).value, 38912u);
}

TEST(Headroom, B03CableBytesUseDecimalUnits) {
  // 800G: 300 m more of cable are 2 x 300 x 100e9 / 1.98e8 = 303,030 B, 3 cells' worth each (64-B
  // frames in 192-B cells), rounded up to 1 KiB.
  HeadroomInputs in;
  in.rate = gbit(800);
  const auto none = static_cast<double>(vendor_xoff(in).value);
  in.cable = metres(300);
  EXPECT_NEAR(static_cast<double>(vendor_xoff(in).value) - none, 3 * 303030.3, 1024);
}

TEST(Headroom, Tomahawk5PublishedPointsAndStraightLinesBetween) {
  EXPECT_EQ(tomahawk5_xoff(gbit(800), metres(5)).value, 724662u);
  EXPECT_EQ(tomahawk5_xoff(gbit(800), metres(40)).value, 833536u);
  EXPECT_EQ(tomahawk5_xoff(gbit(800), metres(300)).value, 1621536u);
  EXPECT_EQ(tomahawk5_xoff(gbit(400), metres(150)).value, 611328u);
  EXPECT_EQ(tomahawk5_xoff(gbit(400), metres(500)).value, 1136396u);
  // 833,536 + 60 x (1,621,536 - 833,536) / 260, rounded up.
  EXPECT_EQ(tomahawk5_xoff(gbit(800), metres(100)).value, 1015383u);
  EXPECT_EQ(tomahawk5_xoff(gbit(800), metres(1)).value, 724662u);
  EXPECT_GT(tomahawk5_xoff(gbit(800), metres(500)).value, 1621536u);
}

TEST(Headroom, ASpeedWithoutResponseBudgetIsRefused) {
  HeadroomInputs in;
  in.rate = gbit(53);
  EXPECT_THROW(vendor_xoff(in), ConfigError);
}

TEST(Presets, AllPublishedPortModesFit) {
  for (const auto& [ports, rate] :
       {std::pair{64u, gbit(800)}, std::pair{128u, gbit(400)}, std::pair{256u, gbit(200)}}) {
    EXPECT_NO_THROW(make_mmu(spectrum4_mmu(ports, rate, metres(100)), {.ports = ports}));
    EXPECT_NO_THROW(make_mmu(tomahawk5_mmu(ports, rate, metres(100)), {.ports = ports}));
  }
  EXPECT_NO_THROW(make_mmu(tomahawk4_mmu(64, gbit(400), metres(100)), {.ports = 64}));
}

TEST(Presets, Spectrum4PoolIsTheMemoryLessWhatThePortsReserve) {
  // 158,229,504 B = 824,112 cells; each lossless PG reserves ceil(38,912/192) + ceil(544,768/192).
  const auto mmu = make_mmu(spectrum4_mmu(64, gbit(800), metres(100)), {.ports = 64});
  EXPECT_EQ(mmu->slice(0).shared_limit, 824112u - 64 * (203 + 2838));
}

}  // namespace
}  // namespace sluice
