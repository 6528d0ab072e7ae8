// SPDX-License-Identifier: Apache-2.0
// The NIC behind its SystemC shell: ports, transmitter, and the wiring of requester, responder,
// congestion control and pause. Driven by the event wheel; no process, no module.
// Leaves out: PCIe bandwidth, context caches.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/event_wheel.h"
#include "kernel/statistics.h"
#include "link/frame_receiver.h"
#include "link/frame_tap.h"
#include "nic/block_swap.h"
#include "nic/message.h"
#include "nic/nic_counters.h"
#include "nic/nic_if.h"
#include "nic/nic_params.h"
#include "nic/pause/pause_sender.h"
#include "nic/pause/pause_state.h"
#include "nic/pcie/host_side.h"
#include "nic/probe/prober.h"
#include "nic/rate_control.h"
#include "nic/receive/rx_buffer.h"
#include "nic/requester/requester.h"
#include "nic/responder/responder.h"
#include "nic/ud/ud_source.h"
#include "nic/wakeup.h"
#include "packet/packet.h"

namespace sluice {

/// What all NICs of a process share, and who this one is.
struct NicContext {
  EventWheel& wheel;
  PacketPool& packets;
  MessagePool& messages;
  std::uint64_t seed = 1;
  std::uint32_t endpoint = 0;    ///< global number
  NicBlockSwap* swap = nullptr;  ///< puts other implementations in place of blocks
  std::string name{};            ///< for their messages
};

class NicCore final : public EventHandler,
                      private Completions,
                      private ProbeSender,
                      private ProbeListener {
 public:
  /// Kinds of events at a port's target and, kTimer, at the NIC's own.
  enum Kind : std::uint8_t {
    kPfc,
    kRxFrame,
    kWake,
    kTimer,
    kRxArrival,  ///< slow host: a frame reached the receive buffer …
    kRxDrained,  ///< … left it …
    kRxBypass,   ///< … or had no business there
    kPauseRefresh,
    kProbeTimer,  ///< at the NIC's own target
  };

  NicCore(const NicParams& params, NicContext context);

  /// What the transmitter at the other end of port `port`'s link has to know.
  ReceivePath receive_path(std::uint32_t port) const;
  /// Tells port `port` what it transmits into.
  void attach(std::uint32_t port, const ReceivePath& path);
  void set_client(NicClient* client) { client_ = client; }
  /// Shows `tap` the messages and frames that a port sends; before the simulation starts.
  void set_tap(std::uint32_t port, TapPoint tap);

  void post_write(const WriteRequest& request);
  void post(const WorkRequest& request);
  /// Begins to send these streams of datagrams; once, when the simulation starts.
  void send_datagrams(const std::vector<UdStream>& streams);
  void handle(Event event) override;
  void prefetch(const Event& event) const override;

  const NicParams& params() const { return params_; }
  std::uint32_t endpoint() const { return endpoint_; }
  const NicCounters& counters() const { return counters_; }
  const NicPortCounters& port_counters(std::uint32_t port) const { return port_counters_[port]; }
  /// Adds the tables "nic" and "nic_port"; entities are `name` and `name`.port<i>.
  void register_counters(StatisticsRegistry& registry, const std::string& name) const;

  /// No write is waiting for its acknowledgement.
  bool idle() const { return requester_.unacknowledged_messages() == 0; }
  /// The first QP with unacknowledged writes, in words; empty when idle.
  std::string stalled_qp() const { return requester_.stalled_qp(); }
  /// limited.
  const Requester& requester() const { return requester_; }
  RateControl& rate_control() { return *rate_control_; }
  /// Counts the running part of pauses too; at the end of a run.
  void settle_pauses();

 private:
  /// Frames of one class waiting for the MAC; Packet::tail holds when each is ready, in order.
  struct ControlQueue {
    PacketId head = kNoPacket;
    PacketId tail = kNoPacket;
    std::uint8_t priority = 0;
  };
  enum Control : std::uint8_t {
    kCnpsWait = 1,
    kAcksWait = 2,
    kPfcWaits = 4,
    kDatagrams = 8,
    kProbesWait = 16,
    kProbeRepliesWait = 32,
    kTapped = 128
  };
  /// What a port has where the host is slow.
  struct SlowSide {
    RxBuffer buffer;
    PauseSender pause;
    ReceivePath peer;  ///< what the PFC frames are sent into
  };
  /// Stands before the ports of a NIC that has several, which wake for each other.
  class PlaneEvents final : public EventHandler {
   public:
    explicit PlaneEvents(NicCore& core) : core_(core) {}
    void handle(Event event) override;
    void prefetch(const Event& event) const override { core_.prefetch(event); }

   private:
    NicCore& core_;
  };
  struct alignas(64) Port {
    ByteClock clock;
    Ps free_at{};        ///< when the MAC may begin the next frame
    Ps payload_ready{};  ///< when the host's memory has given the next data packet's payload
    Ps wire_delay{};     ///< from there to the receiver's event, serialisation aside
    TargetId peer = 0;
    std::uint8_t frame_kind = 0;
    bool at_tail = false;
    bool attached = false;
    std::uint8_t control = 0;  ///< Control bits: what there is beside data of QPs
    ControlQueue cnps;
    ControlQueue acks;
    WakeupStack wakeups;
    PauseState pause;
    ControlQueue probes;
    ControlQueue probe_replies;
  };

  // What every data packet runs through is defined inline in nic_hot_path.h.
  void serve_port(std::uint32_t index, Ps now);
  void on_wake(std::uint32_t index, Ps now);
  void serve(std::uint32_t index, Ps now);
  void serve_planes(Ps now);
  void on_plane_wake(std::uint32_t index, Ps now);
  PacketId pick(std::uint32_t index, Ps now);
  PacketId pick_among_all(std::uint32_t index, Ps now);
  PacketId pick_untapped(std::uint32_t index, Ps now);
  void show_tap(std::uint32_t index, PacketId id, Ps now) const;
  PacketId pick_data(const Port& port, std::uint32_t index, Ps now);
  PacketId pop_ready(Port& port, ControlQueue& queue, Control bit, Ps now);
  PacketId pick_datagram(const Port& port, std::uint32_t index, Ps now);
  void transmit(Port& port, NicPortCounters& counters, PacketId id, Ps now);
  void arm_port(std::uint32_t index, Ps now);
  void arm(std::uint32_t index, Ps now);
  void arm_timer() {
    if (requester_.timer_wanted() < timer_wakeups_.earliest()) [[unlikely]]
      post_timer();
  }
  void post_timer();
  Ps control_work(std::uint32_t index) const;
  Ps queue_work(const Port& port, const ControlQueue& queue) const;

  void swap_blocks(const NicContext& context);
  static SlowSide slow_side(const NicParams& params);
  /// Packet::offset_bytes of a CNP about a READ response; 0: about a QP's own packets.
  static constexpr std::uint64_t kCnpOfResponse = 1;

  void handle_uncommon(Event event, std::uint32_t index);
  void on_arrival(std::uint32_t index, PacketId id, Ps now);
  void on_drained(std::uint32_t index, Ps now);
  void start_drain(std::uint32_t index, Ps now);
  void on_pause_refresh(std::uint32_t index, Ps now);
  void pause_changed(std::uint32_t index, Ps now);
  void send_pause(std::uint32_t index, Ps now);

  void on_frame(std::uint32_t index, PacketId id, Ps now);
  void on_other_frame(std::uint32_t index, PacketId id, Ps now);
  void on_data(std::uint32_t index, PacketId id, Ps now);
  void finish(PacketId id, const Responder::Decision& decision, Ps now);
  void on_out_of_turn(PacketId id, const Responder::Decision& decision);
  void finish_and_release(std::uint32_t index, PacketId id, const Responder::Decision& decision,
                          Ps now);
  void take_turns(std::uint32_t index, const Packet& accepted, const Responder::Decision& decision,
                  Ps now);
  Responder::Decision take_turn(PacketId id, Ps now);
  void give_up(const Packet& refused, bool was_held);
  void on_reply(std::uint32_t index, PacketId id, Ps now);
  void on_nak(const Packet& nak, Ps now);
  void on_cnp(std::uint32_t index, const Packet& cnp, Ps now);
  void on_verb(std::uint32_t index, PacketId id, Ps now);
  void on_request(std::uint32_t index, PacketId id, Ps now);
  void respond(std::uint32_t index, const Packet& request, Responder::Answer& decision, Ps now);
  std::size_t responses_waiting(const Packet& request);
  void on_response(std::uint32_t index, PacketId id, Ps now);
  void count_message(std::uint32_t source, std::uint32_t ordinal, Ps now);
  void on_datagram(const Packet& packet);
  void answer(std::uint32_t index, const Packet& data, const Responder::Decision& decision, Ps now);
  void drop(PacketId id);
  void on_pfc(std::uint32_t index, PacketId id, Ps now);
  void on_timer(Ps now);
  void send_control(std::uint32_t index, const Packet& data, PacketKind kind, std::uint32_t psn,
                    std::uint32_t word, std::uint32_t flow_hash, Ps ready,
                    std::uint64_t detail = 0);
  void deliver(const Packet& last, std::uint32_t ordinal, Ps now);
  void on_acknowledged(std::uint64_t cookie) override;
  void on_active(std::uint32_t qp, Ps ready) override;

  bool wants_probe(std::uint32_t lane) const override {
    return requester_.outstanding(lane / params_.ports);
  }
  void send_probe(std::uint32_t lane, std::uint32_t sequence, Ps now) override;
  void on_probe_rtt(std::uint32_t lane, Ps rtt, Ps now) override;
  void on_probe_overdue(std::uint32_t lane, Ps age, Ps now) override;
  void on_probe_missed(std::uint32_t lane, std::uint32_t missed, Ps now) override;
  PacketId pop_probe(Port& port, Ps now);
  Ps at_mac(Ps handled) const;
  void on_probe_timer(Ps now);
  void arm_probe_timer();
  void on_probe(std::uint32_t index, PacketId id, Ps now);
  void on_probe_reply(const Packet& reply, Ps now);
  Packet& queue_control(std::uint32_t index, ControlQueue Port::*queue, Control bit);
  void on_completed(const Completion& completion) override;
  void on_qp_failed(const std::string& reason) override;

  NicParams params_;
  std::array<std::uint16_t, 2> control_frame_bytes_;  ///< of an ACK or NAK, and of a CNP
  EventWheel& wheel_;
  PacketPool& packets_;
  MessagePool& messages_;
  std::uint32_t endpoint_;
  NicClient* client_ = nullptr;
  TargetId first_target_ = 0;
  TargetId timer_target_ = 0;
  WakeupStack timer_wakeups_;
  WakeupStack probe_wakeups_;
  NicCounters counters_;
  std::vector<NicPortCounters> port_counters_;
  std::vector<Port> ports_;
  std::vector<SlowSide> slow_;  ///< one a port, or none at all
  std::optional<HostSide> host_side_;
  std::vector<UdSource> datagrams_;  ///< one a port, or none at all
  std::vector<TapPoint> taps_;       ///< one a port, or none at all
  std::unique_ptr<RateControl> rate_control_;
  Requester requester_;
  Responder responder_;
  std::optional<Prober> prober_;
  PlaneEvents plane_events_;
};

}  // namespace sluice
