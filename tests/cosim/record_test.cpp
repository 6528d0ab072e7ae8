// SPDX-License-Identifier: Apache-2.0
// Records of requests: what a Watch writes is read back, and what is damaged is refused with file,
// line and what was expected. Leaves out: the blocks' own lines (tests/system/replay_test.py).
#include "testbenches/cosim/harness/record.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rtl/swap/watch.h"

namespace sluice {
namespace {

using cosim::BenchOptions;
using cosim::BenchRun;
using cosim::RecordReader;

class Record : public ::testing::Test {
 protected:
  ~Record() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  /// Reads a record of "limit N" and requests "ask N" as a bench does; the sum of what was asked.
  std::uint64_t read() {
    BenchOptions options;
    options.replay = path_.string();
    BenchRun run(options);
    RecordReader in(run, "block");
    in.expect_config("limit");
    const auto limit = in.number<std::uint8_t>("LIMIT");
    std::uint64_t sum = 0;
    while (in.next()) {
      if (in.kind() != "ask") in.refuse("ask");
      run.count_transaction();
      sum += in.number("N", limit);
    }
    return sum;
  }
  /// What is said of the file's line `number`.
  std::string refused(const std::string& text, int number) {
    write(text);
    try {
      read();
    } catch (const ConfigError& error) {
      const std::string place = fmt::format("--replay {}:{}: expected ", path_.string(), number);
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with(place)) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
      return said.starts_with(place) ? said.substr(place.size()) : said;
    }
    ADD_FAILURE() << "was taken: " << text;
    return "";
  }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      fmt::format("sluice_record_{}",
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Record, IsReadBackAsItWasWritten) {
  {
    rtl::Watch watch("block", {}, path_.string());
    watch.record("limit 9");
    for (const int n : {3, 9, 0}) {
      watch.next([n] { return fmt::format("ask {}", n); });
    }
  }
  EXPECT_EQ(read(), 12u);
}

TEST_F(Record, WithoutItsFirstLineIsRefused) {
  EXPECT_EQ(refused("", 1), "'record block 1', found the end of the file");
  EXPECT_EQ(refused("record other 1\nlimit 9\nask 1\nend 1\n", 1),
            "'record block 1', with which run --rtl-record starts a record of this block, found "
            "'record other 1'");
  EXPECT_NE(refused(std::string("\x0a\x0d\x0d\x0a\0\x1b[2J", 9), 1), "");
}

TEST_F(Record, CutAnywhereIsRefused) {
  const std::string whole = "record block 1\nlimit 9\nask 1\nask 2\nend 2\n";
  write(whole);
  EXPECT_EQ(read(), 3u);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string part = whole.substr(0, bytes);
    refused(part, static_cast<int>(1 + std::count(part.begin(), part.end(), '\n')));
  }
}

TEST_F(Record, WithABadNumberIsRefused) {
  const auto with = [](const std::string& n) {
    return "record block 1\nlimit 9\nask " + n + "\nend 1\n";
  };
  for (const char* bad : {"x", "-1", "10", "1.5", "0x1", "18446744073709551616", "", " 1"}) {
    const std::string said = refused(with(bad), 3);
    EXPECT_TRUE(said.starts_with("N, a number of 0 to 9, and not '")) << said;
  }
  EXPECT_EQ(refused(with("1 2"), 3), "the end of the line before '2', found 'ask 1 2'");
  EXPECT_EQ(refused("record block 1\nlimit 256\nend 0\n", 2),
            "LIMIT, a number of 0 to 255, and not '256', found 'limit 256'");
}

TEST_F(Record, WithLinesThatDoNotBelongIsRefused) {
  EXPECT_EQ(refused("record block 1\nask 1\nend 1\n", 2),
            "a line 'limit …' of the configuration, found 'ask 1'");
  EXPECT_EQ(refused("record block 1\nlimit 9\nlimit 9\nask 1\nend 1\n", 3), "ask, found 'limit 9'");
  EXPECT_EQ(refused("record block 1\nlimit 9\nask 1\nend 2\n", 4),
            "'end 1', as many as there are requests, found 'end 2'");
  EXPECT_EQ(refused("record block 1\nlimit 9\nend 0\n", 3),
            "a request: the record holds no requests, found 'end 0'");
  EXPECT_EQ(refused("record block 1\nlimit 9\nask 1\nend 1\nask 2\n", 4),
            "nothing behind this line, found 'end 1'");
}

TEST_F(Record, OfARunThatEndsWithAnErrorIsWholeUpToIt) {
  try {
    rtl::Watch watch("block", {}, path_.string());
    watch.record("limit 9");
    const auto line = [] { return std::string("ask 7"); };
    watch.next(line);
    watch.differ("signal", line());
  } catch (const RtlMismatchError&) {
  }
  EXPECT_EQ(read(), 7u);
}

TEST_F(Record, ThatCannotBeWrittenIsRefused) {
  EXPECT_THROW(rtl::Watch("block", {}, "/nonexistent/record"), ConfigError);
}

}  // namespace
}  // namespace sluice
