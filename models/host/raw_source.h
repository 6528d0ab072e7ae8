// SPDX-License-Identifier: Apache-2.0
// A tester in the place of host and NIC: sends streams of raw frames, counts what arrives, obeys
// PFC or not, and can hold its egress closed by pausing the switch. Leaves out: any transport.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/bridge/sc_modules.h"
#include "kernel/clock_rate.h"
#include "kernel/event_wheel.h"
#include "kernel/parameter.h"
#include "kernel/random.h"
#include "kernel/statistics.h"
#include "link/frame_receiver.h"
#include "link/frame_tap.h"
#include "nic/pause/pause_state.h"
#include "nic/wakeup.h"
#include "packet/packet.h"

namespace sluice {

enum class RawArrivals : std::uint8_t { kConstant, kPoisson };

/// One stream. Its frames are due on an open-loop schedule and wait for the port when it is busy.
struct RawStream {
  std::uint32_t destination = 0;
  std::uint32_t frame_bytes = 1024;  ///< from destination MAC to FCS, without the tag
  std::uint32_t dscp = 0;
  std::uint32_t priority = 0;  ///< PFC priority that stops it; PCP when tagged
  bool tagged = false;         ///< 4 bytes more
  std::uint32_t ttl = 64;
  bool broadcast = false;    ///< to ff:ff:ff:ff:ff:ff instead of `destination`
  std::uint32_t ecn = 0;     ///< the two ECN bits: 0 not-ECT, 1 ECT(1), 2 ECT(0), 3 CE
  std::uint64_t frames = 0;  ///< 0: until `stop`
  Ps start{};
  Ps stop = kNever;       ///< no frame is due at or after this
  BitsPerSecond rate{0};  ///< of preamble to gap; 0: the line rate
  RawArrivals arrivals = RawArrivals::kConstant;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

struct RawParams {
  BitsPerSecond port_rate{800'000'000'000};
  std::uint32_t frequency_offset_ppm = 0;
  Ps tx_latency{};  ///< MAC to the wire
  Ps rx_latency{};  ///< wire to counted
  bool obey_pfc = true;
  Ps pfc_response{};                   ///< PFC frame received to the class stopped
  std::uint32_t pause_priorities = 0;  ///< bit mask of priorities to pause the switch on; 0: none
  std::uint32_t pause_quanta = 65535;
  Ps pause_refresh{};  ///< time between XOFF frames; 0: half of pause_quanta
  Ps pause_start{};
  Ps pause_release = kNever;  ///< XON is sent then
  std::vector<RawStream> streams;

  /// The streams describe themselves.
  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// What arrived with one DSCP.
struct RawReceived {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t marked = 0;  ///< with CE
  Ps first{};
  Ps last{};
  Ps latency_min = kNever;  ///< from due to counted; raw frames only
  Ps latency_max{};
  Ps latency_sum{};
};

struct RawCounters {
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t corrupt_drops = 0;
  std::uint64_t xoff_received = 0;
  std::uint64_t xon_received = 0;
  std::uint64_t pfc_sent = 0;
  std::uint64_t paused_ps = 0;
};

/// What the raw endpoints of a process share, and who this one is.
struct RawContext {
  EventWheel& wheel;
  PacketPool& packets;
  std::uint64_t seed = 1;
  std::uint32_t endpoint = 0;
};

/// Its counters, of kind "raw".
std::vector<CounterField> raw_counter_fields();

/// The endpoint without its SystemC shell.
class RawCore final : public EventHandler {
 public:
  RawCore(const RawParams& params, const RawContext& context);

  ReceivePath receive_path() const;
  void attach(const ReceivePath& path);
  /// Shows `tap` every frame that is sent; before the simulation starts.
  void set_tap(TapPoint tap) { tap_ = tap; }
  /// Plans the configured streams and pauses; once, before or at the time they start.
  void start();

  /// Queues one frame of `stream` (which need not be configured), due now.
  void send_now(const RawStream& stream);
  /// Sends a PFC frame as soon as the port is free.
  void send_pfc(std::uint8_t priorities, std::uint32_t quanta);

  void handle(Event event) override;

  const RawCounters& counters() const { return counters_; }
  const RawReceived& received(std::uint32_t dscp) const { return received_[dscp]; }
  std::uint64_t sent(std::size_t stream) const { return streams_[stream].sent; }
  void register_counters(StatisticsRegistry& registry, const std::string& name) const;

 private:
  enum Kind : std::uint8_t { kPfc, kRxFrame, kWake, kPauseRefresh };
  struct Stream {
    RawStream config;
    ByteClock clock;
    Ps due = kNever;  ///< of the next frame
    std::uint64_t sent = 0;
    RandomStream random;
  };
  struct PendingPfc {
    std::uint8_t priorities;
    std::uint32_t quanta;
  };

  Stream make_stream(const RawStream& config, std::uint64_t number) const;
  void serve(Ps now);
  bool send_pending_pfc(Ps now);
  Stream* next_stream(Ps now);
  void send(Stream& stream, Ps now);
  void schedule_next(Stream& stream);
  void arm(Ps now);
  void on_frame(PacketId id, Ps now);
  void on_pfc(PacketId id, Ps now);
  void on_pause_refresh(Ps now);
  Ps occupy(std::uint32_t frame_bytes, Ps now);

  RawParams params_;
  EventWheel& wheel_;
  PacketPool& packets_;
  std::uint64_t seed_;
  std::uint32_t endpoint_;
  TargetId target_ = 0;
  ReceivePath path_;
  TapPoint tap_;
  ByteClock clock_;
  Ps free_at_{};
  WakeupStack wakeups_;
  PauseState pause_;
  std::vector<Stream> streams_;  ///< the configured ones
  std::vector<Stream> singles_;  ///< frames of send_now
  std::vector<PendingPfc> pending_pfc_;
  std::array<RawReceived, 64> received_{};
  RawCounters counters_;
};

class RawEndpoint : public sc_core::sc_module, private FrameReceiver {
 public:
  RawEndpoint(const sc_core::sc_module_name& name, const RawParams& params,
              const RawContext& context);

  sc_core::sc_port<FrameReceiver> tx;
  sc_core::sc_export<FrameReceiver> rx;

  RawCore& core() { return core_; }
  const RawCore& core() const { return core_; }

 private:
  void end_of_elaboration() override { core_.attach(tx->receive_path()); }
  void start_of_simulation() override { core_.start(); }
  ReceivePath receive_path() const override { return core_.receive_path(); }

  RawCore core_;
};

}  // namespace sluice
