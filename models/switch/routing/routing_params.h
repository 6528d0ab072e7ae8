// SPDX-License-Identifier: Apache-2.0
// Parameters of the choice among equal-cost or weighted ports.
// Leaves out: adaptive routing's own.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"
#include "switch/routing/header_hash.h"

namespace sluice {

enum class LoadBalancing : std::uint8_t { kEcmp, kSpray };

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

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
