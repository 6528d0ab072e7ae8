// SPDX-License-Identifier: Apache-2.0
// Names, byte accounting and checks of the op IR.
// Leaves out: whether the members of a group agree with each other (mismatch.h).
#include "workload/workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <unordered_set>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 13> kNames = {
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "gather", "scatter",
    "all_to_all", "barrier",    "send_recv",      "send_recv", "write",  "compute"};

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : values) total += value;
  return total;
}

std::size_t member_index(const Group& group, std::uint32_t rank) {
  const auto at = std::find(group.ranks.begin(), group.ranks.end(), rank);
  return static_cast<std::size_t>(at - group.ranks.begin());
}

/// Bytes of one rank's equal share; the first ranks take the remainder, as collective/ splits it.
std::uint64_t share(const Workload& workload, std::uint32_t rank, const Op& op) {
  const Group& group = workload.groups[op.group];
  if (op.splits == kNoSplits && !group.ranks.empty() && op.bytes % group.ranks.size() == 0) {
    return op.bytes / group.ranks.size();  // the usual case needs no search for the rank
  }
  const std::size_t me = member_index(group, rank);
  if (op.splits != kNoSplits) return workload.splits[op.splits].send_bytes[me];
  const std::uint64_t members = group.ranks.size();
  return op.bytes / members + (me < op.bytes % members ? 1 : 0);
}

std::string where(const Workload& workload, std::size_t rank, const Op& op) {
  return fmt::format("{}: rank {}, {} from node or line {}", workload.source, rank,
                     op_kind_name(op.kind), op.source);
}

void check_groups(const Workload& workload) {
  for (const Group& group : workload.groups) {
    if (group.ranks.empty())
      throw TraceError(fmt::format("{}: group '{}' has no member", workload.source, group.name));
    std::vector<std::uint32_t> sorted = group.ranks;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.back() >= workload.rank_count())
      throw TraceError(fmt::format("{}: group '{}' names rank {}, but there are {} ranks",
                                   workload.source, group.name, sorted.back(),
                                   workload.rank_count()));
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw TraceError(
          fmt::format("{}: group '{}' names rank {} twice", workload.source, group.name, *twice));
  }
}

class OpChecker {
 public:
  explicit OpChecker(const Workload& workload) : workload_(workload) {
    for (std::size_t g = 0; g < workload.groups.size(); ++g)
      for (const std::uint32_t rank : workload.groups[g].ranks) members_.insert(key(g, rank));
  }

  void check(std::size_t rank, const Op& op) const {
    if (is_collective(op.kind)) {
      check_collective(rank, op);
    } else if (op.kind != OpKind::kCompute) {
      if (op.peer >= workload_.rank_count())
        throw TraceError(fmt::format("{}: peer {} of {} ranks", where(workload_, rank, op), op.peer,
                                     workload_.rank_count()));
      if (op.peer == rank)
        throw TraceError(fmt::format("{}: peer is the rank itself", where(workload_, rank, op)));
    }
    const RankStream& stream = workload_.ranks[rank];
    const std::size_t end = std::size_t{op.first_dep} + op.dep_count;
    if (end > stream.deps.size())
      throw TraceError(fmt::format("{}: dependencies [{}, {}) of {}", where(workload_, rank, op),
                                   op.first_dep, end, stream.deps.size()));
    for (std::size_t d = op.first_dep; d < end; ++d)
      if (stream.deps[d] >= stream.ops.size())
        throw TraceError(fmt::format("{}: depends on op {} of {}", where(workload_, rank, op),
                                     stream.deps[d], stream.ops.size()));
  }

 private:
  static std::uint64_t key(std::size_t group, std::size_t rank) { return group << 32 | rank; }

  void check_collective(std::size_t rank, const Op& op) const {
    if (op.group >= workload_.groups.size())
      throw TraceError(fmt::format("{}: group {} of {}", where(workload_, rank, op), op.group,
                                   workload_.groups.size()));
    const Group& group = workload_.groups[op.group];
    if (!members_.contains(key(op.group, rank)))
      throw TraceError(
          fmt::format("{}: the rank is not in group '{}'", where(workload_, rank, op), group.name));
    if (is_rooted(op.kind) && !members_.contains(key(op.group, op.peer)))
      throw TraceError(fmt::format("{}: root {} is not in group '{}'", where(workload_, rank, op),
                                   op.peer, group.name));
    if (op.splits == kNoSplits) return;
    if (op.splits >= workload_.splits.size())
      throw TraceError(fmt::format("{}: splits {} of {}", where(workload_, rank, op), op.splits,
                                   workload_.splits.size()));
    const Splits& splits = workload_.splits[op.splits];
    if (splits.send_bytes.size() != group.ranks.size() ||
        splits.recv_bytes.size() != group.ranks.size())
      throw TraceError(fmt::format("{}: {} send and {} receive splits for {} members",
                                   where(workload_, rank, op), splits.send_bytes.size(),
                                   splits.recv_bytes.size(), group.ranks.size()));
  }

  const Workload& workload_;
  std::unordered_set<std::uint64_t> members_;
};

bool points_backwards(const RankStream& stream) {
  for (std::size_t i = 0; i < stream.ops.size(); ++i) {
    const Op& op = stream.ops[i];
    for (std::size_t d = op.first_dep; d < std::size_t{op.first_dep} + op.dep_count; ++d)
      if (stream.deps[d] >= i) return false;
  }
  return true;
}

/// Source ids along one cycle, "5 -> 7 -> 5" (each op waits for the next); empty when there is
/// none.
std::string find_cycle(const RankStream& stream) {
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> state(stream.ops.size(), kNew);
  struct Step {
    std::uint32_t op;
    std::uint32_t next = 0;
  };
  std::vector<Step> path;
  for (std::uint32_t root = 0; root < stream.ops.size(); ++root) {
    if (state[root] != kNew) continue;
    state[root] = kOpen;
    path.push_back({root});
    while (!path.empty()) {
      Step& top = path.back();
      const Op& op = stream.ops[top.op];
      if (top.next == op.dep_count) {
        state[top.op] = kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t dep = stream.deps[op.first_dep + top.next++];
      if (state[dep] == kDone) continue;
      if (state[dep] == kNew) {
        state[dep] = kOpen;
        path.push_back({dep});
        continue;
      }
      std::string text;
      std::size_t at = path.size();
      while (path[--at].op != dep) {
      }
      for (; at < path.size(); ++at) text += fmt::format("{} -> ", stream.ops[path[at].op].source);
      return text + fmt::format("{}", stream.ops[dep].source);
    }
  }
  return {};
}

}  // namespace

std::string_view op_kind_name(OpKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

void Ledger::skip(std::string_view reason, std::uint64_t bytes) {
  bytes_skipped += bytes;
  auto at = std::find_if(skipped.begin(), skipped.end(),
                         [&](const SkippedOps& entry) { return entry.reason == reason; });
  if (at == skipped.end()) at = skipped.insert(at, SkippedOps{std::string(reason)});
  at->bytes += bytes;
  ++at->ops;
}

std::uint64_t bytes_put_in(const Workload& workload, std::uint32_t rank, const Op& op) {
  switch (op.kind) {
    case OpKind::kAllReduce:
    case OpKind::kReduceScatter:
    case OpKind::kReduce:
    case OpKind::kSend:
    case OpKind::kWrite:
      return op.bytes;
    case OpKind::kAllToAll:
      return op.splits == kNoSplits ? op.bytes : sum(workload.splits[op.splits].send_bytes);
    case OpKind::kAllGather:
    case OpKind::kGather:
      return share(workload, rank, op);
    case OpKind::kBroadcast:
    case OpKind::kScatter:
      return op.peer == rank ? op.bytes : 0;
    case OpKind::kBarrier:
    case OpKind::kRecv:
    case OpKind::kCompute:
      return 0;
  }
  return 0;
}

void scale_compute(Workload& workload, double scale) {
  if (!(scale >= 0) || !std::isfinite(scale))
    throw ConfigError(
        fmt::format("--compute scale={}: expected a finite number, 0 or more", scale));
  for (RankStream& stream : workload.ranks) {
    for (Op& op : stream.ops) {
      const double scaled = std::round(static_cast<double>(op.compute.value) * scale);
      if (scaled >= 0x1p63)
        throw ConfigError(fmt::format("--compute scale={}: a gap of {} ps becomes longer than time",
                                      scale, op.compute.value));
      op.compute = Ps{static_cast<std::uint64_t>(scaled)};
    }
  }
}

void validate(const Workload& workload) {
  check_groups(workload);
  const OpChecker checker(workload);
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const RankStream& stream = workload.ranks[rank];
    for (const Op& op : stream.ops) checker.check(rank, op);
    if (points_backwards(stream)) continue;
    const std::string cycle = find_cycle(stream);
    if (!cycle.empty())
      throw TraceError(
          fmt::format("{}: rank {}: dependencies form a cycle: {}", workload.source, rank, cycle));
  }
}

}  // namespace sluice
