// SPDX-License-Identifier: Apache-2.0
// The NIC's round-trip probes: sent on a QP's own path while it has data outstanding, answered by
// the other NIC without its host. Times are taken at the MACs. Leaves out: when to send one
// (probe/prober), and clocks that disagree.
#include <algorithm>

#include "nic/flow.h"
#include "nic/nic_core.h"
#include "packet/serialisation.h"

namespace sluice {

void NicCore::on_active(std::uint32_t qp, Ps ready) {
  if (!prober_) return;
  for (std::uint32_t port = 0; port < params_.ports; ++port) {
    prober_->start(qp * params_.ports + port, ready);
  }
  arm_probe_timer();
}

void NicCore::arm_probe_timer() {
  const Ps wanted = std::max(prober_->timer_wanted(), wheel_.now());
  if (wanted != kNever && probe_wakeups_.request(wanted)) {
    wheel_.post(wanted, timer_target_, kProbeTimer);
  }
}

void NicCore::on_probe_timer(Ps now) {
  probe_wakeups_.fired();
  prober_->on_timer(now);
  arm_probe_timer();
}

void NicCore::send_probe(std::uint32_t lane, std::uint32_t sequence, Ps now) {
  const QpHot& qp = requester_.qp(lane / params_.ports);
  const std::uint32_t port = lane % params_.ports;
  Packet& packet = queue_control(port, &Port::probes, kProbesWait);
  packet.destination = qp.destination;
  packet.flow = lane;
  packet.flow_hash = qp.flow_hash;  // the way that the QP's data takes
  packet.psn = sequence;
  packet.frame_bytes = static_cast<std::uint16_t>(probe_frame_bytes(params_.encapsulation()));
  packet.payload_bytes = kProbePayloadBytes;
  packet.kind = PacketKind::kProbe;
  packet.ecn = params_.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet.dscp = static_cast<std::uint8_t>(params_.probe.dscp);
  packet.pcp = static_cast<std::uint8_t>(params_.probe.priority);
  packet.tail = now;
  arm(port, now);
}

/// The next probe or reply that may leave now, with the time that it leaves.
PacketId NicCore::pop_probe(Port& port, Ps now) {
  PacketId id = pop_ready(port, port.probe_replies, kProbeRepliesWait, now);
  if (id != kNoPacket) {
    Packet& reply = packets_[id];
    // Held from the probe's last bit to the reply's first, both at the MAC.
    const Ps held = now - reply.tail + params_.probe.turnaround;
    reply.message = static_cast<std::uint32_t>(std::min<std::uint64_t>(held.value, UINT32_MAX));
    return id;
  }
  id = pop_ready(port, port.probes, kProbesWait, now);
  if (id == kNoPacket) return id;
  packets_[id].offset_bytes = now.value;
  ++counters_.probes_sent;
  prober_->sent(packets_[id].flow, now);
  arm_probe_timer();
  return id;
}

/// When the last bit of a frame that is handled now came to the MAC.
Ps NicCore::at_mac(Ps handled) const {
  return handled - params_.rx_processing_latency - params_.pcie_write_latency;
}

/// Another NIC's probe: the frame goes back as its own reply.
void NicCore::on_probe(std::uint32_t index, PacketId id, Ps now) {
  const Packet probe = packets_[id];
  packets_.release(id);
  ++counters_.probes_answered;
  Packet& packet = queue_control(index, &Port::probe_replies, kProbeRepliesWait);
  packet.destination = probe.source;
  packet.flow = probe.flow;
  packet.flow_hash = flow_hash_of(endpoint_, probe.source, params_.encapsulation().ipv6);
  packet.psn = probe.psn;
  packet.frame_bytes = static_cast<std::uint16_t>(probe_frame_bytes(params_.encapsulation()));
  packet.payload_bytes = kProbePayloadBytes;
  packet.kind = PacketKind::kProbeReply;
  packet.ecn = params_.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet.dscp = static_cast<std::uint8_t>(params_.probe.reply_dscp);
  packet.pcp = static_cast<std::uint8_t>(params_.probe.reply_priority);
  packet.tail = at_mac(now) + params_.probe.turnaround;
  packet.offset_bytes = probe.offset_bytes;
  arm(index, now);
}

void NicCore::on_probe_reply(const Packet& reply, Ps now) {
  if (!prober_) return;
  const Ps rtt = at_mac(now) - Ps{reply.offset_bytes} - Ps{reply.message};
  prober_->on_reply(reply.flow, reply.psn, rtt, now);
  arm_probe_timer();
}

void NicCore::on_probe_rtt(std::uint32_t lane, Ps rtt, Ps now) {
  ++counters_.probe_replies;
  counters_.probe_rtt_ps += rtt.value;
  counters_.probe_rtt_max_ps = std::max(counters_.probe_rtt_max_ps, rtt.value);
  const std::uint32_t qp = lane / params_.ports;
  const std::uint32_t port = lane % params_.ports;
  requester_.on_rtt(qp, port, rtt, now);
  if (!params_.watches_planes()) return;
  const bool returns = requester_.plane_failed(qp, port);
  requester_.lane_alive(qp, port, now);
  if (returns) serve_planes(now);
}

void NicCore::on_probe_overdue(std::uint32_t lane, Ps age, Ps now) {
  requester_.on_rtt(lane / params_.ports, lane % params_.ports, age, now);
}

void NicCore::on_probe_missed(std::uint32_t lane, std::uint32_t missed, Ps now) {
  ++counters_.probes_missed;
  if (!params_.watches_planes() || missed < params_.plane_failure_threshold) return;
  requester_.lane_failed(lane / params_.ports, lane % params_.ports, now);
  serve_planes(now);
  arm_timer();
}

}  // namespace sluice
