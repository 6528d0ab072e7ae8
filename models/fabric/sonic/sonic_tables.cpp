// SPDX-License-Identifier: Apache-2.0
// Rows, their fields and what was never looked at; see sonic_tables.h.
// Leaves out: the forms of files (sonic_reader.cpp).
#include "fabric/sonic/sonic_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "config/config_value.h"
#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && !text.empty();
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// "[TABLE|name]" and "[TABLE:name]" of releases before 2021 are the name.
std::string without_brackets(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return text;
  const std::string inside = text.substr(1, text.size() - 2);
  const std::size_t bar = inside.find_first_of("|:");
  return bar == std::string::npos ? inside : inside.substr(bar + 1);
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::uint64_t left = 0;
      std::uint64_t right = 0;
      for (; i < a.size() && digit(a[i]); ++i) left = left * 10 + static_cast<unsigned>(a[i] - '0');
      for (; j < b.size() && digit(b[j]); ++j)
        right = right * 10 + static_cast<unsigned>(b[j] - '0');
      if (left != right) return left < right;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string SonicRow::name() const {
  return one_line(fmt::format("{}: {}|{}", file_, table_, key_));
}

void SonicRow::fail(std::string_view field, std::string_view expected) const {
  const auto at = fields_.find(field);
  if (at == fields_.end()) {
    throw ConfigError(fmt::format("{}: no {}, expected {}", name(), field, expected));
  }
  throw ConfigError(fmt::format("{}: {}|{} {} '{}', expected {}", one_line(at->second.file),
                                one_line(table_), one_line(key_), field, one_line(at->second.value),
                                expected));
}

void SonicRow::fail(std::string_view text) const {
  throw ConfigError(fmt::format("{}: {}", name(), text));
}

const std::string* SonicRow::text(std::string_view field) const {
  const auto at = fields_.find(field);
  if (at == fields_.end()) return nullptr;
  at->second.used = true;
  return &at->second.value;
}

const std::string& SonicRow::require_text(std::string_view field) const {
  const std::string* const value = text(field);
  if (value == nullptr) fail(field, "a text");
  return *value;
}

std::optional<std::uint64_t> SonicRow::number(std::string_view field, std::uint64_t least,
                                              std::uint64_t most) const {
  const std::string* const value = text(field);
  if (value == nullptr) return std::nullopt;
  std::uint64_t number = 0;
  if (!parse_whole(*value, number) || number < least || number > most) {
    fail(field, fmt::format("a whole number in {}..{}", least, most));
  }
  return number;
}

std::uint64_t SonicRow::require_number(std::string_view field, std::uint64_t least,
                                       std::uint64_t most) const {
  const std::optional<std::uint64_t> value = number(field, least, most);
  if (!value) fail(field, fmt::format("a whole number in {}..{}", least, most));
  return *value;
}

std::optional<std::int64_t> SonicRow::signed_number(std::string_view field, std::int64_t least,
                                                    std::int64_t most) const {
  const std::string* const value = text(field);
  if (value == nullptr) return std::nullopt;
  std::int64_t number = 0;
  if (!parse_whole(*value, number) || number < least || number > most) {
    fail(field, fmt::format("a whole number in {}..{}", least, most));
  }
  return number;
}

std::optional<std::size_t> SonicRow::choice(std::string_view field,
                                            const std::vector<std::string_view>& names) const {
  const std::string* const value = text(field);
  if (value == nullptr) return std::nullopt;
  const auto at = std::find(names.begin(), names.end(), *value);
  if (at == names.end()) fail(field, fmt::format("one of {}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(at - names.begin());
}

std::vector<std::uint32_t> SonicRow::numbers(std::string_view field, std::uint32_t most) const {
  std::vector<std::uint32_t> result;
  const std::string* const value = text(field);
  if (value == nullptr || trimmed(*value).empty()) return result;
  for (const std::string& part : split(*value, ',')) {
    std::uint32_t number = 0;
    if (!parse_whole(part, number) || number > most) {
      fail(field, fmt::format("numbers in 0..{} with commas between", most));
    }
    result.push_back(number);
  }
  return result;
}

std::optional<std::string> SonicRow::reference(std::string_view field) const {
  const std::string* const value = text(field);
  if (value == nullptr) return std::nullopt;
  return without_brackets(*value);
}

std::vector<std::string> SonicRow::references(std::string_view field) const {
  std::vector<std::string> names;
  const std::string* const value = text(field);
  if (value == nullptr || trimmed(*value).empty()) return names;
  for (const std::string& part : split(*value, ',')) names.push_back(without_brackets(part));
  return names;
}

SonicRow& SonicTables::row(const std::string& table, const std::string& key,
                           const std::string& file) {
  std::vector<SonicRow>& rows = rows_[table];
  const auto [at, added] = index_.try_emplace(table + '|' + key, rows.size());
  if (added) rows.emplace_back(table, key).file_ = file;
  return rows[at->second];
}

void SonicTables::set(SonicRow& row, const std::string& field, const std::string& value,
                      const std::string& file) {
  SonicRow::Field& at = row.fields_[field];
  if (!at.file.empty() && at.value != value) {
    note(one_line(fmt::format("{}: {}|{} {} '{}' replaces '{}' of {}", file, row.table_, row.key_,
                              field, value, at.value, at.file)));
  }
  at.value = value;
  at.file = file;
}

const std::vector<SonicRow>& SonicTables::rows(std::string_view table) const {
  static const std::vector<SonicRow> kNone;
  known_[std::string(table)] = true;
  const auto at = rows_.find(table);
  return at == rows_.end() ? kNone : at->second;
}

const SonicRow* SonicTables::find(std::string_view table, std::string_view key) const {
  known_[std::string(table)] = true;
  const auto at = index_.find(fmt::format("{}|{}", table, key));
  return at == index_.end() ? nullptr : &rows_.find(table)->second[at->second];
}

std::vector<std::string> SonicTables::notes() const {
  std::vector<std::string> notes = notes_;
  for (const auto& [table, rows] : rows_) {
    if (rows.empty()) continue;
    if (known_.find(table) == known_.end()) {
      notes.push_back(one_line(fmt::format("{}: not used ({} rows)", table, rows.size())));
      continue;
    }
    struct Unused {
      std::size_t rows = 0;
      std::string example;
    };
    std::map<std::string, Unused> unused;
    for (const SonicRow& row : rows) {
      for (const auto& [field, value] : row.fields_) {
        if (value.used) continue;
        Unused& at = unused[field];
        if (at.rows++ == 0) at.example = fmt::format("{} '{}'", row.key_, value.value);
      }
    }
    for (const auto& [field, at] : unused) {
      notes.push_back(one_line(
          fmt::format("{}.{}: not used ({} rows, such as {})", table, field, at.rows, at.example)));
    }
  }
  return notes;
}

std::uint64_t SonicTables::digest() const {
  std::vector<std::string> lines;
  for (const auto& [table, rows] : rows_) {
    for (const SonicRow& row : rows) {
      for (const auto& [field, value] : row.fields_) {
        lines.push_back(fmt::format("{}|{}|{}={}", table, row.key_, field, value.value));
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  std::uint64_t hash = 0;
  for (const std::string& line : lines) hash = mix64(hash ^ hash_name(line));
  return hash;
}

}  // namespace sluice
