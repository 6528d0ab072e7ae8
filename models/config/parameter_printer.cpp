// SPDX-License-Identifier: Apache-2.0
#include "config/parameter_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/config_value.h"
#include "config/range_text.h"
#include "config/units.h"
#include "kernel/random.h"

namespace sluice {

void ParameterPrinter::add(std::string_view name, std::string value, std::string range,
                           const ParameterInfo& info) {
  rows_.push_back({join_path(sections_.back(), name), std::move(value), std::move(range),
                   std::string(info.unit), std::string(info.source), std::string(info.meaning),
                   info.source.starts_with("estimate")});
}

void ParameterPrinter::begin(std::string_view name, std::string_view) {
  sections_.push_back(join_path(sections_.back(), name));
}

void ParameterPrinter::visit(std::string_view name, bool& value, const ParameterInfo& info) {
  add(name, value ? "true" : "false", "true | false", info);
}

void ParameterPrinter::visit(std::string_view name, double& value, ParameterRange range,
                             const ParameterInfo& info) {
  add(name, format_number(value), range_text(range, format_number), info);
}

// A value that carries its unit needs no unit column, whatever the block says.
void ParameterPrinter::visit(std::string_view name, Ps& value, ParameterRange range,
                             const ParameterInfo& info) {
  add(name, format_time(value), range_text(range, time_text), {info.meaning, info.source});
}

void ParameterPrinter::visit(std::string_view name, BitsPerSecond& value, ParameterRange range,
                             const ParameterInfo& info) {
  add(name, format_rate(value), range_text(range, rate_text), {info.meaning, info.source});
}

void ParameterPrinter::visit(std::string_view name, Bytes& value, ParameterRange range,
                             const ParameterInfo& info) {
  add(name, format_bytes(value), range_text(range, bytes_text), {info.meaning, info.source});
}

void ParameterPrinter::visit(std::string_view name, Millimetres& value, ParameterRange range,
                             const ParameterInfo& info) {
  add(name, format_length(value), range_text(range, length_text), {info.meaning, info.source});
}

void ParameterPrinter::visit(std::string_view name, std::vector<std::uint32_t>& value,
                             ParameterRange range, const ParameterInfo& info) {
  add(name, fmt::format("[{}]", fmt::join(value, ", ")), range_text(range, whole_text), info);
}

void ParameterPrinter::visit_integer(std::string_view name, std::int64_t& value,
                                     ParameterRange range, const ParameterInfo& info) {
  add(name, std::to_string(value), range_text(range, whole_text), info);
}

void ParameterPrinter::visit_choice(std::string_view name, std::size_t& index,
                                    std::span<const std::string_view> names,
                                    const ParameterInfo& info) {
  add(name, std::string(names[index]), fmt::format("{}", fmt::join(names, " | ")), info);
}

std::string ParameterPrinter::canonical() const {
  std::string text;
  for (const ParameterRow& row : rows_) text += row.path + "=" + row.value + "\n";
  return text;
}

std::uint64_t ParameterPrinter::hash() const { return hash_name(canonical()); }

std::string ParameterPrinter::table() const {
  constexpr std::size_t kColumns = 6;
  const auto cells = [](const ParameterRow& row) {
    return std::array<std::string, kColumns>{row.path,   (row.estimate ? "~" : "") + row.value,
                                             row.unit,   row.range,
                                             row.source, row.meaning};
  };
  std::array<std::size_t, kColumns> widths{};
  for (const ParameterRow& row : rows_) {
    const auto line = cells(row);
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const ParameterRow& row : rows_) {
    const auto line = cells(row);
    for (std::size_t i = 0; i + 1 < kColumns; ++i) {
      if (widths[i] != 0) text += fmt::format("{:<{}}  ", line[i], widths[i]);
    }
    text += line[kColumns - 1] + "\n";
  }
  return text;
}

}  // namespace sluice
