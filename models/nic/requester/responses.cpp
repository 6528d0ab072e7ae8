// SPDX-License-Identifier: Apache-2.0
// The requester's side of answers with data: READ responses and atomic acknowledges, in PSN order,
// and what an acknowledgement that passes over a missing one means (IBTA 9.7.5.1, implied NAK).
#include "nic/psn.h"
#include "nic/requester/requester.h"
#include "packet/aeth.h"

namespace sluice {

/// Where acknowledging everything before `psn` has to stop: at the first READ or atomic without its
/// answer. `psn` itself when there is none before it, or when it is none that was sent.
std::uint32_t Requester::first_unanswered(std::uint32_t index, std::uint32_t psn) const {
  const QpHot& qp = hot_[index];
  const std::uint32_t sent = psn_distance(qp.next_psn, qp.una_psn) + qp.resend_left;
  const std::uint32_t ahead = psn_distance(psn, qp.una_psn);
  if (ahead > sent) return psn;
  for (MessageId id = cold_[index].first_message; id != kNoMessage; id = messages_[id].next) {
    const Message& message = messages_[id];
    const bool begun = psn_distance(qp.una_psn, message.first_psn) < message.packets;
    const std::uint32_t start = begun ? 0 : psn_distance(message.first_psn, qp.una_psn);
    if (start >= ahead) return psn;
    if (wants_response(message.op)) return psn_add(qp.una_psn, start);
  }
  return psn;
}

/// Acknowledges everything before `psn` that needs no answer; what is missing before it was lost
/// and is asked for again, once. Returns how far it came.
std::uint32_t Requester::acknowledge_answered(std::uint32_t index, std::uint32_t psn) {
  if (cold_[index].responses_due == 0) [[likely]] {
    acknowledge_before(index, psn);
    return psn;
  }
  if (!answers_.empty()) return acknowledge_executed(index, psn);
  const std::uint32_t before = first_unanswered(index, psn);
  acknowledge_before(index, before);
  if (before == psn || cold_[index].implied_nak == before) return before;
  if (hot_[index].next_psn == before) return before;  // is about to be asked for
  cold_[index].implied_nak = before;
  ++counters_.implied_naks;
  rewind(index, before);
  return before;
}

/// The same where answers may come in any order: those may still be under way.
std::uint32_t Requester::acknowledge_executed(std::uint32_t index, std::uint32_t psn) {
  const QpHot& qp = hot_[index];
  const std::uint32_t sent = psn_distance(qp.next_psn, qp.una_psn) + qp.resend_left;
  if (psn_distance(psn, qp.una_psn) > sent) return psn;
  advance_over_answers(index, psn);
  judge_answers(index, psn_add(psn, kPsnMask));
  return psn;
}

/// It is what the oldest unfinished message waits for next.
bool Requester::is_due(const Packet& packet) const {
  const MessageId id = cold_[packet.flow].first_message;
  return id != kNoMessage && packet.psn == hot_[packet.flow].una_psn &&
         answers_message(packet, messages_[id]);
}

/// It is an answer such as `message`, which has its PSN, asks for.
bool Requester::answers_message(const Packet& packet, const Message& message) const {
  if (packet.kind == PacketKind::kAtomicResponse) return is_atomic(message.op);
  if (message.op != Operation::kRead) return false;
  const std::uint32_t into = psn_distance(packet.psn, message.first_psn);
  const bool last = into + 1 == message.packets;
  const std::uint64_t offset = std::uint64_t{into} * config_.mtu_bytes;
  const std::uint64_t due = last ? message.bytes - offset : config_.mtu_bytes;
  return packet.payload_bytes == due && packet.offset_bytes == offset;
}

bool Requester::on_response(const Packet& packet, Ps now) {
  const std::uint32_t index = packet.flow;
  const std::uint32_t sent =
      psn_distance(hot_[index].next_psn, hot_[index].una_psn) + hot_[index].resend_left;
  if (psn_distance(packet.psn, hot_[index].una_psn) >= sent) return false;
  constexpr std::uint8_t kEnds = packet_flag::kFirst | packet_flag::kLast;
  if ((packet.flags & kEnds) != 0) on_credits(index, packet.message);
  if (!answers_.empty()) return take_answer(packet, now);
  if (acknowledge_answered(index, packet.psn) != packet.psn || !is_due(packet)) return false;
  if (packet.kind == PacketKind::kAtomicResponse) {
    messages_.detail(cold_[index].first_message).result = packet.offset_bytes;
  }
  acknowledge_before(index, psn_add(packet.psn, 1));
  if (hot_[index].deadline != kNever) {
    // The timer starts again with every answer while more are due (IBTA 9.7.6.1.3).
    cold_[index].ack_request_time = now;
    hot_[index].deadline = now + cold_[index].ack_timeout;
  }
  return true;
}

}  // namespace sluice
