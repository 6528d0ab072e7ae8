// SPDX-License-Identifier: Apache-2.0
// Where a packet leaves the chip: one entry an endpoint, a port or an equal-cost group; in a group
// the member is chosen by flow hash (ECMP) or afresh for every packet (spray). Leaves out:
// longest-prefix match, adaptive routing, weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/parameter.h"
#include "kernel/random.h"

namespace sluice {

enum class LoadBalancing : std::uint8_t { kEcmp, kSpray };

struct RoutingParams {
  LoadBalancing mode = LoadBalancing::kEcmp;
  std::uint32_t hash_seed = 0;  ///< 0: derived from the run's seed and the chip's number

  void describe(ParameterVisitor& visitor);
};

class RouteTable {
 public:
  static constexpr std::uint32_t kNoRoute = UINT32_MAX;

  RouteTable(const RoutingParams& params, std::uint64_t seed, std::uint64_t chip);

  void resize(std::size_t endpoints) { entries_.assign(endpoints, kNoRoute); }
  /// Adds an equal-cost group of egress ports; returns its number.
  std::uint32_t add_group(std::vector<std::uint16_t> members);
  void route_to_port(std::uint32_t endpoint, std::uint16_t port) { entries_[endpoint] = port; }
  void route_to_group(std::uint32_t endpoint, std::uint32_t group) {
    entries_[endpoint] = kGroupBit | group;
  }

  /// Egress port for a packet to `endpoint` whose 5-tuple hashes to `flow_hash`; kNoRoute if none.
  std::uint32_t pick(std::uint32_t endpoint, std::uint32_t flow_hash) {
    const std::uint32_t entry = entries_[endpoint];
    if ((entry & kGroupBit) == 0) return entry;
    if (entry == kNoRoute) [[unlikely]]
      return kNoRoute;
    const Group& group = groups_[entry & ~kGroupBit];
    const std::uint32_t draw =
        mode_ == LoadBalancing::kEcmp ? member_hash(flow_hash, seed_) : spray_.next_u32();
    // Multiply-high instead of modulo: the same shares, no division.
    const auto index = static_cast<std::uint32_t>((std::uint64_t{draw} * group.count) >> 32);
    return members_[group.first + index];
  }

  /// The same without a draw, for looking ahead: kNoRoute where a member is drawn afresh.
  std::uint32_t peek(std::uint32_t endpoint, std::uint32_t flow_hash) const {
    const std::uint32_t entry = entries_[endpoint];
    if ((entry & kGroupBit) == 0) return entry;
    if (entry == kNoRoute || mode_ != LoadBalancing::kEcmp) return kNoRoute;
    const Group& group = groups_[entry & ~kGroupBit];
    const auto index = static_cast<std::uint32_t>(
        (std::uint64_t{member_hash(flow_hash, seed_)} * group.count) >> 32);
    return members_[group.first + index];
  }

  /// The chip's own view of a flow's hash. CRC-32 is linear: another initial value only XORs a
  /// constant into it, which permutes the members of a power-of-two group and leaves tiers
  /// polarised. A non-linear finaliser (MurmurHash3's fmix32) makes seeds count.
  static std::uint32_t member_hash(std::uint32_t flow_hash, std::uint32_t seed) {
    std::uint32_t h = flow_hash ^ seed;
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    return h ^ (h >> 16);
  }

 private:
  static constexpr std::uint32_t kGroupBit = 0x80000000U;
  struct Group {
    std::uint32_t first;
    std::uint32_t count;
  };

  LoadBalancing mode_;
  std::uint32_t seed_;
  RandomStream spray_;
  std::vector<std::uint32_t> entries_;
  std::vector<Group> groups_;
  std::vector<std::uint16_t> members_;
};

}  // namespace sluice
