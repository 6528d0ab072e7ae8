// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/route_table.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {

RouteTable::RouteTable(const RoutingParams& params, std::uint64_t seed, std::uint64_t chip,
                       bool ipv6)
    : by_flow_hash_(params.mode == LoadBalancing::kEcmp),
      params_(params),
      seed_(params.hash_seed),
      spray_(seed, chip, RandomPurpose::kSpray),
      ipv6_(ipv6) {
  if (seed_ == 0) seed_ = RandomStream(seed, chip, RandomPurpose::kHashSeed).next_u32();
  if (by_flow_hash_ && !is_flow_hash(params.hash, params.hash_fields)) {
    use_hash(make_ecmp_hash(params.hash, params.hash_fields));
  }
}

std::uint32_t RouteTable::add_group(const std::vector<std::uint16_t>& members,
                                    const std::vector<std::uint32_t>& weights) {
  if (members.size() > params_.max_members) {
    throw ConfigError(fmt::format("routing.max_members: {}, but a group of {} ports is needed",
                                  params_.max_members, members.size()));
  }
  PortGroup group(
      {members, weights, params_.resilient, params_.resilient_buckets, params_.max_buckets});
  for (std::uint32_t i = 0; i < groups(); ++i) {
    if (members_[i].shape() == group.shape()) return i;
  }
  if (groups() == params_.max_groups) {
    throw ConfigError(fmt::format("routing.max_groups: {}, but one more group of ports is needed",
                                  params_.max_groups));
  }
  members_.push_back(std::move(group));
  capacity_.push_back(0);
  groups_.emplace_back();
  refresh(groups() - 1);
  return groups() - 1;
}

std::uint32_t RouteTable::entry_of_group(std::uint32_t group) const {
  const std::uint32_t dead = members_[group].present() == 0 ? kDead : 0;
  return kGroupBit | dead | group;
}

void RouteTable::route_to_entry(std::uint32_t endpoint, std::uint32_t entry) {
  const std::uint32_t group = entry & ~kDead;
  // The group may have lost or regained its members since the entry was made.
  const bool of_group = (entry & kGroupBit) != 0 && group < groups();
  install(endpoint, of_group ? entry_of_group(group) : entry);
}

void RouteTable::remove_member(std::uint16_t port) {
  for (std::uint32_t i = 0; i < groups(); ++i) {
    if (!members_[i].remove(port)) continue;
    refresh(i);
    if (members_[i].present() == 0) mark_entries(i);
  }
}

void RouteTable::restore_member(std::uint16_t port) {
  for (std::uint32_t i = 0; i < groups(); ++i) {
    if (!members_[i].restore(port)) continue;
    refresh(i);
    if (members_[i].present() == 1) mark_entries(i);
  }
}

/// Brings the hot copy of a group up to date; a group that outgrows its place moves to the end.
void RouteTable::refresh(std::uint32_t number) {
  const PortGroup& source = members_[number];
  Group& group = groups_[number];
  const auto count = static_cast<std::uint32_t>(source.buckets().size());
  if (count > capacity_[number]) {
    group.first = static_cast<std::uint32_t>(buckets_.size());
    capacity_[number] = count;
    buckets_.resize(buckets_.size() + count);
  }
  std::copy(source.buckets().begin(), source.buckets().end(), buckets_.begin() + group.first);
  group.count = count;
  group.seed = seed_ ^ source.seed_offset();
}

/// Entries of a group say themselves whether it has members.
void RouteTable::mark_entries(std::uint32_t group) {
  const std::uint32_t now = entry_of_group(group);
  for (std::uint32_t& entry : entries_) {
    if ((entry & kGroupBit) != 0 && (entry | kDead) == (now | kDead)) entry = now;
  }
}

std::uint32_t RouteTable::other_bucket(const Packet& packet, const Group& group) {
  if (!ecmp_hash_) return bucket_of(spray_.next_u32(), group.count);
  EcmpRequest request;
  request.header = HashInput::of(packet, ipv6_);
  request.flow_hash = packet.flow_hash;
  request.raw = packet.kind == PacketKind::kRaw;
  request.seed = group.seed;
  request.buckets = group.count;
  return ecmp_hash_->bucket(request);
}

}  // namespace sluice
