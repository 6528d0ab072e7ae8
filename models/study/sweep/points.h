// SPDX-License-Identifier: Apache-2.0
// The points of a study: every combination of its axes' steps and seeds, numbered in one order that
// a subset keeps. Leaves out: running them (sweep.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config_tree.h"
#include "study/sweep/study.h"

namespace sluice {

struct SweepPoint {
  std::size_t number = 0;          ///< among all points of the study
  std::vector<std::string> shown;  ///< a cell an axis header
  std::vector<Override> overrides;
  std::uint64_t seed = 1;
};

/// Values kept of a header's axis, such as {"alpha", {"1", "8"}}.
using Selection = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The first axis moves slowest, the seed fastest. Throws ConfigError for a selection that names
/// no header or no value of it, and for more than a million points.
std::vector<SweepPoint> make_points(const Study& study, const Selection& selection);

/// The axes' columns of the table, in order.
std::vector<std::string> axis_headers(const Study& study);

/// The fabric file with the overrides on top; an error names the line of the study that is at
/// fault.
ConfigTree point_tree(const Study& study, const ConfigTree& fabric,
                      const std::vector<Override>& overrides);
/// Reads the point's fabric as `sluice run` would; the hash of its effective parameters.
std::uint64_t check_point(const Study& study, const ConfigTree& fabric,
                          const std::vector<Override>& overrides);

}  // namespace sluice
