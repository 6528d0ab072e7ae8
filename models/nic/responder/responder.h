// SPDX-License-Identifier: Apache-2.0
// The receiving half of the RoCEv2 engine: packet sequence, coalesced ACKs, NAKs, receive requests,
// READs and atomics, and DCQCN's notification point. A decision a packet; the NIC makes the frames.
// Leaves out: memory windows, and protection domains other than one region.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nic/cnp_scope.h"
#include "nic/flat_index.h"
#include "nic/message.h"
#include "nic/psn.h"
#include "nic/responder/atomic_memory.h"
#include "nic/responder/psn_tracker.h"
#include "nic/responder/psn_tracker_bank.h"
#include "nic/responder/receive_queue.h"
#include "nic/response.h"
#include "packet/packet.h"

namespace sluice {

struct ResponderConfig {
  std::uint64_t seed = 1;
  std::uint32_t endpoint = 0;
  std::uint32_t ports = 1;
  std::uint32_t start_psn = 0;
  bool ipv6 = false;
  bool notify = true;  ///< answer CE marks with CNPs
  CnpScope cnp_scope = CnpScope::kQp;
  Ps min_time_between_cnps{};
  PsnTrackerConfig psn;
  bool restarts_messages = false;  ///< a loss discards what has come of its message
  std::uint32_t mtu_bytes = 4096;
  std::uint32_t outstanding_reads = 16;  ///< READs and atomics of a QP that may wait, and be kept
  std::uint32_t min_rnr_timer = 12;      ///< code of an RNR NAK
  std::uint32_t receive_queue_depth = 0;
  bool receive_queue_shared = false;
  Ps receive_repost_delay{};
  std::uint64_t receive_buffer_bytes = 0;  ///< of each receive request; 0: any SEND fits
  bool credits = false;                    ///< ACKs tell of receive requests
  std::uint64_t memory_bytes = 0;          ///< of the region from address 0 on; 0: everything
  std::uint32_t memory_key = 0;
  std::uint64_t memory_error_at = 0;  ///< what touches this byte fails; 0: none
};

class Responder {
 public:
  enum class Verdict : std::uint8_t {
    kAccepted,
    kPlaced,  ///< ahead of its turn: in memory, but what comes before it is missing
    kDuplicate,
    kOutOfOrder,
    kRefused,  ///< for good; or until a receive request is posted, by an RNR NAK
  };
  enum class Reply : std::uint8_t { kNone, kAck, kNak };
  struct Decision {
    Verdict verdict = Verdict::kAccepted;
    Reply reply = Reply::kNone;
    bool cnp = false;
    bool hold = false;            ///< kPlaced: keep the packet until its turn, hold()
    bool gives_up = false;        ///< kRefused: what was kept behind the packet, give_up()
    bool defers = false;          ///< releases: the reply must wait until those had their turn
    std::uint32_t discarded = 0;  ///< packets accepted before that do not count any more
    std::uint32_t span = 0;       ///< kPlaced: PSNs from the expected one to this one, both counted
    bool releases = false;  ///< kAccepted: the turn of held packets may have come, next_held()
    std::uint64_t reply_detail = 0;  ///< for Packet::offset_bytes of the reply
    std::uint32_t reply_psn = 0;
    std::uint32_t reply_word = 0;  ///< AETH of the reply
    std::uint32_t reply_hash = 0;  ///< flow hash of the way back
    std::uint32_t ordinal = 0;  ///< kAccepted and last: number of the message in its flow, from 0
    std::uint32_t answers = kNoAnswers;  ///< where its READs and atomics are answered
  };
  /// Of a READ or an atomic.
  struct Answer : Decision {
    bool responds = false;
    Response response;
  };
  static constexpr std::uint32_t kNoAnswers = UINT32_MAX;

  /// `messages` is what packets name; none may be named that is not WRITE, SEND or READ without it.
  explicit Responder(const ResponderConfig& config, const MessagePool* messages = nullptr);
  /// From now on `bank` keeps the trackers; before any packet.
  void set_trackers(std::unique_ptr<PsnTrackerBank> bank) { trackers_ = std::move(bank); }

  /// Takes a packet in sequence, of the flow that the last packet was of, that calls for nothing:
  /// not marked, not at an end of its message, no ACK wanted. Anything else: false, nothing done.
  bool accept_plain(const Packet& packet) {
    constexpr std::uint8_t kNotPlain =
        packet_flag::kCorrupt | packet_flag::kAckReq | packet_flag::kLast | packet_flag::kFirst;
    if ((packet.flags & kNotPlain) != 0 || packet.ecn == Ecn::kCe) [[unlikely]]
      return false;
    if (key_of(packet) != last_key_) [[unlikely]]
      return false;
    Flow& flow = flows_[last_index_];
    return flow.psns.accept_plain(packet.psn);
  }
  /// A packet of a WRITE or a SEND.
  Decision on_data(const Packet& packet, std::uint32_t port, Ps now);
  /// A READ or atomic request, of whose flow `waiting` are still to be answered.
  Answer on_request(const Packet& packet, std::uint32_t port, Ps now, std::size_t waiting);
  /// What a held one calls for now that its turn has come.
  Answer on_request_turn(const Packet& packet, std::size_t waiting);
  /// Where the flow's requests are answered; kNoAnswers before set_answers.
  std::uint32_t answers(const Packet& packet) { return flow_of(packet).answers; }
  void set_answers(const Packet& packet, std::uint32_t where) { flow_of(packet).answers = where; }
  /// A READ response that came marked: true when a CNP is due. Its flow is this endpoint's own.
  bool notifies_response(const Packet& packet, std::uint32_t port, Ps now);
  /// Keeps a packet that on_data said to hold, before any other packet.
  void hold(PacketPool& packets, PacketId id);
  /// After on_data that releases: the next held packet whose turn has come, kNoPacket for none.
  /// The caller owns it.
  PacketId next_held(PacketPool& packets);
  /// What a held packet calls for now that its turn has come.
  Decision on_turn(const Packet& packet, Ps now);
  /// Brings up to date what a reply that was deferred says of messages and receive requests.
  void refresh(const Packet& packet, Decision& reply, Ps now);
  /// Data packets that were counted and are dropped after all.
  struct Discarded {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hops = 0;
  };
  /// `refused` could not be executed: drops it, if it was held, and all that was kept behind it.
  Discarded give_up(PacketPool& packets, const Packet& refused, bool was_held);
  std::size_t flow_count() const { return flows_.size(); }

 private:
  struct Flow {
    Ps next_cnp{};  ///< earliest next CNP
    std::uint32_t reply_hash = 0;
    std::uint32_t messages = 0;
    std::uint32_t message_psn = 0;  ///< first packet of the message that is coming in
    PsnTracker psns;
    PacketId held = kNoPacket;       ///< by rising PSN
    PacketId held_last = kNoPacket;  ///< where there are some
    std::uint32_t held_verbs = 0;    ///< of those, what may be refused at its turn
    std::uint32_t answers = kNoAnswers;
    std::uint32_t verbs = kNoVerbs;            ///< place in verbs_
    std::uint8_t refused = 0;                  ///< syndrome that ended it, or kNotReady
    bool in_message = false;                   ///< its first packet has come, its last has not
    bool has_receive = false;                  ///< that message has taken its receive request
    PacketKind kind = PacketKind::kWriteData;  ///< of that message
  };
  /// An executed READ or atomic, kept while it may come again.
  struct Executed {
    std::uint32_t psn = 0;
    std::uint32_t packets = 0;  ///< 0: none yet
    bool atomic = false;
    std::uint64_t value = 0;
  };
  /// What only some flows need.
  struct Verbs {
    ReceiveQueue receives;
    std::vector<Executed> executed;  ///< a ring
    std::size_t oldest = 0;
    std::uint32_t kept = 0;  ///< of `executed`
  };
  static constexpr std::uint32_t kNoVerbs = UINT32_MAX;
  /// Flow::refused where packets are kept early: an RNR NAK was sent, and until its packet comes
  /// again those behind it are dropped.
  static constexpr std::uint8_t kNotReady = UINT8_MAX;
  /// In the key of a flow whose QP is this endpoint's: its answers come from the other one.
  static constexpr std::uint32_t kOwnFlow = 1u << 31;

  static std::uint64_t key_of(const Packet& packet) {
    return (std::uint64_t{packet.source} << 32) | packet.flow;
  }
  /// What `psn` is to its flow's tracker.
  PsnTracker::Decision arrive(Flow& flow, std::uint32_t psn, std::uint32_t span) {
    if (trackers_) [[unlikely]]
      return arrive_elsewhere(flow, psn, span);
    return flow.psns.on_packet(config_.psn, psn, span);
  }
  PsnTracker::Decision arrive_elsewhere(Flow& flow, std::uint32_t psn, std::uint32_t span);
  std::uint32_t go_back(Flow& flow, std::uint32_t psn);
  void silence(Flow& flow);
  std::uint32_t number_of(const Flow& flow) const {
    return static_cast<std::uint32_t>(&flow - flows_.data());
  }
  Flow& flow_of(const Packet& packet);
  std::uint32_t add_flow(const Packet& packet, std::uint64_t key);
  void in_sequence(const Packet& packet, Flow& flow, Decision& decision);
  void out_of_sequence(const Packet& packet, const Flow& flow, const PsnTracker::Decision& arrival,
                       Decision& decision) const;
  void acknowledge(const Flow& flow, std::uint32_t cause, Decision& decision) const;
  Ps& next_cnp_of(Flow& flow, std::uint32_t source, std::uint32_t port);
  bool may_notify(Flow& flow, std::uint32_t source, std::uint32_t port, Ps now);
  Verbs& verbs_of(Flow& flow);
  ReceiveQueue& receives_of(Flow& flow);
  /// What needs a look before it may be executed.
  static bool needs_admission(const Packet& packet, const Flow& flow) {
    constexpr std::uint8_t kLooked = packet_flag::kFirst | packet_flag::kImmediate;
    return (packet.flags & kLooked) != 0 || packet.kind == PacketKind::kSendData ||
           flow.refused != 0;
  }
  bool admit(const Packet& packet, Flow& flow, Decision& decision, Ps now);
  bool admit_in_turn(const Packet& packet, Flow& flow, Decision& decision, Ps now);
  bool admit_receive(const Packet& packet, Flow& flow, Decision& decision, Ps now);
  bool not_ready(const Packet& packet, Flow& flow, Decision& decision) const;
  std::uint8_t judge_memory(const Packet& packet) const;
  bool admit_request(const Packet& packet, Flow& flow, Decision& decision, std::size_t waiting);
  bool judge_request(const Packet& packet, Flow& flow, Decision& decision, std::size_t waiting);
  bool refuse(const Packet& packet, Flow& flow, Decision& decision, std::uint8_t syndrome) const;
  static bool nak(const Flow& flow, Decision& decision, std::uint8_t syndrome, std::uint32_t psn);
  void ask_again(Flow& flow, const PsnTracker::Decision& arrival, Decision& decision);
  std::uint32_t span_of(const Packet& packet) const;
  bool may_be_refused(const Packet& packet) const;
  void execute(const Packet& packet, Flow& flow, Answer& answer);
  void replay(const Packet& packet, Flow& flow, Answer& answer);
  void read(const Packet& packet, const Flow& flow, Answer& answer) const;
  std::uint64_t execute_atomic(const Packet& packet);
  void forget_old(const Flow& flow);
  std::uint32_t repeat_up_to(const Flow& flow, std::uint32_t psn) const;
  void grant_credits(Flow& flow, Decision& decision, Ps now);

  ResponderConfig config_;
  FlatIndex index_;
  std::vector<Flow> flows_;
  std::vector<Ps> port_next_cnp_;
  FlatIndex senders_;  ///< CnpScope::kDestination: into sender_next_cnp_
  std::vector<Ps> sender_next_cnp_;
  const MessagePool* messages_;
  std::vector<Verbs> verbs_;
  ReceiveQueue shared_receives_;
  AtomicMemory memory_;
  std::unique_ptr<PsnTrackerBank> trackers_;  ///< null: each flow has its own
  std::uint64_t last_key_ = UINT64_MAX;       ///< packets come in bursts of a flow
  std::uint32_t last_index_ = 0;
};

}  // namespace sluice
