// SPDX-License-Identifier: Apache-2.0
// The requester where packets may come in any order: answers to READs and atomics are kept ahead of
// their turn, and of a READ only the run of packets that is missing is asked for again. Completion
// stays in order. Leaves out: answers taken in order (responses.cpp).
#include <algorithm>

#include "nic/psn.h"
#include "nic/requester/requester.h"

namespace sluice {

/// The message that an outstanding PSN belongs to.
MessageId Requester::message_of(std::uint32_t index, std::uint32_t psn) const {
  for (MessageId id = cold_[index].first_message; id != kNoMessage; id = messages_[id].next) {
    if (psn_distance(psn, messages_[id].first_psn) < messages_[id].packets) return id;
  }
  return kNoMessage;
}

bool Requester::answered(std::uint32_t index, std::uint32_t psn) const {
  return answers_[index].has(config_.repair_window, hot_[index].una_psn, psn);
}

/// Everything before `psn` was executed: moves the oldest unacknowledged PSN up to the first answer
/// that is missing, or to `psn`.
void Requester::advance_over_answers(std::uint32_t index, std::uint32_t psn) {
  Answers& answers = answers_[index];
  const std::uint32_t una = hot_[index].una_psn;
  if (!psn_at_or_after(answers.acknowledged, una)) answers.acknowledged = una;
  if (psn_at_or_after(psn, answers.acknowledged)) answers.acknowledged = psn;
  std::uint32_t open = una;
  for (MessageId id = cold_[index].first_message; id != kNoMessage; id = messages_[id].next) {
    const Message& message = messages_[id];
    const std::uint32_t end = psn_add(message.first_psn, message.packets);
    if (wants_response(message.op)) {
      while (open != end && answers.has(config_.repair_window, una, open)) open = psn_add(open, 1);
    } else {
      const bool whole = psn_at_or_after(answers.acknowledged, end);
      if (whole || psn_at_or_after(answers.acknowledged, open)) {
        open = whole ? end : answers.acknowledged;
      }
    }
    if (open != end) break;
  }
  // Bits are forgotten with the PSNs that have them.
  for (std::uint32_t i = una; i != open; i = psn_add(i, 1)) {
    if (answers.has(config_.repair_window, i, i)) answers.flip(config_.repair_window, i);
  }
  acknowledge_before(index, open);
}

/// `cause` was answered or acknowledged: answers to what went out long enough before it are lost.
void Requester::judge_answers(std::uint32_t index, std::uint32_t cause) {
  const QpHot& qp = hot_[index];
  const std::uint32_t end = psn_add(cause, kPsnMask - config_.reorder_packets + 2);
  if (!psn_at_or_after(end, qp.una_psn)) return;
  if (!config_.selective) return judge_oldest(index, end);
  Answers& answers = answers_[index];
  if (!psn_at_or_after(answers.judged, qp.una_psn)) answers.judged = qp.una_psn;
  const std::uint32_t before = answers.judged;
  if (psn_at_or_after(end, before)) {
    answers.judged = end;
    want_runs(index, before, psn_distance(end, before), false);
  }
  const Repairs& repairs = repairs_[index];
  repairs.overtaken(cause, config_.reorder_packets, [&](std::uint32_t psn, std::uint32_t packets) {
    const MessageId id = message_of(index, psn);
    if (id != kNoMessage && wants_response(messages_[id].op)) want_runs(index, psn, packets, true);
  });
  if (qp.repairs) make_sendable(index);
}

/// Going back: only to the oldest answer, and only once before the timer.
void Requester::judge_oldest(std::uint32_t index, std::uint32_t end) {
  const std::uint32_t una = hot_[index].una_psn;
  const MessageId id = cold_[index].first_message;
  if (una == end || id == kNoMessage || !wants_response(messages_[id].op)) return;
  if (cold_[index].implied_nak == una || hot_[index].next_psn == una) return;
  cold_[index].implied_nak = una;
  ++counters_.implied_naks;
  rewind(index, una);
}

/// Of the `count` PSNs from `psn` on, asks again for the first of each run of missing answers; for
/// what was asked for `again` already, only if that says so.
void Requester::want_runs(std::uint32_t index, std::uint32_t psn, std::uint32_t count, bool again) {
  const std::uint32_t una = hot_[index].una_psn;
  const std::uint32_t skipped = psn_at_or_after(psn, una) ? 0 : psn_distance(una, psn);
  if (skipped >= count) return;
  const std::uint32_t end = psn_add(psn, count);
  std::uint32_t at = psn_add(psn, skipped);
  for (MessageId id = message_of(index, at); id != kNoMessage && at != end;
       id = messages_[id].next) {
    const Message& message = messages_[id];
    const std::uint32_t after = psn_add(message.first_psn, message.packets);
    // A run that began before `psn` has been judged.
    bool in_run = at != una && at != message.first_psn && !answered(index, psn_add(at, kPsnMask));
    for (; at != end && at != after; at = psn_add(at, 1)) {
      if (!wants_response(message.op)) continue;
      const bool missing = !answered(index, at);
      const bool known = !again && repairs_[index].repeated(at);
      if (missing && !in_run && !known) {
        ++counters_.implied_naks;
        want_again(index, at);
      }
      in_run = missing;
    }
  }
}

/// Where a packet that the responder misses is repeated from: a request is where its message
/// begins. kNoPsn for one that was answered already.
std::uint32_t Requester::repeated_from(std::uint32_t index, std::uint32_t psn) const {
  if (cold_[index].responses_due == 0) return psn;
  const MessageId id = message_of(index, psn);
  if (id == kNoMessage || !wants_response(messages_[id].op)) return psn;
  const std::uint32_t first = messages_[id].first_psn;
  const bool begun = psn_distance(hot_[index].una_psn, first) - 1 < messages_[id].packets - 1;
  return begun || answered(index, first) ? kNoPsn : first;
}

/// Answers that are missing from `psn` on, up to one that has come or the end of its message.
std::uint32_t Requester::missing_run(std::uint32_t index, std::uint32_t psn) const {
  const Message& message = messages_[message_of(index, psn)];
  const std::uint32_t left = message.packets - psn_distance(psn, message.first_psn);
  std::uint32_t run = 1;
  const std::uint32_t known = std::min(left, config_.repair_window);
  while (run < known && !answered(index, psn_add(psn, run))) ++run;
  return run == known ? left : run;
}

bool Requester::take_answer(const Packet& packet, Ps now) {
  const std::uint32_t index = packet.flow;
  const QpHot& qp = hot_[index];
  const MessageId id = message_of(index, packet.psn);
  if (id == kNoMessage || !answers_message(packet, messages_[id])) return false;
  if (psn_distance(packet.psn, qp.una_psn) >= config_.repair_window) return false;
  if (answered(index, packet.psn)) return false;
  answers_[index].flip(config_.repair_window, packet.psn);
  if (packet.kind == PacketKind::kAtomicResponse) {
    messages_.detail(id).result = packet.offset_bytes;
  }
  const std::uint32_t una = qp.una_psn;
  advance_over_answers(index, packet.psn);
  judge_answers(index, packet.psn);
  // The host may have posted, and so moved the records, from inside its callback.
  if (config_.selective && hot_[index].una_psn != una) go_on_recovering(index);
  if (hot_[index].deadline != kNever) {
    cold_[index].ack_request_time = now;
    hot_[index].deadline = now + cold_[index].ack_timeout;
  }
  return true;
}

}  // namespace sluice
