// SPDX-License-Identifier: Apache-2.0
// The members of one group and the buckets that stand for them: weights by replication, and what
// moves when a member goes or comes back. Leaves out: which packet falls into which bucket.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice {

struct GroupShape {
  std::vector<std::uint16_t> members{};  ///< egress ports, each once
  std::vector<std::uint32_t> weights{};  ///< shares; empty: all equal
  bool resilient = false;
  std::uint32_t resilient_buckets = 512;
  std::uint32_t max_buckets = 512;
  bool operator==(const GroupShape&) const = default;
};

/// A plain group has as few buckets as its weights allow, of its present members alone; when one
/// goes or comes back, every flow is placed afresh. A resilient group has a fixed number of
/// buckets: only those of a lost member are dealt out, and they return with it.
class PortGroup {
 public:
  explicit PortGroup(const GroupShape& shape);

  const GroupShape& shape() const { return shape_; }
  const std::vector<std::uint16_t>& buckets() const { return buckets_; }  ///< egress ports
  std::uint32_t present() const { return present_; }                      ///< members in use
  bool has(std::uint16_t port) const;
  /// Added to the seed of the group's choice: 0 with all members, another number for each number of
  /// members, as `hash modulo members` would choose afresh.
  std::uint32_t seed_offset() const;

  /// Whether anything changed.
  bool remove(std::uint16_t port);
  bool restore(std::uint16_t port);

 private:
  std::size_t index_of(std::uint16_t port) const;
  void rebuild();
  void deal_out(std::uint16_t lost);

  GroupShape shape_;
  std::vector<bool> in_use_;
  std::uint32_t present_ = 0;
  std::vector<std::uint16_t> buckets_;
  std::vector<std::uint16_t> home_;  ///< of a resilient group: whose bucket it is
};

/// Whole buckets in proportion to `weights`, `limit` at most and one at least for each: exact when
/// the weights over their common divisor fit, else by largest remainder.
std::vector<std::uint32_t> buckets_by_weight(const std::vector<std::uint32_t>& weights,
                                             std::uint32_t limit);

}  // namespace sluice
