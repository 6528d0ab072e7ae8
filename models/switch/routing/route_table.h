// SPDX-License-Identifier: Apache-2.0
// Where a packet leaves the chip: one entry an endpoint, a port or a group of equal-cost or
// weighted ports; in a group the member is chosen by hash (ECMP) or afresh for every packet
// (spray), or an adaptive selector is asked. Leaves out: longest-prefix match (forwarding/), which
// fills the entries.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/random.h"
#include "packet/packet.h"
#include "switch/routing/ecmp_hash.h"
#include "switch/routing/port_group.h"
#include "switch/routing/routing_params.h"

namespace sluice {

class RouteTable {
 public:
  static constexpr std::uint32_t kNoRoute = UINT32_MAX;
  /// What an entry is made of besides a plain port number.
  static constexpr std::uint32_t kGroupBit = 0x80000000U;
  /// From here on (and below kNoRoute) an answer of pick() is a group of the adaptive selector.
  static constexpr std::uint32_t kAdaptive = 0xE0000000U;

  RouteTable(const RoutingParams& params, std::uint64_t seed, std::uint64_t chip,
             bool ipv6 = false);

  void resize(std::size_t endpoints) { entries_.assign(endpoints, kNoRoute); }
  /// Takes no routes from now on: every packet gets kNoRoute. For chips that bridge.
  void close() { closed_ = true; }
  /// Adds a group of egress ports; returns its number. Weights are shares of the traffic, all equal
  /// when empty. A group as an earlier one, member by member, is that one.
  std::uint32_t add_group(const std::vector<std::uint16_t>& members,
                          const std::vector<std::uint32_t>& weights = {});
  void route_to_port(std::uint32_t endpoint, std::uint16_t port) { install(endpoint, port); }
  void route_to_group(std::uint32_t endpoint, std::uint32_t group) {
    install(endpoint, entry_of_group(group));
  }
  /// `entry`: a port number, entry_of_group() of a group at any time, or kNoRoute.
  void route_to_entry(std::uint32_t endpoint, std::uint32_t entry);
  /// The chip's adaptive selector chooses among the members of its group `group`.
  void route_to_adaptive(std::uint32_t endpoint, std::uint32_t group) {
    install(endpoint, kAdaptive + group);
  }
  std::uint32_t entry_of_group(std::uint32_t group) const;

  /// Takes a port out of every group, or puts it back: flows move as the group's kind says. A group
  /// without members has no route. Routes straight to a port stay as they are.
  void remove_member(std::uint16_t port);
  void restore_member(std::uint16_t port);

  /// Egress port for the packet; kNoRoute if none; kAdaptive + the selector's group where that is
  /// to choose.
  std::uint32_t pick(const Packet& packet) {
    const std::uint32_t entry = entries_[packet.destination];
    if ((entry & kGroupBit) == 0) return entry;
    if (entry >= kDead) [[unlikely]]
      return entry >= kAdaptive ? entry : kNoRoute;
    const Group& group = groups_[entry & ~kGroupBit];
    const std::uint32_t bucket =
        by_flow_hash_ ? bucket_of(member_hash(packet.flow_hash, group.seed), group.count)
                      : other_bucket(packet, group);
    return buckets_[group.first + bucket];
  }

  /// The same without a draw, for looking ahead: kNoRoute where the flow hash does not decide.
  std::uint32_t peek(const Packet& packet) const {
    const std::uint32_t entry = entries_[packet.destination];
    if ((entry & kGroupBit) == 0) return entry;
    if (entry >= kDead || !by_flow_hash_) return kNoRoute;
    const Group& group = groups_[entry & ~kGroupBit];
    return buckets_[group.first +
                    bucket_of(member_hash(packet.flow_hash, group.seed), group.count)];
  }

  /// Every pick by hash asks `hash` from now on, the packet's own flow hash or not.
  void use_hash(std::unique_ptr<EcmpHash> hash) {
    ecmp_hash_ = std::move(hash);
    by_flow_hash_ = false;
  }

  /// The index rule: the upper half of hash x buckets. Multiply-high instead of modulo: the same
  /// shares for any number, no division.
  static constexpr std::uint32_t bucket_of(std::uint32_t hash, std::uint32_t buckets) {
    return static_cast<std::uint32_t>((std::uint64_t{hash} * buckets) >> 32);
  }

  /// The chip's own view of a flow's hash. CRC-32 is linear: another initial value only XORs a
  /// constant into it, which permutes the members of a power-of-two group and leaves tiers
  /// polarised. A non-linear finaliser (MurmurHash3's fmix32) makes seeds count.
  static constexpr std::uint32_t member_hash(std::uint32_t flow_hash, std::uint32_t seed) {
    std::uint32_t h = flow_hash ^ seed;
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    return h ^ (h >> 16);
  }

  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  const PortGroup& group(std::uint32_t number) const { return members_[number]; }
  std::uint32_t seed() const { return seed_; }

 private:
  /// From here on an entry has no route now: none installed, or a group without members.
  static constexpr std::uint32_t kDead = 0xC0000000U;
  struct alignas(16) Group {
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t seed;
  };

  void install(std::uint32_t endpoint, std::uint32_t entry) {
    if (!closed_) entries_[endpoint] = entry;
  }
  std::uint32_t other_bucket(const Packet& packet, const Group& group);
  void refresh(std::uint32_t group);
  void mark_entries(std::uint32_t group);

  // Hot.
  std::vector<std::uint32_t> entries_;
  std::vector<Group> groups_;
  std::vector<std::uint16_t> buckets_;  ///< of all groups, one after the other
  bool by_flow_hash_;
  // Cold.
  bool closed_ = false;
  RoutingParams params_;
  std::uint32_t seed_;
  RandomStream spray_;
  bool ipv6_;
  std::unique_ptr<EcmpHash> ecmp_hash_;  ///< null: spray, or the packet's own flow hash
  std::vector<PortGroup> members_;       ///< what each group is made of
  std::vector<std::uint32_t> capacity_;  ///< buckets reserved for each group
};

}  // namespace sluice
