// SPDX-License-Identifier: Apache-2.0
// The requester's return path: ACK, NAK, CNP and timeouts, and going back to a PSN (IBTA 9.7.5).
// Leaves out: answers with data (responses.cpp) and what follows from a failure (failure.cpp).
#include <algorithm>

#include "kernel/error.h"
#include "nic/psn.h"
#include "nic/requester/requester.h"

namespace sluice {

/// Everything before `psn` has arrived. Ignores what is already known and what was never sent.
void Requester::acknowledge_before(std::uint32_t index, std::uint32_t psn) {
  QpHot& qp = hot_[index];
  QpCold& cold = cold_[index];
  const std::uint32_t sent = psn_distance(qp.next_psn, qp.una_psn) + qp.resend_left;
  const std::uint32_t advance = psn_distance(psn, qp.una_psn);
  if (advance == 0 || advance > sent) return;
  const std::uint32_t unsent_again = psn_distance(qp.next_psn, qp.una_psn);
  if (!repairs_.empty()) {
    repairs_[index].forget_before(config_.repair_window, qp.una_psn, psn);
    qp.repairs = repairs_[index].wanted();
  }
  if (lanes_) {
    for (std::uint32_t i = 0; i < advance; ++i) lanes_->gone(index, psn_add(qp.una_psn, i));
  }
  qp.una_psn = psn;
  cold.retries = 0;
  cold.rnr_retries = 0;
  if (advance > unsent_again) {
    // A late ACK overtakes a repetition: skip what need not be sent again.
    qp.resend_left -= advance - unsent_again;
    seek(index, psn);
  }
  if (qp.deadline != kNever) {  // running, and so in the heap
    const bool all = psn_at_or_after(psn, psn_add(cold.ack_request_psn, 1));
    qp.deadline = all ? kNever : cold.ack_request_time + cold.ack_timeout;
  }
  if (lanes_) {
    wake_lanes(index);
  } else if (qp.state == QpState::kBlocked) {
    schedulers_[qp.port].make_ready(hot_, index);
  }
  complete_messages(index);
}

/// Reports and frees messages that lie before the oldest unacknowledged PSN. The host may post from
/// inside its callback, so nothing is held across it.
void Requester::complete_messages(std::uint32_t index) {
  for (;;) {
    const MessageId id = cold_[index].first_message;
    if (id == kNoMessage) return;
    const Message message = messages_[id];
    if (psn_distance(hot_[index].una_psn, message.first_psn) < message.packets) return;
    cold_[index].first_message = message.next;
    const std::uint64_t result = messages_.detail(id).result;
    messages_.release(id);
    --unacknowledged_;
    if (wants_response(message.op)) [[unlikely]] {
      --cold_[index].responses_due;
      cold_[index].implied_nak = UINT32_MAX;  // its PSN comes back 2^24 packets later
    }
    report(index, message, result, CompletionStatus::kSuccess);
  }
}

/// Makes `psn` the next packet to send.
void Requester::seek(std::uint32_t index, std::uint32_t psn) {
  QpHot& qp = hot_[index];
  qp.next_psn = psn;
  qp.plain_left = 0;
  qp.until_ack_request = static_cast<std::uint16_t>(config_.ack_every);
  MessageId id = cold_[index].first_message;
  while (id != kNoMessage) {
    const Message& message = messages_[id];
    const std::uint32_t into = psn_distance(psn, message.first_psn);
    if (into < message.packets) {
      qp.message = id;
      qp.path = message.op == Operation::kWrite ? QpPath::kWrites : QpPath::kVerbs;
      qp.packets_left = message.packets - into;
      qp.offset_bytes = std::uint64_t{into} * config_.mtu_bytes;
      qp.next_send = std::max(qp.next_send, message.ready);
      return;
    }
    id = message.next;
  }
  qp.message = kNoMessage;
  qp.packets_left = 0;
}

void Requester::rewind(std::uint32_t index, std::uint32_t psn) {
  QpHot& qp = hot_[index];
  const std::uint32_t back = psn_distance(qp.next_psn, psn);
  if (lanes_) {
    for (std::uint32_t i = 0; i < back; ++i) lanes_->gone(index, psn_add(psn, i));
  }
  if (!repairs_.empty()) {
    repairs_[index].forget_from(config_.repair_window, psn, qp.next_psn);
    qp.repairs = repairs_[index].wanted();
  }
  qp.resend_left += back;
  // Runs again from the next packet that asks for an ACK; on where answers from before are due.
  if (psn == qp.una_psn) qp.deadline = kNever;
  seek(index, psn);
  make_sendable(index);
}

void Requester::make_sendable(std::uint32_t index) {
  if (lanes_) return wake_lanes(index);
  const QpHot& qp = hot_[index];
  if (qp.state == QpState::kIdle || qp.state == QpState::kBlocked) {
    schedulers_[qp.port].make_ready(hot_, index);
  }
}

std::uint32_t Requester::on_ack(std::uint32_t index, std::uint32_t psn, std::uint64_t detail) {
  ++counters_.acks_received;
  const std::uint32_t una = hot_[index].una_psn;
  acknowledge_answered(index, psn_add(psn, 1));
  if (config_.selective) {
    on_sack(index, psn_add(psn, 1), detail);
    if (hot_[index].una_psn != una) go_on_recovering(index);
  }
  return port_of(index);
}

std::uint32_t Requester::on_nak(std::uint32_t index, std::uint32_t psn, std::uint64_t detail) {
  ++counters_.naks_received;
  if (config_.selective) {
    on_selective_nak(index, psn, detail);
    return port_of(index);
  }
  acknowledge_answered(index, psn);
  const QpHot& qp = hot_[index];
  // A NAK of the past, or of what is about to be sent anyway, changes nothing.
  const std::uint32_t ahead = psn_distance(psn, qp.una_psn);
  const std::uint32_t sent = psn_distance(qp.next_psn, qp.una_psn);
  if (ahead < (answers_.empty() ? std::min(1u, sent) : sent)) rewind(index, psn);
  return port_of(index);
}

void Requester::on_cnp(std::uint32_t index, std::uint32_t port, Ps now) {
  ++counters_.cnps_received;
  if (rate_control_.on_cnp(lane_of(index, port), now)) limit(index, port, now);
}

void Requester::on_rtt(std::uint32_t index, std::uint32_t port, Ps rtt, Ps now) {
  if (rate_control_.on_rtt(lane_of(index, port), rtt, now)) limit(index, port, now);
}

/// The rate control paces the QP, where there are planes on that of `port`, from now on.
void Requester::limit(std::uint32_t index, std::uint32_t port, Ps now) {
  if (lanes_) return limit_lane(index, port, now);
  QpHot& qp = hot_[index];
  if (qp.limited) return;
  qp.limited = true;
  qp.plain_left = 0;
  qp.next_send = std::max(qp.next_send, now);  // no credit from the time at line rate
}

std::uint32_t Requester::on_timer(Ps now) {
  std::uint32_t ports = 0;
  while (timers_.earliest() <= now) {
    const std::uint32_t index = timers_.pop().qp;
    const Ps deadline = hot_[index].deadline;
    if (deadline == kNever) {
      cold_[index].in_timer_heap = false;
    } else if (deadline > now) {
      timers_.push({deadline, index});
    } else {
      cold_[index].in_timer_heap = false;
      on_timeout(index, now);
      ports |= lanes_ ? kEveryPort : 1u << hot_[index].port;
    }
  }
  return ports;
}

void Requester::on_timeout(std::uint32_t index, Ps now) {
  ++counters_.timeouts;
  QpCold& cold = cold_[index];
  cold.implied_nak = UINT32_MAX;
  if (++cold.retries > config_.retry_count) {
    return fail(index, CompletionStatus::kRetryExceeded,
                fmt::format("was not acknowledged after {} retries of {} us each",
                            config_.retry_count, config_.ack_timeout.value / 1'000'000));
  }
  if (config_.timeout_spread_percent != 0) cold.ack_timeout = next_timeout(index, ++cold.draws);
  if (lanes_ && lanes_->all_failed(index)) {
    hot_[index].deadline = kNever;
    return start_timer(index, now);
  }
  if (config_.selective) return repair_after_timeout(index);
  rewind(index, hot_[index].una_psn);
}

}  // namespace sluice
