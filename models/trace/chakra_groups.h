// SPDX-License-Identifier: Apache-2.0
// Process groups of a Chakra trace: pg_name of a node, members from comm_group.json.
// Leaves out: groups that no node uses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/source.h"
#include "workload/workload.h"

namespace sluice {

class ChakraGroups {
 public:
  /// Adds group 0, "world", to `workload`, whose ranks are already counted. Throws TraceError on a
  /// side file that is not {"name": [ranks]}; `//` comments in it are taken.
  ChakraGroups(Workload& workload, const std::vector<TraceSource>& side_files);

  /// Index of the group that a node of `rank` names; ranks come one after the other. `where` starts
  /// messages. Throws TraceError for a name that the side files lack, or a group without `rank`.
  std::uint32_t find(const std::string& name, std::uint32_t rank, const std::string& where);

  /// Without a side file, a name that every rank uses can only mean all ranks; any other is
  /// ambiguous: TraceError. Adds a note for what was assumed.
  void finish(std::vector<std::string>& notes) const;

 private:
  struct Known {
    std::vector<std::uint32_t> ranks;
    std::string file;
    std::uint32_t index = kNoGroup;
  };
  struct Assumed {
    std::uint32_t index = 0;
    std::vector<std::uint32_t> users;
  };

  void read_side_file(const TraceSource& source);
  std::uint32_t add_group(const std::string& name, std::vector<std::uint32_t> ranks);
  std::uint32_t assume_all(const std::string& name, std::uint32_t rank);

  Workload& workload_;
  bool have_side_file_;
  std::map<std::string, Known> known_;
  std::map<std::string, Assumed> assumed_;
};

}  // namespace sluice
