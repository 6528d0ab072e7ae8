// SPDX-License-Identifier: Apache-2.0
// A host of `workload: {type: verbs}`: posts work requests from a list at their times and notes how
// each ended. Plain C++; the host module gives it time and a NIC. Leaves out: what a program would
// do with the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/parameter.h"
#include "kernel/time.h"
#include "nic/nic_if.h"

namespace sluice {

inline constexpr std::array<std::string_view, 7> kOperationNames{
    "write", "write_imm", "send", "send_imm", "read", "compare_swap", "fetch_add"};

/// One line of the list: `count` equal work requests of host `from` at host `to`.
struct VerbsOperation {
  std::uint32_t from = 0;
  std::uint32_t to = 1;
  Operation op = Operation::kWrite;
  Bytes bytes{0};
  Ps at{};
  std::uint32_t count = 1;
  Ps interval{};  ///< between the posts of two of them
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  std::uint32_t immediate = 0;
  std::uint64_t compare = 0;
  std::uint64_t operand = 0;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// What became of one line.
struct VerbsResult {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Operation op = Operation::kWrite;
  std::uint64_t bytes = 0;  ///< of each
  std::uint64_t count = 0;
  std::array<std::uint64_t, kCompletionStatusNames.size()> ended{};  ///< by status
  Ps shortest = kNever;  ///< from post to completion, of those that succeeded
  Ps longest{};
  Ps total{};
  Ps last_end{};
  std::uint64_t hash = 0;         ///< of when and how each ended
  std::uint64_t last_result = 0;  ///< of an atomic: what the last one found

  std::uint64_t ended_count() const;
  std::uint64_t succeeded() const { return ended.front(); }
  Ps mean() const { return succeeded() == 0 ? Ps{} : total / succeeded(); }
};

class VerbsSource {
 public:
  /// `operations` are those of one host, all of them `from` it.
  explicit VerbsSource(const std::vector<VerbsOperation>& operations);

  /// When the next work requests are due; kNever when all are posted.
  Ps next_post() const;
  /// The work requests due by `now`, in the order of the list where times are equal.
  std::vector<WorkRequest> due(Ps now);
  void ended(const Completion& completion, Ps now);
  void failed(const std::string& reason) { errors_.push_back(reason); }

  bool finished() const;
  const std::vector<VerbsResult>& results() const { return results_; }
  /// Why QPs failed, in order.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  struct Line {
    VerbsOperation operation;
    std::uint32_t posted = 0;
    Ps due() const { return operation.at + operation.interval * posted; }
  };
  static constexpr std::uint32_t kLineShift = 32;  ///< of a cookie: line, then number in it

  std::vector<Line> lines_;
  std::vector<VerbsResult> results_;
  std::vector<std::string> errors_;
};

}  // namespace sluice
