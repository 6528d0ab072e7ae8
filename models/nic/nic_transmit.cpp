// SPDX-License-Identifier: Apache-2.0
// The NIC's transmitter: CNPs, then ACKs, then data, one frame at a time, each class stopped by PFC
// at frame boundaries. Leaves out: pre-emption, and shaping beside congestion control.
#include <algorithm>

#include "kernel/error.h"
#include "nic/nic_core.h"

namespace sluice {

void NicCore::serve(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  if (now >= port.free_at) {
    const PacketId id = pick(index, now);
    if (id != kNoPacket) transmit(port, port_counters_[index], id, now);
  }
  arm(index, now);
}

PacketId NicCore::pick(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  if (port.cnps.head != kNoPacket || port.acks.head != kNoPacket) [[unlikely]] {
    const PacketId id = pick_control(port, now);
    if (id != kNoPacket) return id;
  }
  if (port.pause.paused(static_cast<std::uint8_t>(params_.data_priority), now)) return kNoPacket;
  return requester_.next_packet(index, now);
}

[[gnu::noinline]] PacketId NicCore::pick_control(Port& port, Ps now) {
  const PacketId cnp = pop_ready(port, port.cnps, now);
  return cnp != kNoPacket ? cnp : pop_ready(port, port.acks, now);
}

PacketId NicCore::pop_ready(Port& port, ControlQueue& queue, Ps now) {
  const PacketId id = queue.head;
  if (id == kNoPacket || packets_[id].tail > now) return kNoPacket;
  if (port.pause.paused(queue.priority, now)) return kNoPacket;
  queue.head = packets_[id].next;
  return id;
}

void NicCore::transmit(Port& port, NicPortCounters& counters, PacketId id, Ps now) {
  SLUICE_CHECK(port.attached, "a port of endpoint {} sends without a link", endpoint_);
  Packet& packet = packets_[id];
  const std::uint32_t bytes = packet.frame_bytes;
  const Ps serialisation = port.clock.peek(bytes + kPreambleBytes);
  const Ps head = now + port.wire_delay;
  packet.tail = head + serialisation;
  wheel_.post(port.at_tail ? packet.tail : head, port.peer, port.frame_kind, id);
  port.free_at = now + port.clock.take(bytes + kPreambleBytes + params_.inter_packet_gap_bytes);
  ++counters.tx_frames;
  counters.tx_bytes += bytes;
}

[[gnu::noinline]] Ps NicCore::control_work(const Port& port, const ControlQueue& queue) const {
  if (queue.head == kNoPacket) return kNever;
  return std::max(packets_[queue.head].tail, port.pause.paused_until(queue.priority));
}

/// Plans the next wake-up of a port, if it may have something to send.
void NicCore::arm(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  Ps next = requester_.next_work(index);
  const Ps resume = port.pause.paused_until(static_cast<std::uint8_t>(params_.data_priority));
  if (next < resume) next = resume;
  if (port.cnps.head != kNoPacket || port.acks.head != kNoPacket) [[unlikely]] {
    next = std::min({next, control_work(port, port.cnps), control_work(port, port.acks)});
  }
  if (next != kNever) {
    next = std::max({next, port.free_at, now});
    if (port.wakeups.request(next)) wheel_.post(next, first_target_ + index, kWake);
  }
  arm_timer();
}

void NicCore::post_timer() {
  const Ps wanted = requester_.timer_wanted();
  if (timer_wakeups_.request(wanted)) wheel_.post(wanted, timer_target_, kTimer);
}

}  // namespace sluice
