// SPDX-License-Identifier: Apache-2.0
// CSV files, their schema, and the run directory that appears whole or not at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "kernel/error.h"
#include "results/csv.h"
#include "results/run_directory.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// An empty place of its own under the temporary directory, removed at the end.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::path(testing::TempDir()) / fmt::format("sluice-{}-{}", ::getpid(), test);
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  bool empty() const { return fs::is_empty(root_); }

  fs::path root_;
};

TEST(Csv, QuotesOnlyWhatMustBe) {
  EXPECT_EQ(csv_field("fabric.leaf3.port5"), "fabric.leaf3.port5");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(Csv, OpsHaveEmptyRatesWhereTheyMeanNothing) {
  OpRow all_reduce{OpKind::kAllReduce, 1000, 2, 2, 2_us, 900_ns, 1100_ns};
  OpRow barrier{OpKind::kBarrier, 0, 2, 1, 1_us, 1_us, 1_us};
  std::ostringstream out;
  write_ops_csv(out, {all_reduce, barrier});
  EXPECT_EQ(out.str(),
            "op,bytes,ranks,count,time_ps,shortest_ps,longest_ps,algbw_gbytes_per_s,"
            "busbw_gbytes_per_s\n"
            "all_reduce,1000,2,2,1000000,900000,1100000,1,1\n"
            "barrier,0,2,1,1000000,1000000,1000000,0,\n");
}

TEST(Csv, CountersLeaveOutZeros) {
  struct Record {
    std::uint64_t frames, bytes;
  };
  const Record records[] = {{0, 0}, {3, 0}, {0, 640}};
  StatisticsRegistry registry;
  registry.add({"port",
                [](std::size_t i) { return fmt::format("leaf0.port{}", i); },
                records,
                3,
                sizeof(Record),
                {{"tx_frames", "frames", "sent", offsetof(Record, frames)},
                 {"tx_bytes", "B", "sent", offsetof(Record, bytes)}}});
  std::ostringstream out;
  write_counters_csv(out, registry);
  EXPECT_EQ(out.str(),
            "kind,entity,counter,value,unit\n"
            "port,leaf0.port1,tx_frames,3,frames\n"
            "port,leaf0.port2,tx_bytes,640,B\n");
}

void collect_fields(const nlohmann::ordered_json& json, const std::string& prefix,
                    std::set<std::string>& fields) {
  for (const auto& [key, value] : json.items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      collect_fields(value, path, fields);
    } else if (value.is_array() && value.at(0).is_primitive()) {
      fields.insert(path + "[]");
    } else if (value.is_array()) {
      collect_fields(value.at(0), path + "[]", fields);
    } else {
      fields.insert(path);
    }
  }
}

TEST(Schema, DescribesEveryFieldOfTheSummaryAndNoOther) {
  Summary summary;
  summary.rtl.blocks.resize(1);
  summary.ops.resize(1);
  summary.ledger.skipped.resize(1);
  summary.work_requests.resize(1);
  summary.qp_errors.resize(1);
  summary.pausing_nics.resize(1);
  std::set<std::string> written;
  collect_fields(to_json(summary), "", written);
  std::set<std::string> described;
  for (const FieldInfo& info : result_schema()) {
    EXPECT_FALSE(info.meaning.empty());
    if (info.file == "summary.json") described.insert(std::string(info.field));
  }
  EXPECT_EQ(written, described);
}

TEST_F(Files, ARunDirectoryAppearsWholeWithItsParents) {
  const fs::path target = root_ / "a" / "b" / "run";
  {
    RunDirectory directory(target);
    write_results(directory, Summary{}, StatisticsRegistry{});
    EXPECT_FALSE(fs::exists(target));
    directory.commit();
  }
  EXPECT_EQ(read(target / "summary.json"), summary_json_text(Summary{}));
  EXPECT_EQ(read(target / "counters.csv"), "kind,entity,counter,value,unit\n");
  EXPECT_TRUE(fs::exists(target / "ops.csv"));
  EXPECT_EQ(std::distance(fs::directory_iterator(target.parent_path()), {}), 1);
}

TEST_F(Files, ARunThatFailsLeavesNothing) {
  {
    RunDirectory directory(root_ / "a" / "run");
    directory.write("x.txt", [](std::ostream& out) { out << "half"; });
  }
  EXPECT_TRUE(empty());
}

TEST_F(Files, AnExistingDirectoryKeepsItsOtherFiles) {
  const fs::path target = root_ / "run";
  fs::create_directory(target);
  std::ofstream(target / "notes.txt") << "mine";
  std::ofstream(target / "ops.csv") << "old";
  RunDirectory directory(target.string() + "/");
  write_results(directory, Summary{}, StatisticsRegistry{});
  EXPECT_EQ(read(target / "ops.csv"), "old");
  directory.commit();
  EXPECT_EQ(read(target / "notes.txt"), "mine");
  EXPECT_EQ(read(target / "ops.csv").substr(0, 3), "op,");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(Files, APlaceThatCannotBeWrittenIsRefusedAtOnce) {
  std::ofstream(root_ / "file") << "x";
  EXPECT_THROW(RunDirectory(root_ / "file"), ConfigError);
  EXPECT_THROW(RunDirectory(root_ / "file" / "run"), ConfigError);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

}  // namespace
}  // namespace sluice
