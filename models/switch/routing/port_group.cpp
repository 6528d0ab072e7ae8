// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/port_group.h"

#include <algorithm>
#include <numeric>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {

std::vector<std::uint32_t> buckets_by_weight(const std::vector<std::uint32_t>& weights,
                                             std::uint32_t limit) {
  std::uint64_t divisor = 0;
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : weights) {
    divisor = std::gcd(divisor, std::uint64_t{weight});
    sum += weight;
  }
  std::vector<std::uint32_t> buckets(weights.size());
  if (sum / divisor <= limit) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      buckets[i] = static_cast<std::uint32_t>(weights[i] / divisor);
    }
    return buckets;
  }
  // One for each member first, the rest in proportion, what is left to the largest remainders.
  const std::uint64_t spare = limit - weights.size();
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t given = weights.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t wanted = weights[i] * std::uint64_t{limit} / sum;
    buckets[i] =
        static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(wanted, 1), spare + 1));
    given += buckets[i] - 1;
  }
  const auto remainder = [&](std::size_t i) { return weights[i] * std::uint64_t{limit} % sum; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
  for (std::size_t i = 0; given < limit; i = (i + 1) % order.size(), ++given) ++buckets[order[i]];
  // Members rounded up to one bucket may have overdrawn the limit: the largest pay.
  for (; given > limit; --given) --*std::max_element(buckets.begin(), buckets.end());
  return buckets;
}

PortGroup::PortGroup(const GroupShape& shape)
    : shape_(shape),
      in_use_(shape.members.size(), true),
      present_(static_cast<std::uint32_t>(shape.members.size())) {
  if (shape_.weights.empty()) shape_.weights.assign(shape_.members.size(), 1);
  SLUICE_CHECK(!shape_.members.empty(), "a group of ports needs at least one member");
  SLUICE_CHECK(shape_.weights.size() == shape_.members.size(), "{} weights for {} members",
               shape_.weights.size(), shape_.members.size());
  SLUICE_CHECK(std::count(shape_.weights.begin(), shape_.weights.end(), 0U) == 0,
               "a member of a group of ports has weight 0");
  SLUICE_CHECK(shape_.members.size() <= shape_.max_buckets, "{} members in a group of {} buckets",
               shape_.members.size(), shape_.max_buckets);
  rebuild();
  if (!shape_.resilient) return;
  // Whole rounds of the smallest exact table, so that three members have exactly a third each.
  const std::size_t round = buckets_.size();
  const std::size_t rounds = std::max<std::size_t>(shape_.resilient_buckets / round, 1);
  const std::vector<std::uint16_t> once = buckets_;
  for (std::size_t i = 1; i < rounds; ++i) {
    buckets_.insert(buckets_.end(), once.begin(), once.end());
  }
  home_ = buckets_;
}

std::size_t PortGroup::index_of(std::uint16_t port) const {
  const auto at = std::find(shape_.members.begin(), shape_.members.end(), port);
  return static_cast<std::size_t>(at - shape_.members.begin());
}

bool PortGroup::has(std::uint16_t port) const {
  const std::size_t index = index_of(port);
  return index < in_use_.size() && in_use_[index];
}

std::uint32_t PortGroup::seed_offset() const {
  if (shape_.resilient || present_ == shape_.members.size()) return 0;
  return static_cast<std::uint32_t>(mix64(present_));
}

bool PortGroup::remove(std::uint16_t port) {
  if (!has(port)) return false;
  in_use_[index_of(port)] = false;
  --present_;
  if (shape_.resilient && present_ != 0) {
    deal_out(port);
  } else if (!shape_.resilient) {
    rebuild();
  }
  return true;
}

bool PortGroup::restore(std::uint16_t port) {
  const std::size_t index = index_of(port);
  if (index == in_use_.size() || in_use_[index]) return false;
  in_use_[index] = true;
  ++present_;
  if (!shape_.resilient) {
    rebuild();
    return true;
  }
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    // The first to come back after all were gone takes everything.
    if (home_[i] == port || present_ == 1) buckets_[i] = port;
  }
  return true;
}

void PortGroup::rebuild() {
  buckets_.clear();
  std::vector<std::uint16_t> ports;
  std::vector<std::uint32_t> weights;
  for (std::size_t i = 0; i < in_use_.size(); ++i) {
    if (!in_use_[i]) continue;
    ports.push_back(shape_.members[i]);
    weights.push_back(shape_.weights[i]);
  }
  if (ports.empty()) return;
  const std::vector<std::uint32_t> counts = buckets_by_weight(weights, shape_.max_buckets);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    buckets_.insert(buckets_.end(), counts[i], ports[i]);
  }
}

/// Each bucket of the lost member goes to the member that has fewest for its weight.
void PortGroup::deal_out(std::uint16_t lost) {
  std::vector<std::uint64_t> held(in_use_.size());
  for (const std::uint16_t port : buckets_) ++held[index_of(port)];
  for (std::uint16_t& bucket : buckets_) {
    if (bucket != lost) continue;
    std::size_t best = in_use_.size();
    for (std::size_t i = 0; i < in_use_.size(); ++i) {
      if (!in_use_[i]) continue;
      if (best == in_use_.size() ||
          held[i] * shape_.weights[best] < held[best] * shape_.weights[i]) {
        best = i;
      }
    }
    bucket = shape_.members[best];
    ++held[best];
  }
}

}  // namespace sluice
