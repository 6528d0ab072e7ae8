// SPDX-License-Identifier: Apache-2.0
// Receive buffer of one port of a NIC whose host drains it slowly: a FIFO in bytes with XOFF and
// XON marks. Plain C++; the NIC moves time and sends the PFC frames. Leaves out: frames that carry
// no payload to the host (ACK, NAK, CNP), which the transport engine takes at once.
#pragma once

#include <cstdint>

#include "kernel/clock_rate.h"
#include "packet/packet.h"

namespace sluice {

struct RxBufferConfig {
  BitsPerSecond drain_rate{};  ///< of preamble to gap; 0: nothing leaves
  std::uint32_t gap_bytes = 12;
  std::uint64_t capacity_bytes = 0;
  std::uint64_t xoff_bytes = 0;
  std::uint64_t xon_bytes = 0;
};

class RxBuffer {
 public:
  explicit RxBuffer(const RxBufferConfig& config)
      : config_(config), stalled_(config.drain_rate.value == 0) {
    if (!stalled_) clock_ = ByteClock(config.drain_rate, 0);
  }

  /// Takes a frame at the end of the queue; false when it does not fit.
  bool push(PacketPool& packets, PacketId id);
  /// Takes the frame at the head out.
  PacketId pop(PacketPool& packets);
  PacketId head() const { return head_; }
  bool empty() const { return head_ == kNoPacket; }
  /// The queue holds one frame: its drain begins with the arrival.
  bool just_one() const { return head_ != kNoPacket && head_ == tail_; }
  /// How long the frame at the head takes to leave; kNever when nothing does.
  Ps drain_time(const PacketPool& packets);

  bool above_xoff() const { return bytes_ > config_.xoff_bytes; }
  bool at_or_below_xon() const { return bytes_ <= config_.xon_bytes; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  RxBufferConfig config_;
  ByteClock clock_;
  bool stalled_;
  PacketId head_ = kNoPacket;
  PacketId tail_ = kNoPacket;
  std::uint64_t bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace sluice
