// SPDX-License-Identifier: Apache-2.0
// What a `sluice run` was asked to do, read and checked, before anything is built.
// Leaves out: doing it (run.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/rtl_request.h"
#include "config/config_tree.h"
#include "fabric/fabric_spec.h"
#include "kernel/time.h"
#include "workload/workload.h"

namespace sluice {

struct RunRequest {
  std::string fabric_file;
  std::vector<std::string> traces;
  std::vector<std::string> sonic;      ///< paths in place of the fabric file's switch.sonic
  std::vector<std::string> overrides;  ///< "key=value"
  std::string out;                     ///< empty: nothing is written
  std::string capture;                 ///< "all" or names of ports; empty: nothing is captured
  RtlRequest rtl;
  std::uint64_t seed = 1;
  Ps until = kNever;
  std::optional<double> compute_scale;
  bool json = false;
  bool quiet = false;
  bool progress = false;
};

/// Nothing when --help was asked for and printed. Throws ConfigError.
std::optional<RunRequest> parse_run(const std::vector<std::string>& words,
                                    const Terminal& terminal);

/// The fabric file with its overrides.
ConfigTree load_tree(const RunRequest& request);

/// The traces, or what the fabric file asks for; `spec.workload` becomes none for a trace. Throws
/// ConfigError when there is neither.
Workload load_workload(const RunRequest& request, FabricSpec& spec);

/// Throws ConfigError unless `directory` is new, empty, or holds an earlier run.
void check_out_directory(const std::string& directory);

/// The words that repeat this run with its config.yaml.
std::string repeat_command(const RunRequest& request, const std::string& config_file);

}  // namespace sluice
