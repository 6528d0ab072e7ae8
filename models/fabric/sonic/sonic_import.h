// SPDX-License-Identifier: Apache-2.0
// `switch.sonic` of a fabric file and the command line's --sonic: which files, and one chip's
// parameters from them, between its preset and what the fabric file says itself.
// Leaves out: reading the files (sonic_config.h) and what they set (apply_sonic.h).
#pragma once

#include <string>
#include <vector>

#include "config/config_tree.h"
#include "nic/nic_params.h"
#include "switch/switch_params.h"

namespace sluice {

/// What SONiC files left to say about a fabric.
struct SonicReport {
  std::vector<std::string> notes;  ///< a line each: read and not used, or taken differently
  std::uint64_t digest = 0;        ///< of what was read; 0: no files
  bool used() const { return digest != 0; }
  void add(const std::vector<std::string>& more);
};

/// Puts the paths of --sonic in the place of `switch.sonic`. No paths: nothing changes.
void set_sonic(ConfigTree& tree, const std::vector<std::string>& paths);
/// Makes relative paths of `sonic` keys absolute: those of a fabric file are relative to it. The
/// tree can then be written and read again from elsewhere.
void resolve_sonic_paths(ConfigTree& tree);

/// Reads what the chip's `sonic` key names, if it has one, into `chip`; `rates`: of its wired
/// ports. False: no such key.
bool lay_sonic(ConfigNode& node, const std::vector<BitsPerSecond>& rates, SwitchParams& chip,
               SonicReport& report);
/// Keys that the fabric file gives itself win on every port, also on those that SONiC files give
/// settings of their own. Call it after binding the node.
void overrule_sonic(ConfigNode& node, SwitchParams& chip);
/// A note when data of the hosts falls into a class that is lossy.
void note_lossy_data(const NicParams& nic, const SwitchParams& chip, SonicReport& report);

}  // namespace sluice
