// SPDX-License-Identifier: Apache-2.0
// Cables that fail while a fabric runs: what is on them is lost, and after a while the chips route
// around them. Sits before the receivers of those cables alone, so that others cost nothing.
// Leaves out: what a cut frame looks like (it is lost whole), and flushing a dead port's queues,
// which drain into the dead cable.
#pragma once

#include <memory>
#include <vector>

#include "fabric/failure_spec.h"
#include "kernel/event_wheel.h"
#include "link/link.h"
#include "packet/packet.h"
#include "switch/chip.h"

namespace sluice {

/// What changes in a chip's routes and when.
struct RouteChange {
  Ps time{};
  std::uint32_t chip = 0;
  std::uint32_t cable = 0;
  bool local = false;  ///< the chip has the cable; else it reaches destinations through it
  bool up = false;
};

/// Every change that `failures` bring about, in the order of time. A failure shorter than a chip
/// needs to act on leaves that chip's routes alone.
std::vector<RouteChange> plan_route_changes(const Topology& topology,
                                            const std::vector<LinkFailure>& failures,
                                            const std::vector<SwitchParams>& chips);

class RouteChanger {
 public:
  virtual ~RouteChanger() = default;
  virtual void apply(const RouteChange& change) = 0;
};

class LinkFailures : private EventHandler {
 public:
  LinkFailures(EventWheel& wheel, PacketPool& packets, std::vector<LinkFailure> failures,
               std::vector<RouteChange> changes, RouteChanger& changer);
  ~LinkFailures();

  const std::vector<LinkFailure>& failures() const { return failures_; }
  /// One direction of a failing cable; `counter` counts what is lost. Once all is bound.
  void watch(std::uint32_t cable, const Link& link, SwitchChip& counts, std::uint32_t port);
  /// Posts the first route change.
  void start();

 private:
  class LossyReceiver;

  void handle(Event event) override;
  void arm();

  EventWheel& wheel_;
  PacketPool& packets_;
  std::vector<LinkFailure> failures_;
  std::vector<RouteChange> changes_;
  RouteChanger& changer_;
  std::size_t next_ = 0;
  TargetId target_ = 0;
  std::vector<std::unique_ptr<LossyReceiver>> receivers_;
};

}  // namespace sluice
