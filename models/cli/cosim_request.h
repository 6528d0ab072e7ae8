// SPDX-License-Identifier: Apache-2.0
// The words of `sluice cosim`, and which of them go together.
// Leaves out: blocks and faults that exist, which the build knows (cosim.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sluice {

struct CosimRequest {
  std::vector<std::string> blocks;  ///< empty: all
  std::uint64_t cycles = 1'000'000;
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::optional<std::uint64_t> fault;
  bool faults = false;
  std::string replay;  ///< file; empty: stimulus is generated
  std::string junit;
  std::string out;  ///< directory of waveforms; empty: the current one
  bool quiet = false;
};

/// None when --help was asked for and printed. Throws ConfigError, also for words that would change
/// nothing beside others.
std::optional<CosimRequest> parse_cosim(const std::vector<std::string>& words, std::ostream& out);

/// Words that run `block` once more with this seed, from any directory.
std::string cosim_again(const CosimRequest& request, const std::string& block, std::uint64_t seed);

}  // namespace sluice
