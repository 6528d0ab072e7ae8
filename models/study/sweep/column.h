// SPDX-License-Identifier: Apache-2.0
// A column of a study's table: a field of summary.json, or a counter of counters.csv over its
// entities. Leaves out: anything that differs between two equal runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config_node.h"

namespace sluice {

struct Column {
  /// Over the entities whose counter is not zero; all are 0 when there is none.
  enum class Take : std::uint8_t { kSum, kMax, kMin, kCount };

  std::string name;
  std::string summary;  ///< dotted path into summary.json; empty: a counter
  std::string kind;
  std::string counter;
  std::string entity;  ///< a name, or a pattern with * and ?; empty: all
  Take take = Take::kSum;
  std::string origin;
};

/// The map `columns`: name: path, or name: {kind, counter, entity, take}. Throws ConfigError for a
/// kind or a counter that no run has.
std::vector<Column> read_columns(ConfigNode& node);

/// A run's counters, read once for all columns.
struct CounterRow {
  std::string kind;
  std::string entity;
  std::string counter;
  std::uint64_t value = 0;
};
std::vector<CounterRow> read_counters(const std::filesystem::path& file);

/// The values of all columns for one run directory, as they stand in the table. Throws ConfigError
/// at the column when summary.json has no such field.
std::vector<std::string> column_values(const std::vector<Column>& columns,
                                       const std::filesystem::path& run);

}  // namespace sluice
