// SPDX-License-Identifier: Apache-2.0
// The strict reader: types, ranges, units, unknown keys, and the exact text of every error.
#include "config/config_node.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "config/config_tree.h"

namespace sluice {
namespace {

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

enum class Mode { kFifo, kWeighted };
constexpr std::array<std::string_view, 2> kModes{"fifo", "weighted"};

struct MmuParams {
  int pg_alpha_exp = 0;
  std::uint8_t lanes = 8;
  Bytes reserved{1000};
  void describe(ParameterVisitor& v) {
    v.visit("pg_alpha_exp", pg_alpha_exp, {-8, 8}, {"exponent of alpha", "SAI"});
    v.visit("lanes", lanes, {}, {"lanes", "estimate"});
    v.visit("reserved", reserved, {0, 1e6}, {"reserved", "datasheet"});
  }
};

struct SwitchParams {
  bool lossless = true;
  double share = 0.5;
  Ps latency{500'000};
  BitsPerSecond rate{400'000'000'000};
  Millimetres cable{5'000};
  std::vector<std::uint32_t> weights{1, 1};
  Mode mode = Mode::kFifo;
  std::uint32_t kmin = 100, kmax = 200;
  MmuParams mmu;

  void describe(ParameterVisitor& v) {
    v.visit("lossless", lossless, {"lossless", "x"});
    v.visit("share", share, {0, 1}, {"share", "x"});
    v.visit("latency", latency, {1000, 1e9}, {"latency", "x"});
    v.visit("rate", rate, {1e9, 1.6e12}, {"rate", "x"});
    v.visit("cable", cable, {0, 1e7}, {"cable", "x"});
    v.visit("weights", weights, {1, 100}, {"weights", "x"});
    v.visit("mode", mode, kModes, {"mode", "x"});
    v.visit("kmin", kmin, {0, 1e6}, {"lower threshold", "x"});
    v.visit("kmax", kmax, {0, 1e6}, {"upper threshold", "x"});
    v.begin("mmu", "the memory unit");
    mmu.describe(v);
    v.end();
  }
  void validate() const {
    if (kmin > kmax) throw ConfigError("kmin: " + std::to_string(kmin) + " is above kmax");
    if (mmu.lanes == 13) throw ConfigError("mmu.lanes: 13 brings bad luck");
    if (share == 0.75) throw ConfigError("three quarters are not supported");
  }
};

SwitchParams read(const std::string& yaml) {
  const ConfigTree tree = ConfigTree::parse(yaml, "fabric.yaml");
  ConfigNode root = tree.open();
  SwitchParams params;
  root.map("switch").bind(params);
  root.finish();
  return params;
}

std::string read_error(const std::string& yaml) {
  return error_of([&] { read(yaml); });
}

TEST(ConfigReader, FillsEveryTypeOfParameter) {
  const SwitchParams params = read(
      "switch:\n  lossless: false\n  share: 0.25\n  latency: 1.5us\n  rate: 800Gbps\n"
      "  cable: 100m\n  weights: [14, 15]\n  mode: weighted\n  kmin: 5\n"
      "  mmu: {pg_alpha_exp: -7, lanes: 255, reserved: 1KiB}\n");
  EXPECT_FALSE(params.lossless);
  EXPECT_EQ(params.share, 0.25);
  EXPECT_EQ(params.latency.value, 1'500'000U);
  EXPECT_EQ(params.rate.value, 800'000'000'000U);
  EXPECT_EQ(params.cable.value, 100'000U);
  EXPECT_EQ(params.weights, (std::vector<std::uint32_t>{14, 15}));
  EXPECT_EQ(params.mode, Mode::kWeighted);
  EXPECT_EQ(params.kmin, 5U);
  EXPECT_EQ(params.kmax, 200U) << "a key that was not written changed its default";
  EXPECT_EQ(params.mmu.pg_alpha_exp, -7);
  EXPECT_EQ(params.mmu.lanes, 255);
  EXPECT_EQ(params.mmu.reserved.value, 1024U);
}

TEST(ConfigReader, KeepsDefaultsOfAnAbsentOrEmptySection) {
  EXPECT_EQ(read("{}\n").mmu.reserved.value, 1000U);
  EXPECT_EQ(read("switch:\n").rate.value, 400'000'000'000U);
  EXPECT_EQ(read("switch:\n  mmu:\n").mmu.lanes, 8);
}

TEST(ConfigReader, RefusesAValueOutsideItsRangeWithLineAndPath) {
  EXPECT_EQ(read_error("switch:\n  mmu:\n    pg_alpha_exp: 99\n"),
            "fabric.yaml:3: switch.mmu.pg_alpha_exp: 99 is outside -8..8");
  EXPECT_EQ(read_error("switch: {mmu: {pg_alpha_exp: -9}}\n"),
            "fabric.yaml:1: switch.mmu.pg_alpha_exp: -9 is outside -8..8");
  // Field report B07: a static threshold in bytes that arrived as the exponent.
  EXPECT_EQ(read_error("switch: {mmu: {pg_alpha_exp: 9497600}}\n"),
            "fabric.yaml:1: switch.mmu.pg_alpha_exp: 9497600 is outside -8..8");
  EXPECT_EQ(read_error("switch: {latency: 999ps}\n"),
            "fabric.yaml:1: switch.latency: 999ps is outside 1ns..1ms");
  EXPECT_EQ(read_error("switch: {rate: 2Tbps}\n"),
            "fabric.yaml:1: switch.rate: 2Tbps is outside 1Gbps..1.6Tbps");
  EXPECT_EQ(read_error("switch: {mmu: {reserved: 2MB}}\n"),
            "fabric.yaml:1: switch.mmu.reserved: 2MB is outside 0B..1000000B");
  EXPECT_EQ(read_error("switch: {share: 1.5}\n"),
            "fabric.yaml:1: switch.share: 1.5 is outside 0..1");
  EXPECT_EQ(read_error("switch:\n  weights: [1,\n    101]\n"),
            "fabric.yaml:3: switch.weights.1: 101 is outside 1..100");
}

TEST(ConfigReader, NarrowsAnIntegerToItsType) {
  EXPECT_EQ(read_error("switch: {mmu: {lanes: 256}}\n"),
            "fabric.yaml:1: switch.mmu.lanes: 256 is outside 0..255");
}

TEST(ConfigReader, TakesTheEndsOfARange) {
  EXPECT_EQ(read("switch: {mmu: {pg_alpha_exp: -8}}\n").mmu.pg_alpha_exp, -8);
  EXPECT_EQ(read("switch: {mmu: {pg_alpha_exp: 8}}\n").mmu.pg_alpha_exp, 8);
  EXPECT_EQ(read("switch: {latency: 1ms}\n").latency.value, 1'000'000'000U);
}

TEST(ConfigReader, RefusesTheWrongTypeOrUnit) {
  EXPECT_EQ(read_error("switch: {latency: 5}\n"),
            "fabric.yaml:1: switch.latency: 5 needs a unit of time: ps ns us ms s");
  EXPECT_EQ(read_error("switch: {cable: 5ns}\n"),
            "fabric.yaml:1: switch.cable: 5ns: 'ns' is not a unit of length; use one of mm cm m "
            "km");
  EXPECT_EQ(read_error("switch: {lossless: yes}\n"),
            "fabric.yaml:1: switch.lossless: expected true or false, got 'yes'");
  EXPECT_EQ(read_error("switch: {kmin: 1.5}\n"),
            "fabric.yaml:1: switch.kmin: expected a whole number, got '1.5'");
  EXPECT_EQ(read_error("switch: {kmin: [1]}\n"),
            "fabric.yaml:1: switch.kmin: expected a single value, got a list");
  EXPECT_EQ(read_error("switch: {kmin: }\n"), "fabric.yaml:1: switch.kmin: has no value");
  EXPECT_EQ(read_error("switch: {weights: 5}\n"),
            "fabric.yaml:1: switch.weights: expected a list, got '5'");
  EXPECT_EQ(read_error("switch: {mmu: 5}\n"), "fabric.yaml:1: switch.mmu: expected a map, got '5'");
  EXPECT_EQ(read_error("switch: [a]\n"), "fabric.yaml:1: switch: expected a map, got a list");
  EXPECT_EQ(read_error("switch: {mode: wieghted}\n"),
            "fabric.yaml:1: switch.mode: 'wieghted' is not one of fifo, weighted (did you mean "
            "'weighted'?)");
}

TEST(ConfigReader, ReportsUnknownKeysWithTheNearestName) {
  EXPECT_EQ(read_error("switch:\n  mmu:\n    pg_alpha_ex: 1\n"),
            "fabric.yaml:3: switch.mmu.pg_alpha_ex: unknown key (did you mean 'pg_alpha_exp'?)");
  EXPECT_EQ(read_error("switch: {zzz: 1}\n"),
            "fabric.yaml:1: switch.zzz: unknown key; known here: cable, kmax, kmin, latency, "
            "lossless, mmu, mode, rate, share, weights");
  EXPECT_EQ(read_error("swich: {kmin: 1}\n"),
            "fabric.yaml:1: swich: unknown key (did you mean 'switch'?)");
}

TEST(ConfigReader, FindsTheSectionThatAMisplacedKeyBelongsTo) {
  EXPECT_EQ(read_error("switch: {pg_alpha_exp: 1}\n"),
            "fabric.yaml:1: switch.pg_alpha_exp: unknown key (did you mean 'mmu.pg_alpha_exp'?)");
  EXPECT_EQ(read_error("switch: {mmu: {weights: [1]}}\n"),
            "fabric.yaml:1: switch.mmu.weights: unknown key (did you mean 'switch.weights'?)");
}

TEST(ConfigReader, NamesTheOverrideThatIsWrong) {
  ConfigTree tree = ConfigTree::parse("switch: {kmin: 1}\n", "fabric.yaml");
  tree.apply("switch.mmu.pg_alpha_exp=99");
  SwitchParams params;
  EXPECT_EQ(error_of([&] { ConfigNode(tree.root()).map("switch").bind(params); }),
            "--set switch.mmu.pg_alpha_exp=99: switch.mmu.pg_alpha_exp: 99 is outside -8..8");
  ConfigTree typo = ConfigTree::parse("switch: {kmin: 1}\n", "fabric.yaml");
  typo.apply("switch.mmu.pg_alpa_exp=1");
  EXPECT_EQ(error_of([&] {
              ConfigNode root = typo.open();
              root.map("switch").bind(params);
              root.finish();
            }),
            "--set switch.mmu.pg_alpa_exp=1: switch.mmu.pg_alpa_exp: unknown key (did you mean "
            "'pg_alpha_exp'?)");
}

TEST(ConfigReader, PlacesWhatValidateSaysAtTheLineOfItsKey) {
  EXPECT_EQ(read_error("switch:\n  kmax: 122\n  kmin: 123\n"),
            "fabric.yaml:3: switch.kmin: 123 is above kmax");
  EXPECT_EQ(read_error("switch:\n  mmu:\n    lanes: 13\n"),
            "fabric.yaml:3: switch.mmu.lanes: 13 brings bad luck");
  EXPECT_EQ(read_error("\nswitch: {kmax: 50}\n"), "fabric.yaml:2: switch.kmin: 100 is above kmax");
  EXPECT_EQ(read_error("switch: {share: 0.75}\n"),
            "fabric.yaml:1: switch: three quarters are not supported");
}

TEST(ConfigReader, BindsOneChipOverTheCommonSwitch) {
  const ConfigTree tree = ConfigTree::parse(
      "switch: {kmin: 7, mmu: {lanes: 4}}\nchips:\n  leaf3: {mmu: {pg_alpha_exp: -2}}\n"
      "  leaf4: {mmu: {pg_alpha_exp: 20}}\n",
      "fabric.yaml");
  const auto params_of = [&](const std::string& chip) {
    const ConfigValue value = merged(*tree.find("switch"), *tree.find("chips." + chip));
    ConfigNode node(value);
    SwitchParams params;
    node.bind(params);
    node.finish();
    return params;
  };
  EXPECT_EQ(params_of("leaf3").mmu.pg_alpha_exp, -2);
  EXPECT_EQ(params_of("leaf3").mmu.lanes, 4);
  EXPECT_EQ(params_of("leaf3").kmin, 7U);
  EXPECT_EQ(error_of([&] { params_of("leaf4"); }),
            "fabric.yaml:4: chips.leaf4.mmu.pg_alpha_exp: 20 is outside -8..8");
}

class ConfigNodeTest : public testing::Test {
 protected:
  ConfigTree tree_ = ConfigTree::parse(
      "fabric:\n  type: leaf_spine\n  hosts: 64\n  offset: -3\n  load: 0.9\n  on: true\n"
      "  rate: 800Gbps\n  length: 100m\n  bytes: 32MiB\n  at: 5us\n"
      "  ranks: [0, 2, 1]\n  names: [a, b]\n"
      "  failures:\n    - {link: x, at: 1us}\n    - {link: y, at: 2us}\n"
      "chips: {leaf3: {}, spine1: {}}\n",
      "f.yaml");
  ConfigNode root_{tree_.root()};
  ConfigNode& fabric_ = root_.require_map("fabric");
};

TEST_F(ConfigNodeTest, ReadsEveryTypeByKey) {
  EXPECT_EQ(fabric_.get_string("type"), "leaf_spine");
  EXPECT_EQ(fabric_.get_u64("hosts", {1, 8192}), 64U);
  EXPECT_EQ(fabric_.get_i64("offset", {-5, 5}), -3);
  EXPECT_EQ(fabric_.get_number("load", {0, 1}), 0.9);
  EXPECT_TRUE(fabric_.get_bool("on"));
  EXPECT_EQ(fabric_.get_rate("rate").value, 800'000'000'000U);
  EXPECT_EQ(fabric_.get_length("length").value, 100'000U);
  EXPECT_EQ(fabric_.get_bytes("bytes").value, 32U << 20);
  EXPECT_EQ(fabric_.get_time("at").value, 5'000'000U);
  EXPECT_EQ(fabric_.get_list_u64("ranks"), (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(fabric_.get_strings("names"), (std::vector<std::string>{"a", "b"}));
  const auto failures = fabric_.list_of_maps("failures");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[1]->get_string("link"), "y");
  EXPECT_EQ(failures[0]->get_time("at").value, 1'000'000U);
}

TEST_F(ConfigNodeTest, FinishReportsWhatNothingReadInsideAList) {
  const ConfigTree tree =
      ConfigTree::parse("failures:\n  - {at: 1us}\n  - {at: 2us, lnk: y}\n", "f");
  ConfigNode root(tree.root());
  for (ConfigNode* failure : root.list_of_maps("failures")) {
    failure->get_time("at");
    failure->get_string("link", "");
  }
  EXPECT_EQ(error_of([&] { root.finish(); }),
            "f:3: failures.1.lnk: unknown key (did you mean 'link'?)");
}

TEST_F(ConfigNodeTest, TakesTheFallbackOfAnAbsentKey) {
  EXPECT_EQ(fabric_.get_u64("spines", {1, 64}, 16), 16U);
  EXPECT_EQ(fabric_.get_time("jitter", {}, Ps{7}).value, 7U);
  EXPECT_TRUE(fabric_.list_of_maps("nothing").empty());
  EXPECT_FALSE(fabric_.has("spines"));
  EXPECT_EQ(fabric_.map("link").get_rate("rate", {}, BitsPerSecond{5}).value, 5U);
}

TEST_F(ConfigNodeTest, NamesAMissingKey) {
  EXPECT_EQ(error_of([&] { fabric_.get_u64("spines"); }), "f.yaml:1: fabric.spines: missing");
  EXPECT_EQ(error_of([&] { root_.require_map("nic"); }), "f.yaml:1: nic: missing");
  EXPECT_EQ(error_of([&] { fabric_.map("link").get_rate("rate"); }),
            "f.yaml:1: fabric.link.rate: missing");
}

TEST_F(ConfigNodeTest, TakesAMistypedKeyForTheMissingOne) {
  EXPECT_EQ(error_of([&] { fabric_.get_u64("host"); }),
            "f.yaml:3: fabric.hosts: unknown key (did you mean 'host'?)");
}

TEST_F(ConfigNodeTest, ReportsAKeyThatWasOnlyAskedFor) {
  ConfigTree tree = ConfigTree::parse("type: single\nleaves: 3\n", "f.yaml");
  ConfigNode root = tree.open();
  root.get_string("type");
  EXPECT_TRUE(root.has("leaves"));
  EXPECT_EQ(error_of([&] { root.finish(); }),
            "f.yaml:2: leaves: has no effect beside the other keys here");
}

TEST_F(ConfigNodeTest, ListsTheKeysOfAMapOfNames) {
  EXPECT_EQ(root_.map("chips").keys(), (std::vector<std::string>{"leaf3", "spine1"}));
}

TEST_F(ConfigNodeTest, FailsAtTheLineOfAKey) {
  EXPECT_EQ(error_of([&] { fabric_.fail("hosts", "more ranks than hosts"); }),
            "f.yaml:3: fabric.hosts: more ranks than hosts");
  EXPECT_EQ(error_of([&] { fabric_.fail("", "is odd"); }), "f.yaml:1: fabric: is odd");
}

TEST_F(ConfigNodeTest, KeepsMessagesOnOneLine) {
  const ConfigTree tree = ConfigTree::parse("hosts: \"6\\n4\"\n\"a\\nb\": 1\n", "f");
  ConfigNode root(tree.root());
  EXPECT_EQ(error_of([&] { root.get_u64("hosts"); }),
            "f:1: hosts: expected a whole number, got '6?4'");
  EXPECT_EQ(error_of([&] { root.finish(); }), "f:2: a?b: unknown key; known here: hosts");
  const ConfigTree longer = ConfigTree::parse("hosts: " + std::string(100000, 'x') + "\n", "f");
  EXPECT_LT(error_of([&] { ConfigNode(longer.root()).get_u64("hosts"); }).size(), 500U);
}

TEST_F(ConfigNodeTest, SaysWhereARangeIsOpenAbove) {
  EXPECT_EQ(error_of([&] { fabric_.get_u64("hosts", {100}); }),
            "f.yaml:3: fabric.hosts: 64 is below 100");
  EXPECT_EQ(error_of([&] { fabric_.get_u64("offset"); }),
            "f.yaml:4: fabric.offset: -3 is negative");
}

}  // namespace
}  // namespace sluice
