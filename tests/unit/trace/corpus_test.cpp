// SPDX-License-Identifier: Apache-2.0
// Real traces, where they are at hand: each imports with a balanced ledger or is refused in one
// line. Leaves out: what a run makes of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/error.h"
#include "trace/trace.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(SLUICE_SOURCE_DIR) / ".." / "shared" / "corpus"; }

std::uint64_t bytes_to_simulate(const Workload& workload) {
  std::uint64_t bytes = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    for (const Op& op : workload.ranks[rank].ops) bytes += bytes_put_in(workload, rank, op);
  return bytes;
}

class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(corpus())) GTEST_SKIP() << "no corpus beside the source tree";
  }

  /// Empty when imported, else the one line.
  static std::string import(const fs::path& path, TraceImport& result) {
    try {
      result = import_trace({path});
    } catch (const TraceError& error) {
      return error.what();
    }
    const Ledger& ledger = result.workload.ledger;
    EXPECT_EQ(ledger.bytes_in, bytes_to_simulate(result.workload) + ledger.bytes_skipped) << path;
    EXPECT_GT(result.workload.rank_count(), 0U) << path;
    return {};
  }
};

TEST_F(Corpus, EveryChakraAndNcclTraceImportsBalancedOrIsRefusedInOneLine) {
  int traces = 0;
  for (const char* folder : {"chakra", "nccl_log"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus() / folder)) {
      TraceImport result;
      const std::string text = import(entry.path(), result);
      ++traces;
      RecordProperty(entry.path().filename().string(), text.empty() ? "imported" : text);
      if (!text.empty()) {
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
        EXPECT_EQ(text.rfind(entry.path().string(), 0), 0U) << text;
      }
      std::printf("%s: %s\n", entry.path().filename().c_str(), text.c_str());
      for (const std::string& note : result.notes) std::printf("    %s\n", note.c_str());
    }
  }
  EXPECT_GE(traces, 10);
}

}  // namespace
}  // namespace sluice
