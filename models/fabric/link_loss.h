// SPDX-License-Identifier: Apache-2.0
// Frames that a cable damages: each for itself with one probability, found by its FCS. Sits before
// the receivers of such cables alone, so that others cost nothing. Leaves out: bursts of errors,
// FEC (the probability is what FEC leaves), and frames that end shorter than they began.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config_node.h"
#include "fabric/topology.h"
#include "kernel/event_wheel.h"
#include "kernel/time.h"
#include "link/link.h"
#include "packet/packet.h"
#include "switch/chip.h"

namespace sluice {

/// Which way of a cable, as seen from the chip that its name begins with.
enum class LossDirection : std::uint8_t { kBoth, kOut, kIn };

/// One cable that loses frames in [at, until); of two for the same instant the later one counts.
struct CableLoss {
  std::uint32_t cable = 0;  ///< index into Topology::cables
  bool forward = true;      ///< from the cable's end a to b
  double probability = 0;   ///< of a frame
  Ps at{};
  Ps until = kNever;
};

/// The `losses` section: `[{link: leaf0.spine1, loss: 1e-4, direction: in, at: 1ms, until: 2ms}]`.
std::vector<CableLoss> read_losses(ConfigNode& root, const Topology& topology);

class LinkLoss {
 public:
  LinkLoss(EventWheel& wheel, PacketPool& packets, std::uint64_t seed);
  ~LinkLoss();

  /// One direction of a cable; `number` keys its random numbers, `counts` counts damaged PFC frames
  /// and notices, which are lost at once. A damaged data frame goes on with a bad FCS: whoever
  /// stores it next drops it. Once all is bound.
  void watch(std::uint64_t number, const Link& link, const std::vector<CableLoss>& losses,
             SwitchChip& counts, std::uint32_t port);

 private:
  class NoisyReceiver;

  EventWheel& wheel_;
  PacketPool& packets_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<NoisyReceiver>> receivers_;
};

}  // namespace sluice
