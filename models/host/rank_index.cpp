// SPDX-License-Identifier: Apache-2.0
// The look-up tables that a rank's executor builds once from its stream.
#include <algorithm>
#include <array>
#include <numeric>

#include "host/rank_executor.h"
#include "kernel/error.h"

namespace sluice {

void RankExecutor::index_dependents(std::span<const std::uint32_t> deps) {
  blockers_.assign(ops_.size(), 0);
  first_dependent_.assign(ops_.size() + 1, 0);
  for (const Op& op : ops_) {
    for (std::uint32_t i = 0; i < op.dep_count; ++i) ++first_dependent_[deps[op.first_dep + i] + 1];
  }
  std::partial_sum(first_dependent_.begin(), first_dependent_.end(), first_dependent_.begin());
  dependents_.resize(first_dependent_.back());
  std::vector<std::uint32_t> fill(first_dependent_.begin(), first_dependent_.end() - 1);
  for (std::uint32_t op = 0; op < op_count(); ++op) {
    blockers_[op] = ops_[op].dep_count;
    for (std::uint32_t i = 0; i < ops_[op].dep_count; ++i) {
      dependents_[fill[deps[ops_[op].first_dep + i]]++] = op;
    }
  }
}

void RankExecutor::index_groups() {
  const auto own = plan_.memberships(rank_);
  first_group_op_.assign(own.size() + 1, 0);
  for (std::size_t m = 0; m < own.size(); ++m) {
    first_group_op_[m + 1] = first_group_op_[m] + own[m].ops;
  }
  group_ops_.resize(first_group_op_.back());
  std::vector<std::uint32_t> fill(first_group_op_.begin(), first_group_op_.end() - 1);
  for (std::uint32_t op = 0; op < op_count(); ++op) {
    if (!is_collective(ops_[op].kind)) continue;
    const auto m = static_cast<std::size_t>(plan_.membership(rank_, ops_[op].group) - own.data());
    ordinal_[op] = fill[m] - first_group_op_[m];
    group_ops_[fill[m]++] = op;
  }
}

void RankExecutor::index_point_to_point() {
  std::vector<Receive> sends;
  for (std::uint32_t op = 0; op < op_count(); ++op) {
    const Receive entry{ops_[op].peer, ops_[op].tag, 0, op};
    if (ops_[op].kind == OpKind::kSend) sends.push_back(entry);
    if (ops_[op].kind == OpKind::kRecv) receives_.push_back(entry);
  }
  for (std::vector<Receive>* list : {&sends, &receives_}) {
    std::sort(list->begin(), list->end(), [](const Receive& a, const Receive& b) {
      return std::array{a.peer, a.tag, a.op} < std::array{b.peer, b.tag, b.op};
    });
    for (std::size_t i = 0; i < list->size(); ++i) {
      Receive& entry = (*list)[i];
      const bool follows =
          i > 0 && (*list)[i - 1].peer == entry.peer && (*list)[i - 1].tag == entry.tag;
      entry.ordinal = follows ? (*list)[i - 1].ordinal + 1 : 0;
      ordinal_[entry.op] = entry.ordinal;
    }
  }
}

std::uint32_t RankExecutor::find_collective(std::uint32_t group, std::uint32_t ordinal) const {
  const Membership* own = plan_.membership(rank_, group);
  if (own == nullptr || ordinal >= own->ops) return op_count();
  const auto m = static_cast<std::size_t>(own - plan_.memberships(rank_).data());
  return group_ops_[first_group_op_[m] + ordinal];
}

PointToPoint RankExecutor::pair_of(std::uint32_t op) const {
  const Op& what = ops_[op];
  const bool sends = what.kind == OpKind::kSend;
  return {sends ? rank_ : what.peer, sends ? what.peer : rank_, what.tag, ordinal_[op]};
}

}  // namespace sluice
