// SPDX-License-Identifier: Apache-2.0
// A study file: which fabric, which parameters are moved and how, what is read from each run, and
// who judges the table. Leaves out: running it (sweep.h) and the order of its points (points.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/sweep/axis.h"
#include "study/sweep/column.h"

namespace sluice {

/// The smallest value of a key (or of several moved together) for which a column is above zero, or
/// is zero, found by halving at every point.
struct Search {
  std::vector<std::string> keys;
  std::string header;  ///< its column in the table
  std::uint64_t from = 1;
  std::uint64_t to = 1;
  std::string unit;      ///< written behind each value, such as B
  std::size_t when = 0;  ///< index into Study::columns
  bool until_zero = false;
  std::string origin;

  /// The search's keys at `value`.
  std::vector<Override> at(std::uint64_t value) const;
};

struct Study {
  std::string file;
  std::string fabric;               ///< path, relative to the working directory
  std::vector<std::string> traces;  ///< likewise
  std::vector<Override> sets;
  std::string until;    ///< empty: each run comes to its end
  std::string compute;  ///< "scale=X"; empty: as recorded
  std::uint64_t seed = 1;
  std::uint64_t replicas = 1;
  std::vector<Axis> axes;
  std::vector<Column> columns;
  std::optional<Search> search;
  std::vector<std::string> expected;  ///< verdicts beside ok and stopped that are results
  std::string checker;                ///< path of a Python script; empty: none
  /// What --quick runs: (header, values); empty: the study has no quick form.
  std::vector<std::pair<std::string, std::vector<std::string>>> quick;
};

/// Throws ConfigError with file and line.
Study read_study(const std::string& file);

}  // namespace sluice
