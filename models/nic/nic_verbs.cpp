// SPDX-License-Identifier: Apache-2.0
// The NIC's receiver for everything but WRITE packets and ACKs: SENDs, READ and atomic requests,
// their answers, NAKs by syndrome, and what the host is told of its work requests.
// Leaves out: the decisions (responder) and their consequences (requester).
#include "kernel/error.h"
#include "nic/flow.h"
#include "nic/nic_core.h"
#include "packet/aeth.h"

namespace sluice {

[[gnu::noinline]] void NicCore::on_verb(std::uint32_t index, PacketId id, Ps now) {
  switch (packets_[id].kind) {
    case PacketKind::kSendData:
      return on_data(index, id, now);
    case PacketKind::kReadRequest:
    case PacketKind::kAtomicRequest:
      return on_request(index, id, now);
    case PacketKind::kReadResponse:
    case PacketKind::kAtomicResponse:
      return on_response(index, id, now);
    default:
      SLUICE_CHECK(false, "a packet of kind {} reached endpoint {}",
                   static_cast<unsigned>(packets_[id].kind), endpoint_);
  }
}

void NicCore::on_nak(const Packet& nak, Ps now) {
  const std::uint8_t syndrome = aeth::syndrome_of(nak.message);
  if (aeth::is_rnr(syndrome)) {
    return serve(requester_.on_rnr_nak(nak.flow, nak.psn, aeth::rnr_timer(syndrome), now), now);
  }
  switch (syndrome) {
    case aeth::kNakSequence:
      return serve(requester_.on_nak(nak.flow, nak.psn, nak.offset_bytes), now);
    case aeth::kNakInvalidRequest:
      requester_.on_refusal(nak.flow, nak.psn, CompletionStatus::kRemoteInvalidRequest);
      return;
    case aeth::kNakRemoteAccess:
      requester_.on_refusal(nak.flow, nak.psn, CompletionStatus::kRemoteAccess);
      return;
    case aeth::kNakRemoteOperational:
      requester_.on_refusal(nak.flow, nak.psn, CompletionStatus::kRemoteOperational);
      return;
    default:
      ++counters_.foreign_drops;
  }
}

/// One about a READ response is for what sends those, and names the QP that asked.
void NicCore::on_cnp(std::uint32_t index, const Packet& cnp, Ps now) {
  std::uint32_t qp = cnp.flow;
  if (cnp.offset_bytes == kCnpOfResponse) {
    const std::uint32_t answers = responder_.answers(cnp);
    if (answers == Responder::kNoAnswers) return;
    qp = requester_.qp_of_responder(answers);
  }
  if (qp < requester_.qp_count()) requester_.on_cnp(qp, index, now);
}

void NicCore::on_request(std::uint32_t index, PacketId id, Ps now) {
  const Packet packet = packets_[id];
  Responder::Answer decision = responder_.on_request(packet, index, now, responses_waiting(packet));
  if (packet.ecn == Ecn::kCe) ++counters_.ecn_marked_received;
  answer(index, packet, decision, now);
  if (decision.verdict == Responder::Verdict::kDuplicate) ++counters_.repeated_requests;
  if (decision.hold) {
    responder_.hold(packets_, id);
  } else if (decision.verdict == Responder::Verdict::kOutOfOrder) {
    on_out_of_turn(id, decision);
  } else {
    packets_.release(id);
  }
  if (decision.gives_up) give_up(packet, false);
  respond(index, packet, decision, now);
  if (decision.releases) take_turns(index, packet, decision, now);
  serve(params_.ports > 1 ? kEveryPort : index, now);
}

/// Answers of the request's QP that are still to be sent.
std::size_t NicCore::responses_waiting(const Packet& request) {
  const std::uint32_t answers = responder_.answers(request);
  return answers == Responder::kNoAnswers ? 0 : requester_.responses_waiting(answers);
}

/// Queues the answer to a READ or an atomic, if that is to be answered.
void NicCore::respond(std::uint32_t index, const Packet& request, Responder::Answer& decision,
                      Ps now) {
  if (!decision.responds) return;
  std::uint32_t answers = responder_.answers(request);
  if (answers == Responder::kNoAnswers) {
    answers = requester_.add_responder(request.source, request.flow, index);
    responder_.set_answers(request, answers);
  }
  if (decision.response.repeated) {
    requester_.drop_responses(answers, request.psn, decision.response.packets);
  }
  decision.response.ready = now + params_.ack_generation_latency + params_.verbs.read_latency;
  requester_.respond(answers, decision.response);
  if (decision.verdict == Responder::Verdict::kAccepted) {
    count_message(request.source, decision.ordinal, now);
  }
}

[[gnu::noinline]] void NicCore::finish_and_release(std::uint32_t index, PacketId id,
                                                   const Responder::Decision& decision, Ps now) {
  const Packet packet = packets_[id];
  finish(id, decision, now);
  take_turns(index, packet, decision, now);
  // READs and atomics may have had their turn.
  if (responder_.answers(packet) == Responder::kNoAnswers) return;
  serve(params_.ports > 1 ? kEveryPort : index, now);
}

/// Packets that came ahead of the one just accepted and waited for it. One ACK for all of them;
/// where they may be refused, for the one accepted too.
void NicCore::take_turns(std::uint32_t index, const Packet& accepted,
                         const Responder::Decision& decision, Ps now) {
  Packet asking = accepted;
  Responder::Decision reply;
  if (decision.defers) reply = decision;
  for (PacketId id; (id = responder_.next_held(packets_)) != kNoPacket;) {
    const Packet packet = packets_[id];
    const Responder::Decision next = take_turn(id, now);
    if (next.reply == Responder::Reply::kNone) continue;
    // What is missing is asked for whatever is acknowledged beside it.
    if (reply.reply == Responder::Reply::kNak && next.reply == Responder::Reply::kAck) continue;
    reply = next;
    asking = packet;
    if (next.verdict != Responder::Verdict::kRefused) continue;
    give_up(packet, true);
    break;
  }
  if (reply.defers) responder_.refresh(asking, reply, now);
  reply.cnp = reply.defers = false;
  reply.answers = responder_.answers(asking);
  answer(index, asking, reply, now);
}

/// The packet has been counted, but it may be a request or be refused. Returns what it calls for.
Responder::Decision NicCore::take_turn(PacketId id, Ps now) {
  const Packet packet = packets_[id];
  const bool data = packet.kind == PacketKind::kWriteData || packet.kind == PacketKind::kSendData;
  if (data) {
    const Responder::Decision decision = responder_.on_turn(packet, now);
    if (decision.verdict == Responder::Verdict::kRefused) {
      packets_.release(id);
    } else {
      finish(id, decision, now);
    }
    return decision;
  }
  packets_.release(id);
  Responder::Answer decision = responder_.on_request_turn(packet, responses_waiting(packet));
  respond(0, packet, decision, now);
  return decision;
}

/// A packet was refused: what had been kept behind it does not count any more.
void NicCore::give_up(const Packet& refused, bool was_held) {
  const Responder::Discarded gone = responder_.give_up(packets_, refused, was_held);
  counters_.discarded_packets += gone.packets;
  counters_.delivered_packets -= gone.packets;
  counters_.delivered_bytes -= gone.bytes;
  counters_.packet_hops -= gone.hops;
}

void NicCore::on_response(std::uint32_t index, PacketId id, Ps now) {
  if (packets_[id].flow >= requester_.qp_count()) return drop(id);
  const Packet packet = packets_[id];
  packets_.release(id);
  if (packet.ecn == Ecn::kCe) {
    ++counters_.ecn_marked_received;
    if (responder_.notifies_response(packet, index, now)) {
      ++counters_.cnps_sent;
      send_control(index, packet, PacketKind::kCnp, 0, 0,
                   flow_hash_of(endpoint_, packet.source, params_.encapsulation().ipv6),
                   now + params_.cnp_generation_latency, kCnpOfResponse);
    }
  }
  if (requester_.on_response(packet, now)) {
    ++counters_.delivered_packets;
    counters_.delivered_bytes += packet.payload_bytes;
    counters_.packet_hops += packet.hops;
  } else {
    ++counters_.stale_responses;
  }
  serve(params_.ports > 1 ? kEveryPort : requester_.qp(packet.flow).port, now);
}

void NicCore::on_completed(const Completion& completion) {
  if (host_side_) host_side_->complete(wheel_.now());
  if (client_ != nullptr) client_->on_completion(completion);
}

void NicCore::on_qp_failed(const std::string& reason) {
  if (client_ == nullptr) throw StallError(reason);
  client_->on_qp_error(reason);
}

}  // namespace sluice
