// SPDX-License-Identifier: Apache-2.0
// Open-loop source of unreliable datagrams (UD SEND_ONLY): streams paced at a rate that nothing but
// PFC slows. Plain C++; the NIC owns MAC and wheel. Leaves out: acknowledgements, repetition and
// congestion control, which datagrams do not have; multicast; queue keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/parameter.h"
#include "packet/packet.h"
#include "packet/serialisation.h"

namespace sluice {

/// One stream of datagrams. The source is whoever owns the stream.
struct UdStream {
  std::uint32_t destination = 0;  ///< endpoint
  std::uint32_t payload_bytes = 1024;
  BitsPerSecond rate{0};       ///< of preamble to gap; 0: the line rate
  std::uint32_t dscp = 26;     ///< the lossless class of the presets
  std::uint32_t priority = 3;  ///< PFC priority that stops it; PCP
  std::uint32_t ecn = 2;       ///< the two ECN bits: 0 not-ECT, 1 ECT(1), 2 ECT(0)
  std::uint32_t ttl = 64;
  std::uint64_t frames = 0;  ///< 0: until `stop`
  Ps start{};
  Ps stop = kNever;  ///< no frame is due at or after this

  bool endless() const { return frames == 0 && stop == kNever; }
  void describe(ParameterVisitor& visitor);
  void validate() const;
};

struct UdConfig {
  std::uint32_t endpoint = 0;
  BitsPerSecond port_rate{};
  std::uint32_t gap_bytes = 12;
  Encapsulation encapsulation{};
};

class UdSource {
 public:
  UdSource(const UdConfig& config, const std::vector<UdStream>& streams);

  /// When a frame may leave: the earliest of max(due, end of the stream's pause); kNever for none.
  /// `paused_until(priority)` tells the end of a pause.
  template <class PausedUntil>
  Ps next_work(const PausedUntil& paused_until) const {
    Ps next = kNever;
    for (const Stream& stream : streams_) {
      if (stream.due == kNever) continue;
      const Ps free = paused_until(static_cast<std::uint8_t>(stream.config.priority));
      next = std::min(next, std::max(stream.due, free));
    }
    return next;
  }
  /// Fills in the datagram that has been due longest and may leave, ties by number; false for none.
  template <class PausedUntil>
  bool next(Packet& packet, Ps now, const PausedUntil& paused_until) {
    Stream* best = nullptr;
    for (Stream& stream : streams_) {
      if (stream.due > now) continue;
      if (paused_until(static_cast<std::uint8_t>(stream.config.priority)) > now) continue;
      if (best == nullptr || stream.due < best->due) best = &stream;
    }
    if (best == nullptr) return false;
    send(*best, packet, now);
    return true;
  }

 private:
  struct Stream {
    UdStream config;
    ByteClock clock;  ///< of the stream's rate
    Ps due = kNever;  ///< of the next frame
    std::uint64_t sent = 0;
    std::uint32_t flow_hash = 0;
    std::uint16_t frame_bytes = 0;
  };

  void send(Stream& stream, Packet& packet, Ps now);

  UdConfig config_;
  std::vector<Stream> streams_;
};

}  // namespace sluice
