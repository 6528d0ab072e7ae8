// SPDX-License-Identifier: Apache-2.0
#include "collective/closed_form.h"

#include <bit>

namespace sluice {
namespace {

/// (n - 1) / n: what leaves a rank that keeps its own share.
double share_of_others(std::uint32_t ranks) {
  return ranks < 2 ? 0.0 : static_cast<double>(ranks - 1) / ranks;
}

/// Steps of a recursive algorithm: log2(n), rounded up for other than powers of two.
double doublings(std::uint32_t ranks) { return ranks < 2 ? 0.0 : std::bit_width(ranks - 1); }

double one_pass_seconds(const CollectiveCase& c) {
  return share_of_others(c.ranks) * c.bytes / c.bytes_per_second;
}

double ring_pass_seconds(const CollectiveCase& c) {
  if (c.ranks < 2) return 0;
  return one_pass_seconds(c) + (c.ranks - 1) * c.step_latency_seconds;
}

}  // namespace

double ring_all_reduce_seconds(const CollectiveCase& c) { return 2 * ring_pass_seconds(c); }

double halving_doubling_all_reduce_seconds(const CollectiveCase& c) {
  return 2 * (one_pass_seconds(c) + doublings(c.ranks) * c.step_latency_seconds);
}

double tree_all_reduce_seconds(const CollectiveCase& c) {
  if (c.ranks < 2) return 0;
  return 2 * (c.bytes / c.bytes_per_second + doublings(c.ranks) * c.step_latency_seconds);
}

double ring_all_gather_seconds(const CollectiveCase& c) { return ring_pass_seconds(c); }
double ring_reduce_scatter_seconds(const CollectiveCase& c) { return ring_pass_seconds(c); }
double all_to_all_bound_seconds(const CollectiveCase& c) { return one_pass_seconds(c); }

std::optional<double> busbw_factor(OpKind kind, std::uint32_t ranks) {
  if (ranks < 2) return std::nullopt;
  switch (kind) {
    case OpKind::kAllReduce:
      return 2 * share_of_others(ranks);
    case OpKind::kAllGather:
    case OpKind::kReduceScatter:
    case OpKind::kAllToAll:
    case OpKind::kGather:
    case OpKind::kScatter:
      return share_of_others(ranks);
    case OpKind::kBroadcast:
    case OpKind::kReduce:
    case OpKind::kSend:
    case OpKind::kRecv:
    case OpKind::kWrite:
      return 1.0;
    case OpKind::kBarrier:
    case OpKind::kCompute:
      return std::nullopt;
  }
  return std::nullopt;
}

double algbw(double bytes, double seconds) { return seconds > 0 ? bytes / seconds : 0; }

std::optional<double> busbw(OpKind kind, std::uint32_t ranks, double bytes, double seconds) {
  const std::optional<double> factor = busbw_factor(kind, ranks);
  if (!factor || !(seconds > 0)) return std::nullopt;
  return *factor * algbw(bytes, seconds);
}

}  // namespace sluice
