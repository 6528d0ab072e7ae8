// SPDX-License-Identifier: Apache-2.0
// A running chip filled packet by packet, as the public SONiC QoS tests do with a traffic
// generator: hosts that ignore PFC send frames of 64 B, one cell each, towards one host that holds
// its port closed. Leaves out: which chip, and what is expected of it.
#pragma once

#include "golden/running_fabric.h"

namespace sluice::golden {

inline constexpr std::uint32_t kSmallFrame = 64;
inline constexpr std::uint8_t kLossyClass = 0;

/// DSCP n goes to traffic class n for the classes used here, as SONiC's maps have it.
void map_classes(SwitchParams& chip);

/// One priority group under test: a host on `port`, sending in class `pg`.
struct GroupOfPort {
  std::uint32_t port;
  std::uint8_t pg;
};

/// Sends from inside a script. Packets are counted when the MMU holds them.
class Filler {
 public:
  /// `egress`: the closed port. `settle`: sent to admitted, and a pause frame back to the host.
  Filler(RunningFabric& fabric, std::uint32_t egress, Ps settle)
      : fabric_(fabric), egress_(egress), settle_(settle) {}

  PgUsage usage(GroupOfPort group) const {
    return fabric_.chip(0).mmu().pg(static_cast<std::uint16_t>(group.port), group.pg);
  }
  /// Frames that the chip refused on this port so far.
  std::uint64_t refused(GroupOfPort group) const;

  /// One packet after the other until the group is XOFF; the number of the packet that did it.
  std::uint32_t until_xoff(GroupOfPort group);
  /// One packet after the other until one is refused; the number of that packet.
  std::uint32_t until_drop(GroupOfPort group);
  /// Opens the closed port and looks on, until the group's XON frame is sent; cells then held.
  std::uint32_t drain_until_xon(GroupOfPort group, std::uint8_t priorities);

 private:
  void send(GroupOfPort group, std::uint32_t count);

  RunningFabric& fabric_;
  std::uint32_t egress_;
  Ps settle_;
};

/// Number of the first packet that a lossy queue refuses. PFC does not hold a lossy class, so two
/// hosts saturate the port in the strict class above it; their buffer is not the one under test.
struct LossyRun {
  std::uint32_t source;
  std::uint32_t egress;
  std::array<std::uint32_t, 2> blockers;
  std::uint32_t frames;  ///< more than the queue can hold
};
std::uint32_t lossy_drop(FabricSpec spec, const LossyRun& run);

}  // namespace sluice::golden
