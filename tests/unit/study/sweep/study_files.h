// SPDX-License-Identifier: Apache-2.0
// A scratch directory with a small fabric file, in which a test writes its study.
// Leaves out: running anything.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/error.h"

namespace sluice::test {

class StudyFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-study-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    write("fabric.yaml",
          "fabric: {type: single_switch, hosts: 4}\n"
          "workload: {type: incast, dst: 0, first: 1, count: 3, bytes: 64KiB}\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  /// What a call refuses with; the test fails when it does not.
  template <class Call>
  std::string refusal(const Call& call) const {
    try {
      call();
    } catch (const ConfigError& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }

  std::filesystem::path directory_;
};

inline void expect_holds(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
  }
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

}  // namespace sluice::test
