// SPDX-License-Identifier: Apache-2.0
#include "workload/synthetic.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

/// 0 .. count - 1 in seeded order.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint64_t seed,
                                    RandomPurpose purpose) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  RandomStream random(seed, 0, purpose);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// Appends `repeat` copies of `op` to a stream, each after the one before.
void append(RankStream& stream, Op op, std::uint32_t repeat) {
  for (std::uint32_t i = 0; i < repeat; ++i) {
    op.first_dep = static_cast<std::uint32_t>(stream.deps.size());
    op.dep_count = stream.ops.empty() ? 0 : 1;
    if (op.dep_count != 0) stream.deps.push_back(static_cast<std::uint32_t>(stream.ops.size() - 1));
    stream.ops.push_back(op);
  }
}

Op write_op(std::uint32_t peer, std::uint64_t bytes) {
  Op op;
  op.kind = OpKind::kWrite;
  op.peer = peer;
  op.bytes = bytes;
  return op;
}

/// Sattolo's algorithm: a uniform draw among the permutations of one cycle, so nobody is drawn for
/// itself and every host sends and receives exactly once.
std::vector<std::uint32_t> cycle(std::uint32_t hosts, std::uint64_t seed) {
  std::vector<std::uint32_t> destination(hosts);
  std::iota(destination.begin(), destination.end(), 0U);
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  for (std::uint32_t i = hosts; i > 1; --i) {
    std::swap(destination[i - 1], destination[random.below(i - 1)]);
  }
  return destination;
}

void add_permutation(Workload& workload, const SyntheticParams& params, std::uint32_t hosts) {
  const std::vector<std::uint32_t> destination = cycle(hosts, params.seed);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    append(workload.ranks[host], write_op(destination[host], params.bytes.value), params.repeat);
  }
}

void add_incast(Workload& workload, const SyntheticParams& params) {
  for (std::uint32_t i = 0; i < params.count; ++i) {
    const std::uint32_t host = params.first + i;
    if (host == params.dst) continue;
    append(workload.ranks[host], write_op(params.dst, params.bytes.value), params.repeat);
  }
}

void add_collective(Workload& workload, const SyntheticParams& params, std::uint32_t hosts) {
  const std::uint32_t ranks = params.ranks == 0 ? hosts : params.ranks;
  Group group;
  group.name = "world";
  if (params.ring_order == RingOrder::kRandom) {
    group.ranks = shuffled(ranks, params.seed, RandomPurpose::kSynthetic);
  } else {
    group.ranks.resize(ranks);
    std::iota(group.ranks.begin(), group.ranks.end(), 0u);
  }
  workload.groups.push_back(std::move(group));
  Op op;
  op.kind = params.type == SyntheticType::kAllReduce ? OpKind::kAllReduce : OpKind::kAllToAll;
  op.group = 0;
  op.bytes = params.bytes.value;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    append(workload.ranks[rank], op, params.repeat);
  }
}

}  // namespace

void SyntheticParams::describe(ParameterVisitor& visitor) {
  visitor.visit("type", type, kSyntheticTypeNames, {"traffic pattern", "choice"});
  visitor.visit("bytes", bytes, {0, 0x1p50},
                {"size of each write, of the vector, or of what one rank puts into an all-to-all",
                 "nccl-tests size column", "B"});
  visitor.visit("seed", seed, {0, 9e18}, {"draw of the permutation or ring order", "choice"});
  visitor.visit("dst", dst, {0, 1e6}, {"incast: receiving host", "choice"});
  visitor.visit("first", first, {0, 1e6}, {"incast: first sending host", "choice"});
  visitor.visit("count", count, {1, 1e6}, {"incast: number of sending hosts", "choice"});
  visitor.visit("ranks", ranks, {0, 1e6}, {"members of the collective; 0: all hosts", "choice"});
  visitor.visit("ring_order", ring_order, kRingOrderNames,
                {"order of the ranks in their group", "choice"});
  visitor.visit("repeat", repeat, {1, 1e6}, {"ops a rank issues one after the other", "choice"});
}

void SyntheticParams::validate(std::uint32_t hosts) const {
  if (repeat == 0) throw ConfigError("workload.repeat: 0, expected at least 1");
  if (type == SyntheticType::kIncast) {
    if (dst >= hosts) {
      throw ConfigError(fmt::format("workload.dst: {}, expected a host below {}", dst, hosts));
    }
    if (count == 0 || first >= hosts || count > hosts - first) {
      throw ConfigError(fmt::format(
          "workload.first, workload.count: hosts {} .. {}, expected at least one, all below {}",
          first, std::uint64_t{first} + count - 1, hosts));
    }
    if (count == 1 && first == dst) {
      throw ConfigError(fmt::format("workload.dst: {} is the only sender too", dst));
    }
  }
  if (type == SyntheticType::kPermutation && hosts < 2) {
    throw ConfigError("workload.type: a permutation needs at least 2 hosts");
  }
  if (ranks > hosts) {
    throw ConfigError(fmt::format("workload.ranks: {}, expected at most the {} hosts of the fabric",
                                  ranks, hosts));
  }
}

Workload make_synthetic(const SyntheticParams& params, std::uint32_t hosts) {
  params.validate(hosts);
  Workload workload;
  workload.source = kSyntheticTypeNames[static_cast<std::size_t>(params.type)];
  workload.ranks.resize(hosts);
  switch (params.type) {
    case SyntheticType::kPermutation:
      add_permutation(workload, params, hosts);
      break;
    case SyntheticType::kIncast:
      add_incast(workload, params);
      break;
    case SyntheticType::kAllReduce:
    case SyntheticType::kAllToAll:
      add_collective(workload, params, hosts);
      break;
    case SyntheticType::kNone:
    case SyntheticType::kRaw:
    case SyntheticType::kUd:
    case SyntheticType::kVerbs:
      break;
  }
  workload.ledger.bytes_in = workload.ledger.bytes_skipped;
  for (std::uint32_t rank = 0; rank < hosts; ++rank) {
    for (const Op& op : workload.ranks[rank].ops) {
      workload.ledger.bytes_in += bytes_put_in(workload, rank, op);
    }
  }
  return workload;
}

}  // namespace sluice
