// SPDX-License-Identifier: Apache-2.0
#include "nic/responder/responder.h"

#include "nic/flow.h"
#include "nic/psn.h"

namespace sluice {

Responder::Responder(const ResponderConfig& config)
    : config_(config), port_next_cnp_(config.ports) {}

std::uint32_t Responder::add_flow(const Packet& packet, std::uint64_t key) {
  const auto index = static_cast<std::uint32_t>(flows_.size());
  Flow flow;
  flow.expected_psn =
      first_psn_of(config_.start_psn, config_.seed, packet.source, config_.endpoint);
  flow.reply_hash = flow_hash_of(config_.endpoint, packet.source, config_.ipv6);
  flows_.push_back(flow);
  index_.insert(key, index);
  return index;
}

Responder::Flow& Responder::flow_of(const Packet& packet) {
  const std::uint64_t key = key_of(packet);
  if (key != last_key_) {
    std::uint32_t index = index_.find(key);
    if (index == FlatIndex::kNone) index = add_flow(packet, key);
    last_key_ = key;
    last_index_ = index;
  }
  return flows_[last_index_];
}

bool Responder::may_notify(Flow& flow, std::uint32_t port, Ps now) {
  Ps& next = config_.cnp_per_port ? port_next_cnp_[port] : flow.next_cnp;
  if (now < next) return false;
  next = now + config_.min_time_between_cnps;
  return true;
}

Responder::Decision Responder::on_data(const Packet& packet, std::uint32_t port, Ps now) {
  Flow& flow = flow_of(packet);
  Decision decision;
  decision.reply_hash = flow.reply_hash;
  if (packet.ecn == Ecn::kCe && config_.notify) decision.cnp = may_notify(flow, port, now);
  if (packet.psn == flow.expected_psn) [[likely]] {
    flow.expected_psn = psn_add(flow.expected_psn, 1);
    flow.nak_sent = false;
    if ((packet.flags & packet_flag::kAckReq) != 0) decision.reply = Reply::kAck;
    if ((packet.flags & packet_flag::kLast) != 0) decision.ordinal = flow.messages++;
    decision.reply_psn = packet.psn;
    return decision;
  }
  out_of_sequence(packet, flow, decision);
  return decision;
}

[[gnu::noinline]] void Responder::out_of_sequence(const Packet& packet, Flow& flow,
                                                  Decision& decision) {
  if (psn_at_or_after(packet.psn, flow.expected_psn)) {
    decision.verdict = Verdict::kOutOfOrder;
    if (!flow.nak_sent) decision.reply = Reply::kNak;
    flow.nak_sent = true;
    decision.reply_psn = flow.expected_psn;
    return;
  }
  // Acknowledged again, with the newest PSN, when the requester asks.
  decision.verdict = Verdict::kDuplicate;
  if ((packet.flags & packet_flag::kAckReq) != 0) decision.reply = Reply::kAck;
  decision.reply_psn = psn_add(flow.expected_psn, kPsnMask);
}

}  // namespace sluice
