// SPDX-License-Identifier: Apache-2.0
#include "results/bandwidth.h"

#include "collective/closed_form.h"

namespace sluice {

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
