// SPDX-License-Identifier: Apache-2.0
// The CSV files of a run directory and the description of every column and summary field.
// Leaves out: where they are written (results/run_directory.h).
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/run_recorder.h"
#include "kernel/statistics.h"

namespace sluice {

/// A column of a CSV file, or a field of summary.json (dotted path, [] for an element).
struct FieldInfo {
  std::string_view file;
  std::string_view field;
  std::string_view unit;
  std::string_view meaning;
};
std::span<const FieldInfo> result_schema();
/// The schema as a table, a field a line.
std::string result_schema_text();

/// A row an (op, bytes, ranks).
void write_ops_csv(std::ostream& out, const std::vector<OpRow>& rows);
/// A row a counter that is not zero, in the order of registration.
void write_counters_csv(std::ostream& out, const StatisticsRegistry& registry);

/// A CSV field, quoted when it must be (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace sluice
