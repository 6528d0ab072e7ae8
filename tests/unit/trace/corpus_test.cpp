// SPDX-License-Identifier: Apache-2.0
// Real traces, where they are at hand: each imports with a balanced ledger or is refused in one
// line. Leaves out: what a run makes of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/error.h"
#include "source_dir.h"
#include "trace/trace.h"
#include "workload/mismatch.h"

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
      if (text.empty()) continue;
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
      EXPECT_EQ(text.rfind(entry.path().string(), 0), 0U) << text;
    }
  }
  EXPECT_GE(traces, 10);
}

/// Bytes that all ranks put in, from the sizes in the files' names and from formats.md, table 0.
TEST_F(Corpus, NamedSizesAreWhatTheLedgerCounts) {
  struct Expected {
    const char* path;
    std::uint32_t ranks;
    std::uint64_t bytes_in;
  };
  constexpr std::uint64_t kMib = 1048576;
  for (const Expected& expected : {
           Expected{"chakra/astrasim_all_gather_16npus_1MB", 16, 16 * kMib},
           Expected{"chakra/astrasim_all_reduce_8npus_1MB", 8, 8 * kMib},
           Expected{"chakra/astrasim_all_to_all_4npus_1MB", 4, 4 * kMib},
           Expected{"chakra/astrasim_reduce_scatter_4npus_1MB", 4, 4 * kMib},
           Expected{"chakra/tutorial_allreduce_involved_dim", 8, 8 * kMib},
           // A ring all-reduce of 1 MiB sends 2 * 7 chunks of 128 KiB a rank.
           Expected{"chakra/custom_ring_allreduce_8npus_1MB", 8, 8 * 14 * kMib / 8},
           // Two all-reduces of 4 GiB a rank.
           Expected{"chakra/pytorch_2rank_commgroup", 2, 2 * 2 * 4096 * kMib},
           // Three each of 4, 4096 and 1048576 elements of 4 B.
           Expected{"nccl_log/v100_2node_ib_2.21.5", 2, 2 * 3 * 4 * (4 + 4096 + 1048576)},
       }) {
    TraceImport result;
    EXPECT_EQ(import(corpus() / expected.path, result), "");
    EXPECT_EQ(result.workload.rank_count(), expected.ranks) << expected.path;
    EXPECT_EQ(result.workload.ledger.bytes_in, expected.bytes_in) << expected.path;
    EXPECT_EQ(describe_mismatch(result.workload), "") << expected.path;
  }
}

TEST_F(Corpus, AllNineHundredNinetyOpsOfTheOneProcessLogAreAttributed) {
  TraceImport result;
  ASSERT_EQ(import(corpus() / "nccl_log/a100x2_oneproc_allreduce_2.27.7.log", result), "");
  ASSERT_EQ(result.workload.rank_count(), 2U);
  EXPECT_EQ(result.workload.ranks[0].ops.size(), 495U);
  EXPECT_EQ(result.workload.ranks[1].ops.size(), 495U);
  EXPECT_EQ(describe_mismatch(result.workload), "");
}

TEST_F(Corpus, ATruncatedTraceNamesTheByteOfTheCut) {
  TraceImport result;
  const std::string text =
      import(corpus() / "chakra/resnet_kineto_linked_1.0.1.PREFIX_TRUNCATED.et", result);
  EXPECT_NE(text.find("truncated file"), std::string::npos) << text;
}

TEST_F(Corpus, FilesOfOtherKindsAreRefusedInOneLine) {
  for (const char* folder : {"goal", "kineto", "pytorch_et", "sonic", "flow_cdf"}) {
    if (!fs::exists(corpus() / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus() / folder)) {
      if (!entry.is_regular_file()) continue;
      TraceImport result;
      const std::string text = import(entry.path(), result);
      EXPECT_NE(text, "") << entry.path();
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
    }
  }
}

}  // namespace
}  // namespace sluice
