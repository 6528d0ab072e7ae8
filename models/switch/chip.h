// SPDX-License-Identifier: Apache-2.0
// One switch chip: wires MMU, ECN, PFC, scheduler and routing into two events a packet-hop
// (admission and end of transmission). SystemC is its skin: ports, exports, a name. Leaves out:
// link-layer errors, the control plane.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernel/bridge/sc_modules.h"
#include "kernel/event_wheel.h"
#include "kernel/statistics.h"
#include "link/frame_receiver.h"
#include "link/frame_tap.h"
#include "packet/packet.h"
#include "switch/adaptive_routing.h"
#include "switch/block_swap.h"
#include "switch/drop_reason.h"
#include "switch/forwarding/bridge.h"
#include "switch/forwarding/fib.h"
#include "switch/mmu/mmu.h"
#include "switch/pfc/watchdog.h"
#include "switch/pipe/ingress_pipes.h"
#include "switch/port/egress_port.h"
#include "switch/qos/class_table.h"
#include "switch/switch_params.h"
#include "switch/watermarks.h"

namespace sluice {

/// What every chip of a process shares or is told by the fabric.
struct ChipContext {
  EventWheel& wheel;
  PacketPool& packets;
  StatisticsRegistry& statistics;
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;           ///< global number
  std::uint32_t first_port = 0;     ///< global number of port 0; keys its random streams
  std::uint32_t endpoints = 0;      ///< size of the route table
  bool ipv6 = false;                ///< endpoints' packets are IPv6
  SwitchBlockSwap* swap = nullptr;  ///< puts other implementations in place of blocks
};

/// The first frame that a lossless priority group lost.
struct LosslessLoss {
  std::uint32_t port = 0;
  std::uint8_t pg = 0;
  ChipDrop reason = ChipDrop::kIngressPg;
  Ps time{};
};

/// Totals of one chip for reports.
struct ChipReport {
  MmuTotals buffer;
  std::array<std::uint64_t, kChipDropReasons> drops{};  ///< by ChipDrop
  std::uint64_t lossless_drops = 0;
  LosslessLoss first_loss;  ///< meaningful when lossless_drops > 0
  std::uint64_t pfc_xoff_frames = 0;
  std::uint64_t pfc_xon_frames = 0;
  std::uint64_t paused_ps = 0;
  std::uint64_t ecn_marked = 0;
};

/// A queue that holds packets under a pause.
struct PausedQueue {
  std::uint32_t port = 0;
  std::uint32_t queue = 0;
  std::uint32_t priority = 0;  ///< that the peer paused
  std::uint64_t tx_frames = 0;
  bool watchdog_acts = false;  ///< a storm watchdog will break the standstill
};

/// Whose packets a queue holds.
struct QueueSource {
  std::uint32_t port = 0;
  std::uint32_t queue = 0;
  std::uint32_t ingress_port = 0;
  std::uint32_t priority_group = 0;
  bool operator==(const QueueSource&) const = default;
};

/// EventHandler comes first: an event's virtual call then needs no adjustment of `this`.
class SwitchChip : private EventHandler, public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kQueues = 8;

  /// `rates`: one a wired port.
  SwitchChip(const sc_core::sc_module_name& name, const SwitchParams& params,
             const std::vector<BitsPerSecond>& rates, const ChipContext& context);
  ~SwitchChip() override;

  sc_core::sc_vector<sc_core::sc_port<FrameReceiver>> tx;    ///< towards the link of port i
  sc_core::sc_vector<sc_core::sc_export<FrameReceiver>> rx;  ///< where frames of port i arrive

  RouteTable& routes() { return routes_; }
  /// Installs or removes a route by prefix; `hop` is a port or routes().entry_of_group(). Throws
  /// ConfigError where a table is full. In layer 2 mode routes are kept and not used.
  void add_route(const IpPrefix& prefix, Fib::NextHop hop);
  bool remove_route(const IpPrefix& prefix);
  const Fib& fib() const { return fib_; }
  /// Null in layer 3 mode.
  const Bridge* bridge() const { return bridge_.get(); }
  /// Null unless the mode is dlb or ar.
  AdaptiveRouting* adaptive() { return adaptive_.get(); }
  const Mmu& mmu() const { return *mmu_; }
  std::uint32_t ports() const { return static_cast<std::uint32_t>(egress_.size()); }
  const EgressQueue& queue(std::uint32_t port, std::uint32_t queue) const {
    return queues_[port * kQueues + queue];
  }
  const EgressPort& egress(std::uint32_t port) const { return egress_[port]; }
  const IngressPort& ingress(std::uint32_t port) const { return ingress_[port]; }
  const SwitchParams& params() const { return params_; }
  const Watermarks& watermarks() const { return watermarks_; }
  /// For observers (chip_views.cpp): queues held by a pause, and whose packets the queues hold.
  std::vector<PausedQueue> paused_queues_at(Ps now) const;
  std::vector<QueueSource> queue_sources() const;
  /// The chip keeps its peer at `port` stopped on `priority`.
  bool holds_off(std::uint32_t port, std::uint32_t priority) const {
    return (pfc_sender_->xoff_mask(port) >> priority & 1u) != 0;
  }
  /// Shows `tap` every frame that a port sends; before the simulation starts.
  void set_tap(std::uint32_t port, TapPoint tap);
  /// Sends every packet through this buffer too; before the simulation starts. Null: does not.
  void set_cells(std::unique_ptr<PacketCells> cells);
  /// Null when no port has one.
  const Watchdog* watchdog() const { return watchdog_.get(); }

  /// A link of the chip went down or came back: its port leaves or joins all groups.
  void set_link(std::uint16_t port, bool up);
  /// Counts a frame that the cable of `port` lost while it was down or, `reason`, damaged.
  void lose_on_link(std::uint32_t port, ChipDrop reason = ChipDrop::kLinkDown) {
    ++ingress_[port].drops[static_cast<std::size_t>(reason)];
  }

  /// Brings time-based counters up to now; call before reading a report or the statistics.
  void settle();
  ChipReport report() const;
  /// Cells and packets conserved: queues, MMU and FIFOs agree. Throws InvariantError.
  void check_conservation() const;

 private:
  enum Kind : std::uint8_t {
    kFrame,
    kPiped,
    kTxDone,
    kPfc,
    kResume,
    kRefresh,
    kStart,
    kAdaptiveTick,
    kNotice,
    kPoll
  };
  class PortReceiver;

  void start_of_simulation() override;
  void handle(Event event) override;
  void prefetch(const Event& event) const override;
  void handle_uncommon(Event event);

  bool enter_pipe(std::uint32_t port, PacketId id, Ps now);
  FrameClass class_of(const IngressPort& ingress, const Packet& packet) const {
    return (packet.flags & packet_flag::kTagged) ? ingress.classes->of_pcp(packet.pcp)
                                                 : ingress.classes->of_dscp(packet.dscp);
  }
  void configure_port(std::uint32_t port, BitsPerSecond rate, const ChipContext& context);
  void configure_queues();
  std::uint8_t paused_queues(std::uint32_t port);
  /// `kWatched`: a storm watchdog drops what some queues would get, or a cell buffer is told.
  template <bool kWatched>
  [[gnu::always_inline]] inline void admit(std::uint32_t port, PacketId id);
  /// A frame on its way into the buffer.
  struct Entering {
    std::uint32_t port;
    PacketId id;
    Packet& packet;
    IngressPort& ingress;
  };
  template <bool kRouted, bool kWatched>
  [[gnu::always_inline]] inline void admit_to(const Entering& frame, std::uint32_t out);
  void admit_bridged(std::uint32_t port, PacketId id, std::uint32_t out);
  void forward_unrouted(std::uint32_t port, PacketId id);
  void paint_routes(const IpPrefix& prefix);
  void admit_watched(std::uint32_t port, PacketId id);
  void admit_piped(std::uint32_t port, PacketId id);
  void drop(std::uint32_t port, PacketId id, ChipDrop reason);
  void drop_from_mmu(MmuRequest request, PacketId id, DropReason why);
  void note_loss(std::uint32_t port, std::uint8_t pg, ChipDrop reason);
  [[gnu::always_inline]] inline void enqueue(const Entering& frame, std::uint32_t out,
                                             std::uint32_t q, EgressQueue& queue);
  [[gnu::always_inline]] inline void tx_done(std::uint32_t port);
  void serve(std::uint32_t port);
  [[gnu::always_inline]] inline void serve_port(std::uint32_t port, EgressPort& egress);
  void serve_with_care(std::uint32_t port);
  [[gnu::always_inline]] inline void send_head(std::uint32_t port, EgressPort& egress,
                                               std::uint32_t q);
  void serve_fifo(std::uint32_t port);
  void fill_fifo(std::uint32_t port);
  [[gnu::always_inline]] inline std::uint32_t eligible(std::uint32_t port);
  [[gnu::always_inline]] inline std::uint32_t choose(std::uint32_t port, std::uint32_t ready);
  [[gnu::always_inline]] inline PacketId dequeue(std::uint32_t port, EgressPort& egress,
                                                 std::uint32_t q);
  bool start_delayed(std::uint32_t port, const Packet& packet);
  bool start_specially(std::uint32_t port, std::uint32_t q);
  void send_tapped(std::uint32_t port, std::uint32_t q);
  void show_tap(std::uint32_t port, PacketId id) const;
  void charge_shapers(std::uint32_t port, std::uint32_t q, const Packet& packet);
  [[gnu::always_inline]] inline void transmit(EgressPort& egress, std::uint32_t port, PacketId id);
  [[gnu::always_inline]] inline void release(const MmuRequest& request);
  EcnAction decide(EgressQueue& queue, std::uint32_t index, Packet& packet, std::uint32_t depth);
  void send_pfc(std::uint32_t port);
  void request_pfc(std::uint32_t port, PfcFrame frame);
  void take_pfc(std::uint32_t port, PacketId id);
  void refresh_pfc(std::uint32_t port);
  void arm_refresh(std::uint32_t port);
  void arm_resume(std::uint32_t port);
  // Storm watchdog (chip_watchdog.cpp).
  bool watchdog_acts(std::uint32_t port) const { return watchdog_ && watchdog_->acts(port); }
  WatchdogView watchdog_view(std::uint32_t port, std::uint32_t q) const;
  void watch_pauses(std::uint32_t port);
  void poll_watchdog(std::uint32_t port);
  void release_cells(const MmuRequest& request);
  void flush_queue(std::uint32_t port, std::uint32_t q);
  bool watchdog_drops(const MmuRequest& request) const;
  void open_gate();
  std::uint32_t pick_adaptive(std::uint32_t port, const Packet& packet, std::uint32_t out);
  void take_notice(std::uint32_t port, PacketId id);
  void swap_routing(SwitchBlockSwap& swap, const BlockPlace& place);
  AdaptiveContext adaptive_context(const std::vector<BitsPerSecond>& rates,
                                   const ChipContext& context) const;
  std::uint32_t cells_of(std::uint32_t frame_bytes) const {
    return static_cast<std::uint32_t>(((frame_bytes - 1) * cell_reciprocal_) >> 32) + 1;
  }
  TargetId egress_target(std::uint32_t port) const { return first_egress_target_ + port; }
  ReceivePath path_of(std::uint32_t port) const;
  void register_statistics(StatisticsRegistry& registry);
  void register_bridge_statistics(StatisticsRegistry& registry);

  // Hot.
  EventWheel& wheel_;
  PacketPool& packets_;
  Mmu* mmu_raw_ = nullptr;
  MmuHotLines mmu_lines_;
  TargetId first_target_ = 0;
  TargetId first_egress_target_ = 0;
  bool mixed_rates_ = false;
  bool queue_maps_differ_ = false;  ///< the egress port's TC_TO_QUEUE_MAP counts
  bool special_starts_ = false;     ///< mixed rates, shapers, taps or a cell buffer
  bool plain_service_ = true;       ///< neither that nor an egress FIFO
  bool shapes_ = false;
  enum class Gate : std::uint8_t { kOpen, kPipes, kWatched };
  Gate gate_ = Gate::kOpen;     ///< what stands before admission
  bool pipes_limit_ = false;    ///< ports can bring more packets than a pipe classifies
  bool stores_frames_ = false;  ///< store and forward
  std::uint32_t fifo_limit_cells_ = 0;
  std::uint64_t cell_reciprocal_ = 0;
  IngressPipes pipes_;
  std::vector<ClassTable> class_tables_;  ///< the common one, then those of single ports
  std::vector<EgressPort> egress_;
  std::vector<EgressQueue> queues_;
  std::vector<IngressPort> ingress_;
  RouteTable routes_;
  // Cold.
  SwitchParams params_;
  bool ipv6_ = false;
  std::uint32_t endpoints_ = 0;
  Fib fib_;
  std::unique_ptr<Bridge> bridge_;
  std::vector<std::uint32_t> pipe_of_port_;
  std::unique_ptr<Mmu> mmu_;
  std::unique_ptr<EcnMarker> ecn_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<AdaptiveRouting> adaptive_;
  std::unique_ptr<PfcReceiver> pfc_receiver_;
  std::unique_ptr<PfcSender> pfc_sender_;
  RandomStream ecn_random_;
  std::vector<Ps> refresh_at_;  ///< time of the refresh event that is posted, kNever if none
  std::vector<Ps> resume_at_;
  std::vector<std::unique_ptr<PortReceiver>> receivers_;
  Watermarks watermarks_;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<Ps> poll_at_;
  std::unique_ptr<PacketCells> cells_;  ///< null: cells are only counted
  std::vector<TapPoint> taps_;          ///< one a port, or none at all
  std::uint64_t lossless_drops_ = 0;
  LosslessLoss first_loss_;
};

}  // namespace sluice
