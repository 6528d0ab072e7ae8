// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>

#include "config/config_tree.h"
#include "kernel/error.h"
#include "kernel/random.h"
#include "results/csv.h"
#include "results/summary.h"
#include "study/sweep/point_search.h"
#include "study/sweep/process_pool.h"
#include "study/sweep/run_store.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

/// The program and the traces, by content or by size and time: an old run of another build or with
/// another trace is no result of this sweep.
std::uint64_t hash_of_inputs(const SweepOptions& options, const Study& study) {
  std::uint64_t hash = hash_name("sweep");
  std::ifstream in(options.program, std::ios::binary);
  std::array<char, 65536> block;
  while (in.read(block.data(), block.size()), in.gcount() > 0) {
    hash = mix64(hash ^ hash_name({block.data(), static_cast<std::size_t>(in.gcount())}));
  }
  std::error_code error;
  for (const std::string& trace : study.traces) {
    const auto time = fs::last_write_time(trace, error).time_since_epoch().count();
    const std::uintmax_t size = fs::is_regular_file(trace, error) ? fs::file_size(trace) : 0;
    hash = mix64(hash ^ hash_name(fmt::format("{} {} {}", trace, size, time)));
  }
  return hash;
}

/// Every deterministic verdict of a run by its exit code, as `expect` names them.
bool is_result(const Study& study, int exit_code, const std::string& verdict) {
  if (exit_code == 0) return true;
  return (exit_code == static_cast<int>(ExitCode::kNotLossless) ||
          exit_code == static_cast<int>(ExitCode::kStalled)) &&
         std::find(study.expected.begin(), study.expected.end(), verdict) != study.expected.end();
}

struct PointState {
  SweepPoint point;
  std::uint64_t config_hash = 0;
  std::optional<Halving> search;
  std::uint64_t tried = 0;  ///< value of the search in the run under way
  bool done = false;
  std::optional<FailedPoint> failure;
  std::string verdict;
  std::vector<std::string> cells;
};

class Sweep {
 public:
  Sweep(Study study, const SweepOptions& options,
        const std::function<void(const SweepProgress&)>& progress);
  SweepOutcome run();

 private:
  std::string run_name(const PointState& state) const;
  std::vector<std::string> run_words(const PointState& state) const;
  std::string inputs_of(const PointState& state) const;
  /// Starts the point's next run, or takes what earlier runs left; true when one was started.
  bool advance(std::size_t index, ProcessPool& pool);
  void take(PointState& state, const RunRecord& record);
  std::string table() const;
  std::string failures() const;
  void report(std::size_t running);

  Study study_;
  const SweepOptions& options_;
  const std::function<void(const SweepProgress&)>& on_progress_;
  ConfigTree fabric_;
  std::uint64_t inputs_hash_;
  std::vector<PointState> states_;
  std::optional<RunStore> store_;
  SweepProgress progress_;
};

Sweep::Sweep(Study study, const SweepOptions& options,
             const std::function<void(const SweepProgress&)>& progress)
    : study_(std::move(study)),
      options_(options),
      on_progress_(progress),
      fabric_(ConfigTree::load(study_.fabric)),
      inputs_hash_(hash_of_inputs(options, study_)) {
  for (const std::string& word : options.sets) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(fmt::format("--set {}: expected key=value", word));
    }
    const std::string key = word.substr(0, equals);
    for (const Axis& axis : study_.axes) {
      if (std::find(axis.keys.begin(), axis.keys.end(), key) != axis.keys.end()) {
        throw ConfigError(
            fmt::format("--set {}: {} is an axis ({}); use --only", word, key, axis.origin));
      }
    }
    if (study_.search && std::find(study_.search->keys.begin(), study_.search->keys.end(), key) !=
                             study_.search->keys.end()) {
      throw ConfigError(fmt::format("--set {}: the study searches it", word));
    }
    study_.sets.push_back({key, word.substr(equals + 1), ""});
  }
  for (SweepPoint& point : make_points(study_, options.selection)) {
    PointState& state = states_.emplace_back();
    std::vector<Override> overrides = point.overrides;
    if (study_.search) {
      state.search.emplace(study_.search->from, study_.search->to);
      for (Override& item : study_.search->at(study_.search->to)) {
        overrides.push_back(std::move(item));
      }
    }
    state.config_hash = check_point(study_, fabric_, overrides);
    state.point = std::move(point);
  }
  progress_.points = states_.size();
}

std::string Sweep::run_name(const PointState& state) const {
  std::string name = fmt::format("{:05}", state.point.number);
  if (state.search) name += fmt::format("-{}", state.tried);
  return name;
}

std::vector<std::string> Sweep::run_words(const PointState& state) const {
  std::vector<std::string> words{options_.program, "run",    study_.fabric,
                                 "--quiet",        "--seed", fmt::format("{}", state.point.seed)};
  const auto option = [&words](const char* name, std::string value) {
    words.emplace_back(name);
    words.push_back(std::move(value));
  };
  for (const std::string& trace : study_.traces) option("--trace", trace);
  if (!study_.until.empty()) option("--until", study_.until);
  if (!study_.compute.empty()) option("--compute", study_.compute);
  for (const auto* list : {&study_.sets, &state.point.overrides}) {
    for (const Override& item : *list) option("--set", item.key + "=" + item.value);
  }
  if (state.search) {
    for (const Override& item : study_.search->at(state.tried)) {
      option("--set", item.key + "=" + item.value);
    }
  }
  option("--out", store_->run(run_name(state)).string());
  return words;
}

/// Everything that a run's result follows from; not where its files lie.
std::string Sweep::inputs_of(const PointState& state) const {
  std::vector<std::string> words = run_words(state);
  words.resize(words.size() - 2);  // --out
  words.erase(words.begin());
  std::string text = fmt::format("{:016x} {:016x}", inputs_hash_, state.config_hash);
  for (const std::string& word : words) text += " " + word;
  return text;
}

void Sweep::take(PointState& state, const RunRecord& record) {
  const fs::path directory = store_->run(run_name(state));
  std::string verdict;
  std::error_code error;
  const bool has_results = fs::exists(directory / "summary.json", error);
  if (has_results) {
    Column column;
    column.name = column.summary = "verdict";
    verdict = column_values({column}, directory).front();
  }
  if (!has_results || !is_result(study_, record.exit_code, verdict)) {
    state.failure = FailedPoint{state.point.number, record.exit_code, record.message};
    state.done = true;
    return;
  }
  const std::vector<std::string> cells = column_values(study_.columns, directory);
  if (!state.search) {
    state.cells = cells;
    state.verdict = verdict;
    state.done = true;
    return;
  }
  const std::string& answer = cells[study_.search->when];
  const bool zero = answer.empty() || answer == "0";
  const bool happened = zero == study_.search->until_zero;
  state.search->answer(happened);
  const auto next = state.search->next();
  // The row is that of the smallest value at which it happened, or of the largest when it did not.
  if (happened || (!next && !state.search->found())) {
    state.cells = cells;
    state.verdict = verdict;
  }
  state.done = !next;
}

bool Sweep::advance(std::size_t index, ProcessPool& pool) {
  PointState& state = states_[index];
  while (!state.done) {
    if (state.search) state.tried = *state.search->next();
    const std::string name = run_name(state);
    if (const auto record = store_->find(name, inputs_of(state))) {
      ++progress_.reused;
      take(state, *record);
      continue;
    }
    std::error_code error;
    fs::remove_all(store_->run(name), error);  // of other inputs
    fs::remove(store_->run(name).string() + ".json", error);
    pool.start(index, run_words(state), store_->errors(name));
    return true;
  }
  ++progress_.done;
  progress_.failed += state.failure ? 1 : 0;
  return false;
}

void Sweep::report(std::size_t running) {
  progress_.running = running;
  if (on_progress_) on_progress_(progress_);
}

SweepOutcome Sweep::run() {
  store_.emplace(options_.out);
  ProcessPool pool(options_.jobs);
  std::size_t next = 0;
  report(0);
  while (next < states_.size() || pool.running() > 0) {
    while (next < states_.size() && !pool.full()) advance(next++, pool);
    if (pool.running() == 0) continue;
    const ProcessPool::Ended ended = pool.wait();
    PointState& state = states_[ended.task];
    const std::string signal =
        ended.signal == 0 ? "" : fmt::format("ended by signal {}", ended.signal);
    // A point of a search stays at work: its next run takes the place of this one.
    take(state, store_->keep(run_name(state), inputs_of(state), ended.exit_code, signal));
    ++progress_.runs;
    advance(ended.task, pool);
    report(pool.running());
  }
  SweepOutcome outcome;
  for (const PointState& state : states_) {
    if (state.failure) outcome.failed.push_back(*state.failure);
  }
  write_atomically(store_->directory() / "failed.csv", failures());
  write_atomically(store_->directory() / "table.csv", table());
  outcome.table = (store_->directory() / "table.csv").string();
  report(0);
  outcome.progress = progress_;
  return outcome;
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) {
    if (!row.empty()) row += ',';
    row += csv_field(cell);
  }
  return row + "\n";
}

std::string Sweep::table() const {
  std::vector<std::string> header{"point"};
  for (const std::string& name : axis_headers(study_)) header.push_back(name);
  header.emplace_back("seed");
  header.emplace_back("verdict");
  if (study_.search) header.push_back(study_.search->header);
  for (const Column& column : study_.columns) header.push_back(column.name);
  std::string text = csv_row(header);
  for (const PointState& state : states_) {
    if (state.failure) continue;
    std::vector<std::string> row{fmt::format("{}", state.point.number)};
    row.insert(row.end(), state.point.shown.begin(), state.point.shown.end());
    row.push_back(fmt::format("{}", state.point.seed));
    row.push_back(state.verdict);
    if (state.search) {
      const auto found = state.search->found();
      row.push_back(found ? fmt::format("{}", *found) : "");
    }
    row.insert(row.end(), state.cells.begin(), state.cells.end());
    text += csv_row(row);
  }
  return text;
}

std::string Sweep::failures() const {
  std::vector<std::string> header{"point"};
  for (const std::string& name : axis_headers(study_)) header.push_back(name);
  for (const char* name : {"seed", "exit", "message"}) header.emplace_back(name);
  std::string text = csv_row(header);
  for (const PointState& state : states_) {
    if (!state.failure) continue;
    std::vector<std::string> row{fmt::format("{}", state.point.number)};
    row.insert(row.end(), state.point.shown.begin(), state.point.shown.end());
    row.push_back(fmt::format("{}", state.point.seed));
    row.push_back(fmt::format("{}", state.failure->exit_code));
    row.push_back(state.failure->message);
    text += csv_row(row);
  }
  return text;
}

}  // namespace

SweepOutcome run_sweep(Study study, const SweepOptions& options,
                       const std::function<void(const SweepProgress&)>& progress) {
  return Sweep(std::move(study), options, progress).run();
}

}  // namespace sluice
