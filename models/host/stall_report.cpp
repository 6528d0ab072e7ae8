// SPDX-License-Identifier: Apache-2.0
#include "host/stall_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernel/error.h"
#include "workload/mismatch.h"

namespace sluice {
namespace {

using Executors = std::span<const RankExecutor* const>;
constexpr std::size_t kListed = 4;  // waits, mismatches and members named before "and N more"

/// "0-2,4-7"; `ranks` are in rising order.
std::string rank_list(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (++runs > 2 * kListed) return text + fmt::format(",… ({} in all)", ranks.size());
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ranks[i]);
    if (end != i) text += fmt::format("-{}", ranks[end]);
    i = end + 1;
  }
  return text;
}

/// Texts joined by "; ", the first few of them.
std::string join_some(const std::vector<std::string>& texts, std::size_t total) {
  std::string text;
  const std::size_t shown = std::min(texts.size(), kListed);
  for (std::size_t i = 0; i < shown; ++i) text += "; " + texts[i];
  if (total > shown) text += fmt::format("; and {} more", total - shown);
  return text;
}

using Instance = std::pair<std::uint32_t, std::uint32_t>;  // group, ordinal

class Report {
 public:
  Report(const WorkloadPlan& plan, const CollectiveLibrary& library, Executors executors)
      : plan_(plan), library_(library), by_rank_(plan.workload().rank_count(), nullptr) {
    for (const RankExecutor* executor : executors) {
      by_rank_[executor->rank()] = executor;
      if (!executor->finished()) collect(*executor);
    }
    std::sort(unfinished_.begin(), unfinished_.end());
  }

  const std::vector<std::uint32_t>& unfinished() const { return unfinished_; }
  /// Collectives first, then single messages.
  std::vector<std::string> waits() const {
    std::vector<std::string> all;
    for (const auto& [instance, waiting] : collectives_) {
      all.push_back(collective_text(instance, waiting));
    }
    all.insert(all.end(), messages_.begin(), messages_.end());
    return all;
  }

 private:
  void collect(const RankExecutor& executor) {
    unfinished_.push_back(executor.rank());
    const auto& ops = plan_.workload().ranks[executor.rank()].ops;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (executor.status(op) != RankExecutor::OpStatus::kActive) continue;
      if (is_collective(ops[op].kind)) {
        collectives_[{ops[op].group, executor.ordinal(op)}].push_back(executor.rank());
      } else {
        messages_.push_back(message_text(executor, op, ops[op]));
      }
    }
  }

  static std::string message_text(const RankExecutor& executor, std::uint32_t op, const Op& what) {
    if (what.kind == OpKind::kRecv) {
      return fmt::format("rank {} waits for message {} of {} B from rank {} (tag {})",
                         executor.rank(), executor.ordinal(op) + 1, what.bytes, what.peer,
                         what.tag);
    }
    return fmt::format("rank {} waits for rank {} to acknowledge {} B", executor.rank(), what.peer,
                       what.bytes);
  }

  std::string collective_text(Instance instance, const std::vector<std::uint32_t>& waiting) const {
    const auto [group_index, ordinal] = instance;
    const Group& group = plan_.workload().groups[group_index];
    std::vector<std::uint32_t> lacking;
    std::vector<std::uint32_t> late;
    for (const std::uint32_t rank : group.ranks) {
      const RankExecutor* executor = by_rank_[rank];
      if (plan_.membership(rank, group_index)->ops <= ordinal) {
        lacking.push_back(rank);
      } else if (executor != nullptr) {
        const auto status = executor->status(executor->find_collective(group_index, ordinal));
        if (status == RankExecutor::OpStatus::kBlocked) late.push_back(rank);
      }
    }
    std::sort(lacking.begin(), lacking.end());
    std::sort(late.begin(), late.end());
    const RankExecutor& first = *by_rank_[waiting.front()];
    const std::uint32_t op = first.find_collective(group_index, ordinal);
    const Op& what = plan_.workload().ranks[first.rank()].ops[op];
    std::string text =
        fmt::format("{} {} of group '{}' ({} B, {} ranks): {} rank{} in it",
                    op_kind_name(what.kind), ordinal + 1, group.name, what.bytes,
                    group.ranks.size(), waiting.size(), waiting.size() == 1 ? "" : "s");
    if (!lacking.empty()) {
      text += fmt::format(", rank {} has only {} ops in this group", rank_list(lacking),
                          plan_.membership(lacking.front(), group_index)->ops);
    }
    if (!late.empty()) text += fmt::format(", not started by rank {}", rank_list(late));
    if (lacking.empty() && late.empty()) text += due_text(group, first, op);
    return text;
  }

  /// All have started, so data is missing: whose.
  std::string due_text(const Group& group, const RankExecutor& executor, std::uint32_t op) const {
    const CollectiveState* state = executor.collective(op);
    if (state == nullptr) return "";
    std::vector<std::uint32_t> due;
    for (const std::uint32_t m : library_.algorithm(state->kind).waiting_for(*state, kListed)) {
      due.push_back(group.ranks[m]);
    }
    std::sort(due.begin(), due.end());
    if (!due.empty()) {
      return fmt::format(", rank {} waits for data of rank {}", executor.rank(), rank_list(due));
    }
    return fmt::format(", rank {} has {} of {} messages and {} writes in flight", executor.rank(),
                       state->received, state->expected, state->in_flight);
  }

  const WorkloadPlan& plan_;
  const CollectiveLibrary& library_;
  std::vector<const RankExecutor*> by_rank_;
  std::vector<std::uint32_t> unfinished_;
  std::map<Instance, std::vector<std::uint32_t>> collectives_;
  std::vector<std::string> messages_;
};

}  // namespace

bool run_complete(Executors executors, const RunRecorder& recorder) {
  return recorder.mismatch_count() == 0 &&
         std::all_of(executors.begin(), executors.end(),
                     [](const RankExecutor* executor) { return executor->finished(); });
}

std::string describe_stall(const WorkloadPlan& plan, const CollectiveLibrary& library,
                           Executors executors, const RunRecorder& recorder, Ps now) {
  if (run_complete(executors, recorder)) return {};
  const Report report(plan, library, executors);
  std::string text = fmt::format("stalled at {:.6f} us: ", now.microseconds());
  text += report.unfinished().empty()
              ? std::string("all ops ended, but messages did not fit")
              : fmt::format("{} of {} ranks wait (rank {})", report.unfinished().size(),
                            executors.size(), rank_list(report.unfinished()));
  const std::string cause = describe_mismatch(plan.workload());
  if (!cause.empty()) text += "; " + cause;
  const auto waits = report.waits();
  text += join_some(waits, waits.size());
  text += join_some(recorder.mismatches(), recorder.mismatch_count());
  return text;
}

}  // namespace sluice
