// SPDX-License-Identifier: Apache-2.0
// What each Chakra node of a rank means: an op, compute, or nothing but an edge (docs/formats.md).
// Leaves out: reading files, and what needs the other ranks (chakra.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "trace/chakra_groups.h"
#include "trace/chakra_node.h"
#include "trace/dependency_graph.h"
#include "workload/workload.h"

namespace sluice {

/// nodes == communication + skipped + compute + edges_only at the end of an import.
struct ChakraCounts {
  std::uint64_t nodes = 0;
  std::uint64_t communication = 0;  ///< ops that will be executed
  std::uint64_t skipped = 0;        ///< communication that moves nothing; in the ledger
  std::uint64_t compute = 0;        ///< with a duration
  std::uint64_t zero_compute = 0;   ///< compute without a duration
  std::uint64_t launchers = 0;      ///< communication typed nodes without type and size
  std::uint64_t memory = 0;
  std::uint64_t metadata = 0;
  std::uint64_t uneven_reduce_scatters = 0;
  std::uint64_t assumed_roots = 0;
  std::vector<std::string> missing;  ///< dependencies on nodes that no file holds, the first few

  std::uint64_t edges_only() const { return zero_compute + launchers + memory + metadata; }
};

class ChakraRank {
 public:
  /// `file` and `head` belong to the file of `rank`; the ledger is that of `workload`.
  ChakraRank(std::string file, const ChakraHead& head, std::uint32_t rank, Workload& workload,
             ChakraGroups& groups, ChakraCounts& counts);

  void add(const ChakraNode& node);
  /// Puts the stream into the workload.
  void finish();

 private:
  void add_communication(const ChakraNode& node);
  void add_message(const ChakraNode& node);
  void add_collective(const ChakraNode& node);
  void add_counts(const ChakraNode& node, Op& op);
  /// Executes the op unless it moves nothing whatever the other ranks do.
  void add_op(const ChakraNode& node, const Op& op, const char* skip_reason);
  OpKind collective_kind(const ChakraNode& node) const;
  std::uint32_t rank_of(const ChakraNode& node, const char* key,
                        const std::optional<std::int64_t>& value) const;
  std::uint32_t root_of(const ChakraNode& node, const Group& group) const;
  std::string where(const ChakraNode& node) const;
  [[noreturn]] void fail(const ChakraNode& node, const std::string& what) const;

  const std::string file_;
  const ChakraHead& head_;
  const std::uint32_t rank_;
  Workload& workload_;
  ChakraGroups& groups_;
  ChakraCounts& counts_;
  DependencyGraph graph_;
};

}  // namespace sluice
