// SPDX-License-Identifier: Apache-2.0
// Names communicators so that every member finds the same name without talking to the others.
// Leaves out: inter-communicators as groups (only their point-to-point is recorded), spawned
// processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::recorder {

/// A communicator as the trace knows it. Ranks are those of MPI_COMM_WORLD.
struct Communicator {
  std::string name;                 ///< pg_name in the trace
  std::vector<std::int32_t> ranks;  ///< members in communicator order
  std::vector<std::int32_t> peers;  ///< whom a rank argument means: remote group when `inter`
  std::uint32_t tag_salt = 0;       ///< 0 for MPI_COMM_WORLD
  int self = 0;                     ///< own rank in the communicator
  bool inter = false;

  int size() const { return static_cast<int>(ranks.size()); }
};
using CommunicatorPtr = std::shared_ptr<const Communicator>;

/// "0-3,6" for 0 1 2 3 6; lists that would be long become "n<size>-<hash>".
std::string member_text(const std::vector<std::int32_t>& ranks);

class Groups {
 public:
  /// A communicator just made. The k-th with the same members is called "<members>#k" (k > 0): all
  /// members make it in the same order, so they agree.
  void created(MPI_Comm comm);
  void freed(MPI_Comm comm);
  /// Asks MPI about a communicator not seen before. Throws std::runtime_error on a foreign process.
  CommunicatorPtr find(MPI_Comm comm);

  /// Every group named so far, as lines "name<TAB>r,r,r".
  std::string lines() const;

 private:
  CommunicatorPtr describe(MPI_Comm comm) const;
  CommunicatorPtr add(MPI_Comm comm, bool count_as_new);

  std::unordered_map<MPI_Comm, CommunicatorPtr> known_;
  std::map<std::string, unsigned> made_with_members_;
  std::map<std::string, std::vector<std::int32_t>> named_;
};

/// Merges `lines` of all ranks into comm_group.json. Throws std::runtime_error when two ranks use
/// one name for different members.
std::string comm_group_json(const std::string& lines);

}  // namespace sluice::recorder
