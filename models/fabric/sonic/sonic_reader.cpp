// SPDX-License-Identifier: Apache-2.0
// Files into SONiC tables: JSON nested ({TABLE: {key: {}}}), flat ("TABLE|key") and of APPL_DB
// ("TABLE_TABLE:key:range"), pg_profile_lookup.ini, port_config.ini, sai.profile, directories.
// Leaves out: what the tables mean.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "config/config_value.h"
#include "fabric/sonic/sonic_tables.h"
#include "kernel/error.h"

namespace sluice {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20;
constexpr std::string_view kApplicationSuffix = "_TABLE";

[[noreturn]] void fail(const std::string& file, std::string_view text) {
  throw ConfigError(one_line(fmt::format("{}: {}", file, text)));
}

std::string read_text(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) fail(path.string(), code.message());
  if (size > kMaxFileBytes) {
    fail(path.string(), fmt::format("{} B, expected a SONiC configuration of at most {} MiB", size,
                                    kMaxFileBytes >> 20));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path.string(), "cannot be opened");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Parses; a key that an object holds twice is refused, which the library itself would swallow.
Json parse_json(const std::string& file, const std::string& text) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second) {
      fail(file,
           fmt::format("key '{}' twice in one object, expected it once", value.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    fail(file,
         fmt::format("not JSON at byte {}, expected a SONiC configuration (a template must be "
                     "rendered first)",
                     error.byte));
  }
}

std::string scalar_text(const std::string& where, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer() || value.is_boolean()) return value.dump();
  if (value.is_array()) {
    std::string text;
    for (const Json& item : value) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", scalar_text(where, item));
    }
    return text;
  }
  throw ConfigError(one_line(fmt::format("{}: {}, expected a string", where, value.dump())));
}

/// Columns of a table in text: its header is the last comment before the first line.
struct TextTable {
  std::vector<std::string> header;
  struct Line {
    std::size_t number;
    std::vector<std::string> words;
  };
  std::vector<Line> lines;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TextTable parse_text_table(const std::string& text) {
  TextTable table;
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::size_t comment = line.find_first_not_of(" \t#");
    if (line.find_first_not_of(" \t") != std::string::npos &&
        line[line.find_first_not_of(" \t")] == '#') {
      const std::vector<std::string> words =
          words_of(comment == std::string::npos ? "" : line.substr(comment));
      if (!words.empty() && table.lines.empty()) table.header = words;
      continue;
    }
    std::vector<std::string> words = words_of(line);
    if (!words.empty()) table.lines.push_back({number, std::move(words)});
  }
  return table;
}

}  // namespace

/// Puts one file's content into the tables.
class SonicFileReader {
 public:
  SonicFileReader(SonicTables& tables, std::filesystem::path path)
      : tables_(tables), path_(std::move(path)), file_(path_.string()) {}

  /// `strict`: a file that is no SONiC configuration is refused, not noted.
  void read(bool strict);

 private:
  void read_json(const Json& json);
  void read_row(const std::string& table, const std::string& key, const Json& row);
  void read_text_table(const std::string& text);
  void read_settings(const std::string& text);

  SonicTables& tables_;
  std::filesystem::path path_;
  std::string file_;
};

namespace {

bool is_table_name(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find_first_of("|:"));
  return !stem.empty() && std::all_of(stem.begin(), stem.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

void SonicFileReader::read(bool strict) {
  const std::string extension = path_.extension().string();
  if (extension == ".j2") {
    fail(file_, "a template (.j2), expected what sonic-cfggen renders from it");
  }
  if (extension == ".ini") return read_text_table(read_text(path_));
  if (path_.filename() == "sai.profile") return read_settings(read_text(path_));
  if (extension != ".json" && !strict) {
    tables_.note(one_line(fmt::format("{}: not read, neither .json nor .ini", file_)));
    return;
  }
  const std::string text = read_text(path_);
  const Json json = parse_json(file_, text);
  const bool fits =
      json.is_object() && std::any_of(json.items().begin(), json.items().end(),
                                      [](const auto& item) { return is_table_name(item.key()); });
  if (!fits && !strict) {
    tables_.note(one_line(fmt::format("{}: not read, holds no SONiC table", file_)));
    return;
  }
  if (!fits && !(json.is_object() && json.empty())) {
    fail(file_, "holds no SONiC table, expected {\"TABLE\": {\"key\": {\"field\": \"value\"}}}");
  }
  read_json(json);
}

void SonicFileReader::read_json(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    if (!value.is_object()) {
      fail(file_,
           fmt::format("{}: {}, expected a table of rows", name, value.dump().substr(0, 60)));
    }
    const std::size_t bar = name.find('|');
    const std::size_t colon = name.find(':');
    if (bar != std::string::npos) {
      read_row(name.substr(0, bar), name.substr(bar + 1), value);
    } else if (colon != std::string::npos) {
      std::string table = name.substr(0, colon);
      if (table.ends_with(kApplicationSuffix)) {
        table.resize(table.size() - kApplicationSuffix.size());
      }
      std::string key = name.substr(colon + 1);
      std::replace(key.begin(), key.end(), ':', '|');
      read_row(table, key, value);
    } else {
      tables_.rows_[name];
      for (const auto& [key, row] : value.items()) read_row(name, key, row);
    }
  }
}

void SonicFileReader::read_row(const std::string& table, const std::string& key, const Json& json) {
  const std::string where = one_line(fmt::format("{}: {}|{}", file_, table, key));
  if (!json.is_object()) {
    throw ConfigError(
        fmt::format("{}: {}, expected fields", where, one_line(json.dump().substr(0, 60))));
  }
  SonicRow& row = tables_.row(table, key, file_);
  for (const auto& [field, value] : json.items()) {
    if (field == "NULL") continue;  // how redis stores a row without fields
    tables_.set(row, field, scalar_text(fmt::format("{} {}", where, field), value), file_);
  }
}

void SonicFileReader::read_text_table(const std::string& text) {
  const TextTable table = parse_text_table(text);
  const auto names = [&](std::string_view name) {
    return std::find(table.header.begin(), table.header.end(), name) != table.header.end();
  };
  const bool ports = names("name") && names("lanes");
  const bool lookup = names("speed") && names("cable") && names("xoff");
  if (!ports && !lookup) {
    fail(file_,
         "no header, expected '# speed cable size xon xoff threshold [xon_offset]' or "
         "'# name lanes ... speed'");
  }
  if (table.lines.empty()) tables_.note(one_line(fmt::format("{}: no rows", file_)));
  std::set<std::string> seen;
  for (const TextTable::Line& line : table.lines) {
    if (line.words.size() != table.header.size()) {
      fail(file_, fmt::format("line {}: {} words, expected {} ({})", line.number, line.words.size(),
                              table.header.size(), fmt::join(table.header, " ")));
    }
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < line.words.size(); ++i) fields[table.header[i]] = line.words[i];
    const std::string key = ports ? fields["name"] : fields["speed"] + "|" + fields["cable"];
    if (!seen.insert(key).second) {
      fail(file_, fmt::format("line {}: '{}' has a line already", line.number, key));
    }
    SonicRow& row = tables_.row(ports ? "PORT" : "PG_PROFILE_LOOKUP", key, file_);
    for (const auto& [field, value] : fields) {
      if (field != "name") tables_.set(row, field, value, file_);
    }
  }
}

void SonicFileReader::read_settings(const std::string& text) {
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      fail(file_, fmt::format("line {}: '{}', expected KEY=VALUE", number, line));
    }
    tables_.set(tables_.row("SAI_PROFILE", line.substr(0, equals), file_), "value",
                line.substr(equals + 1), file_);
  }
}

void SonicTables::read(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (first_file_.empty()) first_file_ = path.string();
  if (!fs::exists(path, code)) fail(path.string(), "no such file or directory");
  if (!fs::is_directory(path, code)) return SonicFileReader(*this, path).read(true);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, code)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    } else {
      note(one_line(fmt::format("{}: not read, no file", entry.path().string())));
    }
  }
  if (code) fail(path.string(), code.message());
  if (files.empty()) fail(path.string(), "a directory without files, expected .json or .ini");
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) SonicFileReader(*this, file).read(false);
}

}  // namespace sluice
