// SPDX-License-Identifier: Apache-2.0
// `sluice sweep`: a study's points, its table, and the verdict of its checker.
// Leaves out: running the points (study/sweep/).
#include "study/sweep/sweep.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/cli.h"
#include "cli/command_parser.h"
#include "cli/option_value.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

/// A line on stderr: in place on a terminal, at most one a second elsewhere.
class SweepBar {
 public:
  SweepBar(std::ostream& err, bool in_place) : err_(err), in_place_(in_place) {}

  void show(const SweepProgress& progress) {
    const Clock::time_point now = Clock::now();
    const bool last = progress.done == progress.points;
    if (!last && now - shown_ < (in_place_ ? kShort : kLong)) return;
    shown_ = now;
    err_ << (in_place_ ? "\r" : "") << line(progress) << (in_place_ ? "\x1b[K" : "\n")
         << std::flush;
    open_ = in_place_;
  }
  void finish() {
    if (open_) err_ << "\n" << std::flush;
    open_ = false;
  }

 private:
  static constexpr std::chrono::milliseconds kShort{100};
  static constexpr std::chrono::milliseconds kLong{1000};
  static constexpr std::size_t kWidth = 24;

  std::string line(const SweepProgress& progress) const {
    const std::size_t filled =
        progress.points == 0 ? kWidth : progress.done * kWidth / progress.points;
    std::string text =
        fmt::format("[{}{}] {}/{} points, {} running, {} failed", std::string(filled, '#'),
                    std::string(kWidth - filled, '.'), progress.done, progress.points,
                    progress.running, progress.failed);
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    if (progress.done > 0 && progress.done < progress.points && progress.runs > 0) {
      const double left = spent / static_cast<double>(progress.done) *
                          static_cast<double>(progress.points - progress.done);
      text += fmt::format(", {:.0f} s left", left);
    }
    return text;
  }

  std::ostream& err_;
  bool in_place_;
  bool open_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
};

struct SweepRequest {
  std::string file;
  SweepOptions options;
  bool quick = false;
  bool check = true;
  bool quiet = false;
  bool progress = false;
};

std::size_t parse_jobs(const std::string& text) {
  constexpr std::uint64_t kMost = 4096;
  const std::uint64_t jobs = parse_unsigned(text);
  if (jobs == 0 || jobs > kMost) throw ConfigError("expected 1..4096 processes");
  return jobs;
}

/// "header=value" words; several values of one header are all kept.
Selection parse_only(const std::vector<std::string>& words) {
  Selection selection;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(fmt::format("--only {}: expected axis=value", word));
    }
    const std::string header = word.substr(0, equals);
    auto at = selection.begin();
    while (at != selection.end() && at->first != header) ++at;
    if (at == selection.end()) at = selection.insert(at, {header, {}});
    at->second.push_back(word.substr(equals + 1));
  }
  return selection;
}

std::optional<SweepRequest> parse_sweep(const std::vector<std::string>& words,
                                        const Terminal& terminal) {
  CommandParser parser({"sweep", "run a study: every point of a grid, one table, its checker",
                        "build/release/sluice sweep testbenches/studies/s1-alpha-incast.yaml"
                        " --quick --jobs 2 --out build/s1"});
  TCLAP::CmdLine& line = parser.line();
  TCLAP::UnlabeledValueArg<std::string> study("STUDY", "study file", true, "", "STUDY.yaml", line);
  TCLAP::ValueArg<std::string> jobs("", "jobs", "points that run at once (all cores)", false, "",
                                    "N", line);
  TCLAP::ValueArg<std::string> out(
      "", "out", "table.csv, failed.csv and points/ go there; an earlier sweep there is resumed",
      true, "", "DIR", line);
  TCLAP::MultiArg<std::string> only("", "only", "points with this value of an axis alone", false,
                                    "axis=value", line);
  TCLAP::MultiArg<std::string> sets("", "set", "override one value at every point", false,
                                    "key=value", line);
  TCLAP::SwitchArg quick("", "quick", "the points that the study lists under quick", line);
  TCLAP::SwitchArg no_check("", "no-check", "do not run the study's checker", line);
  TCLAP::SwitchArg quiet("", "quiet", "no report: the exit code and failed points alone", line);
  TCLAP::SwitchArg progress("", "progress", "the bar on stderr also without a terminal", line);
  if (!parser.parse(words, terminal.out)) return std::nullopt;

  SweepRequest request;
  request.file = study.getValue();
  request.options.program = std::filesystem::read_symlink("/proc/self/exe").string();
  request.options.out = out.getValue();
  if (request.options.out.empty()) throw ConfigError("--out: expected a directory");
  request.options.jobs = jobs.isSet() ? parse_option("--jobs", jobs.getValue(), parse_jobs)
                                      : std::max(1u, std::thread::hardware_concurrency());
  request.options.selection = parse_only(only.getValue());
  request.options.sets = sets.getValue();
  request.quick = quick.getValue();
  request.check = !no_check.getValue();
  request.quiet = quiet.getValue();
  request.progress = progress.getValue();
  if (request.quick && only.isSet()) {
    throw ConfigError("--quick and --only exclude each other: both say which points run");
  }
  return request;
}

/// Runs the checker on the table with our own stdout and stderr; its exit code.
int run_checker(const Study& study, const std::string& table) {
  std::string words[] = {"python3", "-B", study.checker, table};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                             nullptr};
  const int pid = ::fork();
  if (pid == 0) {
    ::execvp(arguments[0], arguments);
    ::_exit(127);
  }
  int status = 0;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) break;
  }
  if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    throw ConfigError(
        fmt::format("{}: checkers need python3, which cannot be started; --no-check "
                    "leaves {} out",
                    study.file, study.checker));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void print_outcome(const SweepRequest& request, const Terminal& terminal,
                   const SweepOutcome& outcome) {
  const SweepProgress& progress = outcome.progress;
  terminal.out << fmt::format(
      "{}: {} of {} points, {} failed; {} runs, {} of them from an earlier sweep\ntable          "
      "{}\n",
      request.file, progress.points - progress.failed, progress.points, progress.failed,
      progress.runs + progress.reused, progress.reused, outcome.table);
  for (const FailedPoint& failed : outcome.failed) {
    terminal.out << fmt::format("failed         point {}, exit {}: {}\n", failed.point,
                                failed.exit_code, failed.message);
  }
  terminal.out.flush();
}

}  // namespace

int sweep_command(const std::vector<std::string>& words, const Terminal& terminal) {
  std::optional<SweepRequest> request = parse_sweep(words, terminal);
  if (!request) return 0;
  const Study study = read_study(request->file);
  if (request->quick) {
    if (study.quick.empty()) {
      throw ConfigError(fmt::format("--quick: {} has no section quick", request->file));
    }
    request->options.selection = study.quick;
  }
  SweepBar bar(terminal.err, terminal.err_is_terminal);
  const bool shows = request->progress || (terminal.err_is_terminal && !request->quiet);
  std::function<void(const SweepProgress&)> show;
  if (shows) show = [&bar](const SweepProgress& progress) { bar.show(progress); };
  const SweepOutcome outcome = run_sweep(study, request->options, show);
  bar.finish();
  if (!request->quiet) print_outcome(*request, terminal, outcome);
  if (!outcome.failed.empty()) {
    const FailedPoint& first = outcome.failed.front();
    throw Error(
        static_cast<ExitCode>(first.exit_code),
        fmt::format("{}: {} of {} points failed, see failed.csv; first point {}: {}", request->file,
                    outcome.failed.size(), outcome.progress.points, first.point, first.message));
  }
  if (!request->check || study.checker.empty()) return 0;
  const int code = run_checker(study, outcome.table);
  if (code == 0) return 0;
  // A checker says no with 7; anything else is a fault of its own.
  const bool says_no = code == static_cast<int>(ExitCode::kInvariant);
  throw Error(says_no ? ExitCode::kInvariant : ExitCode::kInternal,
              fmt::format("{}: {} {}", request->file, study.checker,
                          says_no ? "found values outside its tolerances"
                                  : fmt::format("failed with exit code {}", code)));
}

}  // namespace sluice
