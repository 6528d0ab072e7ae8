// SPDX-License-Identifier: Apache-2.0
// What `sluice run` prints for people. Leaves out: what scripts read (summary.json).
#pragma once

#include <string>

#include "cli/run_request.h"
#include "results/summary.h"

namespace sluice {

struct ReportOptions {
  double busbw_bound_gbytes_per_s = 0;  ///< of an endpoint; a row above it is flagged
  std::string run_directory;            ///< empty: nothing was written
};

/// One line: which fabric, how many hosts, which workload, which seed.
std::string report_header(const RunRequest& request, const FabricSpec& spec,
                          const Workload& workload);
/// What SONiC files say that the model does not use, a line each; nothing without SONiC files.
std::string sonic_text(const SonicReport& sonic);
/// Ops, then what got in the way, then the byte ledger.
std::string run_report(const Summary& summary, const ReportOptions& options);
std::string verdict_line(const Summary& summary);

/// Payload rate of an endpoint in GB/s with full packets, its fastest allowed clock included.
double busbw_bound(const NicParams& nic);

}  // namespace sluice
