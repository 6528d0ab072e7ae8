// SPDX-License-Identifier: Apache-2.0
// The words of `sluice run` that put RTL in place of blocks, and what they build. Without
// SLUICE_RTL the words are known and refused. Leaves out: the blocks (rtl/).
#pragma once

#include <tclap/CmdLine.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "switch/block_swap.h"

namespace sluice {

struct RtlRequest {
  std::vector<std::string> blocks;
  std::string scope;  ///< one chip or NIC; empty: all
  bool compare = false;
  std::string fault_block;
  int fault = 0;
  std::string record;  ///< directory; empty: nothing is recorded
  bool used() const { return !blocks.empty() || !record.empty(); }
};

/// Declares the options on a command line and reads them after it was parsed.
class RtlArguments {
 public:
  explicit RtlArguments(TCLAP::CmdLine& line);
  /// Throws ConfigError.
  RtlRequest read() const;

 private:
  TCLAP::ValueArg<std::string> blocks_;
  TCLAP::ValueArg<std::string> scope_;
  TCLAP::SwitchArg compare_;
  TCLAP::ValueArg<std::string> fault_;
  TCLAP::ValueArg<std::string> record_;
};

/// What stands in for blocks during a run.
class RtlStandIn {
 public:
  /// Throws ConfigError for a name that is no block, and where this build has no RTL.
  RtlStandIn(const RtlRequest& request, std::uint64_t seed);
  ~RtlStandIn();

  SwitchBlockSwap* chips();  ///< null where nothing is to be replaced
  /// After the fabric was built: throws ConfigError when the scope named nothing.
  void check_used() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice
