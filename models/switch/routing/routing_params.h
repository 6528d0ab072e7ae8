// SPDX-License-Identifier: Apache-2.0
// Parameters of the choice among equal-cost or weighted ports.
// Leaves out: what adaptive routing does with its own (adaptive_params.h).
#pragma once

#include <cstdint>

#include "kernel/parameter.h"
#include "switch/routing/adaptive_params.h"
#include "switch/routing/header_hash.h"

namespace sluice {

enum class LoadBalancing : std::uint8_t { kEcmp, kSpray, kDlb, kAr };

constexpr bool is_adaptive(LoadBalancing mode) {
  return mode == LoadBalancing::kDlb || mode == LoadBalancing::kAr;
}

struct RoutingParams {
  LoadBalancing mode = LoadBalancing::kEcmp;
  HashAlgorithm hash = HashAlgorithm::kCrc32;
  std::uint32_t hash_seed = 0;  ///< 0: derived from the run's seed and the chip's number
  HashFields hash_fields{};
  bool resilient = false;
  std::uint32_t resilient_buckets = 512;
  std::uint32_t max_groups = 4096;
  std::uint32_t max_members = 128;
  std::uint32_t max_buckets = 512;
  DlbParams dlb;
  ArParams ar;
  FailoverParams failover;

  /// Link down to the member out of its groups, in the chip that has the link.
  Ps failover_time() const { return failover.time_of(is_adaptive(mode)); }
  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
