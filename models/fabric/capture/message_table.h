// SPDX-License-Identifier: Apache-2.0
// What a capture remembers of messages, because descriptors on their way do not carry it: sizes,
// addresses and operands by QP and PSN; and the QP numbers on the wire. Leaves out: frames.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "packet/wire/compose.h"

namespace sluice {

/// QPs are named by the endpoint and index (Packet::flow) of their requesting end.
class MessageTable {
 public:
  /// A message that has no remote address yet gets a place of its own.
  void remember(std::uint32_t source, std::uint32_t destination, std::uint32_t flow,
                std::uint32_t first_psn, std::uint32_t packets, wire::WireMessage message);
  /// The message that a PSN belongs to; null for one that was never remembered.
  const wire::WireMessage* find(std::uint32_t source, std::uint32_t flow, std::uint32_t psn) const;

  /// Even numbers from 2 on are QPs that send requests, odd ones from 3 on those that answer, in
  /// the order in which their requester is first seen.
  static std::uint32_t requester_qp(std::uint32_t flow) { return (2 * flow + 2) & 0xFFFFFF; }
  std::uint32_t responder_qp(std::uint32_t source, std::uint32_t destination, std::uint32_t flow);

 private:
  struct Entry {
    std::uint64_t first = 0;  ///< PSN, counted on over wraps
    std::uint32_t packets = 0;
    wire::WireMessage message;
  };
  struct Flow {
    std::uint32_t responder_qp = 0;
    std::uint64_t next_address;
    std::deque<Entry> messages;  ///< by first
  };
  Flow& flow_of(std::uint32_t source, std::uint32_t destination, std::uint32_t flow);

  std::unordered_map<std::uint64_t, Flow> flows_;                    ///< by source and index
  std::unordered_map<std::uint32_t, std::uint32_t> responding_qps_;  ///< of each endpoint
};

}  // namespace sluice
