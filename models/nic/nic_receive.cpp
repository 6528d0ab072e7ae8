// SPDX-License-Identifier: Apache-2.0
// The NIC's receiver: hands a frame to responder or requester, makes ACK, NAK and CNP frames, and
// tells the host. Leaves out: a host that is slow (nic_slow_host.cpp).
#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"
#include "nic/nic_core.h"
#include "packet/aeth.h"

namespace sluice {

/// Already counted at its port.
void NicCore::on_other_frame(std::uint32_t index, PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  const bool corrupt = (packet.flags & packet_flag::kCorrupt) != 0;
  if (corrupt || packet.destination != endpoint_) [[unlikely]] {
    drop(id);
  } else if (packet.kind == PacketKind::kWriteData) [[likely]] {
    on_data(index, id, now);
  } else if (packet.kind > PacketKind::kUdSend && packet.kind < PacketKind::kProbe) {
    on_verb(index, id, now);
  } else {
    on_reply(index, id, now);
  }
}

void NicCore::drop(PacketId id) {
  const bool corrupt = (packets_[id].flags & packet_flag::kCorrupt) != 0;
  ++(corrupt ? counters_.corrupt_drops : counters_.foreign_drops);
  packets_.release(id);
}

void NicCore::on_reply(std::uint32_t index, PacketId id, Ps now) {
  if (packets_[id].kind == PacketKind::kProbe) return on_probe(index, id, now);
  const Packet reply = packets_[id];
  const bool to_qp = reply.kind == PacketKind::kAck || reply.kind == PacketKind::kNak;
  if (reply.kind == PacketKind::kRaw || (to_qp && reply.flow >= requester_.qp_count())) {
    return drop(id);
  }
  packets_.release(id);
  switch (reply.kind) {
    case PacketKind::kAck:
      if (params_.verbs.end_to_end_credits) [[unlikely]]
        requester_.on_credits(reply.flow, reply.message);
      return serve(requester_.on_ack(reply.flow, reply.psn, reply.offset_bytes), now);
    case PacketKind::kNak:
      return on_nak(reply, now);
    case PacketKind::kCnp:
      return on_cnp(index, reply, now);
    case PacketKind::kProbeReply:
      return on_probe_reply(reply, now);
    case PacketKind::kUdSend:
      return on_datagram(reply);
    default:
      SLUICE_CHECK(false, "a packet of kind {} reached endpoint {}",
                   static_cast<unsigned>(reply.kind), endpoint_);
  }
}

/// Nobody is told of a datagram, and a mark on it is counted and no more.
void NicCore::on_datagram(const Packet& packet) {
  ++counters_.datagrams_received;
  ++counters_.delivered_packets;
  counters_.delivered_bytes += packet.payload_bytes;
  counters_.packet_hops += packet.hops;
  if (packet.ecn == Ecn::kCe) ++counters_.ecn_marked_received;
}

void NicCore::on_data(std::uint32_t index, PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  const Responder::Decision decision = responder_.on_data(packet, index, now);
  if (packet.ecn == Ecn::kCe) [[unlikely]] {
    ++counters_.ecn_marked_received;
  }
  if (decision.cnp || (decision.reply != Responder::Reply::kNone && !decision.defers))
      [[unlikely]] {
    answer(index, packet, decision, now);
  }
  if (decision.verdict == Responder::Verdict::kAccepted) [[likely]] {
    ++counters_.delivered_packets;
    counters_.delivered_bytes += packet.payload_bytes;
    counters_.packet_hops += packet.hops;
    if (decision.releases) [[unlikely]]
      return finish_and_release(index, id, decision, now);
    return finish(id, decision, now);
  }
  on_out_of_turn(id, decision);
}

/// The packet's turn at its QP has come, and it has been counted.
void NicCore::finish(PacketId id, const Responder::Decision& decision, Ps now) {
  if ((packets_[id].flags & packet_flag::kLast) == 0) return packets_.release(id);
  // A copy: the host may send, and so use the descriptor again, from inside its callback.
  const Packet last = packets_[id];
  packets_.release(id);
  deliver(last, decision.ordinal, now);
}

[[gnu::noinline]] void NicCore::on_out_of_turn(PacketId id, const Responder::Decision& decision) {
  const Packet& packet = packets_[id];
  if (decision.verdict == Responder::Verdict::kPlaced) {
    ++counters_.delivered_packets;
    ++counters_.placed_out_of_order;
    counters_.reorder_span_max = std::max<std::uint64_t>(counters_.reorder_span_max, decision.span);
    counters_.delivered_bytes += packet.payload_bytes;
    counters_.packet_hops += packet.hops;
    if (decision.hold) return responder_.hold(packets_, id);
  } else if (decision.verdict == Responder::Verdict::kDuplicate) {
    ++counters_.duplicates;
  } else {
    ++counters_.out_of_order_drops;
    // All of them full, and came the same way.
    counters_.discarded_packets += decision.discarded;
    counters_.delivered_packets -= decision.discarded;
    counters_.delivered_bytes -= std::uint64_t{decision.discarded} * params_.mtu_bytes;
    counters_.packet_hops -= std::uint64_t{decision.discarded} * packet.hops;
    if (decision.gives_up) give_up(packet, false);
  }
  packets_.release(id);
}

/// Queues the CNP and the ACK or NAK that a data packet calls for.
void NicCore::answer(std::uint32_t index, const Packet& data, const Responder::Decision& decision,
                     Ps now) {
  if (decision.cnp) {
    ++counters_.cnps_sent;
    send_control(index, data, PacketKind::kCnp, 0, 0, decision.reply_hash,
                 now + params_.cnp_generation_latency);
  }
  if (decision.reply == Responder::Reply::kNone || decision.defers) return;
  const bool ack = decision.reply == Responder::Reply::kAck;
  const std::uint8_t syndrome = aeth::syndrome_of(decision.reply_word);
  const bool rnr = !ack && aeth::is_rnr(syndrome);
  ++(ack ? counters_.acks_sent : rnr ? counters_.rnr_naks_sent : counters_.naks_sent);
  // One that asks for single packets acknowledges nothing.
  const bool asks =
      syndrome == aeth::kNakSequence && params_.loss_recovery == LossRecovery::kSelectiveRepeat;
  if (decision.answers != Responder::kNoAnswers && !asks &&
      requester_.responding(decision.answers)) {
    // It must not overtake what answers the requests before.
    return requester_.respond(decision.answers, {.kind = ack ? PacketKind::kAck : PacketKind::kNak,
                                                 .psn = decision.reply_psn,
                                                 .word = decision.reply_word,
                                                 .value = decision.reply_detail,
                                                 .ready = now + params_.ack_generation_latency});
  }
  send_control(index, data, ack ? PacketKind::kAck : PacketKind::kNak, decision.reply_psn,
               decision.reply_word, decision.reply_hash, now + params_.ack_generation_latency,
               decision.reply_detail);
}

void NicCore::count_message(std::uint32_t source, std::uint32_t ordinal, Ps now) {
  ++counters_.messages_received;
  const std::uint64_t pair = (std::uint64_t{source} << 32) | endpoint_;
  counters_.message_hash += mix64(mix64(mix64(pair) + ordinal) ^ now.value);
}

void NicCore::deliver(const Packet& last, std::uint32_t ordinal, Ps now) {
  count_message(last.source, ordinal, now);
  // A copy: the host may post, and so move the pool, from inside its callback.
  const Message message = messages_[last.message];
  if (!message.reports || client_ == nullptr) return;
  if (host_side_ && (!message.verb || takes_receive(message.op))) host_side_->complete(now);
  if (!message.verb) {
    client_->on_write_received(last.source, message.write_bytes, message.immediate);
  } else if (takes_receive(message.op)) {
    client_->on_arrival({last.source, message.op, message.write_bytes, message.immediate[0]});
  }
}

void NicCore::on_acknowledged(std::uint64_t cookie) {
  counters_.last_acked_ps = wheel_.now().value;
  if (host_side_) host_side_->complete(wheel_.now());
  if (client_ != nullptr) client_->on_write_acked(cookie);
}

void NicCore::send_control(std::uint32_t index, const Packet& data, PacketKind kind,
                           std::uint32_t psn, std::uint32_t word, std::uint32_t flow_hash, Ps ready,
                           std::uint64_t detail) {
  const bool cnp = kind == PacketKind::kCnp;
  Packet& packet = cnp ? queue_control(index, &Port::cnps, kCnpsWait)
                       : queue_control(index, &Port::acks, kAcksWait);
  packet.destination = data.source;
  packet.flow = data.flow;
  packet.flow_hash = flow_hash;
  packet.psn = psn;
  packet.offset_bytes = detail;
  packet.message = word;
  packet.frame_bytes = control_frame_bytes_[cnp ? 1 : 0];
  packet.kind = kind;
  // A CNP must not be marked itself; an ACK shares its QP's ECN field.
  packet.ecn = !cnp && params_.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet.dscp = static_cast<std::uint8_t>(cnp ? params_.cnp_dscp : params_.ack_dscp);
  packet.pcp = static_cast<std::uint8_t>(cnp ? params_.cnp_priority : params_.ack_priority);
  packet.tail = ready;
  arm(index, wheel_.now());
}

/// A new frame at the end of one of a port's queues; the caller fills it in and arms the port.
Packet& NicCore::queue_control(std::uint32_t index, ControlQueue Port::*which, Control bit) {
  Port& port = ports_[index];
  ControlQueue& queue = port.*which;
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = Packet{};
  packet.source = endpoint_;
  packet.hops = 1;
  if (params_.vlan_tag) packet.flags = packet_flag::kTagged;
  port.control |= bit;
  if (queue.head == kNoPacket) {
    queue.head = id;
  } else {
    packets_[queue.tail].next = id;
  }
  queue.tail = id;
  return packet;
}

void NicCore::on_pfc(std::uint32_t index, PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  NicPortCounters& counters = port_counters_[index];
  ++counters.pause_frames;
  const auto quanta = static_cast<std::uint32_t>(packet.offset_bytes);
  counters.paused_ps += ports_[index].pause.apply(packet.pcp, quanta, now).value;
  packets_.release(id);
  serve(index, now);
}

}  // namespace sluice
