// SPDX-License-Identifier: Apache-2.0
// Parameters of a chip: stage sums, classification, presets by speed, refusals.
// Leaves out: those of its blocks, which their own tests hold.
#include "switch/switch_params.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr Millimetres kCable{30'000};
constexpr BitsPerSecond kRate{800'000'000'000};

TEST(SwitchParams, StagesSumToThePortToPortLatency) {
  // 600 ns and 700 ns: the totals that the presets are forced to.
  for (const auto& [params, total] : {std::pair{spectrum4(64, kRate, kCable), 600_ns},
                                      std::pair{tomahawk5(64, kRate, kCable), 700_ns}}) {
    EXPECT_EQ(params.latency.total(), total);
    EXPECT_EQ(params.latency.to_admission() + params.latency.from_scheduler(), total);
  }
}

TEST(SwitchParams, RoceDataAndCnpsHaveClassesOfTheirOwn) {
  const auto map = QosMaps::default_dscp_to_tc();
  ASSERT_EQ(map.size(), 64u);
  for (std::uint32_t dscp = 0; dscp < 64; ++dscp) {
    EXPECT_EQ(map[dscp], dscp == 24 || dscp == 26 ? 3u : dscp == 48 ? 6u : 0u);
  }
}

TEST(SwitchParams, TheFifoBehindTheSchedulerFollowsThePortSpeed) {
  const auto cells = [](std::uint64_t gbps) {
    return tomahawk5(64, {gbps * 1'000'000'000}, kCable).egress_fifo_cells;
  };
  EXPECT_EQ(cells(800), 714u);
  EXPECT_EQ(cells(400), 376u);
  EXPECT_EQ(cells(200), 238u);
  EXPECT_EQ(spectrum4(64, kRate, kCable).egress_fifo_cells, 0u);
}

TEST(SwitchParams, MarkingThresholdsFollowThePortSpeed) {
  const SwitchParams at_400 = spectrum4(64, {400'000'000'000}, kCable);
  EXPECT_EQ(at_400.ecn.kmin_bytes, Bytes{400'000});
  EXPECT_EQ(at_400.ecn.kmax_bytes, Bytes{1'600'000});
}

TEST(SwitchParams, PresetsAreValid) {
  for (const std::uint64_t gbps : {100, 200, 400, 800}) {
    EXPECT_NO_THROW(spectrum4(64, {gbps * 1'000'000'000}, kCable).validate());
    EXPECT_NO_THROW(tomahawk5(64, {gbps * 1'000'000'000}, kCable).validate());
  }
}

TEST(SwitchParams, RefusalsNameTheKey) {
  const auto refused = [](const std::function<void(SwitchParams&)>& change,
                          const std::string& key) {
    SwitchParams params = spectrum4(64, kRate, kCable);
    change(params);
    try {
      params.validate();
      ADD_FAILURE() << key << " was taken";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  refused([](SwitchParams& p) { p.qos.dscp_to_tc.resize(63); }, "dscp_to_tc");
  refused([](SwitchParams& p) { p.qos.dscp_to_tc[5] = 8; }, "dscp_to_tc");
  refused([](SwitchParams& p) { p.qos.pcp_to_tc.resize(9); }, "pcp_to_tc");
  refused([](SwitchParams& p) { p.qos.pcp_to_tc[7] = 8; }, "pcp_to_tc");
  refused([](SwitchParams& p) { p.pfc.quanta = 0; }, "quanta");
  refused([](SwitchParams& p) { p.ecn.kmin_bytes = {p.ecn.kmax_bytes.value + 1}; }, "kmin");
  refused([](SwitchParams& p) { p.mmu.cell_bytes = 0; }, "cell_bytes");
  refused([](SwitchParams& p) { p.scheduler.weights[3] = 0; }, "weights");
}

}  // namespace
}  // namespace sluice
