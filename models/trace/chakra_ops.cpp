// SPDX-License-Identifier: Apache-2.0
// What each Chakra node of a rank means: an op, compute, or nothing but an edge (docs/formats.md).
// Leaves out: reading files, and what needs the other ranks (chakra.cpp).
#include "trace/chakra_ops.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "kernel/error.h"

namespace sluice {
namespace {

// CollectiveCommType of schema 0.0.4 and of 0.0.3.
constexpr std::array kKinds = {OpKind::kAllReduce, OpKind::kReduce,        OpKind::kAllGather,
                               OpKind::kGather,    OpKind::kScatter,       OpKind::kBroadcast,
                               OpKind::kAllToAll,  OpKind::kReduceScatter, OpKind::kReduceScatter,
                               OpKind::kBarrier};
constexpr std::array kOldKinds = {OpKind::kAllReduce, OpKind::kAllToAll, OpKind::kAllGather,
                                  OpKind::kReduceScatter, OpKind::kBroadcast};

struct NamedKind {
  std::string_view word;
  OpKind kind;
};
// In this order: "allreduce" holds "reduce".
constexpr std::array kNamedKinds = {
    NamedKind{"allreduce", OpKind::kAllReduce}, NamedKind{"reducescatter", OpKind::kReduceScatter},
    NamedKind{"allgather", OpKind::kAllGather}, NamedKind{"alltoall", OpKind::kAllToAll},
    NamedKind{"broadcast", OpKind::kBroadcast}, NamedKind{"barrier", OpKind::kBarrier},
    NamedKind{"gather", OpKind::kGather},       NamedKind{"scatter", OpKind::kScatter},
    NamedKind{"reduce", OpKind::kReduce}};

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

/// Saturates: what is beyond 2^64 is beyond any size that is taken.
std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : values)
    if (__builtin_add_overflow(total, value, &total)) return UINT64_MAX;
  return total;
}

}  // namespace

ChakraRank::ChakraRank(std::string file, const ChakraHead& head, std::uint32_t rank,
                       Workload& workload, ChakraGroups& groups, ChakraCounts& counts)
    : file_(std::move(file)),
      head_(head),
      rank_(rank),
      workload_(workload),
      groups_(groups),
      counts_(counts) {}

std::string ChakraRank::where(const ChakraNode& node) const {
  return fmt::format("{}: node {} ('{}')", file_, node.id, node.name.substr(0, 80));
}

void ChakraRank::fail(const ChakraNode& node, const std::string& what) const {
  throw TraceError(fmt::format("{}: {}", where(node), what));
}

void ChakraRank::add(const ChakraNode& node) {
  ++counts_.nodes;
  if (graph_.size() == UINT32_MAX) fail(node, "more than 2^32 nodes");
  switch (static_cast<ChakraType>(node.type)) {
    case ChakraType::kMetadata:
      ++counts_.metadata;
      graph_.add_transparent(node.id, node.deps);
      return;
    case ChakraType::kMemoryLoad:
    case ChakraType::kMemoryStore:
      ++counts_.memory;
      graph_.add_transparent(node.id, node.deps);
      return;
    case ChakraType::kCompute:
      ++(node.duration_ps == 0 ? counts_.zero_compute : counts_.compute);
      if (node.duration_ps == 0) {
        graph_.add_transparent(node.id, node.deps);
      } else {
        graph_.add_compute(node.id, Ps{node.duration_ps}, node.deps);
      }
      return;
    case ChakraType::kSend:
    case ChakraType::kReceive:
    case ChakraType::kCollective:
      add_communication(node);
      return;
    case ChakraType::kInvalid:
      break;
  }
  fail(node, fmt::format("node type {} is not one of 1..7", node.type));
}

void ChakraRank::add_communication(const ChakraNode& node) {
  const bool collective = node.type == static_cast<std::uint32_t>(ChakraType::kCollective);
  const bool barrier = collective && !head_.old_collective_numbers && node.comm_type == 9;
  if (!node.comm_size && !barrier) {
    // The CPU side of a collective, whose kernel is another node; not twice.
    if (node.cpu_op || (collective && !node.comm_type)) {
      ++counts_.launchers;
      graph_.add_transparent(node.id, node.deps);
      return;
    }
    fail(node, "communication without comm_size");
  }
  if (collective) {
    add_collective(node);
  } else {
    add_message(node);
  }
}

std::uint32_t ChakraRank::rank_of(const ChakraNode& node, const char* key,
                                  const std::optional<std::int64_t>& value) const {
  if (!value) fail(node, fmt::format("lacks {}", key));
  if (*value < 0 || *value >= static_cast<std::int64_t>(workload_.rank_count()))
    fail(node,
         fmt::format("{} is {}, but there are {} ranks", key, *value, workload_.rank_count()));
  return static_cast<std::uint32_t>(*value);
}

void ChakraRank::add_message(const ChakraNode& node) {
  const bool send = node.type == static_cast<std::uint32_t>(ChakraType::kSend);
  Op op;
  op.kind = send ? OpKind::kSend : OpKind::kRecv;
  op.peer =
      send ? rank_of(node, "comm_dst", node.comm_dst) : rank_of(node, "comm_src", node.comm_src);
  op.tag = static_cast<std::uint32_t>(node.comm_tag.value_or(0));
  op.bytes = *node.comm_size;
  add_op(node, op, op.peer == rank_ ? "to itself" : nullptr);
}

OpKind ChakraRank::collective_kind(const ChakraNode& node) const {
  if (node.comm_type) {
    const std::size_t known = head_.old_collective_numbers ? kOldKinds.size() : kKinds.size();
    if (*node.comm_type < 0 || *node.comm_type >= static_cast<std::int64_t>(known))
      fail(node, fmt::format("comm_type {} is not one of 0..{}", *node.comm_type, known - 1));
    const auto number = static_cast<std::size_t>(*node.comm_type);
    return head_.old_collective_numbers ? kOldKinds[number] : kKinds[number];
  }
  const std::string letters = letters_of(node.name);
  for (const NamedKind& named : kNamedKinds)
    if (letters.find(named.word) != std::string::npos) return named.kind;
  fail(node, "collective without comm_type, and its name does not say which");
}

std::uint32_t ChakraRank::root_of(const ChakraNode& node, const Group& group) const {
  std::uint32_t root = group.ranks.front();
  if (node.comm_root) {
    root = rank_of(node, "comm_root", node.comm_root);
  } else if (node.comm_src) {
    root = rank_of(node, "comm_src", node.comm_src);
  } else {
    ++counts_.assumed_roots;
  }
  if (std::find(group.ranks.begin(), group.ranks.end(), root) == group.ranks.end())
    fail(node, fmt::format("root {} is not in process group '{}'", root, group.name));
  return root;
}

/// Uneven parts, in group order.
void ChakraRank::add_counts(const ChakraNode& node, Op& op) {
  const std::size_t members = workload_.groups[op.group].ranks.size();
  const auto check = [&](const std::vector<std::uint64_t>& list, const char* key) {
    if (list.size() != members)
      fail(node, fmt::format("{} has {} entries for the {} members of group '{}'", key, list.size(),
                             members, workload_.groups[op.group].name));
  };
  if (!node.send_splits.empty() || !node.recv_splits.empty()) {
    if (op.kind != OpKind::kAllToAll) fail(node, "splits on what is not an all-to-all");
    check(node.send_splits, "comm_send_splits");
    check(node.recv_splits, "comm_recv_splits");
    op.bytes = sum(node.send_splits);
    workload_.splits.push_back({node.send_splits, node.recv_splits});
  } else if (node.counts.empty()) {
    return;
  } else if (op.kind == OpKind::kReduceScatter) {
    check(node.counts, "comm_counts");
    ++counts_.uneven_reduce_scatters;
    return;
  } else {
    if (op.kind != OpKind::kAllGather && op.kind != OpKind::kGather && op.kind != OpKind::kScatter)
      fail(node, fmt::format("comm_counts on {}", op_kind_name(op.kind)));
    check(node.counts, "comm_counts");
    op.bytes = sum(node.counts);
    workload_.splits.push_back({node.counts, node.counts});
  }
  if (op.bytes > INT64_MAX) fail(node, "its parts sum to more than 2^63 B");
  op.splits = static_cast<std::uint32_t>(workload_.splits.size() - 1);
}

void ChakraRank::add_collective(const ChakraNode& node) {
  Op op;
  op.kind = collective_kind(node);
  op.group = groups_.find(node.group, rank_, where(node));
  op.tag = static_cast<std::uint32_t>(node.id);
  const Group& group = workload_.groups[op.group];
  if (node.partial_dims && node.group.empty())
    fail(node,
         "involved_dim leaves out a dimension: which ranks that means only the topology of "
         "another simulator says");
  const std::uint64_t members = group.ranks.size();
  op.bytes = node.comm_size.value_or(0);
  if (op.kind == OpKind::kAllGather || op.kind == OpKind::kGather || op.kind == OpKind::kScatter) {
    if (op.bytes > INT64_MAX / members) fail(node, fmt::format("comm_size is {} B", op.bytes));
    op.bytes *= members;  // comm_size is the part of one rank
  }
  if (op.kind == OpKind::kBarrier) op.bytes = 0;
  if (is_rooted(op.kind)) op.peer = root_of(node, group);
  if (members > 1) add_counts(node, op);
  add_op(node, op, nullptr);
}

/// Only a message of a rank to itself is left out. An op that moves no byte, of nothing or of one
/// rank, is replayed, and the run lists it.
void ChakraRank::add_op(const ChakraNode& node, const Op& op, const char* skip_reason) {
  if (skip_reason == nullptr) {
    ++counts_.communication;
    graph_.add_op(node.id, op, node.deps);
    return;
  }
  ++counts_.skipped;
  const std::uint64_t bytes = bytes_put_in(workload_, rank_, op);
  workload_.ledger.bytes_in += bytes;
  workload_.ledger.skip(skip_reason, bytes);
  graph_.add_transparent(node.id, node.deps);
}

void ChakraRank::finish() { workload_.ranks[rank_] = graph_.build(file_, counts_.missing); }

}  // namespace sluice
