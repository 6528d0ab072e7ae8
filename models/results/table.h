// SPDX-License-Identifier: Apache-2.0
// The outcome of a run for people: a row an op kind and size, then what got in the way.
// Leaves out: attribution of time, and anything a script should parse (summary.json is for that).
#pragma once

#include <optional>
#include <string>

#include "results/summary.h"

namespace sluice {

struct TableOptions {
  /// Payload rate of one endpoint in GB/s; a bus bandwidth above it is flagged, as it cannot be.
  std::optional<double> busbw_bound_gbytes_per_s;
  /// Printed last; empty: nothing was written.
  std::string run_directory;
};

std::string summary_table(const Summary& summary, const TableOptions& options);

}  // namespace sluice
