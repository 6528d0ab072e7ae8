// SPDX-License-Identifier: Apache-2.0
// `sluice run`: one simulation, its report and its run directory.
// Leaves out: reading the words (run_request.h) and what the numbers are (study/, results/).
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <optional>

#include "cli/effective_config.h"
#include "cli/heartbeat.h"
#include "cli/report.h"
#include "cli/run_request.h"
#include "fabric/capture/wire_capture.h"
#include "results/run_directory.h"
#include "study/simulation.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

/// The process as a whole, elaboration and reading of traces included.
void add_process_cost(Summary& summary, Clock::time_point start) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  summary.cpu_s = static_cast<double>(usage.ru_utime.tv_sec) +
                  static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
  summary.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  summary.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void write_run(RunDirectory& directory, const RunRequest& request, const ConfigTree& tree,
               const SonicReport& sonic, const Summary& summary,
               const StatisticsRegistry& registry) {
  write_results(directory, summary, registry);
  if (sonic.used()) {
    directory.write("sonic_notes.txt", [&](std::ostream& out) { out << sonic_text(sonic); });
  }
  directory.write("config.yaml", [&](std::ostream& out) {
    out << "# " << repeat_command(request, (directory.target() / "config.yaml").string()) << "\n"
        << yaml_text(tree.root());
  });
  directory.commit();
}

void print_report(const RunRequest& request, const Terminal& terminal, const std::string& header,
                  const Summary& summary, const ReportOptions& options) {
  if (request.json) {
    terminal.out << summary_json_text(summary);
  } else if (request.quiet) {
    terminal.out << verdict_line(summary);
  } else {
    terminal.out << header << run_report(summary, options);
  }
}

}  // namespace

int run_command(const std::vector<std::string>& words, const Terminal& terminal) {
  const Clock::time_point start = Clock::now();
  const std::optional<RunRequest> request = parse_run(words, terminal);
  if (!request) return 0;
  const ConfigTree tree = load_tree(*request);
  FabricSpec spec = read_fabric(tree);
  if (!request->out.empty()) check_out_directory(request->out);
  Workload workload = load_workload(*request, spec);
  const SonicReport sonic = spec.sonic;
  const std::string header = report_header(*request, spec, workload) + sonic_text(sonic);
  ReportOptions report{busbw_bound(spec.nic), ""};

  Heartbeat heartbeat(terminal.err, terminal.err_is_terminal, request->until);
  const bool beats = request->progress || (terminal.err_is_terminal && !request->quiet);
  RtlStandIn stand_in(request->rtl, request->seed);
  RunOptions options{request->seed, request->until, beats ? &heartbeat : nullptr};
  options.switch_swap = stand_in.chips();
  options.nic_swap = stand_in.nics();
  Simulation simulation(std::move(spec), std::move(workload), options);
  stand_in.check_used();
  std::vector<CapturePort> captured;
  if (!request->capture.empty()) {
    captured = select_ports(capture_ports(simulation.fabric()), request->capture);
  }
  std::optional<RunDirectory> directory;
  if (!request->out.empty()) directory.emplace(request->out);
  std::optional<WireCapture> capture;
  if (!captured.empty()) {
    capture.emplace(simulation.fabric(), simulation.context().wheel, captured, simulation.ipv6(),
                    directory->staged("capture.pcapng").string());
  }
  heartbeat.watch(&simulation);
  RunOutcome outcome = simulation.run();
  heartbeat.finish();
  if (capture) capture->close();

  add_process_cost(outcome.summary, start);
  if (!request->rtl.blocks.empty()) {
    outcome.summary.rtl = {request->rtl.blocks, request->rtl.scope, verilator_version()};
  }
  if (directory) {
    write_run(*directory, *request, tree, sonic, outcome.summary, simulation.statistics());
    report.run_directory = directory->target().string();
  }
  print_report(*request, terminal, header, outcome.summary, report);
  if (outcome.exit != ExitCode::kOk) {
    terminal.out.flush();
    throw Error(outcome.exit, outcome.message);
  }
  return 0;
}

}  // namespace sluice
