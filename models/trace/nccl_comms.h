// SPDX-License-Identifier: Apache-2.0
// Who is who in an NCCL log: processes, their communicators, and each one's global rank.
// Leaves out: the ops themselves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/nccl_line.h"
#include "trace/source.h"

namespace sluice {

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

/// One rank's handle of one communicator.
struct NcclInstance {
  std::uint32_t process = 0;
  std::uint32_t pointer = 0;
  std::uint32_t rank = 0;  ///< in its communicator
  std::uint32_t nranks = 0;
  std::int32_t device = -1;
  std::uint32_t comm_id = 0;
  std::uint32_t file = 0;
  std::uint64_t line = 0;  ///< of its first INIT
  std::uint64_t ops = 0;
  std::uint64_t signature = 0;  ///< of its ops in order
  std::uint32_t communicator = kNoIndex;
  std::uint32_t global = kNoIndex;  ///< global rank
  bool ended = false;
};

struct NcclCommunicator {
  std::string name;
  std::vector<std::uint32_t> instances;  ///< by rank; kNoIndex where the log has no lines
  std::uint64_t ops = 0;
};

class NcclComms {
 public:
  NcclComms(const std::vector<TraceSource>& sources, const TextTable& texts)
      : sources_(sources), texts_(texts) {}

  /// Replaces hosts that were glued to other output by the host they end with.
  void mend_hosts(std::vector<NcclRecord>& records);
  /// Takes records in order. Returns the instance of an op, kNoIndex for INIT and end, and for an
  /// op that cannot be attributed because its prefix is lost.
  std::uint32_t take(const NcclRecord& record);
  /// After all records: communicators and global ranks. Throws TraceError naming a rank that has no
  /// lines or what is ambiguous.
  void finish(std::vector<std::string>& notes);

  const NcclInstance& instance(std::uint32_t index) const { return instances_[index]; }
  const std::vector<NcclCommunicator>& communicators() const { return communicators_; }
  std::uint32_t world() const { return world_; }  ///< the largest communicator
  std::uint32_t rank_count() const { return rank_count_; }
  std::uint64_t attributed_by_pointer() const { return attributed_by_pointer_; }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  std::uint32_t process_of(const NcclRecord& record);
  void take_init(const NcclRecord& record);
  std::uint32_t take_op(const NcclRecord& record);
  std::uint32_t only_with_pointer(std::uint32_t pointer) const;
  void group_by_id();
  void group_without_id();
  void group_by_signature(std::uint32_t nranks, const std::vector<std::uint32_t>& members);
  void join(std::uint32_t communicator, std::uint32_t instance);
  void find_world();
  void number_ranks(std::vector<std::string>& notes);
  void check_complete() const;
  std::string place(const NcclInstance& instance) const;

  const std::vector<TraceSource>& sources_;
  const TextTable& texts_;
  std::map<Key, std::vector<std::uint32_t>> init_files_;  ///< (host, pid) -> files with INIT lines
  std::map<Key, std::uint32_t> processes_;                ///< (host, pid), file -> number
  std::map<Key, std::uint32_t> latest_;                   ///< (process, pointer) -> instance
  std::vector<NcclInstance> instances_;
  std::vector<NcclCommunicator> communicators_;
  std::uint32_t world_ = 0;
  std::uint32_t rank_count_ = 0;
  std::uint64_t attributed_by_pointer_ = 0;
};

}  // namespace sluice
