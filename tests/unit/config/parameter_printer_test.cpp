// SPDX-License-Identifier: Apache-2.0
// The visitor that shows: rows with exact values, and text and hash that see every parameter.
#include "config/parameter_printer.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "config/config_node.h"
#include "config/config_tree.h"

namespace sluice {
namespace {

enum class Mode { kFifo, kWeighted };
constexpr std::array<std::string_view, 2> kModes{"fifo", "weighted"};

struct Inner {
  int exponent = -3;
  void describe(ParameterVisitor& v) {
    v.visit("exponent", exponent, {-8, 8}, {"alpha is 2^exponent", "SAI 1.13", "log2"});
  }
};

struct Params {
  bool on = true;
  double share = 0.1;
  Ps latency{83'560};
  BitsPerSecond rate{400'000'000'000};
  Bytes pool{64U << 20};
  Millimetres cable{100'000};
  std::uint32_t cells = 7;
  std::vector<std::uint32_t> weights{14, 15};
  Mode mode = Mode::kWeighted;
  Inner inner;
  void describe(ParameterVisitor& v) {
    v.visit("on", on, {"switched on", "x"});
    v.visit("share", share, {0, 1}, {"a share", "x"});
    v.visit("latency", latency, {1000, 1e9}, {"a latency", "estimate: from a picture"});
    v.visit("rate", rate, {1e9, 8e11}, {"a rate", "802.3", "bit/s"});
    v.visit("pool", pool, {}, {"a pool", "x"});
    v.visit("cable", cable, {0, 1e6}, {"a cable", "x"});
    v.visit("cells", cells, {1, 1e6}, {"cells", "x", "cells"});
    v.visit("weights", weights, {1, 100}, {"weights", "x"});
    v.visit("mode", mode, kModes, {"a mode", "x"});
    v.begin("inner", "a section");
    inner.describe(v);
    v.end();
  }
};

TEST(ParameterPrinter, ShowsEveryParameterWithItsExactValue) {
  EXPECT_EQ(print_parameters(Params{}, "switch").canonical(),
            "switch.on=true\nswitch.share=0.1\nswitch.latency=83.56ns\nswitch.rate=400Gbps\n"
            "switch.pool=64MiB\nswitch.cable=100m\nswitch.cells=7\nswitch.weights=[14, 15]\n"
            "switch.mode=weighted\nswitch.inner.exponent=-3\n");
}

TEST(ParameterPrinter, ShowsRangeUnitSourceAndMeaning) {
  const ParameterPrinter printer = print_parameters(Params{});
  const auto& rows = printer.rows();
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[2].range, "1ns..1ms");
  EXPECT_TRUE(rows[2].estimate);
  EXPECT_FALSE(rows[3].estimate);
  EXPECT_EQ(rows[3].range, "1Gbps..800Gbps");
  EXPECT_EQ(rows[3].unit, "") << "the value carries its unit";
  EXPECT_EQ(rows[4].range, "0B or more");
  EXPECT_EQ(rows[6].unit, "cells");
  EXPECT_EQ(rows[8].range, "fifo | weighted");
  EXPECT_EQ(rows[9].path, "inner.exponent");
  EXPECT_EQ(rows[9].range, "-8..8");
  EXPECT_EQ(rows[9].source, "SAI 1.13");
  EXPECT_EQ(rows[9].meaning, "alpha is 2^exponent");
}

TEST(ParameterPrinter, HashSeesEveryParameter) {
  std::set<std::uint64_t> hashes{print_parameters(Params{}).hash()};
  const auto changed = [&hashes](auto change) {
    Params params;
    change(params);
    hashes.insert(print_parameters(params).hash());
  };
  changed([](Params& p) { p.on = false; });
  changed([](Params& p) { p.share = 0.1 + 1e-17 * 2; });
  changed([](Params& p) { p.latency.value += 1; });
  changed([](Params& p) { p.rate.value += 1; });
  changed([](Params& p) { p.pool.value += 1; });
  changed([](Params& p) { p.cable.value += 1; });
  changed([](Params& p) { p.cells += 1; });
  changed([](Params& p) { p.weights[1] += 1; });
  changed([](Params& p) { p.mode = Mode::kFifo; });
  changed([](Params& p) { p.inner.exponent += 1; });
  EXPECT_EQ(hashes.size(), 11U);
  EXPECT_EQ(print_parameters(Params{}).hash(), print_parameters(Params{}).hash());
}

TEST(ParameterPrinter, PrintsWhatTheReaderTakes) {
  Params params;
  params.share = 1.0 / 3;
  params.latency = Ps{1'234'567};
  params.pool = Bytes{9'497'601};
  const ParameterPrinter printer = print_parameters(params, "switch");
  ConfigTree tree = ConfigTree::empty("printed");
  for (const ParameterRow& row : printer.rows()) tree.set(row.path, row.value);
  ConfigNode root = tree.open();
  Params back;
  back.weights.clear();
  root.map("switch").bind(back);
  root.finish();
  EXPECT_EQ(print_parameters(back, "switch").canonical(), printer.canonical());
}

TEST(ParameterPrinter, AlignsItsTableAndMarksEstimates) {
  const std::string table = print_parameters(Params{}).table();
  EXPECT_NE(table.find("latency"), std::string::npos);
  EXPECT_NE(table.find("~83.56ns"), std::string::npos);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 10);
  const std::size_t first = table.find("switched on");
  const std::size_t second = table.find("a share") - table.find('\n') - 1;
  EXPECT_EQ(first, second) << table;
}

}  // namespace
}  // namespace sluice
