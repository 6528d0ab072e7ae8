// SPDX-License-Identifier: Apache-2.0
// What a sweep keeps on disk of each run, so that one which was killed goes on where it was: the
// run's directory, and a record beside it that names its inputs and how it ended. Leaves out: the
// table (table.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct RunRecord {
  int exit_code = 0;
  std::string message;  ///< what it said on stderr when it failed
};

class RunStore {
 public:
  /// Makes DIR/points, removes what a killed sweep left half done. Throws ConfigError when DIR
  /// cannot be written, holds something else, or belongs to a sweep that still runs.
  explicit RunStore(std::filesystem::path directory);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  /// Directory of the run `name` ("00012", "00012-345").
  std::filesystem::path run(const std::string& name) const { return points_ / name; }
  std::filesystem::path errors(const std::string& name) const { return points_ / (name + ".err"); }

  /// How the run ended, if it did with these very inputs.
  std::optional<RunRecord> find(const std::string& name, const std::string& inputs) const;
  /// Records a run that has just ended; takes its message from its stderr.
  RunRecord keep(const std::string& name, const std::string& inputs, int exit_code,
                 const std::string& signal);

 private:
  std::filesystem::path directory_;
  std::filesystem::path points_;
  int lock_ = -1;
};

/// Writes a file beside its place and moves it there; throws ConfigError when that fails.
void write_atomically(const std::filesystem::path& path, const std::string& text);

}  // namespace sluice
