// SPDX-License-Identifier: Apache-2.0
// What of a run is to be in RTL, and what that builds. Without SLUICE_RTL it is refused.
// Leaves out: the words (rtl_arguments.h), the blocks (rtl/).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nic/block_swap.h"
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

/// Version of the Verilator that made this build's RTL ("5.006"); empty without SLUICE_RTL.
std::string verilator_version();

/// What stands in for blocks during a run.
class RtlStandIn {
 public:
  /// Throws ConfigError for a name that is no block, and where this build has no RTL.
  RtlStandIn(const RtlRequest& request, std::uint64_t seed);
  ~RtlStandIn();

  SwitchBlockSwap* chips();  ///< null where nothing is to be replaced
  NicBlockSwap* nics();      ///< likewise
  /// After the fabric was built: throws ConfigError when the scope named nothing.
  void check_used() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice
