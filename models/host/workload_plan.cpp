// SPDX-License-Identifier: Apache-2.0
#include "host/workload_plan.h"

#include <algorithm>
#include <numeric>

#include "kernel/error.h"

namespace sluice {

WorkloadPlan::WorkloadPlan(const Workload& workload)
    : workload_(workload), first_(workload.rank_count() + 1, 0) {
  const auto groups = static_cast<std::uint32_t>(workload.groups.size());
  for (const Group& group : workload.groups) {
    for (const std::uint32_t rank : group.ranks) {
      if (rank >= workload.rank_count()) {
        throw TraceError(fmt::format("{}: group {} names rank {}, expected a rank below {}",
                                     workload.source, group.name, rank, workload.rank_count()));
      }
      ++first_[rank + 1];
    }
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  memberships_.resize(first_.back());
  std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
  for (std::uint32_t g = 0; g < groups; ++g) {
    const auto& ranks = workload.groups[g].ranks;
    for (std::uint32_t m = 0; m < ranks.size(); ++m) memberships_[fill[ranks[m]]++] = {g, m, 0};
  }

  std::vector<std::uint32_t> most_ops(groups, 0);
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    for (const Op& op : workload.ranks[rank].ops) {
      ++total_ops_;
      if (!is_collective(op.kind)) continue;
      const Membership* own = membership(rank, op.group);
      if (own == nullptr) {
        throw TraceError(
            fmt::format("{}: rank {} takes part in {} of group {}, of which it is no member",
                        workload.source, rank, op_kind_name(op.kind), op.group));
      }
      const std::uint32_t count =
          ++memberships_[static_cast<std::size_t>(own - memberships_.data())].ops;
      most_ops[op.group] = std::max(most_ops[op.group], count);
    }
  }
  first_instance_.assign(groups + 1, 0);
  std::partial_sum(most_ops.begin(), most_ops.end(), first_instance_.begin() + 1);
}

const Membership* WorkloadPlan::membership(std::uint32_t rank, std::uint32_t group) const {
  const auto own = memberships(rank);
  const auto at =
      std::lower_bound(own.begin(), own.end(), group,
                       [](const Membership& m, std::uint32_t g) { return m.group < g; });
  return at != own.end() && at->group == group ? &*at : nullptr;
}

}  // namespace sluice
