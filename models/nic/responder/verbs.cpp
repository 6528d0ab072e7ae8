// SPDX-License-Identifier: Apache-2.0
// What a responder does beyond taking WRITE packets in sequence: receive requests and RNR NAK,
// memory checks, READs and atomics, executed once and answered again when they come again (IBTA
// 9.7.4, 9.7.5). Leaves out: sending the answers.
#include "nic/flow.h"
#include "nic/psn.h"
#include "nic/responder/responder.h"
#include "packet/aeth.h"

namespace sluice {

Responder::Verbs& Responder::verbs_of(Flow& flow) {
  if (flow.verbs == kNoVerbs) {
    flow.verbs = static_cast<std::uint32_t>(verbs_.size());
    verbs_.push_back({ReceiveQueue(config_.receive_queue_depth, config_.receive_repost_delay),
                      std::vector<Executed>(config_.outstanding_reads), 0, 0});
  }
  return verbs_[flow.verbs];
}

ReceiveQueue& Responder::receives_of(Flow& flow) {
  return config_.receive_queue_shared ? shared_receives_ : verbs_of(flow).receives;
}

/// NAK of `psn`, whose turn it is.
bool Responder::nak(const Flow& flow, Decision& decision, std::uint8_t syndrome,
                    std::uint32_t psn) {
  decision.verdict = Verdict::kRefused;
  decision.reply = Reply::kNak;
  decision.reply_psn = psn;
  decision.reply_word = aeth::word(syndrome, flow.messages);
  return false;
}

bool Responder::refuse(const Packet& packet, Flow& flow, Decision& decision,
                       std::uint8_t syndrome) const {
  flow.refused = syndrome;
  decision.gives_up = config_.psn.keeps_early;
  return nak(flow, decision, syndrome, packet.psn);
}

/// A packet of a flow that executes nothing, for good or until a packet comes again. False where
/// that is this one.
bool Responder::not_ready(const Packet& packet, Flow& flow, Decision& decision) const {
  const std::uint32_t ahead = psn_distance(packet.psn, flow.psns.expected());
  if (flow.refused == kNotReady) {
    if (ahead == 0) flow.refused = 0;
    if (ahead != 0 && ahead < kPsnWindow) decision.verdict = Verdict::kOutOfOrder;
    return ahead != 0 && ahead < kPsnWindow;
  }
  // Told again, should the first NAK have been lost; everything else is dropped in silence.
  decision.verdict = Verdict::kRefused;
  if (ahead == 0) nak(flow, decision, flow.refused, packet.psn);
  return true;
}

/// Decides whether a packet of a WRITE or SEND that needs a look may go on to the tracker.
[[gnu::noinline]] bool Responder::admit(const Packet& packet, Flow& flow, Decision& decision,
                                        Ps now) {
  if (flow.refused != 0 && not_ready(packet, flow, decision)) return false;
  return packet.psn != flow.psns.expected() || admit_in_turn(packet, flow, decision, now);
}

/// The same for one whose turn it is.
bool Responder::admit_in_turn(const Packet& packet, Flow& flow, Decision& decision, Ps now) {
  const bool first = (packet.flags & packet_flag::kFirst) != 0;
  if (first == flow.in_message || (!first && packet.kind != flow.kind)) {
    return refuse(packet, flow, decision, aeth::kNakInvalidRequest);
  }
  if (packet.kind == PacketKind::kSendData || (packet.flags & packet_flag::kImmediate) != 0) {
    if (!admit_receive(packet, flow, decision, now)) return false;
  }
  if (first && packet.kind == PacketKind::kWriteData) {
    const std::uint8_t syndrome = judge_memory(packet);
    if (syndrome != 0) return refuse(packet, flow, decision, syndrome);
  }
  flow.kind = packet.kind;
  return true;
}

/// A SEND takes a receive request with its first packet, a WRITE with immediate with its last.
bool Responder::admit_receive(const Packet& packet, Flow& flow, Decision& decision, Ps now) {
  const bool send = packet.kind == PacketKind::kSendData;
  if (send && config_.receive_buffer_bytes != 0 &&
      packet.offset_bytes + packet.payload_bytes > config_.receive_buffer_bytes) {
    return refuse(packet, flow, decision, aeth::kNakInvalidRequest);
  }
  if (send && (packet.flags & packet_flag::kFirst) == 0) return true;
  // A message that begins again has its receive request already.
  if (flow.has_receive || receives_of(flow).take(now)) {
    flow.has_receive = true;
    return true;
  }
  std::uint32_t psn = packet.psn;
  if (config_.psn.keeps_early) {
    flow.refused = kNotReady;
    decision.gives_up = true;
  } else {
    silence(flow);
  }
  if (config_.restarts_messages) {
    psn = flow.message_psn;
    decision.discarded = go_back(flow, psn);
    flow.in_message = false;
  }
  return nak(flow, decision, static_cast<std::uint8_t>(aeth::kRnrNak | config_.min_rnr_timer), psn);
}

/// Syndrome against a request for this host's memory; 0 when it may go on.
std::uint8_t Responder::judge_memory(const Packet& packet) const {
  if (messages_ == nullptr) return 0;
  if (!messages_->has(packet.message)) return aeth::kNakInvalidRequest;
  const Message& message = (*messages_)[packet.message];
  if (!message.verb) return 0;
  const MessageDetail& detail = messages_->detail(packet.message);
  const std::uint64_t end = detail.remote_address + message.bytes;
  if (is_atomic(message.op) && detail.remote_address % 8 != 0) return aeth::kNakInvalidRequest;
  if (detail.remote_key != config_.memory_key || end < detail.remote_address ||
      (config_.memory_bytes != 0 && end > config_.memory_bytes)) {
    return aeth::kNakRemoteAccess;
  }
  const bool hit = config_.memory_error_at != 0 && detail.remote_address <= config_.memory_error_at;
  return hit && end > config_.memory_error_at ? aeth::kNakRemoteOperational : std::uint8_t{0};
}

bool Responder::admit_request(const Packet& packet, Flow& flow, Decision& decision,
                              std::size_t waiting) {
  if (flow.refused != 0 && not_ready(packet, flow, decision)) return false;
  return packet.psn != flow.psns.expected() || judge_request(packet, flow, decision, waiting);
}

bool Responder::judge_request(const Packet& packet, Flow& flow, Decision& decision,
                              std::size_t waiting) {
  if (flow.in_message || messages_ == nullptr || waiting >= config_.outstanding_reads) {
    return refuse(packet, flow, decision, aeth::kNakInvalidRequest);
  }
  const std::uint8_t syndrome = judge_memory(packet);
  return syndrome == 0 || refuse(packet, flow, decision, syndrome);
}

/// PSNs that a request uses: as many as its answer has packets.
std::uint32_t Responder::span_of(const Packet& packet) const {
  if (packet.kind != PacketKind::kReadRequest) return 1;
  return static_cast<std::uint32_t>(
      packets_of(packet.offset_bytes & UINT32_MAX, config_.mtu_bytes));
}

/// What ACKs must not cover before its turn.
bool Responder::may_be_refused(const Packet& packet) const {
  if (packet.kind != PacketKind::kWriteData) return true;
  if ((packet.flags & packet_flag::kImmediate) != 0) return true;
  return (packet.flags & packet_flag::kFirst) != 0 && messages_ != nullptr &&
         messages_->has(packet.message) && (*messages_)[packet.message].verb;
}

Responder::Answer Responder::on_request(const Packet& packet, std::uint32_t port, Ps now,
                                        std::size_t waiting) {
  Flow& flow = flow_of(packet);
  Answer answer;
  answer.reply_hash = flow.reply_hash;
  answer.answers = flow.answers;
  if (packet.ecn == Ecn::kCe && config_.notify)
    answer.cnp = may_notify(flow, packet.source, port, now);
  if (!admit_request(packet, flow, answer, waiting)) return answer;
  const PsnTracker::Decision arrival = arrive(flow, packet.psn, span_of(packet));
  switch (arrival.verdict) {
    case PsnTracker::Verdict::kInOrder:
      execute(packet, flow, answer);
      answer.releases = flow.held != kNoPacket;
      answer.defers = flow.held_verbs != 0;
      break;
    case PsnTracker::Verdict::kEarly:
      answer.verdict = Verdict::kPlaced;
      answer.hold = true;
      break;
    case PsnTracker::Verdict::kDuplicate:
      answer.verdict = Verdict::kDuplicate;
      // One that waits for its turn will be answered then.
      if (psn_distance(packet.psn, flow.psns.expected()) >= kPsnWindow)
        replay(packet, flow, answer);
      break;
    default:
      answer.verdict = Verdict::kOutOfOrder;
  }
  if (arrival.nak) ask_again(flow, arrival, answer);
  return answer;
}

Responder::Answer Responder::on_request_turn(const Packet& packet, std::size_t waiting) {
  Flow& flow = flow_of(packet);
  Answer answer;
  answer.reply_hash = flow.reply_hash;
  if (judge_request(packet, flow, answer, waiting)) execute(packet, flow, answer);
  return answer;
}

/// Data that was not held is of full packets from the middle of WRITEs, and came the same way.
Responder::Discarded Responder::give_up(PacketPool& packets, const Packet& refused, bool was_held) {
  Flow& flow = flow_of(refused);
  std::uint64_t others = go_back(flow, refused.psn);
  Discarded all;
  const auto count = [&](const Packet& packet) {
    const std::uint32_t span = span_of(packet);
    others -= span;
    if (packet.kind != PacketKind::kWriteData && packet.kind != PacketKind::kSendData) return;
    ++all.packets;
    all.bytes += packet.payload_bytes;
    all.hops += packet.hops;
  };
  if (was_held) count(refused);
  while (flow.held != kNoPacket) {
    const PacketId id = flow.held;
    flow.held = packets[id].next;
    count(packets[id]);
    packets.release(id);
  }
  flow.held_verbs = 0;
  all.packets += others;
  all.bytes += others * config_.mtu_bytes;
  all.hops += others * refused.hops;
  return all;
}

void Responder::execute(const Packet& packet, Flow& flow, Answer& answer) {
  answer.ordinal = flow.messages++;
  Executed executed{.psn = packet.psn, .packets = 1};
  if (packet.kind == PacketKind::kAtomicRequest) {
    executed.atomic = true;
    executed.value = execute_atomic(packet);
    answer.response = {.kind = PacketKind::kAtomicResponse, .psn = packet.psn};
    answer.response.value = executed.value;
    answer.responds = true;
  } else {
    read(packet, flow, answer);
    executed.packets = answer.response.packets;
  }
  flow.message_psn = psn_add(packet.psn, executed.packets);
  answer.response.word = aeth::word(aeth::kAckUnlimited, flow.messages);
  Verbs& verbs = verbs_of(flow);
  forget_old(flow);
  if (verbs.executed[verbs.oldest].packets == 0) ++verbs.kept;
  verbs.executed[verbs.oldest] = executed;
  verbs.oldest = (verbs.oldest + 1) % verbs.executed.size();
}

/// The answer to a READ: the request names offset and length of what it wants.
void Responder::read(const Packet& packet, const Flow& flow, Answer& answer) const {
  const std::uint64_t bytes = packet.offset_bytes & UINT32_MAX;
  answer.response = {.kind = PacketKind::kReadResponse,
                     .psn = packet.psn,
                     .packets = static_cast<std::uint32_t>(packets_of(bytes, config_.mtu_bytes)),
                     .word = aeth::word(aeth::kAckUnlimited, flow.messages),
                     .bytes = bytes,
                     .offset = packet.offset_bytes >> 32};
  answer.responds = true;
}

/// A request that was executed before: a READ is read again, of an atomic the result is known.
/// Nothing else changes (IBTA 9.7.5.1.4 and .5).
void Responder::replay(const Packet& packet, Flow& flow, Answer& answer) {
  if (packet.kind == PacketKind::kReadRequest) {
    read(packet, flow, answer);
    // One that claims more PSNs than were used is none that was executed.
    answer.responds = psn_distance(flow.psns.expected(), packet.psn) >= answer.response.packets;
  } else {
    for (const Executed& entry : verbs_of(flow).executed) {
      if (!entry.atomic || entry.psn != packet.psn) continue;
      answer.response = {.kind = PacketKind::kAtomicResponse, .psn = packet.psn};
      answer.response.value = entry.value;
      answer.response.word = aeth::word(aeth::kAckUnlimited, flow.messages);
      answer.responds = true;
    }
  }
  answer.response.repeated = true;
}

std::uint64_t Responder::execute_atomic(const Packet& packet) {
  const MessageDetail& detail = messages_->detail(packet.message);
  std::uint64_t& word = memory_[detail.remote_address];
  const std::uint64_t found = word;
  if ((*messages_)[packet.message].op == Operation::kFetchAdd) {
    word += detail.operand;
  } else if (found == detail.compare) {
    word = detail.operand;
  }
  return found;
}

/// Requests that lie more than half the PSN space back cannot come again; their PSNs do. To be
/// called after each message, which is that half at most: none is missed.
void Responder::forget_old(const Flow& flow) {
  Verbs& verbs = verbs_[flow.verbs];
  if (verbs.kept == 0) return;
  const std::uint32_t newest = psn_add(flow.psns.expected(), kPsnMask);
  for (Executed& entry : verbs.executed) {
    if (entry.packets == 0 || psn_at_or_after(newest, entry.psn)) continue;
    entry = Executed{};
    --verbs.kept;
  }
}

/// What a repeated WRITE or SEND packet is acknowledged with: the newest PSN, but nothing beyond a
/// READ or atomic that will be repeated behind it and has to be answered again.
std::uint32_t Responder::repeat_up_to(const Flow& flow, std::uint32_t psn) const {
  std::uint32_t after = psn_distance(flow.psns.expected(), psn);
  for (const Executed& entry : verbs_[flow.verbs].executed) {
    if (entry.packets == 0) continue;
    const std::uint32_t ahead = psn_distance(entry.psn, psn);
    if (ahead < after) after = ahead;
  }
  return psn_add(psn, after - 1);
}

/// The credits of an ACK: receive requests from the message after its MSN on; a SEND that has begun
/// has its own already. A shared receive queue promises nothing to anyone (IBTA 9.7.7.2).
void Responder::grant_credits(Flow& flow, Decision& decision, Ps now) {
  if (config_.receive_queue_shared || config_.receive_queue_depth == 0) return;
  const bool begun = flow.in_message && flow.kind == PacketKind::kSendData;
  const std::uint32_t credits = receives_of(flow).available(now) + (begun ? 1 : 0);
  decision.reply_word = aeth::word(aeth::credit_code(credits), flow.messages);
}

void Responder::refresh(const Packet& packet, Decision& reply, Ps now) {
  Flow& flow = flow_of(packet);
  reply.reply_word = aeth::word(aeth::syndrome_of(reply.reply_word), flow.messages);
  if (config_.credits && reply.reply == Reply::kAck) grant_credits(flow, reply, now);
}

bool Responder::notifies_response(const Packet& packet, std::uint32_t port, Ps now) {
  if (!config_.notify) return false;
  Packet key;
  key.source = packet.source;
  key.flow = packet.flow | kOwnFlow;
  return may_notify(flow_of(key), packet.source, port, now);
}

}  // namespace sluice
