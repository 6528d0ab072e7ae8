// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/requester.h"

#include <algorithm>

#include "kernel/error.h"
#include "nic/flow.h"
#include "nic/psn.h"
#include "packet/aeth.h"

namespace sluice {

Requester::Requester(const RequesterConfig& config, PacketPool& packets, MessagePool& messages,
                     RateControl& rate_control, NicCounters& counters, Completions& completions)
    : config_(config),
      packets_(packets),
      messages_(messages),
      rate_control_(rate_control),
      counters_(counters),
      completions_(completions),
      schedulers_(config.ports, QpScheduler(config.burst_packets)) {
  if (config.ports > 1) lanes_.emplace(config.ports);
  Packet& middle = config_.prototype;
  const std::uint32_t reth_bytes = config.reth_every_packet ? config.reth_bytes : 0;
  middle.payload_bytes = static_cast<std::uint16_t>(config.mtu_bytes);
  middle.frame_bytes =
      static_cast<std::uint16_t>(config.frame_overhead + reth_bytes + config.mtu_bytes);
}

std::uint32_t Requester::qp_to(std::uint32_t destination) {
  const std::uint32_t found = by_destination_.find(destination);
  if (found != FlatIndex::kNone) return found;
  const auto index = static_cast<std::uint32_t>(hot_.size());
  by_destination_.insert(destination, index);
  add_qp(destination, index % config_.ports);
  QpHot& qp = hot_[index];
  qp.next_psn = first_psn_of(config_.start_psn, config_.seed, config_.endpoint, destination);
  qp.una_psn = qp.next_psn;
  QpCold& cold = cold_[index];
  cold.tail_psn = qp.next_psn;
  cold.credits_known = config_.credits;
  cold.ack_timeout = next_timeout(index, 0);
  return index;
}

std::uint32_t Requester::add_qp(std::uint32_t destination, std::uint32_t port) {
  const auto index = static_cast<std::uint32_t>(hot_.size());
  SLUICE_CHECK(index < (1u << 24), "endpoint {} needs more than 2^24 QPs", config_.endpoint);
  QpHot& qp = hot_.emplace_back();
  qp.destination = destination;
  qp.flow_hash = flow_hash_of(config_.endpoint, destination, config_.ipv6);
  qp.until_ack_request = static_cast<std::uint16_t>(config_.ack_every);
  qp.port = static_cast<std::uint8_t>(port);
  cold_.emplace_back();
  if (config_.selective) repairs_.emplace_back();
  if (config_.repair_window != 0) answers_.emplace_back();
  if (lanes_) lanes_->add_qp();
  for (std::uint32_t plane = 0; plane < config_.ports; ++plane) {
    const bool limited = rate_control_.add_flow();
    (lanes_ ? lanes_->at(index, plane).limited : hot_[index].limited) = limited;
  }
  return index;
}

std::uint32_t Requester::post(const WriteRequest& request, Ps now) {
  SLUICE_CHECK(request.destination != config_.endpoint, "endpoint {} writes to itself",
               config_.endpoint);
  const std::uint32_t index = qp_to(request.destination);
  Message message{.cookie = request.cookie,
                  .write_bytes = request.bytes,
                  .ready = now + config_.doorbell_latency,
                  .immediate = request.immediate};
  std::uint64_t left = request.bytes;
  message.bytes = kMaxMessageBytes;
  message.reports = false;
  for (; left > kMaxMessageBytes; left -= kMaxMessageBytes) append(index, message);
  message.bytes = left;
  message.reports = true;
  append(index, message);
  return port_of(index);
}

/// Puts a message at the end of its QP's list; fills in its packets and PSNs.
MessageId Requester::append(std::uint32_t index, Message filled) {
  const MessageId id = messages_.allocate();
  QpHot& qp = hot_[index];
  QpCold& cold = cold_[index];
  filled.first_psn = cold.tail_psn;
  filled.packets = static_cast<std::uint32_t>(packets_of(filled.bytes, config_.mtu_bytes));
  filled.next = kNoMessage;
  if (start_ != nullptr) {
    // A READ takes nothing from this host's memory, an atomic's operands come with its WQE.
    const bool carries = filled.op != Operation::kRead && !is_atomic(filled.op);
    filled.ready = start_->message_ready(index, carries ? filled.bytes : 0, unacknowledged_ == 0,
                                         filled.ready);
  }
  messages_[id] = filled;
  messages_.detail(id).ssn = cold.next_ssn;
  cold.next_ssn = (cold.next_ssn + 1) & aeth::kMsnMask;
  cold.tail_psn = psn_add(cold.tail_psn, filled.packets);
  if (cold.first_message == kNoMessage) {
    cold.first_message = id;
    completions_.on_active(index, filled.ready);
  } else {
    messages_[cold.last_message].next = id;
  }
  cold.last_message = id;
  ++unacknowledged_;
  ++counters_.messages_sent;
  if (qp.message != kNoMessage || cold.failed) return id;
  load_message(qp, id);
  if (lanes_) {
    choose_plane(index);
    wake_lanes(index);
    return id;
  }
  if (qp.state == QpState::kIdle) schedulers_[qp.port].wait(hot_, index, qp.next_send);
  return id;
}

void Requester::load_message(QpHot& qp, MessageId id) {
  const Message& message = messages_[id];
  qp.message = id;
  qp.packets_left = message.packets;
  qp.offset_bytes = 0;
  qp.path = message.op == Operation::kWrite ? QpPath::kWrites : QpPath::kVerbs;
  qp.next_send = std::max(qp.next_send, message.ready);
}

PacketId Requester::next_packet_with_care(std::uint32_t port, Ps now) {
  if (lanes_) [[unlikely]]
    return next_of_plane(port, now);
  QpScheduler& scheduler = schedulers_[port];
  scheduler.wake_due(hot_, now);
  while (!scheduler.ring_empty()) {
    const std::uint32_t index = scheduler.current();
    QpHot& qp = hot_[index];
    if (qp.message == kNoMessage && !qp.repairs) {
      scheduler.remove_current(hot_, QpState::kIdle);
    } else if (qp.next_send > now) {
      scheduler.remove_current(hot_, QpState::kWaiting);
      scheduler.wait(hot_, index, qp.next_send);
    } else if (qp.repairs) [[unlikely]] {
      return send_repair(qp, index, now);
    } else if (psn_distance(qp.next_psn, qp.una_psn) >= config_.window_packets) {
      scheduler.remove_current(hot_, QpState::kBlocked);
    } else if (qp.path != QpPath::kWrites) [[unlikely]] {
      const PacketId id = next_of_path(qp, index, now);
      if (id != kNoPacket) return id;
    } else {
      return build(qp, index, now);
    }
  }
  return kNoPacket;
}

PacketId Requester::build(QpHot& qp, std::uint32_t index, Ps now) {
  const PacketId id = compose(qp, index, now);
  const Packet& packet = packets_[id];
  qp.offset_bytes += packet.payload_bytes;
  finish_packet(qp, index, now, packet.frame_bytes);
  return id;
}

/// The packet that the QP is at.
PacketId Requester::compose(QpHot& qp, std::uint32_t index, Ps now) {
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = config_.prototype;
  std::uint8_t flags = config_.prototype.flags;
  std::uint32_t payload = config_.mtu_bytes;
  std::uint32_t overhead = config_.frame_overhead;
  if (qp.offset_bytes == 0) {
    flags |= packet_flag::kFirst;
    overhead += config_.reth_bytes;
  } else if (config_.reth_every_packet) {
    overhead += config_.reth_bytes;
  }
  const bool last = qp.packets_left == 1;
  if (last) {
    flags |= packet_flag::kLast;
    payload = static_cast<std::uint32_t>(messages_[qp.message].bytes - qp.offset_bytes);
  }
  packet.destination = qp.destination;
  packet.flow = index;
  packet.flow_hash = qp.flow_hash;
  packet.psn = qp.next_psn;
  packet.message = qp.message;
  packet.payload_bytes = static_cast<std::uint16_t>(payload);
  packet.frame_bytes = static_cast<std::uint16_t>(overhead + ((payload + 3) & ~3u));  // BTH pad
  packet.offset_bytes = qp.offset_bytes;
  if (--qp.until_ack_request == 0 || last) {
    flags |= packet_flag::kAckReq;
    request_ack(qp, index, now);
  }
  packet.flags = flags;
  ++counters_.data_packets_sent;
  return id;
}

[[gnu::noinline]] void Requester::request_ack(QpHot& qp, std::uint32_t index, Ps now) {
  QpCold& cold = cold_[index];
  qp.until_ack_request = static_cast<std::uint16_t>(config_.ack_every);
  cold.ack_request_psn = qp.next_psn;
  cold.ack_request_time = now;
  start_timer(index, now);
}

/// Of acknowledgements; it goes on if it runs.
void Requester::start_timer(std::uint32_t index, Ps now) {
  QpHot& qp = hot_[index];
  if (config_.ack_timeout == kNever || qp.deadline != kNever) return;
  qp.deadline = now + cold_[index].ack_timeout;
  if (cold_[index].in_timer_heap) return;
  cold_[index].in_timer_heap = true;
  timers_.push({qp.deadline, index});
}

/// Moves the QP past the packet just built and decides when it may send again.
void Requester::finish_packet(QpHot& qp, std::uint32_t index, Ps now, std::uint32_t frame_bytes) {
  qp.next_psn = psn_add(qp.next_psn, 1);
  if (qp.resend_left != 0) [[unlikely]] {
    --qp.resend_left;
    ++counters_.retransmitted_packets;
  }
  if (qp.limited) [[unlikely]]
    pace(qp, index, now, frame_bytes);
  QpScheduler& scheduler = schedulers_[qp.port];
  if (--qp.packets_left == 0 && !next_message(qp)) [[unlikely]] {
    scheduler.remove_current(hot_, QpState::kIdle);
  } else if (qp.next_send > now) [[unlikely]] {
    scheduler.remove_current(hot_, QpState::kWaiting);
    scheduler.wait(hot_, index, qp.next_send);
  } else {
    scheduler.count_packet(hot_);
    look_ahead(qp);
  }
}

/// Counts the plain packets that follow; the last of a message and those that ask for an ACK, up to
/// 256 packets away, end them.
void Requester::look_ahead(QpHot& qp) const {
  if (qp.limited || qp.resend_left != 0 || qp.offset_bytes == 0) return;
  const std::uint32_t window_left = config_.window_packets - psn_distance(qp.next_psn, qp.una_psn);
  qp.plain_left = static_cast<std::uint16_t>(
      std::min({qp.packets_left - 1, qp.until_ack_request - 1u, window_left}));
}

[[gnu::noinline]] void Requester::pace(QpHot& qp, std::uint32_t index, Ps now,
                                       std::uint32_t frame_bytes) {
  const std::uint32_t wire_bytes = frame_bytes + kPreambleBytes + config_.gap_bytes;
  const RateControl::Pace pace = rate_control_.on_sent(index, wire_bytes, now);
  qp.limited = pace.limited;
  // Time lost waiting for the port is made up, by at most a burst.
  const Ps burst = pace.interval * config_.burst_packets;
  qp.next_send = std::max(qp.next_send, now - std::min(now, burst)) + pace.interval;
  qp.next_send = std::max(qp.next_send, pace.not_before);
}

/// The message is sent: goes on with the next one; false when there is none.
[[gnu::noinline]] bool Requester::next_message(QpHot& qp) {
  const MessageId next = messages_[qp.message].next;
  if (next != kNoMessage) {
    load_message(qp, next);
    return true;
  }
  qp.message = kNoMessage;
  return false;
}

std::string Requester::describe_qp(std::uint32_t index) const {
  const QpHot& qp = hot_[index];
  return fmt::format("QP {} from endpoint {} to endpoint {}, oldest unacknowledged PSN {:#08x}",
                     index, config_.endpoint, qp.destination, qp.una_psn);
}

std::string Requester::stalled_qp() const {
  for (std::uint32_t index = 0; index < cold_.size(); ++index) {
    if (cold_[index].first_message != kNoMessage) return describe_qp(index);
  }
  return {};
}

}  // namespace sluice
