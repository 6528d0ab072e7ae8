// SPDX-License-Identifier: Apache-2.0
// Sending the answers to other endpoints' READs and atomics: each requesting QP has a queue that is
// scheduled and paced like a QP of this endpoint. Leaves out: what the answers are (responder).
#include <algorithm>

#include "nic/psn.h"
#include "nic/requester/requester.h"
#include "packet/serialisation.h"

namespace sluice {

std::uint32_t Requester::add_responder(std::uint32_t destination, std::uint32_t flow,
                                       std::uint32_t port) {
  const auto responder = static_cast<std::uint32_t>(responses_.size());
  ResponseQueue& added = responses_.emplace_back();
  added.flow = flow;
  added.qp = add_qp(destination, port);
  hot_[added.qp].path = QpPath::kResponses;
  return responder;
}

void Requester::respond(std::uint32_t responder, const Response& response) {
  ResponseQueue& answers = responses_[responder];
  answers.queue.push_back(response);
  QpHot& qp = hot_[answers.qp];
  if (qp.message != kNoMessage) return;
  qp.message = responder;
  completions_.on_active(answers.qp, response.ready);
  qp.next_send = std::max(qp.next_send, response.ready);
  if (lanes_) {
    choose_plane(answers.qp);
    return wake_lanes(answers.qp);
  }
  if (qp.state == QpState::kIdle) schedulers_[qp.port].wait(hot_, answers.qp, qp.next_send);
}

void Requester::drop_responses(std::uint32_t responder, std::uint32_t psn, std::uint32_t packets) {
  ResponseQueue& answers = responses_[responder];
  // A requester that takes answers in order asks for everything after it again, too.
  const bool all = answers_.empty();
  std::erase_if(answers.queue, [psn, packets, all](const Response& entry) {
    if (all) return psn_at_or_after(entry.psn, psn);
    const std::uint32_t into = psn_distance(entry.psn, psn);
    return entry.answers_request() && into < packets && entry.packets <= packets - into;
  });
  for (Response& entry : answers.queue) {
    const std::uint32_t kept = psn_distance(psn, entry.psn);
    if (kept >= entry.packets) continue;
    // Where other answers follow in the same entry they go with it.
    if (!all && (kept == 0 || kept + packets < entry.packets)) continue;
    entry.packets = kept;
    entry.bytes = std::uint64_t{kept} * config_.mtu_bytes;
    entry.cut = true;
  }
  if (answers.queue.empty()) hot_[answers.qp].message = kNoMessage;
}

/// Not those that were asked for again: one may be answered already, its request late.
std::size_t Requester::responses_waiting(std::uint32_t responder) const {
  const auto& queue = responses_[responder].queue;
  return static_cast<std::size_t>(std::count_if(queue.begin(), queue.end(), [](const Response& r) {
    return r.answers_request() && !r.repeated;
  }));
}

/// The next packet of `response`, which moves on to the one after.
void Requester::fill_response(Packet& packet, Response& response) {
  packet.kind = response.kind;
  packet.psn = response.psn;
  packet.message = response.word;
  packet.payload_bytes = 0;
  packet.offset_bytes = response.value;
  std::uint32_t frame = config_.frame_overhead + kAethBytes;
  if (response.kind == PacketKind::kAtomicResponse) {
    packet.flags |= packet_flag::kFirst | packet_flag::kLast;
    frame += kAtomicAckEthBytes;
  } else if (response.kind == PacketKind::kReadResponse) {
    const bool last = response.packets == 1 && !response.cut;
    if (response.first) packet.flags |= packet_flag::kFirst;
    if (last) packet.flags |= packet_flag::kLast;
    const auto payload =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(response.bytes, config_.mtu_bytes));
    packet.payload_bytes = static_cast<std::uint16_t>(payload);
    packet.offset_bytes = response.offset;
    if (!response.first && !last) {
      frame -= kAethBytes;
      packet.message = 0;
    }
    frame += payload + pad_bytes(payload);
    response.bytes -= payload;
    response.offset += payload;
    ++counters_.data_packets_sent;
    if (response.repeated) ++counters_.retransmitted_packets;
  }
  packet.frame_bytes = static_cast<std::uint16_t>(std::max(frame, kMinFrameBytes));
  response.first = false;
  response.psn = psn_add(response.psn, 1);
  --response.packets;
}

PacketId Requester::compose_response(const QpHot& qp) {
  ResponseQueue& answers = responses_[qp.message];
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = config_.prototype;
  packet.destination = qp.destination;
  packet.flow = answers.flow;
  packet.flow_hash = qp.flow_hash;
  fill_response(packet, answers.queue.front());
  if (answers.queue.front().packets == 0) answers.queue.pop_front();
  return id;
}

PacketId Requester::build_response(QpHot& qp, std::uint32_t index, Ps now) {
  const PacketId id = compose_response(qp);
  const ResponseQueue& answers = responses_[qp.message];
  if (qp.limited) pace(qp, index, now, packets_[id].frame_bytes);
  QpScheduler& scheduler = schedulers_[qp.port];
  if (answers.queue.empty()) {
    qp.message = kNoMessage;
    scheduler.remove_current(hot_, QpState::kIdle);
    return id;
  }
  qp.next_send = std::max(qp.next_send, answers.queue.front().ready);
  if (qp.next_send > now) {
    scheduler.remove_current(hot_, QpState::kWaiting);
    scheduler.wait(hot_, index, qp.next_send);
  } else {
    scheduler.count_packet(hot_);
  }
  return id;
}

/// The same by one of several planes. Nobody acknowledges answers, so that they count for none as
/// outstanding.
PacketId Requester::build_response_on_plane(QpHot& qp, std::uint32_t index, std::uint32_t plane,
                                            Ps now) {
  const ResponseQueue& answers = responses_[qp.message];
  const std::size_t waiting = answers.queue.size();
  const PacketId id = compose_response(qp);
  lanes_->took_turn(plane);
  pace_lane(index, plane, now, packets_[id].frame_bytes);
  schedulers_[plane].count_packet(lanes_->plane(plane));
  if (answers.queue.empty()) {
    qp.message = kNoMessage;
  } else if (answers.queue.size() != waiting) {
    qp.next_send = std::max(qp.next_send, answers.queue.front().ready);
    choose_plane(index);
    wake_lanes(index);
  }
  return id;
}

}  // namespace sluice
