// SPDX-License-Identifier: Apache-2.0
#include "results/run_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "kernel/error.h"
#include "results/csv.h"

namespace sluice {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw ConfigError(fmt::format("--out: cannot write {}: {}", path.string(), why));
}

}  // namespace

RunDirectory::RunDirectory(fs::path target) : target_(std::move(target)) {
  std::error_code error;
  target_ = fs::absolute(target_).lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();  // written with a slash at its end
  if (fs::exists(target_, error) && !fs::is_directory(target_, error)) {
    refuse(target_, "it exists and is no directory");
  }
  fs::path missing = target_.parent_path();
  std::vector<fs::path> parents;
  for (; !missing.empty() && !fs::exists(missing, error); missing = missing.parent_path()) {
    parents.insert(parents.begin(), missing);
  }
  for (const fs::path& parent : parents) {
    if (!fs::create_directory(parent, error) && error) {
      roll_back();
      refuse(parent, error.message());
    }
    created_parents_.push_back(parent);
  }
  stage_ = target_.parent_path() /
           fmt::format(".{}.partial-{}", target_.filename().string(), ::getpid());
  fs::remove_all(stage_, error);
  error.clear();
  if (!fs::create_directory(stage_, error)) {
    roll_back();
    refuse(target_, error.message());
  }
}

RunDirectory::~RunDirectory() {
  if (!committed_) roll_back();
}

void RunDirectory::roll_back() {
  std::error_code ignored;
  if (!stage_.empty()) fs::remove_all(stage_, ignored);
  for (auto at = created_parents_.rbegin(); at != created_parents_.rend(); ++at) {
    fs::remove(*at, ignored);  // only when empty
  }
}

void RunDirectory::write(std::string_view name, const std::function<void(std::ostream&)>& writer) {
  const fs::path path = staged(name);
  std::ofstream out(path, std::ios::binary);
  if (!out) refuse(target_ / name, "the file cannot be created");
  writer(out);
  out.close();
  if (!out) refuse(target_ / name, "the disk did not take all of it");
}

void RunDirectory::commit() {
  std::error_code error;
  if (!fs::exists(target_, error)) {
    fs::rename(stage_, target_, error);
    if (error) refuse(target_, error.message());
  } else {
    for (const auto& entry : fs::directory_iterator(stage_)) {
      const fs::path place = target_ / entry.path().filename();
      if (entry.is_directory()) fs::remove_all(place, error);
      fs::rename(entry.path(), place, error);
      if (error) refuse(place, error.message());
    }
    fs::remove_all(stage_, error);
  }
  committed_ = true;
}

void write_results(RunDirectory& directory, const Summary& summary,
                   const StatisticsRegistry& registry) {
  directory.write("summary.json", [&](std::ostream& out) { out << summary_json_text(summary); });
  directory.write("ops.csv", [&](std::ostream& out) { write_ops_csv(out, summary.ops); });
  directory.write("counters.csv", [&](std::ostream& out) { write_counters_csv(out, registry); });
}

}  // namespace sluice
