// SPDX-License-Identifier: Apache-2.0
#include "cli/junit.h"

#include <fmt/core.h>

#include <algorithm>

namespace sluice {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string JunitReport::text() const {
  std::string properties;
  for (const auto& [name, value] : properties_) {
    properties +=
        fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value));
  }
  if (!properties.empty()) {
    properties = fmt::format("    <properties>\n{}    </properties>\n", properties);
  }
  const auto failures = [](auto from, auto to) {
    return std::count_if(from, to, [](const Case& c) { return !c.failure.empty(); });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\">\n",
      cases_.size(), failures(cases_.begin(), cases_.end()));
  for (auto first = cases_.begin(); first != cases_.end();) {
    const auto last =
        std::find_if(first, cases_.end(), [&](const Case& c) { return c.suite != first->suite; });
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                        escaped(first->suite), last - first, failures(first, last));
    text += properties;
    for (; first != last; ++first) {
      text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(first->suite),
                          escaped(first->name));
      text += first->failure.empty()
                  ? "/>\n"
                  : fmt::format("><failure message=\"{}\"/></testcase>\n", escaped(first->failure));
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace sluice
