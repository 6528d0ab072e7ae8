// SPDX-License-Identifier: Apache-2.0
// A 15:1 incast is fair and loses nothing, with the default clock offsets and start jitter, for
// several seeds: Jain's index of the rates at which the senders finish. Leaves out: who wins.
#include <gtest/gtest.h>

#include <vector>

#include "golden/running_fabric.h"
#include "source_dir.h"

namespace sluice::golden {
namespace {

/// Jain, Chiu and Hawe, DEC-TR-301: 1 for equal shares, 1/n when one takes all.
double jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

/// Hosts 1 to 15 write to host 0; a byte more each, so that each has a row of its own.
Workload incast_of_15() {
  Workload workload;
  workload.ranks.resize(16);
  for (std::uint32_t host = 1; host <= 15; ++host) {
    Op op;
    op.kind = OpKind::kWrite;
    op.peer = 0;
    op.bytes = 4 * 1024 * 1024 + host;
    workload.ranks[host].ops.push_back(op);
  }
  return workload;
}

struct Fairness {
  double jain;
  std::uint64_t drops;
  std::uint64_t xoff_frames;
};

Fairness run(const FabricSpec& spec, std::uint64_t seed) {
  EXPECT_GT(spec.chips[0].freq_offset_ppm, 0);
  EXPECT_GT(spec.host.start_jitter, 0_ps);
  RunningFabric fabric(spec, incast_of_15(), seed);
  fabric.run();
  std::vector<double> rates;
  for (const OpRow& row : fabric.recorder().rows()) {
    EXPECT_EQ(row.count, 1u);
    rates.push_back(static_cast<double>(row.bytes) / row.total.seconds());
  }
  EXPECT_EQ(rates.size(), 15u);
  testing::Test::RecordProperty("jain", fmt::format("{:.6f}", jain(rates)));
  return {jain(rates), fabric.drops(), fabric.chip(0).report().pfc_xoff_frames};
}

ConfigTree incast16() {
  return ConfigTree::load(std::string(SLUICE_SOURCE_DIR) + "/testbenches/fabrics/incast16.yaml");
}

class IncastFairness : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IncastFairness, JainIndexOfFinishingRatesIsAtLeast99Percent) {
  const FabricSpec spec = read_fabric(incast16());
  ASSERT_EQ(spec.workload.count, 15u);
  const Fairness fairness = run(spec, GetParam());
  EXPECT_GE(fairness.jain, 0.99);
  EXPECT_EQ(fairness.drops, 0u);
}

TEST_P(IncastFairness, HoldsWherePausesAloneShareTheLink) {
  ConfigTree tree = incast16();
  tree.set("nic.congestion_control", "none");
  tree.set("switch.mmu.port_alpha_enabled", "false");
  tree.set("switch.mmu.pg_alpha_exp", "-7");
  const Fairness fairness = run(read_fabric(tree), GetParam());
  EXPECT_GE(fairness.jain, 0.99);
  EXPECT_EQ(fairness.drops, 0u);
  EXPECT_GT(fairness.xoff_frames, 100u) << "a run without pauses shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, IncastFairness, testing::Values(1, 2, 3, 4, 5));

TEST(Jain, IsOneForEqualSharesAndOneNthForAMonopoly) {
  EXPECT_DOUBLE_EQ(jain({3, 3, 3}), 1);
  EXPECT_DOUBLE_EQ(jain({1, 0, 0, 0}), 0.25);
}

}  // namespace
}  // namespace sluice::golden
