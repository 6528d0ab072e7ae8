// SPDX-License-Identifier: Apache-2.0
// The directory a run leaves behind. Everything is written beside it and moved in place at the end,
// so that a run that fails leaves nothing half written. Leaves out: what the files contain.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/statistics.h"
#include "results/summary.h"

namespace sluice {

class RunDirectory {
 public:
  /// Creates the staging directory, with missing parents. Throws ConfigError when `target` cannot
  /// be written, before a run has cost any time. An existing directory keeps its other files.
  explicit RunDirectory(std::filesystem::path target);
  /// Removes what was not committed.
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  /// Where a file of this name is to be written until commit (for writers that open it themselves).
  std::filesystem::path staged(std::string_view name) const { return stage_ / name; }
  /// Writes one file through `writer`; throws ConfigError when the disk does not take it.
  void write(std::string_view name, const std::function<void(std::ostream&)>& writer);
  /// Moves everything in place.
  void commit();

  const std::filesystem::path& target() const { return target_; }

 private:
  void roll_back();

  std::filesystem::path target_;
  std::filesystem::path stage_;
  std::vector<std::filesystem::path> created_parents_;  // outermost first
  bool committed_ = false;
};

/// summary.json, ops.csv and counters.csv; does not commit.
void write_results(RunDirectory& directory, const Summary& summary,
                   const StatisticsRegistry& registry);

}  // namespace sluice
