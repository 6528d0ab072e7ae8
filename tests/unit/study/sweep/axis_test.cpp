// SPDX-License-Identifier: Apache-2.0
// Axes of studies: which values a list, a range, a logarithmic range, a zip and a grid stand for.
#include "study/sweep/axis.h"

#include "config/config_tree.h"
#include "unit/study/sweep/study_files.h"

namespace sluice::test {
namespace {

using Strings = std::vector<std::string>;

std::vector<Axis> axes(const std::string& text) {
  const ConfigTree tree = ConfigTree::parse(text, "study.yaml");
  ConfigNode node = tree.open();
  std::vector<Axis> result = read_axes(node);
  node.finish();
  return result;
}

Strings values(const std::string& text) {
  Strings result;
  const std::vector<Axis> read = axes(text);
  for (const Axis::Step& step : read.at(0).steps) result.push_back(step.values.at(0));
  return result;
}

class StudyAxis : public StudyFiles {};

TEST_F(StudyAxis, AListIsTakenAsWritten) {
  const Axis axis = axes("key: a.b\nlist: [1, 2kB, off]\n").at(0);
  EXPECT_EQ(axis.keys, Strings{"a.b"});
  EXPECT_EQ(axis.headers, Strings{"a.b"});
  EXPECT_EQ(values("key: a.b\nlist: [1, 2kB, off]\n"), (Strings{"1", "2kB", "off"}));
  EXPECT_EQ(axes("name: short\nkey: a.b\nlist: [1]\n").at(0).headers, Strings{"short"});
}

TEST_F(StudyAxis, AListMayHoldListsAndMaps) {
  EXPECT_EQ(values("key: k\nlist: [[1, 2], [{a: 1, b: 'x, y'}]]\n"),
            (Strings{"[1, 2]", "[{a: 1, b: \"x, y\"}]"}));
}

TEST_F(StudyAxis, ARangeHoldsBothEndsWhenTheStepMeetsThem) {
  EXPECT_EQ(values("key: k\nrange: {from: -4, to: 2, step: 3}\n"), (Strings{"-4", "-1", "2"}));
  EXPECT_EQ(values("key: k\nrange: {from: 0, to: 1, step: 0.25}\n"),
            (Strings{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(values("key: k\nrange: {from: 5m, to: 12m, step: 5m}\n"), (Strings{"5m", "10m"}));
  EXPECT_EQ(values("key: k\nrange: {from: 0, to: 1us, step: 500ns}\n"),
            (Strings{"0ps", "500ns", "1us"}));
  // 0.1 + 0.1 + 0.1 is not 0.3 in binary.
  EXPECT_EQ(values("key: k\nrange: {from: 0.1, to: 0.3, step: 0.1}\n").size(), 3u);
}

TEST_F(StudyAxis, ALogRangeHasEqualRatiosAndExactEnds) {
  EXPECT_EQ(values("key: k\nlog_range: {from: 1KiB, to: 1MiB, points: 3}\n"),
            (Strings{"1KiB", "32KiB", "1MiB"}));
  EXPECT_EQ(values("key: k\nlog_range: {from: 1, to: 1000, points: 4}\n"),
            (Strings{"1", "10", "100", "1000"}));
  // sqrt(10) x 1 us to the picosecond.
  EXPECT_EQ(values("key: k\nlog_range: {from: 1us, to: 10us, points: 3}\n").at(1), "3.162278us");
}

TEST_F(StudyAxis, AZipMovesItsKeysTogether) {
  const Axis axis = axes("zip: {a: [1, 2], b.c: [x, y]}\n").at(0);
  EXPECT_EQ(axis.keys, (Strings{"a", "b.c"}));
  EXPECT_EQ(axis.headers, (Strings{"a", "b.c"}));
  ASSERT_EQ(axis.steps.size(), 2u);
  EXPECT_EQ(axis.steps[1].values, (Strings{"2", "y"}));
}

TEST_F(StudyAxis, LabelsStandForTheirValuesInTheTable) {
  const Axis axis = axes("name: alpha\nlabels: ['1/2', '1']\nzip: {a: [-1, 0]}\n").at(0);
  EXPECT_EQ(axis.headers, Strings{"alpha"});
  EXPECT_EQ(axis.steps[0].shown, Strings{"1/2"});
  EXPECT_EQ(axis.steps[0].values, Strings{"-1"});
}

TEST_F(StudyAxis, AGridIsAnAxisAKey) {
  const std::vector<Axis> both = axes("grid: {a: [1, 2], b: [3]}\n");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].steps.size(), 2u);
  EXPECT_EQ(both[1].keys, Strings{"b"});
}

TEST_F(StudyAxis, RefusesWhatIsNoAxis) {
  const auto refused = [this](const std::string& text, std::initializer_list<std::string> parts) {
    expect_holds(refusal([&] { axes(text); }), parts);
  };
  refused("key: k\n", {"study.yaml:1", "says no values", "log_range"});
  refused("key: k\nlist: [1]\nrange: {from: 1, to: 2, step: 1}\n", {"twice"});
  refused("list: [1]\n", {"study.yaml:1", "key"});
  refused("key: k\nlist: []\n", {"study.yaml:2", "empty list"});
  refused("key: k\nlist: 3\n", {"study.yaml:2", "'3'", "list"});
  refused("key: k\nrange: {from: 1, to: 2, step: 0}\n", {"study.yaml:2", "step", "more than 0"});
  refused("key: k\nrange: {from: 3, to: 2, step: 1}\n", {"study.yaml:2", "to", "below from"});
  refused("key: k\nrange: {from: 1m, to: 2s, step: 1m}\n", {"study.yaml:2", "another unit"});
  refused("key: k\nrange: {from: x, to: 2, step: 1}\n", {"study.yaml:2", "from", "'x'"});
  refused("key: k\nrange: {from: 0, to: 1s, step: 1ps}\n", {"step", "at most 100000"});
  refused("key: k\nlog_range: {from: 0, to: 2, points: 3}\n", {"from", "more than 0"});
  refused("key: k\nlog_range: {from: 1, to: 3, points: 9}\n", {"points", "fall together"});
  refused("zip: {a: [1, 2], b: [1]}\n", {"study.yaml:1", "zip.b", "1 values, expected 2"});
  refused("zip: {a: [1]}\nlabels: [x]\n", {"labels", "name"});
  refused("name: n\nzip: {a: [1, 2]}\nlabels: [x]\n", {"1 labels", "2 values"});
  refused("key: k\nlist: [1]\nlits: [2]\n", {"study.yaml:3", "lits", "did you mean"});
}

}  // namespace
}  // namespace sluice::test
