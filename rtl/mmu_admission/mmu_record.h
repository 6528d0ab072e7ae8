// SPDX-License-Identifier: Apache-2.0
// Text of an MMU's parameters and requests: what a running chip writes with --rtl-record and the
// bench reads back. Leaves out: ports without reserves (MmuGeometry::active), which no chip has.
#pragma once

#include <string>
#include <vector>

#include "switch/mmu/mmu.h"

namespace sluice::rtl {

/// Lines that rebuild the MMU; the first word of each tells what it is.
std::vector<std::string> mmu_setup_lines(const MmuParams& params, const MmuGeometry& geometry);

/// "admit" or "release", ingress port, PG, egress port, queue, cells.
std::string mmu_request_line(const MmuRequest& request, bool release);

/// Reads such lines, setup first.
class MmuRecordReader {
 public:
  enum class Line { kSetup, kAdmit, kRelease, kBad };
  Line take(const std::string& line);

  const MmuRequest& request() const { return request_; }  ///< of the line just taken
  const MmuGeometry& geometry() const { return geometry_; }
  /// All setup lines were taken. Throws ConfigError for a value that is none.
  MmuParams params() const;

 private:
  MmuRequest request_;
  MmuGeometry geometry_;
  MmuParams params_;  ///< overrides, whose values are in values_
  std::vector<std::string> values_;
};

}  // namespace sluice::rtl
