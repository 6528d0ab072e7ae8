// SPDX-License-Identifier: Apache-2.0
// The harness around Verilated blocks: instances share nothing, assertions belong to the instance
// that failed, start values are random and harmless, a difference ends a run with all that is
// needed.
#include <Vdivided_flop.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rtl/harness/rtl_model.h"
#include "rtl/swap/rtl_swap.h"
#include "rtl/wred_marker/wred_marker_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice {
namespace {

using cosim::Bench;
using cosim::BenchOptions;
using cosim::BenchRun;

EcnRequest deep(std::uint32_t queue) { return {queue, 4'000'000, 0, true}; }

TEST(RtlTwins, TwoInstancesDoNotShareState) {
  const std::vector<EcnParams> averaged = [] {
    EcnParams p;
    p.weight = 2;
    return std::vector<EcnParams>{p};
  }();
  rtl::WredMarkerTwin a(averaged, {0, 0}, {.x_seed = 1});
  rtl::WredMarkerTwin b(averaged, {0, 0}, {.x_seed = 2});
  a.decide(deep(0));
  EXPECT_EQ(a.length(0), 1'000'000u);
  b.decide({0, 400, 0, true});
  EXPECT_EQ(b.length(0), 100u);
  a.decide(deep(0));
  EXPECT_EQ(a.length(0), 1'750'000u);
}

TEST(RtlTwins, AnAssertionBelongsToTheInstanceThatBrokeIt) {
  // kmin above kmax breaks a_curve; the other instance is younger and must not hear of it.
  EcnParams bad;
  bad.kmin_bytes = Bytes{2000};
  bad.kmax_bytes = Bytes{1000};
  auto good = std::make_unique<rtl::WredMarkerTwin>(
      std::vector<EcnParams>{EcnParams{}}, std::vector<std::uint8_t>{0}, rtl::RtlOptions{});
  rtl::RtlModel<Vdivided_flop> younger{rtl::RtlOptions{}};
  younger.pins().data_i = 0;
  younger.reset();
  EXPECT_ANY_THROW(rtl::WredMarkerTwin({bad}, {0}, rtl::RtlOptions{}));
  EXPECT_NO_THROW(younger.tick());
  EXPECT_NO_THROW(good->decide(deep(0)));
}

TEST(RtlTwins, RefuseMoreThanTheRtlHas) {
  const std::vector<std::uint8_t> queues(rtl::WredMarkerTwin::kMaxQueues + 1, 0);
  EXPECT_THROW(rtl::WredMarkerTwin({EcnParams{}}, queues, rtl::RtlOptions{}), ConfigError);
}

TEST(CosimBench, ADifferenceCarriesCycleSignalAndBothValues) {
  const Bench bench{"none", {}, [](BenchRun& run) {
                      run.at_cycle(17);
                      run.count_transaction();
                      run.expect("same", 3, 3);
                      run.expect("signal", 1, 2);
                    }};
  const cosim::BenchResult result = cosim::run_bench(bench, BenchOptions{});
  EXPECT_TRUE(result.differs);
  EXPECT_EQ(result.difference.cycle, 17u);
  EXPECT_EQ(result.difference.signal, "signal");
  EXPECT_EQ(result.difference.model, "1");
  EXPECT_EQ(result.difference.rtl, "2");
  EXPECT_EQ(result.transactions, 1u);
}

TEST(CosimBench, EveryBlockHasEightFaultsOrMoreAndANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (const Bench& bench : cosim::all_benches()) {
    EXPECT_GE(bench.faults.size(), 8u) << bench.block;
    EXPECT_EQ(std::count(names.begin(), names.end(), bench.block), 0) << bench.block;
    names.push_back(bench.block);
  }
  EXPECT_FALSE(names.empty());
}

TEST(CosimBench, StartValuesDifferFromSeedToSeed) {
  BenchOptions first;
  BenchOptions second;
  second.seed = 2;
  BenchRun a(first);
  BenchRun b(second);
  EXPECT_NE(a.rtl_options().x_seed, b.rtl_options().x_seed);
  EXPECT_NE(a.rtl_options().x_seed, a.rtl_options().x_seed);
}

TEST(RtlSwap, BlocksOfAFabricAreKnownByName) {
  rtl::SwapRequest request;
  request.blocks = {"wred_marker"};
  EXPECT_NO_THROW(rtl::RtlSwap{request});
  request.blocks = {"wred"};
  EXPECT_THROW(rtl::RtlSwap{request}, ConfigError);
}

}  // namespace
}  // namespace sluice
