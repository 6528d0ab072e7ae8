// SPDX-License-Identifier: Apache-2.0
// One answer of a responder to a request: what it decides and what the sending side queues. Leaves
// out: who it goes to, and when it may leave.
#pragma once

#include <cstdint>

#include "kernel/time.h"
#include "packet/packet.h"

namespace sluice {

/// The packets of a READ response from `psn` on, or a single packet.
struct Response {
  PacketKind kind = PacketKind::kReadResponse;
  bool first = true;      ///< the next packet is its first
  bool cut = false;       ///< its end was asked for again and comes from another answer
  bool repeated = false;  ///< the request had come before
  std::uint32_t psn = 0;  ///< of the next packet
  std::uint32_t packets = 1;
  std::uint32_t word = 0;    ///< AETH
  std::uint64_t bytes = 0;   ///< of READ data still to send
  std::uint64_t offset = 0;  ///< of the next byte in its message
  std::uint64_t value = 0;   ///< that an atomic found; detail of an ACK or NAK
  Ps ready{};                ///< when its first packet may go to the MAC

  /// With data; not an ACK or a NAK.
  bool answers_request() const {
    return kind == PacketKind::kReadResponse || kind == PacketKind::kAtomicResponse;
  }
};

}  // namespace sluice
