// SPDX-License-Identifier: Apache-2.0
#include "cli/effective_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;

bool is_plain(std::string_view text) {
  static constexpr std::string_view kAlsoPlain = "_./+-";
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kAlsoPlain.find(c) != std::string_view::npos;
  };
  // "null" and a lone or leading "-" mean something else when they are not quoted.
  return !text.empty() && text.front() != '-' && text != "null" &&
         std::all_of(text.begin(), text.end(), plain);
}

std::string scalar_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  quoted += '\'';
  return quoted;
}

std::string flow_text(const ConfigValue& value) {
  std::string text;
  switch (value.kind) {
    case Kind::kNull:
      return "null";  // a section without content
    case Kind::kScalar:
      return scalar_text(value.scalar);
    case Kind::kList:
      for (const ConfigValue& item : value.items) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", flow_text(item));
      }
      return fmt::format("[{}]", text);
    case Kind::kMap:
      for (const auto& [key, entry] : value.entries) {
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", scalar_text(key), flow_text(entry));
      }
      return fmt::format("{{{}}}", text);
  }
  return text;
}

void add_map(std::string& text, const ConfigValue& map, const std::string& indent) {
  for (const auto& [key, entry] : map.entries) {
    text += fmt::format("{}{}:", indent, scalar_text(key));
    if (entry.kind == Kind::kMap && !entry.entries.empty()) {
      text += "\n";
      add_map(text, entry, indent + "  ");
    } else {
      text += fmt::format(" {}\n", flow_text(entry));
    }
  }
}

}  // namespace

std::string yaml_text(const ConfigValue& root) {
  std::string text;
  add_map(text, root, "");
  return text;
}

}  // namespace sluice
