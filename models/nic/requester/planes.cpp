// SPDX-License-Identifier: Apache-2.0
// The requester of a NIC with several planes: each plane's MAC takes the next packet of a QP that
// may use it, congestion control paces a QP on each plane apart, and what a dead plane took with it
// is sent again by the others. Leaves out: a NIC of one port, which none of this touches.
#include <algorithm>

#include "nic/psn.h"
#include "nic/requester/requester.h"

namespace sluice {

bool Requester::may_use(std::uint32_t index, std::uint32_t plane) const {
  if (lanes_->at(index, plane).failed) return false;
  return config_.plane_choice == PlaneChoice::kPerPacket || hot_[index].port == plane;
}

/// A message begins, or a plane has failed or come back.
void Requester::choose_plane(std::uint32_t index) {
  QpHot& qp = hot_[index];
  const std::uint32_t home = index % lanes_->planes();
  const bool at_home =
      config_.plane_choice == PlaneChoice::kPerQp && !lanes_->at(index, home).failed;
  qp.port = static_cast<std::uint8_t>(at_home ? home : lanes_->best(index, qp.port));
}

/// There may be something to send on planes that had nothing of this QP.
void Requester::wake_lanes(std::uint32_t index) {
  const QpHot& qp = hot_[index];
  if (qp.message == kNoMessage && !qp.repairs) return;
  for (std::uint32_t plane = 0; plane < lanes_->planes(); ++plane) {
    const Lane& lane = lanes_->at(index, plane);
    if (lane.state != QpState::kIdle && lane.state != QpState::kBlocked) continue;
    if (!may_use(index, plane)) continue;
    schedulers_[plane].wait(lanes_->plane(plane), index, std::max(qp.next_send, lane.next_send));
  }
}

PacketId Requester::next_of_plane(std::uint32_t plane, Ps now) {
  QpScheduler& scheduler = schedulers_[plane];
  const LaneTable::Plane lanes = lanes_->plane(plane);
  scheduler.wake_due(lanes, now);
  while (!scheduler.ring_empty()) {
    const std::uint32_t index = scheduler.current();
    QpHot& qp = hot_[index];
    const Ps ready = std::max(qp.next_send, lanes[index].next_send);
    if ((qp.message == kNoMessage && !qp.repairs) || !may_use(index, plane)) {
      scheduler.remove_current(lanes, QpState::kIdle);
    } else if (ready > now) {
      scheduler.remove_current(lanes, QpState::kWaiting);
      scheduler.wait(lanes, index, ready);
    } else if (qp.repairs || (psn_distance(qp.next_psn, qp.una_psn) < config_.window_packets &&
                              (qp.path != QpPath::kVerbs || verb_may_go(qp, index)))) {
      return build_on_plane(qp, index, plane, now);
    } else {
      scheduler.remove_current(lanes, QpState::kBlocked);
    }
  }
  return kNoPacket;
}

PacketId Requester::build_on_plane(QpHot& qp, std::uint32_t index, std::uint32_t plane, Ps now) {
  if (qp.path == QpPath::kResponses) return build_response_on_plane(qp, index, plane, now);
  const bool repair = qp.repairs;
  const bool asks = !repair && wants_response(messages_[qp.message].op);
  if (!repair && qp.path == QpPath::kVerbs && !asks) ask_for_credits(qp, index);
  const PacketId id = repair ? build_repair(qp, index, now)
                      : asks ? compose_request(qp, index, now, qp.packets_left)
                             : compose_data(qp, index, now);
  const Packet& packet = packets_[id];
  lanes_->sent(index, plane, packet.psn, qp.una_psn, packet.frame_bytes);
  pace_lane(index, plane, now, packet.frame_bytes);
  // Lanes whose turn it is not any more find that out when it comes.
  schedulers_[plane].count_packet(lanes_->plane(plane));
  if (repair) return id;
  if (asks) {
    pass_request(qp, index);
    lanes_->reserve(index, psn_add(qp.next_psn, kPsnMask), qp.una_psn);
    next_message_on_plane(qp, index);
    return id;
  }
  qp.offset_bytes += packet.payload_bytes;
  qp.next_psn = psn_add(qp.next_psn, 1);
  if (qp.resend_left != 0) {
    --qp.resend_left;
    ++counters_.retransmitted_packets;
  }
  if (--qp.packets_left == 0) next_message_on_plane(qp, index);
  return id;
}

void Requester::next_message_on_plane(QpHot& qp, std::uint32_t index) {
  if (!next_message(qp)) return;
  choose_plane(index);
  wake_lanes(index);
}

void Requester::pace_lane(std::uint32_t index, std::uint32_t plane, Ps now,
                          std::uint32_t frame_bytes) {
  Lane& lane = lanes_->at(index, plane);
  if (!lane.limited) return;
  const std::uint32_t wire_bytes = frame_bytes + kPreambleBytes + config_.gap_bytes;
  const RateControl::Pace pace =
      rate_control_.on_sent(index * lanes_->planes() + plane, wire_bytes, now);
  lane.limited = pace.limited;
  const Ps burst = pace.interval * config_.burst_packets;
  lane.next_send = std::max(lane.next_send, now - std::min(now, burst)) + pace.interval;
  lane.next_send = std::max(lane.next_send, pace.not_before);
}

/// Congestion control paces the QP on this plane from now on.
void Requester::limit_lane(std::uint32_t index, std::uint32_t plane, Ps now) {
  Lane& lane = lanes_->at(index, plane);
  if (lane.limited) return;
  lane.limited = true;
  lane.next_send = std::max(lane.next_send, now);
}

void Requester::lane_alive(std::uint32_t index, std::uint32_t plane, Ps now) {
  Lane& lane = lanes_->at(index, plane);
  lane.alive = now;
  if (!lane.failed || ++lane.replies < config_.plane_recovery_threshold) return;
  lane.failed = false;
  ++counters_.plane_recoveries;
  counters_.plane_down_ps += (now - lane.failed_since).value;
  const bool stays = config_.plane_choice == PlaneChoice::kPerMessage &&
                     !lanes_->at(index, hot_[index].port).failed;
  if (!stays) choose_plane(index);
  wake_lanes(index);
}

/// What went by that plane and is not acknowledged is lost, as far as anybody can tell.
void Requester::lane_failed(std::uint32_t index, std::uint32_t plane, Ps now) {
  Lane& lane = lanes_->at(index, plane);
  lane.replies = 0;
  if (lane.failed) return;
  lane.failed = true;
  lane.failed_since = now;
  ++counters_.plane_failures;
  counters_.plane_detection_ps += (now - lane.alive).value;
  choose_plane(index);
  const QpHot& qp = hot_[index];
  bool lost = false;
  const std::uint32_t end = qp.next_psn;
  for (std::uint32_t psn = qp.una_psn; psn != end; psn = psn_add(psn, 1)) {
    if (!lanes_->under_way(index, plane, psn)) continue;
    lost = true;
    ++counters_.plane_lost_packets;
    lanes_->gone(index, psn);
    if (!config_.selective) continue;
    const std::uint32_t from = repeated_from(index, psn);
    if (from != kNoPsn) want_again(index, from);
  }
  if (lost && !config_.selective) rewind(index, qp.una_psn);
  if (lanes_->all_failed(index)) {
    if (qp.path != QpPath::kResponses) start_timer(index, now);
  } else {
    wake_lanes(index);
  }
}

void Requester::settle_lanes(Ps now) {
  if (!lanes_) return;
  for (std::uint32_t index = 0; index < hot_.size(); ++index) {
    for (std::uint32_t plane = 0; plane < lanes_->planes(); ++plane) {
      Lane& lane = lanes_->at(index, plane);
      if (!lane.failed) continue;
      counters_.plane_down_ps += (now - lane.failed_since).value;
      lane.failed_since = now;
    }
  }
}

}  // namespace sluice
