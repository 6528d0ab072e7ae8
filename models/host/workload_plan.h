// SPDX-License-Identifier: Apache-2.0
// What every rank of a process looks up in a workload: its groups, its place in them, and a flat
// number for each collective instance (group, ordinal). Built once. Leaves out: run-time state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workload/workload.h"

namespace sluice {

/// One rank in one group.
struct Membership {
  std::uint32_t group = 0;
  std::uint32_t member = 0;  ///< index into Group::ranks
  std::uint32_t ops = 0;     ///< collectives on this group in the rank's stream
};

class WorkloadPlan {
 public:
  /// Keeps a reference to `workload`. Throws TraceError when a rank uses a group it is not in.
  explicit WorkloadPlan(const Workload& workload);

  const Workload& workload() const { return workload_; }
  /// The rank's groups, in rising order of group number.
  std::span<const Membership> memberships(std::uint32_t rank) const {
    return std::span(memberships_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }
  /// Null when the rank is not in the group.
  const Membership* membership(std::uint32_t rank, std::uint32_t group) const;

  /// The k-th collective of a group (k from 0) as a flat number below instance_count().
  std::uint32_t instance(std::uint32_t group, std::uint32_t ordinal) const {
    return first_instance_[group] + ordinal;
  }
  std::uint32_t instance_count() const { return first_instance_.back(); }

  std::uint64_t total_ops() const { return total_ops_; }

 private:
  const Workload& workload_;
  std::vector<std::uint32_t> first_;
  std::vector<Membership> memberships_;
  std::vector<std::uint32_t> first_instance_;
  std::uint64_t total_ops_ = 0;
};

}  // namespace sluice
