// SPDX-License-Identifier: Apache-2.0
#include "nic/responder/responder.h"

#include "nic/flow.h"
#include "nic/psn.h"
#include "packet/aeth.h"

namespace sluice {

Responder::Responder(const ResponderConfig& config, const MessagePool* messages)
    : config_(config),
      port_next_cnp_(config.ports),
      messages_(messages),
      shared_receives_(config.receive_queue_depth, config.receive_repost_delay) {}

std::uint32_t Responder::add_flow(const Packet& packet, std::uint64_t key) {
  const auto index = static_cast<std::uint32_t>(flows_.size());
  Flow flow;
  flow.message_psn = first_psn_of(config_.start_psn, config_.seed, packet.source, config_.endpoint);
  flow.psns = PsnTracker(flow.message_psn);
  flow.reply_hash = flow_hash_of(config_.endpoint, packet.source, config_.ipv6);
  flows_.push_back(flow);
  index_.insert(key, index);
  if (trackers_) {
    trackers_->add_flow(flow.message_psn);
    flows_.back().psns.show(config_.psn, trackers_->view());
  }
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

/// Earliest next CNP to whatever the shortest time between two applies to.
Ps& Responder::next_cnp_of(Flow& flow, std::uint32_t source, std::uint32_t port) {
  if (config_.cnp_scope == CnpScope::kQp) return flow.next_cnp;
  if (config_.cnp_scope == CnpScope::kPort) return port_next_cnp_[port];
  std::uint32_t index = senders_.find(source);
  if (index == FlatIndex::kNone) {
    index = static_cast<std::uint32_t>(sender_next_cnp_.size());
    senders_.insert(source, index);
    sender_next_cnp_.emplace_back();
  }
  return sender_next_cnp_[index];
}

bool Responder::may_notify(Flow& flow, std::uint32_t source, std::uint32_t port, Ps now) {
  Ps& next = next_cnp_of(flow, source, port);
  if (now < next) return false;
  next = now + config_.min_time_between_cnps;
  return true;
}

Responder::Decision Responder::on_data(const Packet& packet, std::uint32_t port, Ps now) {
  Flow& flow = flow_of(packet);
  Decision decision;
  decision.reply_hash = flow.reply_hash;
  if (packet.ecn == Ecn::kCe && config_.notify)
    decision.cnp = may_notify(flow, packet.source, port, now);
  decision.answers = flow.answers;
  if (needs_admission(packet, flow) && !admit(packet, flow, decision, now)) return decision;
  const PsnTracker::Decision arrival = arrive(flow, packet.psn, 1);
  if (arrival.verdict == PsnTracker::Verdict::kInOrder) [[likely]] {
    in_sequence(packet, flow, decision);
    decision.releases = flow.held != kNoPacket;
    decision.defers = flow.held_verbs != 0;
  } else {
    out_of_sequence(packet, flow, arrival, decision);
  }
  if (arrival.nak) [[unlikely]]
    ask_again(flow, arrival, decision);
  if (config_.credits && decision.reply == Reply::kAck) [[unlikely]]
    grant_credits(flow, decision, now);
  return decision;
}

/// NAK of what is missing.
[[gnu::noinline]] void Responder::ask_again(Flow& flow, const PsnTracker::Decision& arrival,
                                            Decision& decision) {
  decision.reply = Reply::kNak;
  decision.reply_psn = arrival.nak_psn;
  decision.reply_word = aeth::word(aeth::kNakSequence, flow.messages);
  decision.reply_detail = arrival.lost;
  if (!config_.restarts_messages) return;
  decision.discarded = go_back(flow, flow.message_psn);
  decision.reply_psn = flow.message_psn;
  flow.in_message = false;
}

void Responder::in_sequence(const Packet& packet, Flow& flow, Decision& decision) {
  flow.in_message = (packet.flags & packet_flag::kLast) == 0;
  if (!flow.in_message) {
    flow.has_receive = false;
    decision.ordinal = flow.messages++;
    flow.message_psn = psn_add(packet.psn, 1);
    if (flow.verbs != kNoVerbs) [[unlikely]]
      forget_old(flow);
  }
  if ((packet.flags & packet_flag::kAckReq) != 0) acknowledge(flow, packet.psn, decision);
}

/// Everything before the expected PSN. Where packets may be kept ahead of it, the ACK also says
/// which packet it answers and which of the next have come.
void Responder::acknowledge(const Flow& flow, std::uint32_t cause, Decision& decision) const {
  // What may be discarded yet must not be acknowledged.
  if (config_.restarts_messages && flow.message_psn != flow.psns.expected()) return;
  decision.reply = Reply::kAck;
  decision.reply_psn = psn_add(flow.psns.expected(), kPsnMask);
  decision.reply_word = aeth::word(aeth::kAckUnlimited, flow.messages);
  if (!config_.psn.keeps_early) return;
  decision.reply_detail =
      (std::uint64_t{cause} << PsnTracker::kSackBits) | flow.psns.received(config_.psn);
}

[[gnu::noinline]] void Responder::out_of_sequence(const Packet& packet, const Flow& flow,
                                                  const PsnTracker::Decision& arrival,
                                                  Decision& decision) const {
  const bool asks = (packet.flags & packet_flag::kAckReq) != 0;
  switch (arrival.verdict) {
    case PsnTracker::Verdict::kEarly:
      decision.verdict = Verdict::kPlaced;
      decision.span = psn_distance(packet.psn, flow.psns.expected()) + 1;
      decision.hold =
          asks || needs_admission(packet, flow) || (packet.flags & packet_flag::kLast) != 0;
      // Its own ACK has to wait; but a requester that repeats something learns how that went.
      if (asks && flow.psns.asked_for_expected()) acknowledge(flow, packet.psn, decision);
      return;
    case PsnTracker::Verdict::kDuplicate:
      // Acknowledged again, with the newest PSN, when the requester asks.
      decision.verdict = Verdict::kDuplicate;
      if (asks) acknowledge(flow, packet.psn, decision);
      if (flow.verbs != kNoVerbs && !config_.psn.keeps_early)
        decision.reply_psn = repeat_up_to(flow, packet.psn);
      return;
    default:
      decision.verdict = Verdict::kOutOfOrder;
  }
}

void Responder::hold(PacketPool& packets, PacketId id) {
  Flow& flow = flow_of(packets[id]);
  const std::uint32_t expected = flow.psns.expected();
  const std::uint32_t ahead = psn_distance(packets[id].psn, expected);
  if (may_be_refused(packets[id])) ++flow.held_verbs;
  PacketId* link = &flow.held;
  if (flow.held != kNoPacket && psn_distance(packets[flow.held_last].psn, expected) < ahead) {
    link = &packets[flow.held_last].next;
    *link = kNoPacket;
  }
  while (*link != kNoPacket && psn_distance(packets[*link].psn, expected) < ahead) {
    link = &packets[*link].next;
  }
  packets[id].next = *link;
  if (*link == kNoPacket) flow.held_last = id;
  *link = id;
}

PacketId Responder::next_held(PacketPool& packets) {
  Flow& flow = flows_[last_index_];
  const PacketId id = flow.held;
  if (id == kNoPacket || psn_at_or_after(packets[id].psn, flow.psns.expected())) return kNoPacket;
  flow.held = packets[id].next;
  if (may_be_refused(packets[id])) --flow.held_verbs;
  return id;
}

Responder::Decision Responder::on_turn(const Packet& packet, Ps now) {
  Flow& flow = flow_of(packet);
  Decision decision;
  decision.reply_hash = flow.reply_hash;
  if (needs_admission(packet, flow) && !admit_in_turn(packet, flow, decision, now)) return decision;
  in_sequence(packet, flow, decision);
  if (config_.credits && decision.reply == Reply::kAck) grant_credits(flow, decision, now);
  return decision;
}

}  // namespace sluice
