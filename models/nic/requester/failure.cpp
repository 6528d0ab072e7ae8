// SPDX-License-Identifier: Apache-2.0
// What ends a QP: retries used up, a receiver that never gets ready, a request that is refused. All
// its work requests then end in order, the first with the cause, the others flushed (IBTA 9.9.2,
// 10.3.1.7). Leaves out: bringing it back; a connection that failed stays so.
#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"
#include "nic/psn.h"
#include "nic/requester/requester.h"

namespace sluice {

std::uint32_t Requester::on_rnr_nak(std::uint32_t index, std::uint32_t psn, Ps pause, Ps now) {
  ++counters_.rnr_naks_received;
  constexpr std::uint32_t kWithoutEnd = 7;
  const std::uint32_t port = port_of(index);
  const bool reached = acknowledge_answered(index, psn) == psn;
  // One of the past, or of a packet that is waiting to be sent again, changes nothing. Where
  // answers come in any order some from before may be missing.
  const std::uint32_t ahead = psn_distance(psn, hot_[index].una_psn);
  const std::uint32_t sent = psn_distance(hot_[index].next_psn, hot_[index].una_psn);
  if (!reached || ahead >= (answers_.empty() ? std::min(1u, sent) : sent)) return port;
  if (config_.rnr_retry != kWithoutEnd && ++cold_[index].rnr_retries > config_.rnr_retry) {
    fail(index, CompletionStatus::kRnrRetryExceeded,
         fmt::format("found no receive request in {} retries", config_.rnr_retry));
    return port;
  }
  rewind(index, psn);
  hot_[index].next_send = std::max(hot_[index].next_send, now + pause);
  return port;
}

std::uint32_t Requester::on_refusal(std::uint32_t index, std::uint32_t psn,
                                    CompletionStatus status) {
  ++counters_.naks_received;
  const bool reached = acknowledge_answered(index, psn) == psn;
  if (reached && psn == hot_[index].una_psn && cold_[index].first_message != kNoMessage) {
    fail(index, status,
         fmt::format("was refused: {}", kCompletionStatusNames[static_cast<std::size_t>(status)]));
  }
  return port_of(index);
}

void Requester::fail(std::uint32_t index, CompletionStatus status, std::string_view reason) {
  const std::string text = fmt::format("stalled: {} {}", describe_qp(index), reason);
  QpHot& qp = hot_[index];
  QpCold& cold = cold_[index];
  if (lanes_) {
    const std::uint32_t sent = psn_distance(qp.next_psn, qp.una_psn) + qp.resend_left;
    for (std::uint32_t i = 0; i < sent; ++i) lanes_->gone(index, psn_add(qp.una_psn, i));
  }
  if (!repairs_.empty())
    repairs_[index].forget_from(config_.repair_window, qp.una_psn, qp.next_psn);
  cold.failed = true;
  ++counters_.qp_errors;
  qp.message = kNoMessage;
  qp.plain_left = 0;
  qp.packets_left = 0;
  qp.resend_left = 0;
  qp.repairs = false;
  qp.deadline = kNever;
  qp.next_psn = qp.una_psn = cold.tail_psn;
  completions_.on_qp_failed(text);
  flush(index, status);
}

/// Ends all that is posted. Packets of what was sent may still be under way and name it, so those
/// handles are never used again; the host may post from inside its callback.
void Requester::flush(std::uint32_t index, CompletionStatus first) {
  cold_[index].flushing = true;
  cold_[index].responses_due = 0;
  CompletionStatus status = first;
  for (MessageId id; (id = cold_[index].first_message) != kNoMessage;) {
    const Message message = messages_[id];
    cold_[index].first_message = message.next;
    if (first == CompletionStatus::kFlushed) messages_.release(id);
    --unacknowledged_;
    ++counters_.flushed_messages;
    report(index, message, 0, status);
    if (message.reports) status = CompletionStatus::kFlushed;
  }
  cold_[index].flushing = false;
}

/// Tells the host, if `message` is the last of its work request.
void Requester::report(std::uint32_t index, const Message& message, std::uint64_t result,
                       CompletionStatus status) {
  if (!message.reports) return;
  if (message.verb) {
    completions_.on_completed(
        {message.cookie, hot_[index].destination, message.op, status, message.write_bytes, result});
  } else if (status == CompletionStatus::kSuccess) {
    completions_.on_acknowledged(message.cookie);
  }
}

/// The `draw`-th acknowledgement timeout of a QP: T, or longer, so that QPs that lost packets
/// together do not repeat them together (IBTA 9.7.6.1.3 allows up to 4 T).
Ps Requester::next_timeout(std::uint32_t index, std::uint32_t draw) const {
  const Ps shortest = config_.ack_timeout;
  if (shortest == kNever || config_.timeout_spread_percent == 0) return shortest;
  const std::uint64_t entity =
      std::uint64_t{config_.endpoint} << 40 | std::uint64_t{index} << 16 | (draw & 0xFFFF);
  RandomStream random(config_.seed, entity, RandomPurpose::kAckTimeout);
  const auto longest =
      static_cast<__uint128_t>(shortest.value) * config_.timeout_spread_percent / 100;
  return shortest + Ps{static_cast<std::uint64_t>(longest * random.next_u32() >> 32)};
}

}  // namespace sluice
