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
  packets_.release(id);
  std::uint32_t answers = responder_.answers(packet);
  const std::size_t waiting =
      answers == Responder::kNoAnswers ? 0 : requester_.responses_waiting(answers);
  Responder::Answer decision = responder_.on_request(packet, index, now, waiting);
  if (packet.ecn == Ecn::kCe) ++counters_.ecn_marked_received;
  answer(index, packet, decision, now);
  if (decision.verdict == Responder::Verdict::kDuplicate) ++counters_.repeated_requests;
  if (decision.verdict == Responder::Verdict::kOutOfOrder) ++counters_.out_of_order_drops;
  if (decision.responds) {
    if (answers == Responder::kNoAnswers) {
      answers = requester_.add_responder(packet.source, packet.flow, index);
      responder_.set_answers(packet, answers);
    }
    // A requester that asks again asks for everything after it again, too.
    if (decision.response.repeated) requester_.drop_responses(answers, packet.psn);
    decision.response.ready = now + params_.ack_generation_latency + params_.verbs.read_latency;
    requester_.respond(answers, decision.response);
    if (decision.verdict == Responder::Verdict::kAccepted) {
      count_message(packet.source, decision.ordinal, now);
    }
  }
  serve(index, now);
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
  serve(requester_.qp(packet.flow).port, now);
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
