// SPDX-License-Identifier: Apache-2.0
// How a capture looks at what ports send. A port without a tap does not know of taps: transmitters
// with one take a path that they have for other rare things. Leaves out: the capture itself
// (fabric/wire_capture.h).
#pragma once

#include <cstdint>

#include "kernel/time.h"
#include "packet/packet.h"
#include "packet/wire/compose.h"

namespace sluice {

class FrameTap {
 public:
  /// A packet of a request message is about to be sent that may be its first: the message has
  /// `packets` PSNs from `first_psn` on.
  virtual void on_message(const Packet& packet, std::uint32_t first_psn, std::uint32_t packets,
                          const wire::WireMessage& message) = 0;
  /// Port `port`, as whoever set the tap numbers it, begins to send a frame; its first bit will be
  /// on the wire at `first_bit`.
  virtual void on_frame(std::uint32_t port, const Packet& packet, Ps first_bit) = 0;

 protected:
  ~FrameTap() = default;
};

/// A tap and the number by which it knows a port.
struct TapPoint {
  FrameTap* tap = nullptr;
  std::uint32_t port = 0;

  void frame(const Packet& packet, Ps first_bit) const {
    if (tap != nullptr) tap->on_frame(port, packet, first_bit);
  }
};

}  // namespace sluice
