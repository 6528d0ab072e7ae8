// SPDX-License-Identifier: Apache-2.0
// SONiC configurations as text for tests: a small switch of four ports that tests change in one
// place, written to files of their own. Leaves out: any expectation.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fabric/sonic/sonic_config.h"
#include "kernel/error.h"

namespace sluice::test {

/// A directory of a test's own, removed at its end.
class Scratch {
 public:
  Scratch() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / ("sluice_" + std::to_string(::getpid()) + "_" +
                                                      info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Four 400G ports, lossless groups 3 and 4 with rows of their own.
inline nlohmann::json small_switch() {
  return nlohmann::json::parse(R"({
    "PORT": {
      "Ethernet0": {"lanes": "1,2,3,4", "speed": "400000", "index": "1", "admin_status": "up"},
      "Ethernet4": {"lanes": "5,6,7,8", "speed": "400000", "index": "1", "admin_status": "up"},
      "Ethernet8": {"lanes": "129,130,131,132", "speed": "400000", "index": "2"},
      "Ethernet12": {"lanes": "133,134,135,136", "speed": "400000", "index": "2"}},
    "BUFFER_POOL": {
      "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "100000000",
                                "xoff": "10000000"},
      "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "100000000"}},
    "BUFFER_PROFILE": {
      "in": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "82434938"},
      "out": {"pool": "egress_lossless_pool", "size": "1778", "dynamic_th": "0"},
      "lossless": {"pool": "ingress_lossless_pool", "size": "18796", "xoff": "445770", "xon": "0",
                   "xon_offset": "3556", "dynamic_th": "-1"}},
    "BUFFER_PG": {
      "Ethernet0,Ethernet4,Ethernet8,Ethernet12|0": {"profile": "in"},
      "Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4": {"profile": "lossless"}},
    "BUFFER_QUEUE": {"Ethernet0,Ethernet4,Ethernet8,Ethernet12|0-2": {"profile": "out"}},
    "PORT_QOS_MAP": {"Ethernet0,Ethernet4,Ethernet8,Ethernet12": {"pfc_enable": "3,4"}},
    "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m", "Ethernet8": "40m",
                               "Ethernet12": "40m"}}
  })");
}

inline SonicConfig read(const nlohmann::json& tables) {
  const Scratch scratch;
  return read_sonic({scratch.write("config_db.json", tables.dump())});
}

/// Reading throws one line that holds all parts.
inline void expect_files_refused(const std::vector<std::filesystem::path>& paths,
                                 const std::vector<std::string>& parts) {
  try {
    read_sonic(paths);
    ADD_FAILURE() << "taken";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
    }
  }
}

inline void expect_refused(const nlohmann::json& tables, std::vector<std::string> parts) {
  const Scratch scratch;
  parts.push_back("config_db.json");
  expect_files_refused({scratch.write("config_db.json", tables.dump())}, parts);
}

inline bool has_note(const std::vector<std::string>& notes, const std::string& part) {
  for (const std::string& note : notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace sluice::test
