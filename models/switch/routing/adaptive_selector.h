// SPDX-License-Identifier: Apache-2.0
// Chooses the member of a group by what the ports carry: the interface that a chip calls for every
// packet, shared by DLB and AR. Draws and times are inputs, so that a twin sees the same.
// Leaves out: finding the group of a destination, and sending notifications.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/time.h"
#include "switch/routing/adaptive_params.h"
#include "switch/routing/port_loads.h"

namespace sluice {

struct PickRequest {
  std::uint32_t group = 0;
  std::uint32_t flow_hash = 0;  ///< of the flow, mixed with the chip's seed; names the flow set
  std::uint32_t ingress_port = 0;
  Ps now{};
  std::uint32_t draw = 0;  ///< uniform: which of the equally good members
  std::uint32_t move = 0;  ///< uniform: whether an active flow set is rebalanced; see draws_move()
};

struct PickResult {
  static constexpr std::uint32_t kNoPort = UINT32_MAX;

  std::uint32_t port = kNoPort;  ///< kNoPort: the group has no member left
  bool busy = false;             ///< no member is better than the worst grade
};

struct AdaptiveCounters {
  std::uint64_t placed_flow_sets = 0;      ///< choices made for a flow set, the first one included
  std::uint64_t moved_flow_sets = 0;       ///< those that changed the port
  std::uint64_t rebalanced_flow_sets = 0;  ///< moved while active
  std::uint64_t notifications_sent = 0;
  std::uint64_t notifications_taken = 0;
};

class AdaptiveSelector {
 public:
  virtual ~AdaptiveSelector() = default;

  /// A group of egress ports, each once; returns its number.
  virtual std::uint32_t add_group(const std::vector<std::uint16_t>& ports) = 0;
  /// A link of the chip went down or came back: `port` in every group.
  virtual void set_link(std::uint16_t port, bool up) = 0;
  /// Capacity behind a next hop for one group: 0 takes it out, else its weight.
  virtual void set_capacity(std::uint32_t group, std::uint16_t port, std::uint32_t weight) = 0;
  /// A notification: `port` counts as of the worst grade in this group until then.
  virtual void demote(std::uint32_t group, std::uint16_t port, Ps until) = 0;

  virtual PickResult pick(const PickRequest& request) = 0;
  /// Whether pick() looks at `move`.
  virtual bool draws_move() const = 0;

  /// Samples and copies that are due at `now`. Returns when the next are, kNever when the ports are
  /// at rest; then the next pick must be preceded by wake().
  virtual Ps tick(Ps now) = 0;
  virtual bool resting() const = 0;
  virtual Ps wake(Ps now) = 0;

  virtual AdaptiveCounters& counters() = 0;
};

/// What a selector learns of its chip.
struct AdaptiveContext {
  PortLoads loads;
  std::vector<BitsPerSecond> rates;         ///< one a port
  std::vector<std::uint32_t> pipe_of_port;  ///< ingress pipe
  std::uint64_t seed = 1;
  std::uint64_t chip = 0;
};

std::unique_ptr<AdaptiveSelector> make_dlb_selector(const DlbParams& params, Ps refresh,
                                                    const AdaptiveContext& context);
std::unique_ptr<AdaptiveSelector> make_ar_selector(const ArParams& params,
                                                   const AdaptiveContext& context);

}  // namespace sluice
