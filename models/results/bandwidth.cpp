// SPDX-License-Identifier: Apache-2.0
#include "results/bandwidth.h"

namespace sluice {

std::optional<double> busbw_factor(OpKind kind, std::uint32_t ranks) {
  if (ranks <= 1) return std::nullopt;
  const double share = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case OpKind::kAllReduce:
      return 2 * share;
    case OpKind::kAllGather:
    case OpKind::kReduceScatter:
    case OpKind::kGather:
    case OpKind::kScatter:
    case OpKind::kAllToAll:
      return share;
    case OpKind::kBroadcast:
    case OpKind::kReduce:
    case OpKind::kSend:
    case OpKind::kRecv:
    case OpKind::kWrite:
      return 1.0;
    case OpKind::kBarrier:
    case OpKind::kCompute:
      break;
  }
  return std::nullopt;
}

std::optional<double> algbw_gbytes_per_s(const OpRow& row) {
  if (row.count == 0 || row.total == Ps{}) return std::nullopt;
  const double mean_ps = static_cast<double>(row.total.value) / static_cast<double>(row.count);
  return static_cast<double>(row.bytes) / mean_ps * 1e3;  // B/ps = 1e12 B/s = 1e3 GB/s
}

std::optional<double> busbw_gbytes_per_s(const OpRow& row) {
  const auto factor = busbw_factor(row.kind, row.ranks);
  const auto algbw = algbw_gbytes_per_s(row);
  if (!factor || !algbw) return std::nullopt;
  return *factor * *algbw;
}

}  // namespace sluice
