// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/column.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernel/error.h"
#include "study/sweep/counter_names.h"

namespace sluice {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kTakes{"sum", "max", "min", "count"};
/// Differ between equal runs: a table with them could not be repeated.
constexpr std::array<std::string_view, 3> kUnrepeatable{"cpu_s", "wall_s", "peak_rss_bytes"};

std::ifstream open_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ExitCode::kInternal, fmt::format("cannot read {}", file.string()));
  return in;
}

/// Fields of one CSV line (RFC 4180); our own files hold no line breaks in fields.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// One step down a dotted path, null when there is none.
const Json* child(const Json& at, const std::string& key) {
  if (at.is_object()) {
    const auto found = at.find(key);
    return found == at.end() ? nullptr : &*found;
  }
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (!at.is_array() || code != std::errc() || end != key.data() + key.size()) return nullptr;
  return index < at.size() ? &at[index] : nullptr;
}

std::string summary_value(const Column& column, const Json& summary) {
  const Json* at = &summary;
  for (std::size_t start = 0; start <= column.summary.size();) {
    const std::size_t end = std::min(column.summary.find('.', start), column.summary.size());
    const std::string key = column.summary.substr(start, end - start);
    // A run that ended early has no op rows: an empty cell.
    if (at->is_array() && at->empty()) return "";
    const Json* next = child(*at, key);
    if (next == nullptr) {
      throw ConfigError(fmt::format("{}: columns.{}: summary.json has no field '{}'", column.origin,
                                    column.name, column.summary));
    }
    at = next;
    start = end + 1;
  }
  if (at->is_structured()) {
    throw ConfigError(fmt::format("{}: columns.{}: '{}' is not a single value of summary.json",
                                  column.origin, column.name, column.summary));
  }
  if (at->is_null()) return "";
  return at->is_string() ? at->get<std::string>() : at->dump();
}

std::string counter_value(const Column& column, const std::vector<CounterRow>& rows) {
  std::uint64_t result = 0;
  std::uint64_t count = 0;
  for (const CounterRow& row : rows) {
    if (row.kind != column.kind || row.counter != column.counter) continue;
    if (!column.entity.empty() && ::fnmatch(column.entity.c_str(), row.entity.c_str(), 0) != 0) {
      continue;
    }
    switch (column.take) {
      case Column::Take::kSum:
        result += row.value;
        break;
      case Column::Take::kMax:
        result = std::max(result, row.value);
        break;
      case Column::Take::kMin:
        result = count == 0 ? row.value : std::min(result, row.value);
        break;
      case Column::Take::kCount:
        result = count + 1;
        break;
    }
    ++count;
  }
  return fmt::format("{}", result);
}

}  // namespace

std::vector<Column> read_columns(ConfigNode& node) {
  std::vector<Column> columns;
  for (const auto& [name, value] : node.value().entries) {
    Column column;
    column.name = name;
    column.origin = value.origin;
    if (value.kind == ConfigValue::Kind::kMap) {
      ConfigNode& counter = node.map(name);
      column.kind = counter.get_string("kind");
      column.counter = counter.get_string("counter");
      column.entity = counter.get_string("entity", "");
      column.take = static_cast<Column::Take>(counter.get_choice("take", kTakes, 0));
      // What is not zero alone is in counters.csv: a slip would read as 0.
      if (const std::string slip = kind_mistake(column.kind); !slip.empty()) {
        counter.fail("kind", slip);
      }
      if (const std::string slip = counter_mistake(column.kind, column.counter); !slip.empty()) {
        counter.fail("counter", slip);
      }
    } else {
      column.summary = node.get_string(name);
      if (std::find(kUnrepeatable.begin(), kUnrepeatable.end(), column.summary) !=
          kUnrepeatable.end()) {
        node.fail(name, "differs from run to run: it cannot be a column");
      }
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<CounterRow> read_counters(const std::filesystem::path& file) {
  std::ifstream in = open_file(file);
  std::vector<CounterRow> rows;
  std::string line;
  std::getline(in, line);  // header
  while (std::getline(in, line)) {
    std::vector<std::string> fields = csv_fields(line);
    std::uint64_t value = 0;
    const bool good =
        fields.size() == 5 &&
        std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), value).ec ==
            std::errc();
    if (!good) {
      throw Error(ExitCode::kInternal,
                  fmt::format("{}: not a row of counters: {}", file.string(), line));
    }
    rows.push_back({std::move(fields[0]), std::move(fields[1]), std::move(fields[2]), value});
  }
  return rows;
}

std::vector<std::string> column_values(const std::vector<Column>& columns,
                                       const std::filesystem::path& run) {
  std::ifstream in = open_file(run / "summary.json");
  const Json summary = Json::parse(in);
  std::optional<std::vector<CounterRow>> counters;
  std::vector<std::string> values;
  for (const Column& column : columns) {
    if (!column.summary.empty()) {
      values.push_back(summary_value(column, summary));
      continue;
    }
    if (!counters) counters = read_counters(run / "counters.csv");
    values.push_back(counter_value(column, *counters));
  }
  return values;
}

}  // namespace sluice
