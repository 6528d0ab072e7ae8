// SPDX-License-Identifier: Apache-2.0
// Where in a fabric a block is, for whoever puts another implementation in its place.
// Leaves out: the blocks and their places (switch/block_swap.h, nic/block_swap.h).
#pragma once

#include <string>

#include "kernel/event_wheel.h"

namespace sluice {

/// Which chip or NIC a block belongs to, and the time for messages.
struct BlockPlace {
  std::string instance;  ///< "fabric.leaf0"
  const EventWheel* wheel = nullptr;
};

}  // namespace sluice
