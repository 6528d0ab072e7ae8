// SPDX-License-Identifier: Apache-2.0
#include "config/config_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sluice {

const ConfigValue* ConfigValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

ConfigValue* ConfigValue::find(std::string_view key) {
  for (auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string ConfigValue::description() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return fmt::format("'{}'", scalar);
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return {};
}

namespace {

void append_canonical(const ConfigValue& value, const std::string& path, std::string& out) {
  switch (value.kind) {
    case ConfigValue::Kind::kNull:
      out += path + "=\n";
      return;
    case ConfigValue::Kind::kScalar:
      out += path + "=" + value.scalar + "\n";
      return;
    case ConfigValue::Kind::kList:
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        append_canonical(value.items[i], join_path(path, std::to_string(i)), out);
      }
      return;
    case ConfigValue::Kind::kMap: {
      std::vector<const ConfigValue::Entry*> sorted;
      for (const auto& entry : value.entries) sorted.push_back(&entry);
      std::sort(sorted.begin(), sorted.end(),
                [](const auto* a, const auto* b) { return a->first < b->first; });
      for (const auto* entry : sorted) {
        append_canonical(entry->second, join_path(path, entry->first), out);
      }
      return;
    }
  }
}

}  // namespace

std::string ConfigValue::canonical() const {
  std::string out;
  append_canonical(*this, "", out);
  return out;
}

namespace {

/// A list with the elements that `over` names by index changed; `over` itself, for its reader to
/// refuse, when a key of it is no index.
ConfigValue patched(const ConfigValue& list, const ConfigValue& over) {
  ConfigValue out = list;
  for (const auto& [key, value] : over.entries) {
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (code != std::errc() || end != key.data() + key.size() || index >= out.items.size()) {
      return over;
    }
    out.items[index] = value;
  }
  return out;
}

}  // namespace

ConfigValue merged(const ConfigValue& base, const ConfigValue& over) {
  if (over.kind == ConfigValue::Kind::kNull && base.kind == ConfigValue::Kind::kMap) return base;
  if (base.kind == ConfigValue::Kind::kList && over.kind == ConfigValue::Kind::kMap) {
    return patched(base, over);
  }
  if (base.kind != ConfigValue::Kind::kMap || over.kind != ConfigValue::Kind::kMap) return over;
  ConfigValue out = base;
  out.path = over.path;
  out.origin = over.origin;
  for (const auto& [key, value] : over.entries) {
    if (ConfigValue* old = out.find(key)) {
      *old = merged(*old, value);
    } else {
      out.entries.emplace_back(key, value);
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 400;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (text.size() > kLongest) out += "...";
  return out;
}

std::string join_path(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

}  // namespace sluice
