// SPDX-License-Identifier: Apache-2.0
// Where another implementation of a chip's blocks (an RTL twin, a recorder) is put in place of the
// C++ one, at construction. Leaves out: any such implementation (rtl/).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/event_wheel.h"
#include "switch/ecn/ecn.h"
#include "switch/mmu/mmu.h"
#include "switch/routing/adaptive_selector.h"
#include "switch/routing/ecmp_hash.h"
#include "switch/routing/routing_params.h"
#include "switch/scheduler/scheduler.h"

namespace sluice {

/// Which chip a block belongs to, and the time for messages.
struct BlockPlace {
  std::string instance;  ///< "fabric.leaf0"
  const EventWheel* wheel = nullptr;
};

/// Each function takes the C++ block and gives back what the chip uses; here: the same.
class SwitchBlockSwap {
 public:
  virtual ~SwitchBlockSwap() = default;

  virtual std::unique_ptr<EcnMarker> wred_marker(std::unique_ptr<EcnMarker> model,
                                                 const std::vector<EcnParams>& profiles,
                                                 const std::vector<std::uint8_t>& profile_of_queue,
                                                 const BlockPlace& place) = 0;
  /// Asked in mode ecmp too where packets bring their hash; `model` back: they go on doing so.
  virtual std::unique_ptr<EcmpHash> ecmp_hash(std::unique_ptr<EcmpHash> model,
                                              const RoutingParams& params,
                                              const BlockPlace& place) = 0;
  /// `model` is null where the chip's mode is not dlb or ar.
  virtual std::unique_ptr<AdaptiveSelector> ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                      const BlockPlace& place) = 0;
};

}  // namespace sluice
