// SPDX-License-Identifier: Apache-2.0
// Child processes, at most so many at once. They die with this process, however it ends.
// Leaves out: other machines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sluice {

class ProcessPool {
 public:
  struct Ended {
    std::size_t task = 0;
    int exit_code = 0;  ///< 1 when a signal ended it
    int signal = 0;
  };

  explicit ProcessPool(std::size_t most) : most_(most) {}
  /// Kills what still runs.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  bool full() const { return running_.size() >= most_; }
  std::size_t running() const { return running_.size(); }
  /// Starts `words` (the first is the program) with stdout discarded and stderr in `errors`.
  void start(std::size_t task, const std::vector<std::string>& words,
             const std::filesystem::path& errors);
  /// Waits for the next child to end; there must be one.
  Ended wait();

 private:
  std::size_t most_;
  std::map<int, std::size_t> running_;  ///< task by process
};

}  // namespace sluice
