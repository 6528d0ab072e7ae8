// SPDX-License-Identifier: Apache-2.0
// Egress scheduling of a chip's ports: strict classes over deficit-weighted round robin
// (Shreedhar and Varghese, SIGCOMM 1995), counted in wire bytes, and token buckets of queues and
// ports. One object serves a whole chip. Leaves out: hierarchies of more than one level.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

inline constexpr std::uint32_t kSchedulerQueues = 8;
/// A deficit stops growing there: pauses in the midst of a queue's turns would add up otherwise.
inline constexpr std::uint32_t kMaxDeficitBytes = (1u << 24) - 1;

struct SchedulerParams {
  /// Queues served before all others, the highest number first.
  std::vector<std::uint32_t> strict_queues{6};
  /// DWRR weight of each queue; those of strict queues are not used.
  std::vector<std::uint32_t> weights{50, 50, 50, 50, 50, 50, 50, 50};
  /// Quantum of the smallest weight; the others get their multiple of it.
  Bytes quantum_bytes{4178};

  /// Most that each queue may send, in Mb/s of wire bytes; 0: no limit; empty: none has one.
  std::vector<std::uint32_t> queue_shapers{};
  std::vector<std::uint32_t> queue_bursts{};  ///< bytes; empty: 16384 each
  BitsPerSecond port_shaper{0};               ///< most that the port may send; 0: no limit
  Bytes port_burst{16384};

  bool shapes() const;
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

  /// Whether any queue of the port, or the port, has a shaper. Only then need the rest be called.
  virtual bool shapes(std::uint32_t port) const = 0;
  /// Queues that shapers hold back at `now`, a bit each. Like a pause: they keep their deficit.
  virtual std::uint8_t held(std::uint32_t port, Ps now) const = 0;
  /// Earliest time after `now` at which one of `queues` that is held now may send again; kNever if
  /// none of them is held.
  virtual Ps next_open(std::uint32_t port, std::uint32_t queues, Ps now) const = 0;
  /// A frame of `wire_bytes` starts.
  virtual void sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes, Ps now) = 0;
};

/// `profile_of_port`: index into `profiles`, one a port.
std::unique_ptr<Scheduler> make_scheduler(const std::vector<SchedulerParams>& profiles,
                                          const std::vector<std::uint16_t>& profile_of_port);
/// All ports alike.
std::unique_ptr<Scheduler> make_scheduler(const SchedulerParams& params, std::uint32_t ports);

}  // namespace sluice
