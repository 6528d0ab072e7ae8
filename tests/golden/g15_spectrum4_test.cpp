// SPDX-License-Identifier: Apache-2.0
// Golden section G15.3: what the generator of the public SONiC QoS tests expects of two SN5600
// configurations, in a running Spectrum-4 chip made of them and filled packet by packet. Margins
// are the tests': XOFF and drop 4, XON 3, lossy drop 2 %. Frequency offsets are off. Leaves out:
// watermarks.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "golden/g15_chip.h"
#include "source_dir.h"

namespace sluice::golden {
namespace {

constexpr std::uint32_t kEgress = 100;
constexpr Ps kSettle = 1_us;

/// A configuration by its folder, and the ports that it wires.
struct Config {
  const char* folder;
  std::uint32_t ports;
  std::uint32_t gbps;

  std::string path() const {
    return std::string(SLUICE_SOURCE_DIR) + "/../shared/corpus/sonic/g15_spectrum4/" + folder;
  }
};

/// 5 m: port level on, headroom private.
constexpr Config kO128{"sn5600-o128-t0_400g_5m", 128, 400};
/// 300 m: port level off, shared headroom pool.
constexpr Config kV256{"sn5600-v256-t0_200g_300m", 256, 200};

/// `mmu`: keys on top of the SONiC file.
FabricSpec spec_of(const Config& config, const char* mmu = "") {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: {}, link: {{rate: {}Gbps, length: 5m}}}}
switch: {{preset: spectrum4, sonic: '{}', freq_offset_ppm: 0, mmu: {{{}}}}}
nic: {{frequency_offset_ppm: 0}}
workload: {{type: raw, obey_pfc: false, pause_priorities: 24, pause_hosts: [{}]}}
)",
                                          config.ports, config.gbps, config.path(), mmu, kEgress));
  map_classes(spec.chips[0]);
  return spec;
}

bool is_absent(const Config& config) { return !std::filesystem::exists(config.path()); }
constexpr const char* kAbsent = "the corpus of SONiC configurations is absent";

struct Expected {
  std::uint32_t xoff;
  std::uint32_t xon;
  std::uint32_t drop;
  std::uint32_t lossy_drop;
};

/// Kept in the test's report too.
void expect_near(const char* what, std::uint32_t cells, std::uint32_t expected, double margin) {
  EXPECT_NEAR(cells, expected, margin) << what;
  testing::Test::RecordProperty(what, std::to_string(cells));
}

void expect_row(const Config& config, const Expected& expected) {
  constexpr GroupOfPort kGroup{0, 3};
  const auto fabric = RunningFabric::of(spec_of(config));
  Filler filler(*fabric, kEgress, kSettle);
  fabric->run_beside([&] {
    fabric->pass(10_us);
    expect_near("xoff", filler.until_xoff(kGroup), expected.xoff, 4);
    EXPECT_EQ(fabric->raw(0).counters().xoff_received, 1u) << "a frame on the wire";
    expect_near("drop", filler.until_drop(kGroup), expected.drop, 4);
    expect_near("xon", filler.drain_until_xon(kGroup, 0x18), expected.xon, 3);
  });

  // One slice: the blockers share the pool, so their queue is kept to 512 cells (0.15 %).
  FabricSpec lossy = spec_of(config);
  QueueProfile small;
  small.static_limit = Bytes{512 * 192};
  lossy.chips[0].mmu.queue_overrides.push_back({kEgress, 6, small});
  const LossyRun run{0, kEgress, {1, 2}, expected.lossy_drop + 10'000};
  expect_near("lossy_drop", lossy_drop(lossy, run), expected.lossy_drop,
              0.02 * expected.lossy_drop);
}

TEST(G15Spectrum4, G15_o128_400g_PortLevelOn) {
  if (is_absent(kO128)) GTEST_SKIP() << kAbsent;
  expect_row(kO128, {342212, 342112, 343371, 346708});
}

TEST(G15Spectrum4, G15_v256_200g_PortLevelOff) {
  if (is_absent(kV256)) GTEST_SKIP() << kAbsent;
  expect_row(kV256, {191990, 191889, 194498, 341135});
}

TEST(G15Spectrum4, G15_o128_400g_FilledInTurn) {
  if (is_absent(kO128)) GTEST_SKIP() << kAbsent;
  // Two PGs a port, one port after the other, each up to its shared limit: nothing beyond it.
  constexpr std::array<std::uint32_t, 8> kExpected{342112, 5183, 5341, 81, 83, 1, 1, 0};
  const auto fabric =
      RunningFabric::of(spec_of(kO128, "xon_bytes: 0, xoff_bytes: 0, hysteresis_cells: 0"));
  Filler filler(*fabric, kEgress, kSettle);
  fabric->run_beside([&] {
    fabric->pass(10_us);
    for (std::uint32_t k = 0; k < kExpected.size(); ++k) {
      const GroupOfPort group{k / 2, static_cast<std::uint8_t>(3 + k % 2)};
      EXPECT_NEAR(filler.until_drop(group) - 1, kExpected[k], 4) << "PG " << k + 1;
    }
  });
}

}  // namespace
}  // namespace sluice::golden
