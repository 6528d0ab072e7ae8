// SPDX-License-Identifier: Apache-2.0
// How a NIC of several ports spreads its QPs over them.
// Leaves out: what happens when one fails (lanes.h).
#pragma once

#include <cstdint>

namespace sluice {

/// What decides the plane of a packet.
enum class PlaneChoice : std::uint8_t { kPerPacket, kPerMessage, kPerQp };

}  // namespace sluice
