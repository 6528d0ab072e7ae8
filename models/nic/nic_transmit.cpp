// SPDX-License-Identifier: Apache-2.0
// The NIC's transmitter: PFC, then CNPs, ACKs, probes, datagrams and data, one frame at a time,
// each class stopped by PFC at frame boundaries. Leaves out: pre-emption, and shaping beside
// congestion control and datagram rates.
#include <algorithm>

#include "kernel/error.h"
#include "nic/nic_core.h"
#include "nic/nic_hot_path.h"

namespace sluice {

void NicCore::serve(std::uint32_t index, Ps now) {
  if (index == kEveryPort) [[unlikely]]
    return serve_planes(now);
  serve_port(index, now);
}

void NicCore::arm(std::uint32_t index, Ps now) { arm_port(index, now); }

/// What is picked is sent at once, so a tap sees it here.
[[gnu::noinline]] PacketId NicCore::pick_among_all(std::uint32_t index, Ps now) {
  const PacketId id = pick_untapped(index, now);
  if (id != kNoPacket) show_tap(index, id, now);
  return id;
}

PacketId NicCore::pick_untapped(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  if ((port.control & kPfcWaits) != 0) {
    send_pause(index, now);
    return kNoPacket;
  }
  PacketId id = pop_ready(port, port.cnps, kCnpsWait, now);
  if (id == kNoPacket) id = pop_ready(port, port.acks, kAcksWait, now);
  if (id == kNoPacket) id = pop_probe(port, now);
  if (id == kNoPacket) id = pick_datagram(port, index, now);
  return id != kNoPacket ? id : pick_data(port, index, now);
}

PacketId NicCore::pop_ready(Port& port, ControlQueue& queue, Control bit, Ps now) {
  const PacketId id = queue.head;
  if (id == kNoPacket || packets_[id].tail > now) return kNoPacket;
  if (port.pause.paused(queue.priority, now)) return kNoPacket;
  queue.head = packets_[id].next;
  if (queue.head == kNoPacket) port.control = static_cast<std::uint8_t>(port.control & ~bit);
  return id;
}

PacketId NicCore::pick_datagram(const Port& port, std::uint32_t index, Ps now) {
  if (datagrams_.empty()) return kNoPacket;
  Packet packet;
  const auto paused_until = [&port](std::uint8_t priority) {
    return port.pause.paused_until(priority);
  };
  if (!datagrams_[index].next(packet, now, paused_until)) return kNoPacket;
  const PacketId id = packets_.allocate();
  packets_[id] = packet;
  ++counters_.datagrams_sent;
  return id;
}

Ps NicCore::queue_work(const Port& port, const ControlQueue& queue) const {
  if (queue.head == kNoPacket) return kNever;
  return std::max(packets_[queue.head].tail, port.pause.paused_until(queue.priority));
}

/// When something beside the data of QPs may have to leave.
[[gnu::noinline]] Ps NicCore::control_work(std::uint32_t index) const {
  const Port& port = ports_[index];
  if ((port.control & kPfcWaits) != 0) return Ps{0};
  const Ps next = std::min({queue_work(port, port.cnps), queue_work(port, port.acks),
                            queue_work(port, port.probes), queue_work(port, port.probe_replies)});
  if (datagrams_.empty()) return next;
  return std::min(next, datagrams_[index].next_work([&port](std::uint8_t priority) {
    return port.pause.paused_until(priority);
  }));
}

void NicCore::send_datagrams(const std::vector<UdStream>& streams) {
  SLUICE_CHECK(datagrams_.empty(), "endpoint {} was given streams of datagrams twice", endpoint_);
  if (streams.empty()) return;
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    std::vector<UdStream> own;
    for (std::size_t i = index; i < streams.size(); i += ports_.size()) own.push_back(streams[i]);
    datagrams_.emplace_back(UdConfig{.endpoint = endpoint_,
                                     .port_rate = params_.port_rate,
                                     .gap_bytes = params_.inter_packet_gap_bytes,
                                     .encapsulation = params_.encapsulation()},
                            own);
  }
  for (std::uint32_t index = 0; index < ports_.size(); ++index) {
    ports_[index].control |= kDatagrams;
    arm(index, wheel_.now());
  }
}

void NicCore::post_timer() {
  const Ps wanted = requester_.timer_wanted();
  if (timer_wakeups_.request(wanted)) wheel_.post(wanted, timer_target_, kTimer);
}

}  // namespace sluice
