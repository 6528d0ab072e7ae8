// SPDX-License-Identifier: Apache-2.0
// The receiving half of the RoCEv2 engine: packet sequence, coalesced ACKs, NAKs, and DCQCN's
// notification point. A decision a packet; the NIC makes the frames.
// Leaves out: memory protection, receive credits.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/flat_index.h"
#include "nic/psn.h"
#include "nic/responder/psn_tracker.h"
#include "packet/packet.h"

namespace sluice {

struct ResponderConfig {
  std::uint64_t seed = 1;
  std::uint32_t endpoint = 0;
  std::uint32_t ports = 1;
  std::uint32_t start_psn = 0;
  bool ipv6 = false;
  bool notify = true;  ///< answer CE marks with CNPs
  bool cnp_per_port = false;
  Ps min_time_between_cnps{};
  PsnTrackerConfig psn;
  bool restarts_messages = false;  ///< a loss discards what has come of its message
};

class Responder {
 public:
  enum class Verdict : std::uint8_t {
    kAccepted,
    kPlaced,  ///< ahead of its turn: in memory, but what comes before it is missing
    kDuplicate,
    kOutOfOrder,
  };
  enum class Reply : std::uint8_t { kNone, kAck, kNak };
  struct Decision {
    Verdict verdict = Verdict::kAccepted;
    Reply reply = Reply::kNone;
    bool cnp = false;
    bool hold = false;            ///< kPlaced: keep the packet until its turn, hold()
    std::uint32_t discarded = 0;  ///< packets accepted before that do not count any more
    std::uint32_t span = 0;       ///< kPlaced: PSNs from the expected one to this one, both counted
    bool releases = false;  ///< kAccepted: the turn of held packets may have come, next_held()
    std::uint64_t reply_detail = 0;  ///< for Packet::offset_bytes of the reply
    std::uint32_t reply_psn = 0;
    std::uint32_t reply_word = 0;  ///< AETH of the reply
    std::uint32_t reply_hash = 0;  ///< flow hash of the way back
    std::uint32_t ordinal = 0;  ///< kAccepted and last: number of the message in its flow, from 0
  };

  explicit Responder(const ResponderConfig& config);

  /// Takes a packet in sequence, of the flow that the last packet was of, that calls for nothing:
  /// not marked, not the last of its message, no ACK wanted. Anything else: false, nothing done.
  bool accept_plain(const Packet& packet) {
    constexpr std::uint8_t kNotPlain =
        packet_flag::kCorrupt | packet_flag::kAckReq | packet_flag::kLast;
    if ((packet.flags & kNotPlain) != 0 || packet.ecn == Ecn::kCe) [[unlikely]]
      return false;
    if (key_of(packet) != last_key_) [[unlikely]]
      return false;
    Flow& flow = flows_[last_index_];
    return flow.psns.accept_plain(packet.psn);
  }
  Decision on_data(const Packet& packet, std::uint32_t port, Ps now);
  /// Keeps a packet that on_data said to hold, before any other packet.
  void hold(PacketPool& packets, PacketId id);
  /// After on_data that releases: the next held packet whose turn has come, kNoPacket for none.
  /// The caller owns it.
  PacketId next_held(PacketPool& packets);
  /// What a held packet calls for now that its turn has come.
  Decision on_turn(const Packet& packet);
  std::size_t flow_count() const { return flows_.size(); }

 private:
  struct Flow {
    Ps next_cnp{};  ///< earliest next CNP
    std::uint32_t reply_hash = 0;
    std::uint32_t messages = 0;
    std::uint32_t message_psn = 0;  ///< first packet of the message that is coming in
    PsnTracker psns;
    PacketId held = kNoPacket;  ///< by rising PSN
  };

  static std::uint64_t key_of(const Packet& packet) {
    return (std::uint64_t{packet.source} << 32) | packet.flow;
  }
  Flow& flow_of(const Packet& packet);
  std::uint32_t add_flow(const Packet& packet, std::uint64_t key);
  void in_sequence(const Packet& packet, Flow& flow, Decision& decision) const;
  void out_of_sequence(const Packet& packet, const Flow& flow, const PsnTracker::Decision& arrival,
                       Decision& decision) const;
  void acknowledge(const Flow& flow, std::uint32_t cause, Decision& decision) const;
  bool may_notify(Flow& flow, std::uint32_t port, Ps now);

  ResponderConfig config_;
  FlatIndex index_;
  std::vector<Flow> flows_;
  std::vector<Ps> port_next_cnp_;
  std::uint64_t last_key_ = UINT64_MAX;  ///< packets come in bursts of a flow
  std::uint32_t last_index_ = 0;
};

}  // namespace sluice
