// SPDX-License-Identifier: Apache-2.0
#include "cli/run_request.h"

#include <filesystem>
#include <system_error>

#include "cli/command_parser.h"
#include "cli/option_value.h"
#include "cli/rtl_arguments.h"
#include "trace/trace.h"
#include "workload/synthetic.h"

namespace sluice {
namespace {

using Text = TCLAP::ValueArg<std::string>;
using Texts = TCLAP::MultiArg<std::string>;

double parse_scale(const std::string& text) {
  constexpr std::string_view kKey = "scale=";
  constexpr double kMost = 1e6;
  if (!text.starts_with(kKey)) throw ConfigError("expected scale=X, X a factor such as 0.5");
  const double scale = parse_number(std::string_view(text).substr(kKey.size()));
  if (!(scale >= 0 && scale <= kMost)) throw ConfigError("expected a factor in 0..1000000");
  return scale;
}

/// A run must have something to do and come to an end; raw frames may go on for ever.
void check_raw(const RunRequest& request, const FabricSpec& spec) {
  if (spec.raw.streams.empty()) {
    throw ConfigError(fmt::format(
        "{}: workload.streams: none, expected one or more: nothing to run", request.fabric_file));
  }
  if (request.until != kNever) return;
  for (std::size_t i = 0; i < spec.raw.streams.size(); ++i) {
    const RawStream& stream = spec.raw.streams[i];
    if (stream.frames == 0 && stream.stop == kNever) {
      throw ConfigError(
          fmt::format("{}: workload.streams.{} never ends: set its frames or stop, or give --until",
                      request.fabric_file, i));
    }
  }
  const RawParams& endpoint = spec.raw.endpoint;
  if (!spec.raw.pausing_hosts.empty() && endpoint.pause_priorities != 0 &&
      endpoint.pause_release == kNever) {
    throw ConfigError(fmt::format(
        "{}: workload.pause_hosts pause for ever: set workload.pause_release, or give --until",
        request.fabric_file));
  }
}

void check_ud(const RunRequest& request, const FabricSpec& spec) {
  if (spec.ud.streams.empty()) {
    throw ConfigError(fmt::format(
        "{}: workload.streams: none, expected one or more: nothing to run", request.fabric_file));
  }
  if (request.until != kNever) return;
  for (std::size_t i = 0; i < spec.ud.streams.size(); ++i) {
    if (spec.ud.streams[i].endless()) {
      throw ConfigError(
          fmt::format("{}: workload.streams.{} never ends: set its frames or stop, or give --until",
                      request.fabric_file, i));
    }
  }
}

void check_together(const RunRequest& request) {
  if (request.json && request.quiet) {
    throw ConfigError("--json and --quiet exclude each other: both say what stdout gets");
  }
  if (!request.capture.empty() && request.out.empty()) {
    throw ConfigError("--capture writes capture.pcapng into a run directory: give --out DIR too");
  }
  if (request.compute_scale && request.traces.empty()) {
    throw ConfigError(
        "--compute scales the computation recorded in a trace, but there is no --trace");
  }
}

}  // namespace

std::optional<RunRequest> parse_run(const std::vector<std::string>& words,
                                    const Terminal& terminal) {
  CommandParser parser(
      {"run", "run a workload or a recorded trace over a fabric",
       "build/release/sluice run testbenches/fabrics/demo.yaml --trace traces/train-dp-8.tar.zst"
       " --out build/run"});
  TCLAP::CmdLine& line = parser.line();
  TCLAP::UnlabeledValueArg<std::string> fabric("FABRIC", "fabric file", true, "", "FABRIC.yaml",
                                               line);
  Texts traces("", "trace", "recorded trace: a file, a directory with a file a rank, or an archive",
               false, "PATH", line);
  Texts sonic("", "sonic",
              "SONiC configuration (file or directory) for all switches, in place of switch.sonic",
              false, "PATH", line);
  Texts sets("", "set", "override one value of the fabric file, by dotted path", false, "key=value",
             line);
  Text out("", "out", "write summary.json, ops.csv, counters.csv and config.yaml there", false, "",
           "DIR", line);
  Text capture("", "capture",
               "write what these ports send to capture.pcapng in --out: all, or names such as"
               " leaf0.port3,nic5.port0",
               false, "", "all|PORT,...", line);
  Text seed("", "seed", "seed of all random draws (1)", false, "1", "N", line);
  Text until("", "until", "stop at this simulated time, such as 2ms", false, "", "TIME", line);
  Text compute("", "compute", "multiply the trace's recorded computation by X (scale=1)", false, "",
               "scale=X", line);
  RtlArguments rtl(line);
  TCLAP::SwitchArg json("", "json", "print summary.json and nothing else", line);
  TCLAP::SwitchArg quiet("", "quiet", "print the verdict alone", line);
  TCLAP::SwitchArg progress("", "progress", "a line a second on stderr, also without a terminal",
                            line);
  if (!parser.parse(words, terminal.out)) return std::nullopt;

  RunRequest request;
  request.fabric_file = fabric.getValue();
  request.traces = traces.getValue();
  request.sonic = sonic.getValue();
  request.overrides = sets.getValue();
  request.out = out.getValue();
  if (out.isSet() && request.out.empty()) throw ConfigError("--out: expected a directory");
  request.capture = capture.getValue();
  if (capture.isSet() && request.capture.empty()) {
    throw ConfigError("--capture: expected all, or names of ports");
  }
  request.seed = parse_option("--seed", seed.getValue(), parse_unsigned);
  if (until.isSet()) request.until = parse_option("--until", until.getValue(), parse_time);
  if (compute.isSet()) {
    request.compute_scale = parse_option("--compute", compute.getValue(), parse_scale);
  }
  request.rtl = rtl.read();
  request.json = json.getValue();
  request.quiet = quiet.getValue();
  request.progress = progress.getValue();
  check_together(request);
  return request;
}

ConfigTree load_tree(const RunRequest& request) {
  ConfigTree tree = ConfigTree::load(request.fabric_file);
  set_sonic(tree, request.sonic);
  for (const std::string& assignment : request.overrides) tree.apply(assignment);
  resolve_sonic_paths(tree);
  return tree;
}

Workload load_workload(const RunRequest& request, FabricSpec& spec) {
  if (!request.traces.empty()) {
    TraceImport trace = import_trace({request.traces.begin(), request.traces.end()});
    scale_compute(trace.workload, request.compute_scale.value_or(1));
    spec.workload = SyntheticParams{};
    spec.ud = UdWorkload{};
    spec.verbs.clear();
    return std::move(trace.workload);
  }
  if (spec.workload.type == SyntheticType::kNone) {
    throw ConfigError(fmt::format("{}: has no workload and no --trace was given: nothing to run",
                                  request.fabric_file));
  }
  if (spec.is_raw()) {
    check_raw(request, spec);
    return {};
  }
  if (spec.is_ud()) check_ud(request, spec);
  if (spec.is_verbs() && spec.verbs.empty()) {
    throw ConfigError(
        fmt::format("{}: workload.operations: none, expected one or more: nothing to run",
                    request.fabric_file));
  }
  return make_synthetic(spec.workload, make_topology(spec.topology).endpoints);
}

void check_out_directory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(directory, error)) return;  // RunDirectory refuses what is in its way
  if (fs::is_empty(directory, error)) return;
  if (!fs::exists(fs::path(directory) / "summary.json", error)) {
    throw ConfigError(fmt::format(
        "--out: {} is not empty and holds no earlier run (no summary.json)", directory));
  }
}

std::string repeat_command(const RunRequest& request, const std::string& config_file) {
  std::string text = fmt::format("sluice run {} --seed {}", config_file, request.seed);
  for (const std::string& trace : request.traces) text += fmt::format(" --trace {}", trace);
  if (request.until != kNever) text += fmt::format(" --until {}", format_time(request.until));
  if (request.compute_scale) {
    text += fmt::format(" --compute scale={}", format_number(*request.compute_scale));
  }
  return text;
}

}  // namespace sluice
