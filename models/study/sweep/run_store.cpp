// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/run_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/config_value.h"
#include "kernel/error.h"

namespace sluice {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw ConfigError(fmt::format("--out: cannot write {}: {}", path.string(), why));
}

/// The last line that says something.
std::string last_line(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::string last;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kPrefix = "sluice: ";
  if (last.starts_with(kPrefix)) last.erase(0, kPrefix.size());
  return one_line(last);
}

void check_directory(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error)) {
    refuse(directory, "it exists and is no directory");
  }
  if (!fs::is_directory(directory, error) || fs::is_empty(directory, error)) return;
  if (!fs::is_directory(directory / "points", error)) {
    throw ConfigError(fmt::format("--out: {} is not empty and holds no earlier sweep (no points/)",
                                  directory.string()));
  }
}

}  // namespace

RunStore::RunStore(fs::path directory) : directory_(std::move(directory)) {
  check_directory(directory_);
  points_ = directory_ / "points";
  std::error_code error;
  fs::create_directories(points_, error);
  if (error) refuse(directory_, error.message());
  const std::string lock = (points_ / ".lock").string();
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) refuse(lock, "the file cannot be created");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw ConfigError(fmt::format("--out: another sweep is at work in {}", directory_.string()));
  }
  for (const auto& entry : fs::directory_iterator(points_)) {
    const std::string name = entry.path().filename().string();
    const bool partial = name.find(".partial") != std::string::npos;
    if (partial || name.ends_with(".err")) fs::remove_all(entry.path(), error);
  }
}

RunStore::~RunStore() { ::close(lock_); }

std::optional<RunRecord> RunStore::find(const std::string& name, const std::string& inputs) const {
  std::ifstream in(points_ / (name + ".json"), std::ios::binary);
  if (!in) return std::nullopt;
  const Json json = Json::parse(in, nullptr, false);
  if (!json.is_object() || json.value("inputs", "") != inputs) return std::nullopt;
  return RunRecord{json.value("exit", 1), json.value("message", "")};
}

RunRecord RunStore::keep(const std::string& name, const std::string& inputs, int exit_code,
                         const std::string& signal) {
  RunRecord record{exit_code, ""};
  if (exit_code != 0) record.message = signal.empty() ? last_line(errors(name)) : signal;
  const Json json{{"inputs", inputs}, {"exit", exit_code}, {"message", record.message}};
  write_atomically(points_ / (name + ".json"),
                   json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  std::error_code ignored;
  fs::remove(errors(name), ignored);
  return record;
}

void write_atomically(const fs::path& path, const std::string& text) {
  const fs::path partial =
      path.parent_path() / fmt::format(".{}.partial", path.filename().string());
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  if (!out) refuse(path, "the file cannot be created");
  out << text;
  out.close();
  if (!out) refuse(path, "the disk did not take all of it");
  std::error_code error;
  fs::rename(partial, path, error);
  if (error) refuse(path, error.message());
}

}  // namespace sluice
