// SPDX-License-Identifier: Apache-2.0
// The requester where the responder keeps packets ahead of their turn: what ACKs and NAKs tell of
// missing packets, and sending those alone again. Leaves out: going back (acknowledge.cpp).
#include <algorithm>

#include "nic/psn.h"
#include "nic/requester/requester.h"

namespace sluice {

/// Puts `psn` on the list if it was sent and is not acknowledged.
void Requester::want_again(std::uint32_t index, std::uint32_t psn) {
  QpHot& qp = hot_[index];
  if (psn_distance(psn, qp.una_psn) >= psn_distance(qp.next_psn, qp.una_psn)) return;
  repairs_[index].want(config_.repair_window, psn);
  qp.repairs = true;
  qp.plain_left = 0;
}

void Requester::on_selective_nak(std::uint32_t index, std::uint32_t psn, std::uint64_t lost) {
  for (std::uint32_t i = 0; lost != 0; ++i, lost >>= 1) {
    if ((lost & 1) == 0) continue;
    const std::uint32_t missing = repeated_from(index, psn_add(psn, i));
    // One that is on its way again was asked for before it left.
    if (missing != kNoPsn && !repairs_[index].repeated(missing)) want_again(index, missing);
  }
  if (hot_[index].repairs) make_sendable(index);
}

/// An ACK that answers `cause` says which packets from `expected` on have come: those that have not
/// and were last sent long enough before `cause` are lost.
void Requester::on_sack(std::uint32_t index, std::uint32_t expected, std::uint64_t detail) {
  const QpHot& qp = hot_[index];
  Repairs& repairs = repairs_[index];
  const auto cause = static_cast<std::uint32_t>(detail >> Repairs::kSackBits);
  if (!psn_at_or_after(cause, expected)) return;
  for (std::uint32_t i = 0; i < Repairs::kSackBits; ++i) {
    const std::uint32_t psn = psn_add(expected, i);
    if (psn == cause) break;
    if ((detail >> i & 1) != 0 || !psn_at_or_after(psn, qp.una_psn)) continue;
    const std::uint32_t from = repeated_from(index, psn);
    if (from == kNoPsn || repairs.missing(config_.repair_window, from)) continue;
    const std::uint32_t overtaken_from =
        psn_add(repairs.sent_before(from), config_.reorder_packets - 1);
    if (psn_at_or_after(cause, overtaken_from)) want_again(index, from);
  }
  if (qp.repairs) make_sendable(index);
}

/// After progress while recovering from a timeout: the next packets that the timer gave up.
void Requester::go_on_recovering(std::uint32_t index) {
  Repairs& repairs = repairs_[index];
  if (!repairs.recovering()) return;
  std::uint32_t psn = hot_[index].una_psn;
  for (std::uint32_t left = repairs.next_batch(); left != 0 && psn != repairs.recovery_end();
       --left, psn = psn_add(psn, 1)) {
    if (cold_[index].responses_due == 0 || worth_repeating(index, psn)) want_again(index, psn);
  }
  if (hot_[index].repairs) make_sendable(index);
}

/// Of a READ only where a run of missing answers begins, and that once.
bool Requester::worth_repeating(std::uint32_t index, std::uint32_t psn) const {
  const std::uint32_t una = hot_[index].una_psn;
  if (psn_distance(psn, una) >= config_.repair_window) return false;
  const MessageId id = message_of(index, psn);
  if (id == kNoMessage || !wants_response(messages_[id].op)) return true;
  const bool begins =
      psn == una || psn == messages_[id].first_psn || answered(index, psn_add(psn, kPsnMask));
  return begins && !answered(index, psn) && !repairs_[index].repeated(psn);
}

void Requester::repair_after_timeout(std::uint32_t index) {
  QpHot& qp = hot_[index];
  qp.deadline = kNever;  // runs again from the repetition, which asks for an ACK
  repairs_[index].begin_recovery(qp.next_psn);
  want_again(index, qp.una_psn);
  make_sendable(index);
}

/// Sends the oldest missing packet again; where new packets go on from stays as it is.
PacketId Requester::build_repair(QpHot& qp, std::uint32_t index, Ps now) {
  Repairs& repairs = repairs_[index];
  const QpHot saved = qp;
  const std::uint32_t psn = repairs.take(config_.repair_window, qp.una_psn, qp.next_psn);
  const bool last_one = !repairs.wanted();
  const std::uint32_t asked = cold_[index].ack_request_psn;
  seek(index, psn);
  // The responder's answer to the last of a batch tells what became of all.
  qp.until_ack_request = last_one ? 1 : UINT16_MAX;
  const bool asks = wants_response(messages_[qp.message].op);
  const std::uint32_t packets = asks ? missing_run(index, psn) : 1;
  const PacketId id =
      asks ? compose_request(qp, index, now, packets) : compose_data(qp, index, now);
  repairs.note(psn, packets, saved.next_psn);
  if (psn_at_or_after(asked, psn)) cold_[index].ack_request_psn = asked;
  qp.next_psn = saved.next_psn;
  qp.message = saved.message;
  qp.path = saved.path;
  qp.packets_left = saved.packets_left;
  qp.offset_bytes = saved.offset_bytes;
  qp.until_ack_request = saved.until_ack_request;
  qp.next_send = saved.next_send;
  qp.repairs = !last_one;
  ++counters_.retransmitted_packets;
  return id;
}

PacketId Requester::send_repair(QpHot& qp, std::uint32_t index, Ps now) {
  const PacketId id = build_repair(qp, index, now);
  if (qp.limited) pace(qp, index, now, packets_[id].frame_bytes);
  QpScheduler& scheduler = schedulers_[qp.port];
  if (qp.next_send > now) {
    scheduler.remove_current(hot_, QpState::kWaiting);
    scheduler.wait(hot_, index, qp.next_send);
  } else {
    scheduler.count_packet(hot_);
  }
  return id;
}

}  // namespace sluice
