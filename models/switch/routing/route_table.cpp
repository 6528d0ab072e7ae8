// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/route_table.h"

#include <array>

#include "kernel/error.h"

namespace sluice {

void RoutingParams::describe(ParameterVisitor& visitor) {
  static constexpr std::array<std::string_view, 2> kModes{"ecmp", "spray"};
  visitor.visit("mode", mode, kModes,
                {"choice of the member of an equal-cost group: by flow hash or afresh per packet",
                 "SAI saihash.h; per-packet spray as in Spectrum-X"});
  visitor.visit("hash_seed", hash_seed, {0, 4294967295.0},
                {"ECMP hash seed; 0 derives one from the run's seed and the chip's number",
                 "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED"});
}

RouteTable::RouteTable(const RoutingParams& params, std::uint64_t seed, std::uint64_t chip)
    : mode_(params.mode), seed_(params.hash_seed), spray_(seed, chip, RandomPurpose::kSpray) {
  if (seed_ == 0) seed_ = RandomStream(seed, chip, RandomPurpose::kHashSeed).next_u32();
}

std::uint32_t RouteTable::add_group(std::vector<std::uint16_t> members) {
  SLUICE_CHECK(!members.empty(), "an equal-cost group needs at least one member");
  groups_.push_back(
      {static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(members.size())});
  members_.insert(members_.end(), members.begin(), members.end());
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

}  // namespace sluice
