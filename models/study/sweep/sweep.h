// SPDX-License-Identifier: Apache-2.0
// Runs a study: each point a process of its own, some at once, what has run before not again; one
// table in the order of the points, failed points apart. Leaves out: the checker and the terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/sweep/points.h"
#include "study/sweep/study.h"

namespace sluice {

struct SweepOptions {
  std::string program;  ///< the executable whose `run` is called
  std::string out;
  std::size_t jobs = 1;
  Selection selection;
  std::vector<std::string> sets;  ///< "key=value", on top of the study's own
};

struct SweepProgress {
  std::size_t points = 0;
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  std::size_t runs = 0;    ///< processes that ended
  std::size_t reused = 0;  ///< runs found on disk
};

struct FailedPoint {
  std::size_t point = 0;
  int exit_code = 0;
  std::string message;
};

struct SweepOutcome {
  SweepProgress progress;
  std::vector<FailedPoint> failed;  ///< in the order of points
  std::string table;                ///< path of the CSV
};

/// Throws ConfigError before the first run when the study or a point of it is not right.
SweepOutcome run_sweep(Study study, const SweepOptions& options,
                       const std::function<void(const SweepProgress&)>& progress);

}  // namespace sluice
