// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/lanes.h"

#include <algorithm>

namespace sluice {

void LaneTable::add_qp() {
  lanes_.resize(lanes_.size() + planes_);
  flights_.emplace_back();
}

bool LaneTable::all_failed(std::uint32_t qp) const {
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    if (!at(qp, plane).failed) return false;
  }
  return true;
}

std::uint32_t LaneTable::best(std::uint32_t qp, std::uint32_t otherwise) const {
  std::uint32_t best = planes_;
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    if (at(qp, plane).failed) continue;
    if (best == planes_ || less_loaded(plane, best)) best = plane;
  }
  return best == planes_ ? otherwise : best;
}

void LaneTable::in_order(std::uint32_t (&planes)[4]) const {
  for (std::uint32_t i = 0; i < planes_; ++i) planes[i] = i;
  std::sort(planes, planes + planes_,
            [this](std::uint32_t a, std::uint32_t b) { return less_loaded(a, b); });
}

void LaneTable::sent(std::uint32_t qp, std::uint32_t plane, std::uint32_t psn, std::uint32_t una,
                     std::uint32_t bytes) {
  std::vector<Flight>& ring = flights_[qp];
  while (psn_distance(psn, una) >= ring.size()) grow(ring, una);
  Flight& flight = ring[psn & (ring.size() - 1)];
  outstanding_[flight.plane] -= flight.bytes;
  flight.bytes = static_cast<std::uint16_t>(bytes);
  flight.plane = static_cast<std::uint8_t>(plane);
  outstanding_[plane] += bytes;
  last_ = plane;
}

void LaneTable::gone(std::uint32_t qp, std::uint32_t psn) {
  std::vector<Flight>& ring = flights_[qp];
  if (ring.empty()) return;
  Flight& flight = ring[psn & (ring.size() - 1)];
  outstanding_[flight.plane] -= flight.bytes;
  flight.bytes = 0;
}

void LaneTable::grow(std::vector<Flight>& ring, std::uint32_t una) {
  constexpr std::size_t kFirst = 16;
  std::vector<Flight> larger(std::max(kFirst, ring.size() * 2));
  for (std::uint32_t i = 0; i < ring.size(); ++i) {
    const std::uint32_t psn = psn_add(una, i);
    larger[psn & (larger.size() - 1)] = ring[psn & (ring.size() - 1)];
  }
  ring.swap(larger);
}

}  // namespace sluice
