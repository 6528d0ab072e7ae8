// SPDX-License-Identifier: Apache-2.0
// The few functions of a NIC that every data packet runs through, inline so that they become one
// for sending and one for receiving. Leaves out: everything a packet from the middle of a message
// has no need of.
#pragma once

#include <algorithm>

#include "kernel/error.h"
#include "nic/nic_core.h"

namespace sluice {

/// Sends the next frame of a port if its MAC is free.
inline void NicCore::serve_port(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  if (now >= port.free_at) {
    const PacketId id = pick(index, now);
    if (id != kNoPacket) transmit(port, port_counters_[index], id, now);
  }
  arm_port(index, now);
}

inline PacketId NicCore::pick(std::uint32_t index, Ps now) {
  const Port& port = ports_[index];
  if (port.control != 0) [[unlikely]]
    return pick_among_all(index, now);
  return pick_data(port, index, now);
}

inline PacketId NicCore::pick_data(const Port& port, std::uint32_t index, Ps now) {
  if (port.pause.paused(static_cast<std::uint8_t>(params_.data_priority), now)) return kNoPacket;
  if (port.payload_ready > now) [[unlikely]]
    return kNoPacket;
  return requester_.next_packet(index, now);
}

inline void NicCore::transmit(Port& port, NicPortCounters& counters, PacketId id, Ps now) {
  SLUICE_CHECK(port.attached, "a port of endpoint {} sends without a link", endpoint_);
  Packet& packet = packets_[id];
  const std::uint32_t bytes = packet.frame_bytes;
  const ByteClock::FrameTimes times = port.clock.take_frame(
      bytes + kPreambleBytes, bytes + kPreambleBytes + params_.inter_packet_gap_bytes);
  const Ps head = now + port.wire_delay;
  packet.tail = head + times.tail;
  port.free_at = now + times.next;
  wheel_.post(port.at_tail ? packet.tail : head, port.peer, port.frame_kind, id);
  ++counters.tx_frames;
  counters.tx_bytes += bytes;
  if (host_side_ && packet.payload_bytes != 0) [[unlikely]]
    port.payload_ready = host_side_->payload_sent(packet.payload_bytes, now);
}

/// Plans the next wake-up of a port, if it may have something to send.
inline void NicCore::arm_port(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  Ps next = requester_.next_work(index);
  const Ps resume = port.pause.paused_until(static_cast<std::uint8_t>(params_.data_priority));
  next = std::max({next, resume, port.payload_ready});
  if (port.control != 0) [[unlikely]]
    next = std::min(next, control_work(index));
  if (next != kNever) {
    next = std::max({next, port.free_at, now});
    if (port.wakeups.request(next)) wheel_.post(next, first_target_ + index, kWake);
  }
  arm_timer();
}

inline void NicCore::on_frame(std::uint32_t index, PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  NicPortCounters& port = port_counters_[index];
  ++port.rx_frames;
  port.rx_bytes += packet.frame_bytes;
  if (packet.kind != PacketKind::kWriteData || packet.destination != endpoint_ ||
      !responder_.accept_plain(packet)) [[unlikely]] {
    return on_other_frame(index, id, now);
  }
  ++counters_.delivered_packets;
  counters_.delivered_bytes += packet.payload_bytes;
  counters_.packet_hops += packet.hops;
  packets_.release(id);
}

}  // namespace sluice
