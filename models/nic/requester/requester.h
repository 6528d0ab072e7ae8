// SPDX-License-Identifier: Apache-2.0
// The sending half of the RoCEv2 engine: QPs, messages cut into packets, acknowledgements and
// responses, repetition, and the answers to other endpoints' READs and atomics, which share ports
// and turns with its own QPs. Leaves out: fences.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nic/flat_index.h"
#include "nic/message.h"
#include "nic/message_start.h"
#include "nic/nic_counters.h"
#include "nic/nic_if.h"
#include "nic/psn.h"
#include "nic/rate_control.h"
#include "nic/requester/answers.h"
#include "nic/requester/lanes.h"
#include "nic/requester/plane_choice.h"
#include "nic/requester/qp.h"
#include "nic/requester/repair.h"
#include "nic/requester/response_queue.h"
#include "nic/requester/retry_timer.h"
#include "nic/requester/scheduler.h"
#include "packet/packet.h"

namespace sluice {

/// In place of a port: all of them may have something to send.
inline constexpr std::uint32_t kEveryPort = UINT32_MAX;

struct RequesterConfig {
  std::uint64_t seed = 1;
  std::uint32_t endpoint = 0;
  std::uint32_t ports = 1;  ///< more than one: planes
  PlaneChoice plane_choice = PlaneChoice::kPerQp;
  std::uint32_t plane_recovery_threshold = 1;
  std::uint32_t mtu_bytes = 4096;
  std::uint32_t start_psn = 0;
  std::uint32_t window_packets = 1;
  std::uint32_t burst_packets = 1;
  std::uint32_t ack_every = 1;
  std::uint32_t retry_count = 7;
  std::uint32_t rnr_retry = 7;  ///< 7: without end
  Ps ack_timeout = kNever;
  std::uint32_t timeout_spread_percent = 0;  ///< each timeout is longer by up to this, seeded
  std::uint32_t outstanding_reads = 16;      ///< READs and atomics of a QP
  bool credits = false;                      ///< SENDs keep to the other end's receive requests
  Ps doorbell_latency{};                     ///< host post to the MAC
  bool ipv6 = false;
  std::uint32_t frame_overhead = 62;  ///< frame bytes of a packet beside its padded payload
  std::uint32_t reth_bytes = 16;      ///< more, on a message's first packet
  std::uint32_t gap_bytes = 12;
  bool reth_every_packet = false;
  bool selective = false;       ///< repeat missing packets alone, else everything from one on
  bool whole_messages = false;  ///< the responder acknowledges no part of one
  /// PSNs that the responder keeps ahead of their turn, a power of two; 0: none.
  std::uint32_t repair_window = 0;
  std::uint32_t reorder_packets = 1;  ///< as the responder's
  Packet prototype{};                 ///< a packet from the middle of a message
};

/// Told of what became of work requests, and of QPs that have something to do again.
class Completions {
 public:
  /// A plain write of the host was acknowledged.
  virtual void on_acknowledged(std::uint64_t cookie) = 0;
  /// A QP without anything outstanding was given a message; it may send from `ready` on.
  virtual void on_active(std::uint32_t qp, Ps ready) = 0;
  /// Any other work request has ended.
  virtual void on_completed(const Completion& completion) = 0;
  virtual void on_qp_failed(const std::string& reason) = 0;

 protected:
  ~Completions() = default;
};

class Requester {
 public:
  Requester(const RequesterConfig& config, PacketPool& packets, MessagePool& messages,
            RateControl& rate_control, NicCounters& counters, Completions& completions);

  /// Asks `start` when messages posted from now on may begin; null: when their doorbell is there.
  void set_message_start(MessageStart* start) { start_ = start; }
  /// From now on `schedule` keeps the order of `port`'s QPs; before the first message.
  void keep_schedule(std::uint32_t port, std::unique_ptr<QpSchedule> schedule) {
    schedulers_[port].keep_elsewhere(schedule.get());
    schedules_.push_back(std::move(schedule));
  }
  /// Queues a write at its destination's QP; returns the port that sends it, or kEveryPort.
  std::uint32_t post(const WriteRequest& request, Ps now);
  std::uint32_t post(const WorkRequest& request, Ps now);
  /// The next data packet of `port`, its frame starting now; kNoPacket when none may start.
  PacketId next_packet(std::uint32_t port, Ps now) {
    QpScheduler& scheduler = schedulers_[port];
    if (scheduler.earliest_waiting() > now && !scheduler.ring_empty()) [[likely]] {
      const std::uint32_t index = scheduler.current();
      QpHot& qp = hot_[index];
      if (qp.plain_left != 0) [[likely]]
        return build_plain(qp, index, scheduler);
    }
    return next_packet_with_care(port, now);
  }
  /// When next_packet of `port` may have one: 0 for now, kNever for nothing known.
  Ps next_work(std::uint32_t port) const {
    return schedulers_[port].ring_empty() ? schedulers_[port].earliest_waiting() : Ps{0};
  }

  /// Acknowledges everything up to and with `psn`, but for what is to be answered with data and was
  /// not; returns the port to serve. `detail` as in repair.h.
  std::uint32_t on_ack(std::uint32_t qp, std::uint32_t psn, std::uint64_t detail = 0);
  /// PSN sequence error: `psn` is what the responder expects, or the first that it asks for.
  /// Returns the port to serve.
  std::uint32_t on_nak(std::uint32_t qp, std::uint32_t psn, std::uint64_t detail = 0);
  /// The receiver of `psn` is not ready and wants to be left alone for `pause`.
  std::uint32_t on_rnr_nak(std::uint32_t qp, std::uint32_t psn, Ps pause, Ps now);
  /// `psn` can never be executed: the QP fails.
  std::uint32_t on_refusal(std::uint32_t qp, std::uint32_t psn, CompletionStatus status);
  /// A packet with data in answer to a READ or an atomic. False when it is none that is due.
  bool on_response(const Packet& packet, Ps now);
  /// Takes note of the credits in an AETH, whatever it came with.
  void on_credits(std::uint32_t qp, std::uint32_t aeth_word);

  /// Answers to the requests that come from QP `flow` of endpoint `destination`, in order; the
  /// number for the other calls.
  std::uint32_t add_responder(std::uint32_t destination, std::uint32_t flow, std::uint32_t port);
  void respond(std::uint32_t responder, const Response& response);
  /// Answers are waiting: an ACK must queue behind them.
  bool responding(std::uint32_t responder) const { return !responses_[responder].queue.empty(); }
  /// Drops what waits of the `packets` from `psn` on, which were asked for again, and of what
  /// follows from that.
  void drop_responses(std::uint32_t responder, std::uint32_t psn, std::uint32_t packets);
  std::size_t responses_waiting(std::uint32_t responder) const;
  /// The QP that congestion notifications about answers are meant for.
  std::uint32_t qp_of_responder(std::uint32_t responder) const { return responses_[responder].qp; }
  /// `port`: the one that the CNP came in on.
  void on_cnp(std::uint32_t qp, std::uint32_t port, Ps now);
  /// A probe of the QP by `port` was answered after `rtt`.
  void on_rtt(std::uint32_t qp, std::uint32_t port, Ps rtt, Ps now);

  /// Of a NIC with planes: a sign of life of a QP's plane, and that it has given none for too long.
  void lane_alive(std::uint32_t qp, std::uint32_t plane, Ps now);
  void lane_failed(std::uint32_t qp, std::uint32_t plane, Ps now);
  bool plane_failed(std::uint32_t qp, std::uint32_t plane) const {
    return lanes_ && lanes_->at(qp, plane).failed;
  }
  /// Null for a NIC of one port.
  const LaneTable* lanes() const { return lanes_ ? &*lanes_ : nullptr; }
  /// Counts the running part of failures too; at the end of a run.
  void settle_lanes(Ps now);

  /// Earliest time at which on_timer wants to be called.
  Ps timer_wanted() const { return timers_.earliest(); }
  /// Handles timers up to `now`; returns a mask of ports to serve. A QP that has used up its
  /// retries fails.
  std::uint32_t on_timer(Ps now);

  std::uint64_t unacknowledged_messages() const { return unacknowledged_; }
  std::string stalled_qp() const;
  /// The QP has messages that were not acknowledged, or answers to send.
  bool outstanding(std::uint32_t qp) const {
    const bool answers = hot_[qp].path == QpPath::kResponses && hot_[qp].message != kNoMessage;
    return cold_[qp].first_message != kNoMessage || answers;
  }
  std::size_t qp_count() const { return hot_.size(); }
  const QpHot& qp(std::uint32_t index) const { return hot_[index]; }

 private:
  std::uint32_t qp_to(std::uint32_t destination);
  std::uint32_t add_qp(std::uint32_t destination, std::uint32_t port);
  MessageId append(std::uint32_t index, Message message);
  void load_message(QpHot& qp, MessageId message);
  PacketId build_plain(QpHot& qp, std::uint32_t index, QpScheduler& scheduler) {
    const PacketId id = packets_.allocate();
    Packet& packet = packets_[id];
    packet = config_.prototype;
    packet.destination = qp.destination;
    packet.flow = index;
    packet.flow_hash = qp.flow_hash;
    packet.psn = qp.next_psn;
    packet.message = qp.message;
    packet.offset_bytes = qp.offset_bytes;
    qp.offset_bytes += config_.mtu_bytes;
    qp.next_psn = psn_add(qp.next_psn, 1);
    --qp.packets_left;
    --qp.until_ack_request;
    --qp.plain_left;
    ++counters_.data_packets_sent;
    scheduler.count_packet(hot_);
    return id;
  }
  PacketId next_packet_with_care(std::uint32_t port, Ps now);
  void look_ahead(QpHot& qp) const;
  PacketId build(QpHot& qp, std::uint32_t index, Ps now);
  PacketId compose(QpHot& qp, std::uint32_t index, Ps now);
  void request_ack(QpHot& qp, std::uint32_t index, Ps now);
  void pace(QpHot& qp, std::uint32_t index, Ps now, std::uint32_t frame_bytes);
  bool next_message(QpHot& qp);
  void finish_packet(QpHot& qp, std::uint32_t index, Ps now, std::uint32_t frame_bytes);
  void acknowledge_before(std::uint32_t index, std::uint32_t psn);
  std::uint32_t acknowledge_answered(std::uint32_t index, std::uint32_t psn);
  std::uint32_t first_unanswered(std::uint32_t index, std::uint32_t psn) const;
  bool is_due(const Packet& packet) const;
  bool answers_message(const Packet& packet, const Message& message) const;
  static constexpr std::uint32_t kNoPsn = UINT32_MAX;
  MessageId message_of(std::uint32_t index, std::uint32_t psn) const;
  bool answered(std::uint32_t index, std::uint32_t psn) const;
  bool take_answer(const Packet& packet, Ps now);
  std::uint32_t acknowledge_executed(std::uint32_t index, std::uint32_t psn);
  void advance_over_answers(std::uint32_t index, std::uint32_t psn);
  void judge_answers(std::uint32_t index, std::uint32_t cause);
  void judge_oldest(std::uint32_t index, std::uint32_t end);
  void want_runs(std::uint32_t index, std::uint32_t psn, std::uint32_t count, bool again);
  std::uint32_t repeated_from(std::uint32_t index, std::uint32_t psn) const;
  std::uint32_t missing_run(std::uint32_t index, std::uint32_t psn) const;
  bool worth_repeating(std::uint32_t index, std::uint32_t psn) const;
  bool verb_may_go(const QpHot& qp, std::uint32_t index) const;
  bool credits_allow(const QpHot& qp, std::uint32_t index) const;
  PacketId next_of_path(QpHot& qp, std::uint32_t index, Ps now);
  PacketId build_verb(QpHot& qp, std::uint32_t index, Ps now);
  PacketId build_request(QpHot& qp, std::uint32_t index, Ps now);
  PacketId build_response(QpHot& qp, std::uint32_t index, Ps now);
  PacketId build_response_on_plane(QpHot& qp, std::uint32_t index, std::uint32_t plane, Ps now);
  PacketId compose_data(QpHot& qp, std::uint32_t index, Ps now);
  PacketId compose_request(QpHot& qp, std::uint32_t index, Ps now, std::uint32_t packets);
  PacketId compose_response(const QpHot& qp);
  void pass_request(QpHot& qp, std::uint32_t index);
  void ask_for_credits(QpHot& qp, std::uint32_t index) const;
  void next_message_on_plane(QpHot& qp, std::uint32_t index);
  void fill_response(Packet& packet, Response& response);
  std::uint32_t beyond_credits(const QpHot& qp, std::uint32_t index) const;
  void fail(std::uint32_t index, CompletionStatus status, std::string_view reason);
  void flush(std::uint32_t index, CompletionStatus first);
  void report(std::uint32_t index, const Message& message, std::uint64_t result,
              CompletionStatus status);
  Ps next_timeout(std::uint32_t index, std::uint32_t draw) const;
  void complete_messages(std::uint32_t index);
  void seek(std::uint32_t index, std::uint32_t psn);
  void rewind(std::uint32_t index, std::uint32_t psn);
  void make_sendable(std::uint32_t index);
  void limit(std::uint32_t index, std::uint32_t port, Ps now);
  std::uint32_t lane_of(std::uint32_t index, std::uint32_t port) const {
    return lanes_ ? index * lanes_->planes() + port : index;
  }
  std::uint32_t port_of(std::uint32_t index) const {
    return lanes_ ? kEveryPort : hot_[index].port;
  }
  void start_timer(std::uint32_t index, Ps now);
  bool may_use(std::uint32_t index, std::uint32_t plane) const;
  void choose_plane(std::uint32_t index);
  void wake_lanes(std::uint32_t index);
  PacketId next_of_plane(std::uint32_t plane, Ps now);
  PacketId build_on_plane(QpHot& qp, std::uint32_t index, std::uint32_t plane, Ps now);
  void pace_lane(std::uint32_t index, std::uint32_t plane, Ps now, std::uint32_t frame_bytes);
  void limit_lane(std::uint32_t index, std::uint32_t plane, Ps now);
  void on_timeout(std::uint32_t index, Ps now);
  void want_again(std::uint32_t index, std::uint32_t psn);
  void on_selective_nak(std::uint32_t index, std::uint32_t psn, std::uint64_t lost);
  void on_sack(std::uint32_t index, std::uint32_t expected, std::uint64_t detail);
  void go_on_recovering(std::uint32_t index);
  void repair_after_timeout(std::uint32_t index);
  PacketId build_repair(QpHot& qp, std::uint32_t index, Ps now);
  PacketId send_repair(QpHot& qp, std::uint32_t index, Ps now);
  std::string describe_qp(std::uint32_t index) const;

  RequesterConfig config_;
  PacketPool& packets_;
  MessagePool& messages_;
  RateControl& rate_control_;
  NicCounters& counters_;
  Completions& completions_;
  MessageStart* start_ = nullptr;
  std::vector<QpHot> hot_;
  std::vector<QpCold> cold_;
  std::vector<Repairs> repairs_;  ///< of each QP, or none at all
  std::vector<QpScheduler> schedulers_;
  std::vector<std::unique_ptr<QpSchedule>> schedules_;  ///< of keep_schedule
  std::optional<LaneTable> lanes_;                      ///< where there are several ports
  RetryTimer timers_;
  FlatIndex by_destination_;
  std::vector<ResponseQueue> responses_;
  std::uint64_t unacknowledged_ = 0;
  std::vector<Answers> answers_;  ///< of each QP, where they may come in any order, or none at all
};

}  // namespace sluice
