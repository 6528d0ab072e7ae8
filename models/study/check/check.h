// SPDX-License-Identifier: Apache-2.0
// `sluice check`: what a configuration can absorb, without simulating. Collects the parts into one
// report with a verdict. Leaves out: text and JSON (check_report.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric_spec.h"
#include "kernel/error.h"
#include "study/check/estimate.h"
#include "study/check/loop_budget.h"
#include "study/check/pools.h"
#include "study/check/thresholds.h"

namespace sluice {

struct CheckOptions {
  std::uint32_t frame_bytes = 0;  ///< all frames have this size; 0: the worst mix
};

/// Lossless priority groups whose pause loop and headroom are the same.
struct HeadroomClass {
  PauseLoop loop;
  LoopBudget budget;
  std::optional<std::uint64_t> ieee_bytes;    ///< on the wire; nothing: no response budget known
  std::uint64_t ieee_cells = 0;               ///< of the frames that the budget assumes
  std::optional<std::uint64_t> vendor_bytes;  ///< of memory
  std::uint64_t vendor_cells = 0;
  std::uint32_t configured_cells = 0;  ///< after XOFF, and at most what its pool has
  std::uint32_t most_cells = 0;        ///< all that a slice of the pool could give
  bool pauses = true;                  ///< XOFF is sent, and obeyed
  std::uint32_t groups = 0;            ///< priority groups of this class
  std::string chip;                    ///< the first of them
  std::uint32_t port = 0;
  std::uint32_t pg = 0;

  bool enough() const { return pauses && configured_cells >= budget.cells; }
  bool feasible() const { return budget.cells <= most_cells; }
};

enum class Severity : std::uint8_t { kNote, kWarning, kNotLossless };

struct Finding {
  Severity severity = Severity::kNote;
  std::string code;  ///< short and stable: "headroom_too_small"
  std::string text;
};

struct CheckReport {
  std::vector<HeadroomClass> headroom;
  std::vector<PoolReport> pools;
  std::vector<EcnOrder> ecn;
  RunEstimate estimate;
  std::vector<Finding> findings;

  ExitCode exit() const;
  /// One line: the verdict and, when it is not "ok", why.
  std::string verdict() const;
};

/// Throws ConfigError (exit 2) where the fabric is refused, an over-committed pool among it.
CheckReport check_fabric(const FabricSpec& spec, const CheckOptions& options = {});

}  // namespace sluice
