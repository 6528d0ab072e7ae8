// SPDX-License-Identifier: Apache-2.0
// Egress scheduling of a chip's ports: strict classes over deficit-weighted round robin
// (Shreedhar and Varghese, SIGCOMM 1995), counted in wire bytes. One object serves a whole chip.
// Leaves out: shapers, hierarchies of more than one level.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

inline constexpr std::uint32_t kSchedulerQueues = 8;

struct SchedulerParams {
  /// Queues served before all others, the highest number first.
  std::vector<std::uint32_t> strict_queues{6};
  /// DWRR weight of each queue; those of strict queues are not used.
  std::vector<std::uint32_t> weights{50, 50, 50, 50, 50, 50, 50, 50};
  /// Quantum of the smallest weight; the others get their multiple of it.
  Bytes quantum_bytes{4178};

  void describe(ParameterVisitor& visitor);
  void validate() const;
  bool operator==(const SchedulerParams&) const = default;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Chooses the queue to send from and charges its head packet. `ready`: mask of queues that have
  /// a packet and are not paused, not 0. `head_bytes`: wire bytes (frame + 20) of each ready
  /// queue's head. A queue left out of `ready` by a pause keeps its deficit.
  virtual std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                             const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) = 0;
  /// The queue has become empty: its deficit is lost.
  virtual void emptied(std::uint32_t port, std::uint32_t queue) = 0;
  virtual std::uint32_t deficit(std::uint32_t port, std::uint32_t queue) const = 0;
};

std::unique_ptr<Scheduler> make_scheduler(const SchedulerParams& params, std::uint32_t ports);

}  // namespace sluice
