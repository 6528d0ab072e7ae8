// SPDX-License-Identifier: Apache-2.0
// What a transmitter learns once, at elaboration, about the other end of its link. From then on a
// frame costs one event posted straight to the receiver, no call through the link module.
#pragma once

#include <cstdint>

#include "kernel/bridge/sc_interfaces.h"
#include "kernel/event_wheel.h"
#include "kernel/time.h"

namespace sluice {

/// Where and when frames arrive. With t = first bit of the frame (after preamble start) leaving the
/// transmitter's PHY and s = 8 (L + 8) / R, the receiver's event is posted at
/// t + head_delay (+ s when `at_tail`), its argument the PacketId; Packet::tail = t + head_delay +
/// s.
struct ReceivePath {
  Ps head_delay{};  ///< propagation, extra latency, the receiver's stages up to the event
  Ps pfc_delay{};  ///< the same for PFC frames, up to the transmitter stopped; always from the tail
  TargetId target = 0;
  std::uint8_t frame_kind = 0;
  std::uint8_t pfc_kind = 0;
  std::uint8_t notice_kind = 0;
  bool takes_notices = false;  ///< of adaptive routing; delayed like PFC frames
  bool at_tail = false;        ///< a store-and-forward chip or a NIC: the event is at the last bit
};

/// Implemented by a receiving port of a chip or NIC and, adding its own delay, by a link.
class FrameReceiver : public virtual sc_core::sc_interface {
 public:
  virtual ReceivePath receive_path() const = 0;
};

}  // namespace sluice
