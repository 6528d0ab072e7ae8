// SPDX-License-Identifier: Apache-2.0
// Sending of everything that is not a plain WRITE: SEND, immediates, READ and atomic requests, the
// limit on outstanding READs, and end-to-end credits (IBTA 9.7.3, 9.7.7.2). Leaves out: fences.
#include <algorithm>

#include "kernel/error.h"
#include "nic/psn.h"
#include "nic/requester/requester.h"
#include "packet/aeth.h"
#include "packet/serialisation.h"

namespace sluice {

std::uint32_t Requester::post(const WorkRequest& request, Ps now) {
  SLUICE_CHECK(request.destination != config_.endpoint, "endpoint {} sends to itself",
               config_.endpoint);
  const std::uint32_t index = qp_to(request.destination);
  constexpr std::uint64_t kAtomicBytes = 8;
  std::uint64_t left = is_atomic(request.op) ? kAtomicBytes : request.bytes;
  Message message{.cookie = request.cookie,
                  .write_bytes = left,
                  .ready = now + config_.doorbell_latency,
                  .immediate = {request.immediate},
                  .reports = false,
                  .op = request.op,
                  .verb = true};
  MessageDetail detail{.remote_address = request.remote_address,
                       .compare = request.compare,
                       .operand = request.operand,
                       .remote_key = request.remote_key};
  const auto add = [&](std::uint64_t bytes) {
    message.bytes = bytes;
    const MessageId id = append(index, message);
    detail.ssn = messages_.detail(id).ssn;
    messages_.detail(id) = detail;
    detail.remote_address += bytes;
    left -= bytes;
  };
  // The parts before the last have no immediate.
  if (request.op == Operation::kWriteImmediate) message.op = Operation::kWrite;
  if (request.op == Operation::kSendImmediate) message.op = Operation::kSend;
  while (left > kMaxMessageBytes) add(kMaxMessageBytes);
  message.op = request.op;
  message.reports = true;
  add(left);
  if (cold_[index].failed && !cold_[index].flushing) flush(index, CompletionStatus::kFlushed);
  return port_of(index);
}

/// The next packet of a QP that is at no plain WRITE; kNoPacket when it has to wait.
PacketId Requester::next_of_path(QpHot& qp, std::uint32_t index, Ps now) {
  if (qp.path == QpPath::kResponses) return build_response(qp, index, now);
  if (!verb_may_go(qp, index)) {
    schedulers_[qp.port].remove_current(hot_, QpState::kBlocked);
    return kNoPacket;
  }
  if (wants_response(messages_[qp.message].op)) return build_request(qp, index, now);
  return build_verb(qp, index, now);
}

bool Requester::verb_may_go(const QpHot& qp, std::uint32_t index) const {
  const QpCold& cold = cold_[index];
  const Operation op = messages_[qp.message].op;
  if (wants_response(op)) {
    if (qp.resend_left != 0) return true;  // counted when it was sent first
    const std::uint32_t outstanding = psn_distance(qp.next_psn, qp.una_psn);
    if (outstanding != 0 && outstanding + qp.packets_left > config_.window_packets) return false;
    return cold.responses_due < config_.outstanding_reads;
  }
  return !cold.credits_known || !takes_receive(op) || credits_allow(qp, index);
}

/// Messages that `qp` is ahead of the credits it was given.
std::uint32_t Requester::beyond_credits(const QpHot& qp, std::uint32_t index) const {
  constexpr std::uint32_t kHalf = (aeth::kMsnMask + 1) / 2;
  const std::uint32_t beyond =
      (messages_.detail(qp.message).ssn - cold_[index].last_ssn) & aeth::kMsnMask;
  return beyond < kHalf ? beyond : 0;
}

/// Without credits one packet may go and ask (IBTA 9.7.7.2.5): once it is acknowledged, its
/// message has a receive request. Nobody waits for an answer that was not asked for.
bool Requester::credits_allow(const QpHot& qp, std::uint32_t index) const {
  const std::uint32_t beyond = beyond_credits(qp, index);
  if (beyond == 0) return true;
  const Message& message = messages_[qp.message];
  if (message.op == Operation::kWriteImmediate && qp.packets_left != 1) return true;
  // No part of one is acknowledged.
  if (config_.whole_messages)
    return beyond == 1 || qp.next_psn == qp.una_psn || qp.offset_bytes != 0;
  if (is_send(message.op) && qp.offset_bytes != 0) {
    if (qp.deadline == kNever) return true;  // begun while there was no limit
    const std::uint32_t acknowledged = psn_distance(qp.una_psn, message.first_psn);
    return acknowledged != 0 && acknowledged < message.packets;
  }
  return beyond == 1 || qp.next_psn == qp.una_psn;
}

/// A packet of a WRITE or a SEND: that of a plain WRITE, with other headers where it is none.
PacketId Requester::compose_data(QpHot& qp, std::uint32_t index, Ps now) {
  const Operation op = messages_[qp.message].op;
  const PacketId id = compose(qp, index, now);
  if (op == Operation::kWrite) return id;
  Packet& packet = packets_[id];
  std::uint32_t frame = packet.frame_bytes;
  if (is_send(op)) {
    packet.kind = PacketKind::kSendData;
    frame = config_.frame_overhead + packet.payload_bytes + pad_bytes(packet.payload_bytes);
  }
  const bool immediate = op == Operation::kSendImmediate || op == Operation::kWriteImmediate;
  if (immediate && (packet.flags & packet_flag::kLast) != 0) {
    packet.flags |= packet_flag::kImmediate;
    frame += kImmediateBytes;
  }
  packet.frame_bytes = static_cast<std::uint16_t>(std::max(frame, kMinFrameBytes));
  return id;
}

/// Without credits the packet that may go all the same asks for an ACK.
void Requester::ask_for_credits(QpHot& qp, std::uint32_t index) const {
  if (cold_[index].credits_known && beyond_credits(qp, index) != 0) qp.until_ack_request = 1;
}

PacketId Requester::build_verb(QpHot& qp, std::uint32_t index, Ps now) {
  ask_for_credits(qp, index);
  const PacketId id = compose_data(qp, index, now);
  const Packet& packet = packets_[id];
  qp.offset_bytes += packet.payload_bytes;
  finish_packet(qp, index, now, packet.frame_bytes);
  qp.plain_left = 0;
  return id;
}

/// An atomic, or a READ request for the next `packets` of its message: one packet that takes up the
/// PSNs of its answer.
PacketId Requester::compose_request(QpHot& qp, std::uint32_t index, Ps now, std::uint32_t packets) {
  const Message& message = messages_[qp.message];
  const bool read = message.op == Operation::kRead;
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = config_.prototype;
  packet.kind = read ? PacketKind::kReadRequest : PacketKind::kAtomicRequest;
  packet.destination = qp.destination;
  packet.flow = index;
  packet.flow_hash = qp.flow_hash;
  packet.psn = qp.next_psn;
  packet.message = qp.message;
  packet.payload_bytes = 0;
  packet.flags |= packet_flag::kFirst | packet_flag::kLast;
  packet.frame_bytes =
      static_cast<std::uint16_t>(config_.frame_overhead + (read ? kRethBytes : kAtomicEthBytes));
  const std::uint64_t bytes =
      std::min(message.bytes - qp.offset_bytes, std::uint64_t{packets} * config_.mtu_bytes);
  packet.offset_bytes = read ? qp.offset_bytes << 32 | bytes : 0;
  ++(read ? counters_.read_requests_sent : counters_.atomic_requests_sent);
  request_ack(qp, index, now);
  cold_[index].ack_request_psn = psn_add(qp.next_psn, packets - 1);
  return id;
}

/// Moves the QP past the request just built, for all that is left of its message.
void Requester::pass_request(QpHot& qp, std::uint32_t index) {
  if (qp.resend_left == 0) {
    if (cold_[index].responses_due++ == 0 && !answers_.empty()) {
      // The first for some time: what was known then is as old.
      answers_[index].acknowledged = answers_[index].judged = qp.una_psn;
    }
  }
  qp.resend_left -= std::min(qp.resend_left, qp.packets_left);
  qp.next_psn = psn_add(qp.next_psn, qp.packets_left);
  qp.packets_left = 0;
}

PacketId Requester::build_request(QpHot& qp, std::uint32_t index, Ps now) {
  const PacketId id = compose_request(qp, index, now, qp.packets_left);
  const Packet& packet = packets_[id];
  pass_request(qp, index);
  if (qp.limited) pace(qp, index, now, packet.frame_bytes);
  QpScheduler& scheduler = schedulers_[qp.port];
  if (!next_message(qp)) {
    scheduler.remove_current(hot_, QpState::kIdle);
  } else if (qp.next_send > now) {
    scheduler.remove_current(hot_, QpState::kWaiting);
    scheduler.wait(hot_, index, qp.next_send);
  } else {
    scheduler.count_packet(hot_);
  }
  return id;
}

void Requester::on_credits(std::uint32_t index, std::uint32_t aeth_word) {
  const std::uint8_t syndrome = aeth::syndrome_of(aeth_word);
  if (!config_.credits || syndrome > aeth::kAckUnlimited) return;
  QpCold& cold = cold_[index];
  cold.credits_known = syndrome != aeth::kAckUnlimited;
  if (cold.credits_known) {
    constexpr std::uint32_t kHalf = (aeth::kMsnMask + 1) / 2;
    const std::uint32_t limit =
        (aeth::msn_of(aeth_word) + aeth::kCredits[syndrome]) & aeth::kMsnMask;
    if (((limit - cold.last_ssn) & aeth::kMsnMask) < kHalf) cold.last_ssn = limit;
  }
  if (lanes_) return wake_lanes(index);
  if (hot_[index].state == QpState::kBlocked) {
    schedulers_[hot_[index].port].make_ready(hot_, index);
  }
}

}  // namespace sluice
