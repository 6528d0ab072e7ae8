// SPDX-License-Identifier: Apache-2.0
// A JUnit XML report, as continuous integration servers read it. Leaves out: times.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

class JunitReport {
 public:
  void passed(std::string_view suite, std::string_view name) { add(suite, name, ""); }
  /// `why` must not be empty.
  void failed(std::string_view suite, std::string_view name, std::string_view why) {
    add(suite, name, why);
  }
  /// Of every suite; what a reader needs to repeat it.
  void property(std::string_view name, std::string_view value) {
    properties_.emplace_back(name, value);
  }
  std::string text() const;

 private:
  struct Case {
    std::string suite;
    std::string name;
    std::string failure;
  };
  void add(std::string_view suite, std::string_view name, std::string_view failure) {
    cases_.push_back({std::string(suite), std::string(name), std::string(failure)});
  }

  std::vector<std::pair<std::string, std::string>> properties_;
  std::vector<Case> cases_;  // cases of a suite lie side by side
};

}  // namespace sluice
