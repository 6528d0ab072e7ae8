// SPDX-License-Identifier: Apache-2.0
// Reading files and overrides: lines, duplicate keys, what is refused, and merging.
#include "config/config_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/error.h"

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

std::string parse_error(const std::string& text) {
  return error_of([&] { ConfigTree::parse(text, "f.yaml"); });
}

constexpr const char* kFabric =
    "# a comment\n"
    "fabric: {type: leaf_spine, leaves: 8,\n"
    "         link: {rate: 800Gbps}}\n"
    "switch:\n"
    "  mmu:\n"
    "    pg_alpha_exp: -2\n"
    "planes:\n"
    "  - rate: 400Gbps\n"
    "  - rate: 200Gbps\n";

TEST(ConfigTree, KeepsTheLineOfEveryValue) {
  const ConfigTree tree = ConfigTree::parse(kFabric, "fabric.yaml");
  EXPECT_EQ(tree.find("fabric.leaves")->scalar, "8");
  EXPECT_EQ(tree.origin_of("fabric.leaves"), "fabric.yaml:2");
  EXPECT_EQ(tree.origin_of("fabric.link.rate"), "fabric.yaml:3");
  EXPECT_EQ(tree.origin_of("switch.mmu"), "fabric.yaml:5");
  EXPECT_EQ(tree.origin_of("switch.mmu.pg_alpha_exp"), "fabric.yaml:6");
  EXPECT_EQ(tree.origin_of("planes.1.rate"), "fabric.yaml:9");
  EXPECT_EQ(tree.find("planes.1.rate")->path, "planes.1.rate");
  EXPECT_EQ(tree.origin_of("planes.2.rate"), "");
  EXPECT_EQ(tree.find("nothing.here"), nullptr);
}

TEST(ConfigTree, RefusesADuplicateKeyWithBothLines) {
  EXPECT_EQ(parse_error("a: 1\nb: {x: 1}\na: 2\n"),
            "f.yaml:3: the key 'a' is given twice, first at f.yaml:1");
  EXPECT_EQ(parse_error("m:\n  n:\n    x: 1\n    x: 1\n"),
            "f.yaml:4: m.n: the key 'x' is given twice, first at f.yaml:3");
  EXPECT_EQ(parse_error("m: {x: 1, y: 2, \"x\": 3}\n"),
            "f.yaml:1: m: the key 'x' is given twice, first at f.yaml:1");
}

TEST(ConfigTree, RefusesTabsAsIndentation) {
  EXPECT_EQ(parse_error("a:\n\tb: 1\n"), "f.yaml:2: indented by a tab; YAML allows spaces alone");
  EXPECT_EQ(parse_error("a:\n  b: 1\n  \tc: 1\n"),
            "f.yaml:3: indented by a tab; YAML allows spaces alone");
  EXPECT_EQ(parse_error("a: 1\n\t\n"), "f.yaml:2: indented by a tab; YAML allows spaces alone");
  EXPECT_EQ(parse_error("a: 1\t# aligned\n"), "no error");
}

TEST(ConfigTree, RefusesAnEmptyFile) {
  EXPECT_EQ(parse_error(""), "f.yaml: is empty, expected a map of sections");
  EXPECT_EQ(parse_error("# nothing\n\n"), "f.yaml: is empty, expected a map of sections");
  EXPECT_EQ(parse_error("~\n"), "f.yaml: is empty, expected a map of sections");
}

TEST(ConfigTree, RefusesARootThatIsNoMap) {
  EXPECT_EQ(parse_error("- a\n- b\n"), "f.yaml:1: expected a map of sections, got a list");
  EXPECT_EQ(parse_error("\n\nfabric\n"), "f.yaml:3: expected a map of sections, got 'fabric'");
}

TEST(ConfigTree, RefusesWhatMakesYamlSurprising) {
  EXPECT_EQ(parse_error("a: &x 1\n"),
            "f.yaml:1: anchors (&name) are not supported; write the value out");
  EXPECT_EQ(parse_error("a: !!str 1\n"),
            "f.yaml:1: tags are not supported, got 'tag:yaml.org,2002:str'");
  EXPECT_EQ(parse_error("a:\n  <<: {b: 1}\n"),
            "f.yaml:2: a: merge keys (<<) are not supported; write the values out");
  EXPECT_EQ(parse_error("? [a, b]\n: 1\n"),
            "f.yaml:1: a key must be a plain word (or a bracket is not closed)");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"), "f.yaml: a second document ('---'); one is allowed");
}

TEST(ConfigTree, NamesTheLineOfASyntaxError) {
  const std::string text = parse_error("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_EQ(text.find("f.yaml:"), 0U) << text;
  EXPECT_NE(text.find("not valid YAML"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(ConfigTree, EndsOnAbsurdNesting) {
  EXPECT_EQ(parse_error("a: " + std::string(70, '[') + std::string(70, ']')),
            "f.yaml:1: nested deeper than 64");
  const std::string text = parse_error(std::string(20000, '['));
  EXPECT_NE(text, "no error");
  std::string path = "a";
  for (int i = 0; i < 100; ++i) path += ".a";
  EXPECT_NE(error_of([&] { ConfigTree::empty("f").set(path, "1"); }), "no error");
}

TEST(ConfigTree, SurvivesEveryPrefixOfAFileAndEveryFlippedByte) {
  const std::string text = kFabric;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    error_of([&] { ConfigTree::parse(text.substr(0, i), "f.yaml"); });
    for (const int mask : {0x01, 0x20, 0x80, 0xff}) {
      std::string flipped = text;
      if (i < text.size()) flipped[i] = static_cast<char>(flipped[i] ^ mask);
      error_of([&] { ConfigTree::parse(flipped, "f.yaml"); });
    }
  }
}

TEST(ConfigTree, LoadsAFileAndNamesItAsGiven) {
  const std::string path =
      testing::TempDir() + "sluice_config_tree_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << kFabric;
  EXPECT_EQ(ConfigTree::load(path).origin_of("fabric.leaves"), path + ":2");
  std::remove(path.c_str());
  EXPECT_EQ(error_of([&] { ConfigTree::load(path); }), path + ": no such file");
  const std::string folder = testing::TempDir();
  EXPECT_EQ(error_of([&] { ConfigTree::load(folder); }),
            folder + ": is a directory, expected a YAML file");
}

TEST(ConfigTree, SetReplacesAValueAndRemembersItsOrigin) {
  ConfigTree tree = ConfigTree::parse(kFabric, "fabric.yaml");
  tree.apply("switch.mmu.pg_alpha_exp=3");
  EXPECT_EQ(tree.find("switch.mmu.pg_alpha_exp")->scalar, "3");
  EXPECT_EQ(tree.origin_of("switch.mmu.pg_alpha_exp"), "--set switch.mmu.pg_alpha_exp=3");
  EXPECT_EQ(tree.origin_of("switch.mmu"), "fabric.yaml:5");
}

TEST(ConfigTree, SetMakesMissingMaps) {
  ConfigTree tree = ConfigTree::parse(kFabric, "fabric.yaml");
  tree.set("chips.leaf3.mmu.pg_alpha_exp", "-7");
  EXPECT_EQ(tree.find("chips.leaf3.mmu.pg_alpha_exp")->scalar, "-7");
  EXPECT_EQ(tree.find("chips.leaf3")->path, "chips.leaf3");
}

TEST(ConfigTree, SetIndexesLists) {
  ConfigTree tree = ConfigTree::parse(kFabric, "fabric.yaml");
  tree.set("planes.1.rate", "100Gbps");
  EXPECT_EQ(tree.find("planes.1.rate")->scalar, "100Gbps");
  EXPECT_EQ(tree.find("planes.0.rate")->scalar, "400Gbps");
  EXPECT_EQ(error_of([&] { tree.set("planes.2.rate", "1bps"); }),
            "--set planes.2.rate=1bps: planes is a list of 2: '2' is not one of its indices 0..1");
  EXPECT_EQ(error_of([&] { tree.set("planes.one", "1"); }),
            "--set planes.one=1: planes is a list of 2: 'one' is not one of its indices 0..1");
}

TEST(ConfigTree, SetTakesFlowListsAndMaps) {
  ConfigTree tree = ConfigTree::empty("f.yaml");
  tree.apply("scheduler.weights=[14, 15]");
  tree.apply("workload={type: incast, first: 1}");
  EXPECT_EQ(tree.find("scheduler.weights.1")->scalar, "15");
  EXPECT_EQ(tree.find("workload.first")->path, "workload.first");
  EXPECT_EQ(tree.origin_of("workload.type"), "--set workload={type: incast, first: 1}");
}

TEST(ConfigTree, SetKeepsEqualsSignsInTheValue) {
  ConfigTree tree = ConfigTree::empty("f.yaml");
  tree.apply("note='a=b'");
  EXPECT_EQ(tree.find("note")->scalar, "a=b");
}

TEST(ConfigTree, SetRefusesWhatIsNoAssignment) {
  ConfigTree tree = ConfigTree::parse(kFabric, "fabric.yaml");
  const std::string before = tree.canonical();
  EXPECT_EQ(error_of([&] { tree.apply("switch"); }), "--set switch: expected key=value");
  EXPECT_EQ(error_of([&] { tree.apply("=5"); }), "--set =5: expected key=value");
  EXPECT_EQ(error_of([&] { tree.apply("a="); }), "--set a=: the value is missing");
  EXPECT_EQ(error_of([&] { tree.apply("a..b=1"); }),
            "--set a..b=1: 'a..b' is not a dotted path of keys");
  EXPECT_EQ(error_of([&] { tree.apply("fabric.leaves.x=1"); }),
            "--set fabric.leaves.x=1: fabric.leaves is '8' (fabric.yaml:2), not a map that could "
            "hold 'x'");
  EXPECT_EQ(error_of([&] { tree.apply("a=[1"); }),
            "--set a=[1: a key must be a plain word (or a bracket is not closed)");
  EXPECT_EQ(tree.canonical(), before) << "a refused override changed the tree";
}

TEST(ConfigValue, MergesMapsDeeplyAndReplacesTheRest) {
  const ConfigTree base = ConfigTree::parse(
      "mmu: {pg_alpha_exp: 0, cell: 192B}\nweights: [1, 2, 3]\necn: {kmin: 1KB}\n", "base.yaml");
  const ConfigTree over =
      ConfigTree::parse("mmu: {pg_alpha_exp: -2}\nweights: [9]\nextra: 1\necn:\n", "over.yaml");
  const ConfigValue both = merged(base.root(), over.root());
  EXPECT_EQ(both.canonical(),
            "ecn.kmin=1KB\nextra=1\nmmu.cell=192B\nmmu.pg_alpha_exp=-2\nweights.0=9\n");
  EXPECT_EQ(both.find("mmu")->find("cell")->origin, "base.yaml:1");
  EXPECT_EQ(both.find("mmu")->find("pg_alpha_exp")->origin, "over.yaml:1");
}

TEST(ConfigValue, IsCanonicalWhateverTheOrderAndStyle) {
  const ConfigTree a = ConfigTree::parse("b: {y: 1, x: [1, 2]}\na: 'q'\n", "a.yaml");
  const ConfigTree b = ConfigTree::parse("a: q\nb:\n  x:\n    - 1\n    - 2\n  y: 1\n", "b.yaml");
  EXPECT_EQ(a.canonical(), "a=q\nb.x.0=1\nb.x.1=2\nb.y=1\n");
  EXPECT_EQ(a.canonical(), b.canonical());
}

}  // namespace
}  // namespace sluice
