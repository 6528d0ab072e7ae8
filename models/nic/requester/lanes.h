// SPDX-License-Identifier: Apache-2.0
// What a NIC of several planes knows of each QP on each of them (a lane), and which packet went by
// which plane. Leaves out: choosing a QP (scheduler.h) and finding out that a lane is dead.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/time.h"
#include "nic/psn.h"
#include "nic/requester/qp.h"

namespace sluice {

struct Lane {
  std::uint32_t ring_next = kNoQp;
  QpState state = QpState::kIdle;
  bool limited = false;  ///< congestion control paces it
  bool failed = false;
  std::uint8_t replies = 0;  ///< probes answered since it failed
  Ps next_send{};            ///< not before
  Ps failed_since{};
  Ps alive{};  ///< last sign of life
};

class LaneTable {
 public:
  explicit LaneTable(std::uint32_t planes) : planes_(planes), outstanding_(planes) {}

  /// The lanes of one plane, by QP: what that plane's scheduler works on.
  class Plane {
   public:
    Plane(Lane* first, std::uint32_t planes) : first_(first), planes_(planes) {}
    Lane& operator[](std::uint32_t qp) const { return first_[std::size_t{qp} * planes_]; }

   private:
    Lane* first_;
    std::uint32_t planes_;
  };

  std::uint32_t planes() const { return planes_; }
  void add_qp();
  Plane plane(std::uint32_t plane) { return {lanes_.data() + plane, planes_}; }
  Lane& at(std::uint32_t qp, std::uint32_t plane) {
    return lanes_[std::size_t{qp} * planes_ + plane];
  }
  const Lane& at(std::uint32_t qp, std::uint32_t plane) const {
    return lanes_[std::size_t{qp} * planes_ + plane];
  }
  bool all_failed(std::uint32_t qp) const;

  /// Bytes of frames sent by a plane and neither acknowledged nor given up.
  std::uint64_t outstanding_bytes(std::uint32_t plane) const { return outstanding_[plane]; }
  /// The plane of `qp` to use next: of those that live the one with the least outstanding, ties in
  /// turn; `otherwise` when none lives.
  std::uint32_t best(std::uint32_t qp, std::uint32_t otherwise) const;
  /// Planes from the one with the least outstanding up, ties in turn.
  void in_order(std::uint32_t (&planes)[4]) const;

  /// `psn` of `qp` left by `plane`; `una` is the oldest that matters.
  void sent(std::uint32_t qp, std::uint32_t plane, std::uint32_t psn, std::uint32_t una,
            std::uint32_t bytes);
  /// PSNs up to `psn` belong to a packet that was sent.
  void reserve(std::uint32_t qp, std::uint32_t psn, std::uint32_t una) {
    while (psn_distance(psn, una) >= flights_[qp].size()) grow(flights_[qp], una);
  }
  /// A packet left by `plane` that nobody will acknowledge.
  void took_turn(std::uint32_t plane) { last_ = plane; }
  /// It was acknowledged or is given up.
  void gone(std::uint32_t qp, std::uint32_t psn);
  /// It is under way by `plane`.
  bool under_way(std::uint32_t qp, std::uint32_t plane, std::uint32_t psn) const {
    const std::vector<Flight>& ring = flights_[qp];
    if (ring.empty()) return false;
    const Flight& flight = ring[psn & (ring.size() - 1)];
    return flight.bytes != 0 && flight.plane == plane;
  }

 private:
  struct Flight {
    std::uint16_t bytes = 0;  ///< of its frame; 0: not under way
    std::uint8_t plane = 0;
  };

  bool less_loaded(std::uint32_t a, std::uint32_t b) const {
    if (outstanding_[a] != outstanding_[b]) return outstanding_[a] < outstanding_[b];
    return (a + planes_ - last_ - 1) % planes_ < (b + planes_ - last_ - 1) % planes_;
  }
  void grow(std::vector<Flight>& ring, std::uint32_t una);

  std::uint32_t planes_;
  std::uint32_t last_ = 0;  ///< plane of the last packet
  std::vector<std::uint64_t> outstanding_;
  std::vector<Lane> lanes_;                   ///< [qp * planes + plane]
  std::vector<std::vector<Flight>> flights_;  ///< [qp][PSN modulo a power of two]
};

}  // namespace sluice
