// SPDX-License-Identifier: Apache-2.0
// A Chakra trace: one file a rank, read one after the other, then what only all of them together
// say. Leaves out: the meaning of a single node (chakra_ops.h).
#include <algorithm>
#include <cctype>
#include <optional>

#include "kernel/error.h"
#include "trace/chakra_groups.h"
#include "trace/chakra_node.h"
#include "trace/chakra_ops.h"
#include "trace/formats.h"
#include "workload/mismatch.h"

namespace sluice {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The number at the end of a name without its extension, 12 of "trace.12.et", "t_12.et" and
/// "rank12.json", but none of "layer12.et".
std::optional<std::uint64_t> rank_in_name(const std::string& base) {
  const std::string stem = base.substr(0, base.rfind('.'));
  std::size_t begin = stem.size();
  while (begin > 0 && is_digit(stem[begin - 1])) --begin;
  if (begin == stem.size() || stem.size() - begin > 9) return std::nullopt;
  const std::string_view before = std::string_view(stem).substr(0, begin);
  if (!before.empty() && std::isalpha(static_cast<unsigned char>(before.back())) != 0 &&
      !before.ends_with("rank"))
    return std::nullopt;
  return std::stoull(stem.substr(begin));
}

/// `base` with another rank's number.
std::string name_of_rank(const std::string& base, std::uint64_t rank) {
  const std::size_t dot = std::min(base.rfind('.'), base.size());
  std::size_t begin = dot;
  while (begin > 0 && is_digit(base[begin - 1])) --begin;
  return base.substr(0, begin) + std::to_string(rank) + base.substr(dot);
}

/// Sources in rank order.
std::vector<const TraceSource*> by_rank(const std::vector<TraceSource>& sources,
                                        std::vector<std::string>& notes) {
  if (sources.size() == 1 && !rank_in_name(sources[0].base)) {
    notes.push_back(
        fmt::format("{}: no rank in the file name; taken as rank 0 of 1", sources[0].name));
    return {&sources[0]};
  }
  std::vector<std::pair<std::uint64_t, const TraceSource*>> numbered;
  for (const TraceSource& source : sources) {
    const auto rank = rank_in_name(source.base);
    if (!rank)
      throw TraceError(
          fmt::format("{}: no rank in the file name; expected PREFIX.RANK.et", source.name));
    numbered.emplace_back(*rank, &source);
  }
  std::stable_sort(numbered.begin(), numbered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const TraceSource*> ranks;
  for (const auto& [rank, source] : numbered) {
    if (rank < ranks.size())
      throw TraceError(fmt::format("{}: second file of rank {}, beside {}", source->name, rank,
                                   ranks[rank]->name));
    if (rank > ranks.size())
      throw TraceError(fmt::format("{}: the file of rank {} is missing: {}", source->name,
                                   ranks.size(), name_of_rank(source->base, ranks.size())));
    ranks.push_back(source);
  }
  return ranks;
}

/// The k-th collectives of all members of a group, as (rank, op).
struct Instance {
  std::vector<std::pair<std::uint32_t, Op*>> members;
};

/// Collectives of each group lined up by order; empty for groups whose members disagree in number
/// or kind, which a run reports.
std::vector<std::vector<Instance>> line_up(Workload& workload) {
  std::vector<std::vector<Instance>> groups(workload.groups.size());
  std::vector<std::uint8_t> broken(workload.groups.size(), 0);
  std::vector<std::size_t> position(workload.groups.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    std::fill(position.begin(), position.end(), 0);
    for (Op& op : workload.ranks[rank].ops) {
      if (!is_collective(op.kind)) continue;
      auto& instances = groups[op.group];
      const std::size_t k = position[op.group]++;
      if (k == instances.size()) instances.emplace_back();
      auto& members = instances[k].members;
      if (!members.empty() && members.front().second->kind != op.kind) broken[op.group] = 1;
      members.emplace_back(rank, &op);
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Instance& instance : groups[g])
      if (instance.members.size() != workload.groups[g].ranks.size()) broken[g] = 1;
    if (broken[g] != 0) groups[g].clear();
  }
  return groups;
}

/// Gather and scatter: what the root knows holds for all members, who know only their own part.
void follow_root(Instance& instance) {
  const Op* root = nullptr;
  for (const auto& [rank, op] : instance.members)
    if (op->peer == rank) root = op;
  if (root == nullptr) return;
  if (root->kind == OpKind::kGather && root->splits == kNoSplits) return;
  for (const auto& [rank, op] : instance.members) {
    if (op->peer != root->peer) continue;
    op->bytes = root->bytes;
    op->splits = root->splits;
  }
}

/// An all-to-all whose members put in different amounts without saying how they are split: each
/// spreads its own evenly. True when it was one.
bool spread_evenly(Workload& workload, std::uint32_t group, Instance& instance) {
  bool differ = false;
  for (const auto& [rank, op] : instance.members) {
    if (op->splits != kNoSplits) return false;
    differ |= op->bytes != instance.members.front().second->bytes;
  }
  if (!differ) return false;
  const auto& ranks = workload.groups[group].ranks;
  const std::uint64_t n = ranks.size();
  std::vector<std::uint64_t> bytes(n);
  std::vector<Op*> ops(n);
  for (const auto& [rank, op] : instance.members) {
    const auto at =
        static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
    bytes[at] = op->bytes;
    ops[at] = op;
  }
  const auto part = [&](std::size_t from, std::size_t to) {
    return bytes[from] / n + (to < bytes[from] % n ? 1 : 0);
  };
  for (std::size_t me = 0; me < n; ++me) {
    Splits splits;
    for (std::size_t other = 0; other < n; ++other) {
      splits.send_bytes.push_back(part(me, other));
      splits.recv_bytes.push_back(part(other, me));
    }
    ops[me]->splits = static_cast<std::uint32_t>(workload.splits.size());
    workload.splits.push_back(std::move(splits));
  }
  return true;
}

void complete_collectives(Workload& workload, std::vector<std::string>& notes) {
  std::uint64_t spread = 0;
  auto groups = line_up(workload);
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    for (Instance& instance : groups[g]) {
      const OpKind kind = instance.members.front().second->kind;
      if (kind == OpKind::kGather || kind == OpKind::kScatter) follow_root(instance);
      if (kind == OpKind::kAllToAll && spread_evenly(workload, g, instance)) ++spread;
    }
  }
  if (spread != 0)
    notes.push_back(
        fmt::format("{} all-to-alls put in different bytes at different ranks and have "
                    "no splits: each rank's bytes are spread evenly over its peers",
                    spread));
}

void add_notes(const ChakraCounts& counts, const Workload& workload,
               std::vector<std::string>& notes) {
  SLUICE_CHECK(
      counts.nodes == counts.communication + counts.skipped + counts.compute + counts.edges_only(),
      "{}: {} nodes in", workload.source, counts.nodes);
  notes.push_back(fmt::format(
      "{} nodes in: {} communication, {} communication skipped, {} compute, {} edges only ({} "
      "compute without duration, {} launchers without comm_size, {} memory, {} metadata)",
      counts.nodes, counts.communication, counts.skipped, counts.compute, counts.edges_only(),
      counts.zero_compute, counts.launchers, counts.memory, counts.metadata));
  if (counts.assumed_roots != 0)
    notes.push_back(fmt::format("{} rooted collectives name no root: the first member of the group",
                                counts.assumed_roots));
  if (counts.uneven_reduce_scatters != 0)
    notes.push_back(fmt::format("{} uneven reduce-scatters are carried out in equal parts",
                                counts.uneven_reduce_scatters));
}

/// A rank that lacks a node others wait for is a stall to be shown by the run (exit 5), with the
/// edges to that node as met. Edges into nothing without such a gap are a damaged file.
void judge_missing(const ChakraCounts& counts, const Workload& workload,
                   std::vector<std::string>& notes) {
  if (counts.missing.empty()) return;
  if (describe_mismatch(workload).empty()) throw TraceError(counts.missing.front());
  for (const std::string& line : counts.missing) notes.push_back(line + ": taken as met");
}

}  // namespace

TraceImport import_chakra(const std::vector<TraceSource>& sources,
                          const std::vector<TraceFormat>& formats,
                          const std::vector<TraceSource>& side_files, const std::string& name) {
  TraceImport result;
  result.format = formats[0] == TraceFormat::kChakra ? "chakra" : "chakra-json";
  Workload& workload = result.workload;
  workload.source = name;
  const std::vector<const TraceSource*> ranks = by_rank(sources, result.notes);
  workload.ranks.resize(ranks.size());
  ChakraGroups groups(workload, side_files);
  ChakraCounts counts;
  bool cycles = false;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    ByteReader reader(*ranks[rank]);
    ChakraHead head;
    ChakraRank builder(reader.name(), head, rank, workload, groups, counts);
    const ChakraSink sink = [&](const ChakraNode& node) { builder.add(node); };
    if (formats[static_cast<std::size_t>(ranks[rank] - sources.data())] == TraceFormat::kChakra) {
      read_chakra_protobuf(reader, head, sink);
    } else {
      read_chakra_json(reader, sink);
    }
    builder.finish();
    cycles |= head.durations_in_cycles;
  }
  if (counts.communication + counts.skipped == 0)
    throw TraceError(
        fmt::format("{}: {} nodes, {} of them collectives, but none has a comm_size: "
                    "nothing to simulate",
                    name, counts.nodes, counts.launchers));
  groups.finish(result.notes);
  judge_missing(counts, workload, result.notes);
  complete_collectives(workload, result.notes);
  if (cycles)
    result.notes.emplace_back(
        "durations are ns although the schema says us: the file was made from an ASTRA-sim text "
        "workload, whose compute times are cycles of 1 ns");
  add_notes(counts, workload, result.notes);
  return result;
}

}  // namespace sluice
