// SPDX-License-Identifier: Apache-2.0
// A configuration written back reads to the same configuration.
#include "cli/effective_config.h"

#include <gtest/gtest.h>

#include "config/config_tree.h"

namespace sluice {
namespace {

std::string round_trip(const ConfigTree& tree) {
  return ConfigTree::parse(yaml_text(tree.root()), "again").canonical();
}

TEST(EffectiveConfig, ReadsBackToTheSameValues) {
  ConfigTree tree = ConfigTree::parse(
      "fabric: {type: leaf_spine, link: {rate: 800Gbps}}\n"
      "chips:\n  leaf3: {mmu: {pg_alpha_exp: -2}}\n"
      "list: [1, 2, 3]\n"
      "maps: [{a: 1, b: 'x, y'}, {a: 2}]\n"
      "text: 'it''s: a #test'\n"
      "zero: '0'\n",
      "test");
  tree.apply("chips.leaf3.mmu.pg_alpha_exp=-4");
  tree.apply("new.section.key=1.5us");
  EXPECT_EQ(round_trip(tree), tree.canonical());
  EXPECT_NE(tree.canonical().find("-4"), std::string::npos);
}

TEST(EffectiveConfig, KeepsSectionsWithoutContent) {
  const ConfigTree tree = ConfigTree::parse("a:\nb: {}\nc: []\nd: 1\ne: [{f: }, {g: 1}]\n", "test");
  const ConfigTree again = ConfigTree::parse(yaml_text(tree.root()), "again");
  EXPECT_NE(again.find("a"), nullptr);
  EXPECT_NE(again.find("b"), nullptr);
  EXPECT_EQ(again.canonical(), tree.canonical());
}

}  // namespace
}  // namespace sluice
