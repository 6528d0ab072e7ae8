// SPDX-License-Identifier: Apache-2.0
// The parts of a sweep alone: columns of a run directory, halving, quantities, records of runs.
// Leaves out: processes (tests/system/sweep_test.py).
#include "config/config_tree.h"
#include "study/sweep/column.h"
#include "study/sweep/point_search.h"
#include "study/sweep/process_pool.h"
#include "study/sweep/quantity.h"
#include "study/sweep/run_store.h"
#include "unit/study/sweep/study_files.h"

namespace sluice::test {
namespace {

using Strings = std::vector<std::string>;

class StudyColumn : public StudyFiles {
 protected:
  void SetUp() override {
    StudyFiles::SetUp();
    write("summary.json",
          R"({"verdict": "ok", "simulated_ps": 5, "pfc": {"xoff_frames": 3},
              "ops": [{"op": "write", "time_ps": 7, "busbw": null, "rate": 0.1}]})");
    write("counters.csv",
          "kind,entity,counter,value,unit\n"
          "pg,fabric.s.port1.pg3,first_xoff_ps,40,ps\n"
          "pg,\"fabric.s.port2.pg3\",first_xoff_ps,30,ps\n"
          "pg,fabric.s.port12.pg3,first_xoff_ps,80,ps\n"
          "queue,fabric.s.port1.queue3,first_xoff_ps,1,ps\n");
  }
  Strings values(const std::string& columns) const {
    const ConfigTree tree = ConfigTree::parse(columns, "study.yaml");
    ConfigNode node = tree.open();
    const std::vector<Column> read = read_columns(node);
    node.finish();
    return column_values(read, directory_);
  }
};

TEST_F(StudyColumn, TakesFieldsOfTheSummaryByDottedPath) {
  EXPECT_EQ(values("a: pfc.xoff_frames\nb: ops.0.time_ps\nc: ops.0.op\nd: ops.0.busbw\n"
                   "e: ops.0.rate\n"),
            (Strings{"3", "7", "write", "", "0.1"}));
}

TEST_F(StudyColumn, TakesCountersOverTheEntitiesOfAKind) {
  const std::string of = "{kind: pg, counter: first_xoff_ps";
  EXPECT_EQ(values("a: " + of + "}\nb: " + of + ", take: max}\nc: " + of +
                   ", take: min}\nd: " + of + ", take: count}\n"),
            (Strings{"150", "80", "30", "3"}));
  EXPECT_EQ(values("a: " + of + ", entity: fabric.s.port1.pg3}\nb: " + of +
                   ", entity: '*.port1?.*'}\nc: " + of + ", entity: none}\n"),
            (Strings{"40", "80", "0"}));
}

TEST_F(StudyColumn, RefusesAFieldThatIsNotThere) {
  expect_holds(refusal([&] { values("a: verdict\nb: pfc.xof\n"); }),
               {"study.yaml:2", "columns.b", "'pfc.xof'"});
  expect_holds(refusal([&] { values("a: pfc\n"); }), {"study.yaml:1", "not a single value"});
  expect_holds(refusal([&] { values("a: {kind: pg, counter: x, take: mean}\n"); }),
               {"study.yaml:1", "take", "mean"});
}

TEST_F(StudyColumn, RefusesACounterThatNoRunHasAndNamesTheNearest) {
  expect_holds(refusal([&] { values("a: verdict\nb: {kind: pg, counter: first_xof_ps}\n"); }),
               {"study.yaml:2", "b.counter", "'first_xof_ps'", "'first_xoff_ps'?"});
  expect_holds(refusal([&] { values("b: {kind: nic_prot, counter: rx_frames}\n"); }),
               {"study.yaml:1", "b.kind", "'nic_prot'", "'nic_port'?"});
  expect_holds(refusal([&] { values("b: {kind: pg, counter: ecn_marked}\n"); }),
               {"b.counter", "'pg' has no counter 'ecn_marked'; 'queue' has"});
}

/// The smallest value at or above `threshold` and how often it was asked for.
std::pair<std::optional<std::uint64_t>, int> halve(std::uint64_t from, std::uint64_t to,
                                                   std::uint64_t threshold) {
  Halving search(from, to);
  int asked = 0;
  while (const auto at = search.next()) {
    ++asked;
    search.answer(*at >= threshold);
  }
  return {search.found(), asked};
}

TEST(Halving, FindsEveryThresholdInLogarithmicallyManySteps) {
  for (std::uint64_t threshold = 10; threshold <= 1000; ++threshold) {
    const auto [found, asked] = halve(10, 1000, threshold);
    EXPECT_EQ(found, threshold);
    EXPECT_LE(asked, 11);
  }
}

TEST(Halving, SaysWhenItNeverHappens) {
  EXPECT_EQ(halve(1, 100, 101), std::make_pair(std::optional<std::uint64_t>(), 1));
  EXPECT_EQ(halve(5, 5, 5).first, 5u);
  EXPECT_EQ(halve(5, 5, 1).first, 5u) << "nothing below `from` is looked at";
}

TEST(StudyQuantity, ReadsBackAsItPrints) {
  for (const char* text : {"-3", "0.5", "2us", "400Gbps", "64KiB", "150m", "1500B"}) {
    EXPECT_EQ(parse_quantity(text).text(), text);
  }
  EXPECT_EQ(parse_quantity("2000ns").text(), "2us");
  EXPECT_THROW(parse_quantity("5 apples"), ConfigError);
}

class SweepStore : public StudyFiles {};

TEST_F(SweepStore, KnowsARunOnlyByItsVeryInputs) {
  const std::string out = path("sweep");
  {
    RunStore store(out);
    EXPECT_FALSE(store.find("00001", "inputs"));
    std::ofstream(store.errors("00001")) << "noise\nsluice: why\n";
    EXPECT_EQ(store.keep("00001", "inputs", 5, "").message, "why");
  }
  RunStore again(out);
  ASSERT_TRUE(again.find("00001", "inputs"));
  EXPECT_EQ(again.find("00001", "inputs")->exit_code, 5);
  EXPECT_FALSE(again.find("00001", "other inputs"));
  EXPECT_FALSE(std::filesystem::exists(again.errors("00001")));
}

TEST_F(SweepStore, SweepsAwayWhatAKilledSweepLeftHalfDone) {
  const std::string out = path("sweep");
  std::filesystem::create_directories(out + "/points/.00001.partial-7");
  write("sweep/points/.00002.json.partial", "{");
  write("sweep/points/00003.json", "{\"inputs\": ");  // torn
  RunStore store(out);
  EXPECT_FALSE(std::filesystem::exists(out + "/points/.00001.partial-7"));
  EXPECT_FALSE(std::filesystem::exists(out + "/points/.00002.json.partial"));
  EXPECT_FALSE(store.find("00003", ""));
}

TEST_F(SweepStore, IsOneSweepsAlone) {
  RunStore store(path("sweep"));
  expect_holds(refusal([&] { RunStore second(path("sweep")); }), {"--out", "another sweep"});
}

TEST_F(SweepStore, RefusesADirectoryOfSomethingElse) {
  expect_holds(refusal([&] { RunStore store(directory_); }), {"--out", "no earlier sweep"});
  expect_holds(refusal([&] { RunStore store(path("fabric.yaml")); }), {"--out", "no directory"});
}

TEST_F(SweepStore, ProcessesTellHowTheyEndedAndWhatTheySaid) {
  ProcessPool pool(2);
  pool.start(4, {"/bin/sh", "-c", "echo why >&2; exit 5"}, path("4.err"));
  EXPECT_FALSE(pool.full());
  pool.start(9, {"/bin/sh", "-c", "kill -9 $$"}, path("9.err"));
  EXPECT_TRUE(pool.full());
  for (int i = 0; i < 2; ++i) {
    const ProcessPool::Ended ended = pool.wait();
    EXPECT_EQ(ended.exit_code, ended.task == 4 ? 5 : 1);
    EXPECT_EQ(ended.signal, ended.task == 4 ? 0 : 9);
  }
  std::ifstream said(path("4.err"));
  std::string line;
  std::getline(said, line);
  EXPECT_EQ(line, "why");
}

}  // namespace
}  // namespace sluice::test
