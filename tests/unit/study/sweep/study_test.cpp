// SPDX-License-Identifier: Apache-2.0
// Study files: what they say, the order of their points, and what is refused with its line.
#include "study/sweep/study.h"

#include "study/sweep/points.h"
#include "unit/study/sweep/study_files.h"

namespace sluice::test {
namespace {

using Strings = std::vector<std::string>;

const char* const kColumns = "columns: {xoffs: pfc.xoff_frames}\n";

class StudyFile : public StudyFiles {
 protected:
  Study read(const std::string& text) const { return read_study(write("study.yaml", text)); }
  void refused(const std::string& text, std::initializer_list<std::string> parts) const {
    expect_holds(refusal([&] {
                   const Study study = read(text);
                   const ConfigTree fabric = ConfigTree::load(study.fabric);
                   for (const SweepPoint& point : make_points(study, {})) {
                     check_point(study, fabric, point.overrides);
                   }
                 }),
                 parts);
  }
};

TEST_F(StudyFile, NamesItsFabricBesideItself) {
  const Study study = read(std::string("fabric: fabric.yaml\nreplicas: 2\nuntil: 2us\n") +
                           "set: {switch: {pfc: {quanta: 5}}, workload.bytes: 4KiB}\n" + kColumns);
  EXPECT_EQ(study.fabric, path("fabric.yaml"));
  EXPECT_EQ(study.until, "2us");
  ASSERT_EQ(study.sets.size(), 2u);
  EXPECT_EQ(study.sets[0].key, "switch.pfc.quanta");
  EXPECT_EQ(study.sets[1].value, "4KiB");
  EXPECT_EQ(make_points(study, {}).size(), 2u);
}

TEST_F(StudyFile, TheFirstAxisMovesSlowestAndTheSeedFastest) {
  const Study study =
      read(std::string("fabric: fabric.yaml\nseed: 7\nreplicas: 2\naxes:\n") +
           "  - {name: a, key: nic.mtu_bytes, list: [1024, 4096]}\n" +
           "  - {name: b, key: workload.bytes, list: [4KiB, 8KiB, 16KiB]}\n" + kColumns);
  const std::vector<SweepPoint> points = make_points(study, {});
  ASSERT_EQ(points.size(), 12u);
  EXPECT_EQ(points[0].seed, 7u);
  EXPECT_EQ(points[1].seed, 8u);
  EXPECT_EQ(points[2].shown, (Strings{"1024", "8KiB"}));
  EXPECT_EQ(points[11].shown, (Strings{"4096", "16KiB"}));
  EXPECT_EQ(points[6].overrides[0].key, "nic.mtu_bytes");
  EXPECT_EQ(points[6].overrides[0].value, "4096");
}

TEST_F(StudyFile, ASelectionKeepsTheNumbersOfItsPoints) {
  const Study study =
      read(std::string("fabric: fabric.yaml\naxes:\n") +
           "  - {name: a, key: nic.mtu_bytes, list: [1024, 4096]}\n" +
           "  - {name: b, key: workload.bytes, list: [4KiB, 8KiB, 16KiB]}\n" + kColumns);
  const auto points = make_points(study, {{"a", {"4096"}}, {"b", {"4KiB", "16KiB"}}});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].number, 3u);
  EXPECT_EQ(points[1].number, 5u);
  expect_holds(refusal([&] { make_points(study, {{"aa", {"1"}}}); }), {"--only aa", "mean 'a'"});
  expect_holds(refusal([&] {
                 make_points(study, {{"a", {"9"}}});
               }),
               {"--only a=9", "one of 1024, 4096"});
}

TEST_F(StudyFile, ASearchMaySetSeveralKeysWithAUnit) {
  const Study study = read(std::string("fabric: fabric.yaml\n") + kColumns +
                           "search: {keys: [a.b, c], from: 1, to: 9, unit: B, when: xoffs, "
                           "is: zero}\n");
  ASSERT_TRUE(study.search);
  EXPECT_TRUE(study.search->until_zero);
  EXPECT_EQ(study.search->header, "a.b");
  const std::vector<Override> at = study.search->at(7);
  ASSERT_EQ(at.size(), 2u);
  EXPECT_EQ(at[1].key, "c");
  EXPECT_EQ(at[1].value, "7B");
}

TEST_F(StudyFile, RefusesWhatItCannotRun) {
  const std::string fabric = "fabric: fabric.yaml\n";
  refused("fabric: none.yaml\n", {"study.yaml:1", "fabric", "none.yaml", "no such file"});
  refused(fabric + "columns: {}\n", {"columns", "at least one"});
  refused(fabric + "columns: {c: cpu_s}\n", {"study.yaml:2", "c", "differs from run to run"});
  refused(fabric + kColumns + "until: soon\n", {"study.yaml:3", "until", "'soon'"});
  refused(fabric + kColumns + "replicas: 0\n", {"study.yaml:3", "replicas"});
  refused(fabric + kColumns + "expect: [fire]\n", {"study.yaml:3", "'fire'", "not_lossless"});
  refused(fabric + kColumns + "checker: no.py\n", {"study.yaml:3", "no.py", "no such file"});
  refused(fabric + kColumns + "axis: []\n", {"study.yaml:3", "axis", "did you mean 'axes'"});
  refused(fabric + kColumns + "axes: [{key: seed, list: [1]}]\n",
          {"study.yaml:3", "'seed'", "already"});
  refused(fabric + kColumns + "axes: [{key: a.b, list: [1]}, {name: c, key: a.b, list: [1]}]\n",
          {"study.yaml:3", "a.b", "two axes"});
  refused(fabric + kColumns + "set: {a.b: 1}\naxes: [{key: a.b, list: [1]}]\n",
          {"study.yaml:3", "a.b", "axis"});
  refused(fabric + kColumns + "search: {key: k, from: 1, to: 9, when: drops}\n",
          {"study.yaml:3", "when", "'drops'", "not a column"});
  refused(fabric + kColumns + "search: {from: 1, to: 9, when: xoffs}\n",
          {"study.yaml:3", "either key or keys"});
  refused(fabric + kColumns + "quick: {alpha: [1]}\n", {"study.yaml:3", "quick", "alpha"});
}

TEST_F(StudyFile, ABadParameterIsFoundAtItsLineBeforeAnythingRuns) {
  const std::string head = std::string("fabric: fabric.yaml\n") + kColumns;
  refused(head + "set:\n  workload.byts: 4KiB\n",
          {"study.yaml:4", "workload.byts=4KiB", "unknown key", "bytes"});
  refused(head +
              "axes:\n  - {key: nic.mtu_bytes, list: [1024]}\n  - key: switch.pfc.quanta\n"
              "    list: [1, 0]\n",
          {"study.yaml:6", "switch.pfc.quanta=0", "1..65535"});
}

}  // namespace
}  // namespace sluice::test
