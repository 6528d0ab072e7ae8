// SPDX-License-Identifier: Apache-2.0
// Small workloads for tests: ops appended by hand, in order, without dependencies.
// Leaves out: everything a test wants to set itself.
#pragma once

#include <numeric>

#include "workload/workload.h"

namespace sluice::testing {

inline Workload world_of(std::uint32_t ranks) {
  Workload workload;
  workload.source = "test";
  workload.ranks.resize(ranks);
  Group world{"world", std::vector<std::uint32_t>(ranks)};
  std::iota(world.ranks.begin(), world.ranks.end(), 0U);
  workload.groups.push_back(std::move(world));
  return workload;
}

inline Op& add(Workload& workload, std::uint32_t rank, OpKind kind, std::uint64_t bytes,
               std::uint32_t peer = 0) {
  Op op;
  op.kind = kind;
  op.bytes = bytes;
  op.peer = peer;
  op.group = is_collective(kind) ? 0 : kNoGroup;
  workload.ranks[rank].ops.push_back(op);
  return workload.ranks[rank].ops.back();
}

inline void add_everywhere(Workload& workload, OpKind kind, std::uint64_t bytes,
                           std::uint32_t peer = 0) {
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    add(workload, rank, kind, bytes, peer);
}

/// The op waits for the ops `deps` of its rank; must be called in op order.
inline void depend(Workload& workload, std::uint32_t rank, std::size_t op,
                   const std::vector<std::uint32_t>& deps) {
  RankStream& stream = workload.ranks[rank];
  stream.ops[op].first_dep = static_cast<std::uint32_t>(stream.deps.size());
  stream.ops[op].dep_count = static_cast<std::uint32_t>(deps.size());
  stream.deps.insert(stream.deps.end(), deps.begin(), deps.end());
}

}  // namespace sluice::testing
