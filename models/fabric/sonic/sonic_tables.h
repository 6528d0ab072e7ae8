// SPDX-License-Identifier: Apache-2.0
// SONiC configuration as tables of rows of text fields, whatever form of file it came in, and which
// of it has been looked at. Leaves out: what tables mean (sonic_config.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// One row; every getter counts its field as used and throws ConfigError naming file, table, key,
/// field and value when the text is not what was expected.
class SonicRow {
 public:
  SonicRow(std::string table, std::string key) : table_(std::move(table)), key_(std::move(key)) {}

  const std::string& table() const { return table_; }
  const std::string& key() const { return key_; }
  /// "config_db.json: BUFFER_PG|Ethernet0|3-4".
  std::string name() const;

  /// The field's text, null when it is absent.
  const std::string* text(std::string_view field) const;
  const std::string& require_text(std::string_view field) const;
  std::optional<std::uint64_t> number(std::string_view field, std::uint64_t least,
                                      std::uint64_t most) const;
  std::uint64_t require_number(std::string_view field, std::uint64_t least,
                               std::uint64_t most) const;
  std::optional<std::int64_t> signed_number(std::string_view field, std::int64_t least,
                                            std::int64_t most) const;
  /// Index of the value among `names`; nothing when the field is absent.
  std::optional<std::size_t> choice(std::string_view field,
                                    const std::vector<std::string_view>& names) const;
  /// Numbers "3,4" or "1,2,3", each at most `most`; empty text is an empty list.
  std::vector<std::uint32_t> numbers(std::string_view field, std::uint32_t most) const;
  /// A name, without the brackets of the old form "[BUFFER_PROFILE|name]".
  std::optional<std::string> reference(std::string_view field) const;
  std::vector<std::string> references(std::string_view field) const;

  [[noreturn]] void fail(std::string_view field, std::string_view expected) const;
  /// The row is wrong as a whole.
  [[noreturn]] void fail(std::string_view text) const;

 private:
  friend class SonicTables;
  struct Field {
    std::string value;
    std::string file;
    mutable bool used = false;
  };
  std::string table_;
  std::string key_;
  std::string file_;
  std::map<std::string, Field, std::less<>> fields_;
};

class SonicTables {
 public:
  /// Reads a file or every file of a directory, by name, on top of what is there. Throws
  /// ConfigError.
  void read(const std::filesystem::path& path);

  bool has(std::string_view table) const { return rows_.find(table) != rows_.end(); }
  /// Rows in the order of first appearance; counts the table as known.
  const std::vector<SonicRow>& rows(std::string_view table) const;
  const SonicRow* find(std::string_view table, std::string_view key) const;
  /// What was overwritten or ignored while reading, and every table and field never looked at.
  std::vector<std::string> notes() const;
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// Of all rows, in an order that does not depend on the files.
  std::uint64_t digest() const;
  /// The first file read, for messages about the whole.
  const std::string& first_file() const { return first_file_; }

 private:
  friend class SonicFileReader;
  SonicRow& row(const std::string& table, const std::string& key, const std::string& file);
  void set(SonicRow& row, const std::string& field, const std::string& value,
           const std::string& file);

  std::map<std::string, std::vector<SonicRow>, std::less<>> rows_;
  mutable std::map<std::string, bool, std::less<>> known_;
  std::map<std::string, std::size_t> index_;  ///< "table|key" to its place in rows_
  std::vector<std::string> notes_;
  std::string first_file_;
};

/// Natural order of names: "Ethernet8" before "Ethernet12".
bool natural_less(std::string_view a, std::string_view b);
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace sluice
