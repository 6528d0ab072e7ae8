// SPDX-License-Identifier: Apache-2.0
// Whole fabrics under `check`: headroom, pools, order of marks and pauses, routes, and what each
// means for the verdict. Leaves out: the words on the terminal (system/check_test.py).
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/error.h"
#include "source_dir.h"
#include "study/check/check.h"
#include "study/check/wiring.h"

namespace sluice {
namespace {

FabricSpec spec_of(const std::string& yaml) {
  return read_fabric(ConfigTree::parse(yaml, "check.yaml"));
}

CheckReport check(const std::string& yaml, const CheckOptions& options = {}) {
  return check_fabric(spec_of(yaml), options);
}

const Finding* find(const CheckReport& report, std::string_view code) {
  const auto at = std::find_if(report.findings.begin(), report.findings.end(),
                               [code](const Finding& f) { return f.code == code; });
  return at == report.findings.end() ? nullptr : &*at;
}

std::string error_of(const FabricSpec& spec, ExitCode code) {
  try {
    check_fabric(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string one_switch(std::string_view rate, std::string_view length, std::string_view chip) {
  return fmt::format(R"(
fabric: {{type: single_switch, hosts: 16, link: {{rate: {}, length: {}}}}}
switch: {{{}}}
)",
                     rate, length, chip);
}

const std::string kLeafSpine = R"(
fabric: {type: leaf_spine, leaves: 4, spines: 4, hosts_per_leaf: 4, link: {rate: 800Gbps, length: 100m}}
)";

TEST(CheckFabric, APresetIsLosslessOnTheCableThatItIsFor) {
  for (const std::string_view preset : {"spectrum4", "tomahawk5"}) {
    const CheckReport report =
        check(one_switch("800Gbps", "100m", fmt::format("preset: {}", preset)));
    EXPECT_EQ(report.exit(), ExitCode::kOk) << preset << ": " << report.verdict();
    ASSERT_EQ(report.headroom.size(), 1u);
    EXPECT_EQ(report.headroom[0].groups, 16u);
    EXPECT_EQ(report.headroom[0].loop.peer.kind, "NIC");
  }
}

TEST(CheckFabric, LoopsOfEachKindOfPeerAreListedOnce) {
  const CheckReport report = check(kLeafSpine + "switch: {preset: spectrum4}\n");
  ASSERT_EQ(report.headroom.size(), 2u);
  EXPECT_EQ(report.headroom[0].loop.peer.kind, "NIC");
  EXPECT_EQ(report.headroom[0].groups, 16u);
  EXPECT_EQ(report.headroom[1].loop.peer.kind, "chip");
  EXPECT_EQ(report.headroom[1].groups, 2u * 16);
}

TEST(CheckFabric, TheVendorsHeadroomIsThatOfItsFormula) {
  const CheckReport report = check(one_switch("800Gbps", "100m", "preset: spectrum4"));
  EXPECT_EQ(report.headroom[0].vendor_bytes, 544'768u);  // golden G4-32
  EXPECT_EQ(report.headroom[0].ieee_bytes, 224'292u);    // golden G4-50
  // ceil(544768 / 192) less 47 cells that a private headroom cannot use.
  EXPECT_EQ(report.headroom[0].configured_cells, 2838u - 47);
}

TEST(CheckFabric, LongerCablesThanAnyPoolCanCoverAreNotFeasible) {
  for (const std::string_view preset : {"spectrum4", "tomahawk5"}) {
    const FabricSpec spec = spec_of(
        one_switch("800Gbps", "40km", fmt::format("preset: {}", preset)) + "nic: {preset: cx8}\n");
    std::string text;
    try {
      const CheckReport report = check_fabric(spec);
      EXPECT_EQ(report.exit(), ExitCode::kNotLossless);
      text = report.verdict();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kNotLossless);
      text = error.what();
    }
    EXPECT_NE(text.find("not feasible lossless"), std::string::npos) << text;
    EXPECT_NE(text.find(" cells"), std::string::npos) << text;
  }
}

TEST(CheckFabric, AnOversubscribedHeadroomPoolIsNoFailure) {
  // 22,010,624 B are 86,656 cells, 43,328 a slice; 445,770 B are 1755 cells: 24 a slice.
  const CheckReport report = check(R"(
fabric: {type: single_switch, hosts: 128, link: {rate: 400Gbps, length: 40m}}
switch: {preset: tomahawk5}
nic: {preset: cx7}
)");
  EXPECT_EQ(report.exit(), ExitCode::kOk);
  const PoolReport& pool = report.pools.at(0);
  EXPECT_EQ(pool.shared_headroom_cells, 86'656u);
  EXPECT_EQ(pool.full_spread, 48u);
  EXPECT_EQ(pool.full_worst, 24u);
  EXPECT_NEAR(pool.oversubscription(), 128 * 1755.0 / 86'656, 1e-9);
  ASSERT_NE(find(report, "oversubscribed"), nullptr);
  EXPECT_NE(find(report, "oversubscribed")
                ->text.find("lossless for at most 24 PGs pausing at once in one slice"),
            std::string::npos);
}

TEST(FieldReport, B01_ALosslessGroupWithoutHeadroomIsNamed) {
  const CheckReport report =
      check(one_switch("400Gbps", "150m", "preset: tomahawk5, mmu: {xoff_bytes: 0}") +
            "nic: {preset: cx7}\n");
  EXPECT_EQ(report.exit(), ExitCode::kNotLossless);
  ASSERT_NE(find(report, "no_headroom"), nullptr);
  EXPECT_NE(find(report, "no_headroom")->text.find("switch0 port 0 PG 3"), std::string::npos);
}

TEST(CheckFabric, HeadroomACellBelowTheLoopFails) {
  const std::string chip = "preset: tomahawk5, mmu: {{xoff_bytes: {}B}}";
  const std::uint32_t needed =
      check(one_switch("800Gbps", "100m", "preset: tomahawk5")).headroom.at(0).budget.cells;
  const auto with = [&](std::uint32_t cells) {
    return check(one_switch("800Gbps", "100m", fmt::format(fmt::runtime(chip), cells * 254)));
  };
  EXPECT_EQ(with(needed).exit(), ExitCode::kOk);
  EXPECT_EQ(with(needed - 1).exit(), ExitCode::kNotLossless);
  EXPECT_NE(find(with(needed - 1), "headroom_too_small"), nullptr);
}

TEST(CheckFabric, WithoutPausesNothingIsLossless) {
  const CheckReport report =
      check(one_switch("800Gbps", "100m", "preset: spectrum4, pfc: {enabled: false}"));
  EXPECT_EQ(report.exit(), ExitCode::kNotLossless);
  EXPECT_NE(find(report, "no_pause"), nullptr);
}

TEST(FieldReport, B05_APoolBeyondTheMemoryIsRefusedWithAllThreeFigures) {
  const FabricSpec spec = read_fabric(ConfigTree::load(std::string(SLUICE_SOURCE_DIR) +
                                                       "/testbenches/fabrics/th6-overcommit.yaml"));
  const std::string text = error_of(spec, ExitCode::kUsage);
  for (const char* figure : {"808546", "636183", "172363"}) {
    EXPECT_NE(text.find(figure), std::string::npos) << text;
  }
}

TEST(FieldReport, B10_ReservesBeyondTheBufferAreRefused) {
  // 16 groups with 2 MB of private headroom each in a pool of 20 MB.
  const FabricSpec spec = spec_of(one_switch(
      "400Gbps", "40m",
      "preset: tomahawk5, mmu: {pool_bytes: 20MB, shared_headroom_bytes: 0, xoff_bytes: 2MB}"));
  error_of(spec, ExitCode::kUsage);
}

std::string small_pool(std::int32_t alpha_exp) {
  return one_switch("400Gbps", "5m",
                    fmt::format("preset: tomahawk5, mmu: {{cell_bytes: 250, total_cells: 100000, "
                                "pool_bytes: 1MB, num_slices: 1, shared_headroom_bytes: 10MB, "
                                "shp_in_pool: false, pg_min_bytes: 0, queue_min_bytes: 0, "
                                "lossy_pg_static_bytes: 0, xoff_bytes: 200kB, pg_alpha_exp: {}}}, "
                                "ecn: {{kmin_bytes: 400kB, kmax_bytes: 420kB}}",
                                alpha_exp)) +
         "nic: {preset: cx7}\n";
}

TEST(FieldReport, B12_PausesBeforeMarksAreReported) {
  // XOFF of one port at B / 9 = 111,111 B; N ports pass 400,000 B when N / (8 + N) > 0.4: N = 6.
  const CheckReport report = check(small_pool(-3));
  ASSERT_EQ(report.ecn.size(), 1u);
  EXPECT_EQ(report.ecn[0].xoff_one_bytes, 444u * 250);
  EXPECT_EQ(report.ecn[0].ecn_first_from, 6u);
  EXPECT_NE(find(report, "pfc_before_ecn"), nullptr);
  EXPECT_EQ(report.exit(), ExitCode::kOk);
  // At alpha 1 one port is XOFF at 500,000 B only.
  const CheckReport wide = check(small_pool(0));
  EXPECT_EQ(wide.ecn.at(0).xoff_one_bytes, 500'000u);
  EXPECT_EQ(wide.ecn.at(0).ecn_first_from, 1u);
  EXPECT_EQ(find(wide, "pfc_before_ecn"), nullptr);
}

TEST(FieldReport, B14_AMinimumAboveTheMaximumIsRefused) {
  const auto refused = [](std::string_view ecn, std::string_view key) {
    try {
      check(one_switch("800Gbps", "30m", fmt::format("preset: spectrum4, ecn: {{{}}}", ecn)));
      ADD_FAILURE() << ecn << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  refused("kmin_bytes: 123B, kmax_bytes: 122B", "kmin_bytes");
  refused("pmax: 101", "pmax");
  refused("pmax: -1", "pmax");
  EXPECT_NO_THROW(check(one_switch(
      "800Gbps", "30m", "preset: spectrum4, ecn: {kmin_bytes: 100kB, kmax_bytes: 100kB}")));
}

TEST(FieldReport, B22_ASlowLinkHasTheQuantaAndTheLoopOfItsOwnSpeed) {
  const auto loop_bytes = [](std::string_view rate) {
    const CheckReport report = check(R"(
fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 400Gbps, length: 100m}}
switch: {preset: tomahawk5}
nic: {preset: cx7, port_rate: )" + std::string(rate) +
                                     "}\n");
    const auto at = std::find_if(report.headroom.begin(), report.headroom.end(),
                                 [](const auto& found) { return found.loop.peer.kind == "NIC"; });
    return at->budget.wire_bytes;
  };
  // Latencies hold a quarter of the bytes at a quarter of the speed; frames do not shrink.
  EXPECT_LT(loop_bytes("100Gbps"), loop_bytes("400Gbps") / 2);
  EXPECT_GT(loop_bytes("100Gbps"), loop_bytes("400Gbps") / 4);
}

TEST(FieldReport, B52_TwoTiersWithOneSeedAreWarnedOf) {
  const std::string parallel = R"(
fabric: {type: leaf_spine, leaves: 2, spines: 8, hosts_per_leaf: 2, links_per_spine: 8,
         link: {rate: 100Gbps, length: 30m}}
switch: {preset: spectrum4, routing: {hash_seed: %}}
nic: {preset: cx7}
)";
  const auto seeded = [&](std::string_view seed) {
    std::string yaml = parallel;
    return check(yaml.replace(yaml.find('%'), 1, seed));
  };
  ASSERT_NE(find(seeded("7"), "polarised"), nullptr);
  EXPECT_EQ(seeded("7").exit(), ExitCode::kOk);
  EXPECT_EQ(find(seeded("0"), "polarised"), nullptr) << "each chip draws its own";
  // Another seed on one tier alone.
  FabricSpec spec = spec_of(parallel.substr(0, parallel.find("switch:")) +
                            "switch: {preset: spectrum4, routing: {hash_seed: 7}}\n");
  for (std::size_t chip = 2; chip < spec.chips.size(); ++chip)
    spec.chips[chip].routing.hash_seed = 8;
  EXPECT_EQ(find(check_fabric(spec), "polarised"), nullptr);
}

TEST(FieldReport, B32_ARoutingLoopIsACyclicBufferDependency) {
  TopologyParams params;
  params.type = FabricType::kLeafSpine;
  params.leaves = 2;
  params.spines = 1;
  params.hosts_per_leaf = 1;
  const Topology topology = make_topology(params);
  EXPECT_TRUE(Wiring(topology).cyclic_dependency().empty()) << "up and down again never turns";
  // Leaf 0 and the spine send what is for host 1 to each other.
  const Wiring looped(topology, [&](std::uint32_t chip, std::uint32_t endpoint) {
    if (endpoint == 1 && chip == 2) return std::vector<std::uint16_t>{0};
    return topology.next_ports(chip, endpoint);
  });
  const std::vector<std::string> cycle = looped.cyclic_dependency();
  ASSERT_EQ(cycle.size(), 2u);
  EXPECT_EQ(cycle[0], "leaf0 port 1");
  EXPECT_EQ(cycle[1], "spine0 port 0");
}

TEST(CheckFabric, ThresholdsThatNothingReachesAreNamed) {
  const CheckReport report = check(one_switch(
      "400Gbps", "5m",
      "preset: tomahawk5, mmu: {xon_bytes: 200MB}, ecn: {kmin_bytes: 10kB, kmax_bytes: 900MB}"));
  EXPECT_NE(find(report, "kmax_unreachable"), nullptr);
  EXPECT_NE(find(report, "xon_above_limit"), nullptr);
  EXPECT_EQ(find(check(one_switch("400Gbps", "5m", "preset: tomahawk5")), "xon_above_limit"),
            nullptr);
}

TEST(RunEstimate, CountsTheHopsOfTheMeasuredWorkload) {
  const FabricSpec spec = read_fabric(
      ConfigTree::load(std::string(SLUICE_SOURCE_DIR) + "/testbenches/fabrics/w1.yaml"));
  const RunEstimate estimate = estimate_run(spec);
  EXPECT_EQ(estimate.packets, 1'048'576u);
  // 3,932,160 hops were counted in the run (docs/performance.md).
  EXPECT_NEAR(static_cast<double>(estimate.packet_hops), 3'932'160, 3'932'160 * 0.05);
  EXPECT_NEAR(estimate.cpu_s, 3'932'160 * 127.5e-9, 0.05);
  EstimateParams params;
  EXPECT_DOUBLE_EQ(params.ns_per_hop(16), 127.5);
  EXPECT_DOUBLE_EQ(params.ns_per_hop(512), (127.5 + 354.7) / 2);
  EXPECT_DOUBLE_EQ(params.ns_per_hop(8192), 354.7);
}

}  // namespace
}  // namespace sluice
