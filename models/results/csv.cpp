// SPDX-License-Identifier: Apache-2.0
#include "results/csv.h"

#include <fmt/format.h>

#include "results/bandwidth.h"

namespace sluice {
namespace {

/// The header line: the columns that the schema gives for this file.
std::string header(std::string_view file) {
  std::string line;
  for (const FieldInfo& info : result_schema()) {
    if (info.file != file) continue;
    if (!line.empty()) line += ',';
    line += info.field;
  }
  return line + "\n";
}

std::string rate_field(const std::optional<double>& rate) {
  return rate ? fmt::format("{}", *rate) : std::string();
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_ops_csv(std::ostream& out, const std::vector<OpRow>& rows) {
  out << header("ops.csv");
  for (const OpRow& row : rows) {
    out << fmt::format("{},{},{},{},{},{},{},{},{}\n", op_kind_name(row.kind), row.bytes, row.ranks,
                       row.count, row.mean().value, row.shortest.value, row.longest.value,
                       rate_field(algbw_gbytes_per_s(row)), rate_field(busbw_gbytes_per_s(row)));
  }
}

void write_counters_csv(std::ostream& out, const StatisticsRegistry& registry) {
  out << header("counters.csv");
  for (const CounterTable& table : registry.tables()) {
    for (std::size_t record = 0; record < table.count; ++record) {
      std::string entity;  // most records have no counter to print
      for (const CounterField& field : table.fields) {
        const std::uint64_t value = table.read(record, field);
        if (value == 0) continue;
        if (entity.empty()) entity = csv_field(table.name_of(record));
        out << fmt::format("{},{},{},{},{}\n", csv_field(table.kind), entity, field.name, value,
                           field.unit);
      }
    }
  }
}

}  // namespace sluice
