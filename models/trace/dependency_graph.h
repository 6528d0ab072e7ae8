// SPDX-License-Identifier: Apache-2.0
// The nodes of one rank's trace, with dependencies by id in any order, turned into a rank's stream.
// Leaves out: what the nodes are; the caller says which of them take part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace sluice {

class DependencyGraph {
 public:
  /// A node that only hands its dependencies on.
  void add_transparent(std::uint64_t id, const std::vector<std::uint64_t>& deps);
  void add_compute(std::uint64_t id, Ps duration, const std::vector<std::uint64_t>& deps);
  void add_op(std::uint64_t id, const Op& op, const std::vector<std::uint64_t>& deps);

  std::size_t size() const { return nodes_.size(); }

  /// Ops in an order that respects dependencies; among ops that are ready, by id. Chains of compute
  /// become one op; transparent nodes that join many ops with many become an op of no duration.
  /// Throws TraceError, starting with `where`, naming an id given twice or a cycle. Dependencies on
  /// absent ids count as met; a line about each of the first few is added to `missing`.
  RankStream build(const std::string& where, std::vector<std::string>& missing);

 private:
  enum class Role : std::uint8_t { kTransparent, kCompute, kOp };
  struct Node {
    std::uint64_t id = 0;
    std::uint64_t value = 0;  ///< picoseconds, or index into ops_
    std::size_t first_dep = 0;
    std::uint32_t dep_count = 0;
    Role role = Role::kTransparent;
  };
  using Index = std::uint32_t;
  class Builder;

  void add(std::uint64_t id, Role role, std::uint64_t value,
           const std::vector<std::uint64_t>& deps);

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> deps_;  ///< ids
  std::vector<Op> ops_;
};

}  // namespace sluice
