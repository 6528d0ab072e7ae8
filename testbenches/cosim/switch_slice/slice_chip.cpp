// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/switch_slice/slice_chip.h"

#include <fmt/format.h>

#include "kernel/bridge/wheel_bridge.h"
#include "link/frame_receiver.h"
#include "switch/chip.h"

namespace sluice::cosim {
namespace {

constexpr std::uint32_t kQueues = 8;
constexpr BitsPerSecond kRate{800'000'000'000};
/// One a clock.
constexpr std::uint64_t kPacketsPerSecond = 1'000'000'000'000 / kSliceClockPs;
/// Stage latencies in clocks, so that the calibration trace leaves the chip when it leaves the RTL:
/// arbiter and parser; admission and queues; from the choice of a frame to the wire.
constexpr std::uint64_t kIngressClocks = 3;
constexpr std::uint64_t kMmuClocks = 12;
constexpr std::uint64_t kEgressClocks = 64;
static_assert(kIngressClocks + kMmuClocks == kSliceAdmitClocks);
constexpr Bytes kMarkAbove{40'000};
constexpr std::uint64_t kPsPerByte = 10;
constexpr std::uint32_t kPfcFrameBytes = 64;
constexpr Ps kPfcTime{(kPfcFrameBytes + kPreambleBytes) * kPsPerByte};

double clocks_of(Ps time) {
  return static_cast<double>(time.value) / static_cast<double>(kSliceClockPs);
}
Ps time_of(std::uint64_t clock) { return Ps{clock * kSliceClockPs}; }

/// Every run has a SystemC simulation of its own.
class OwnSystemC {
 public:
  OwnSystemC() : previous_(sc_core::sc_curr_simcontext) {
    sc_core::sc_curr_simcontext = context_.get();
    sc_core::sc_default_global_context = context_.get();
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  }
  ~OwnSystemC() {
    context_.reset();
    sc_core::sc_curr_simcontext = previous_;
    sc_core::sc_default_global_context = previous_;
  }
  OwnSystemC(const OwnSystemC&) = delete;
  OwnSystemC& operator=(const OwnSystemC&) = delete;

 private:
  sc_core::sc_simcontext* previous_;
  std::unique_ptr<sc_core::sc_simcontext> context_ = std::make_unique<sc_core::sc_simcontext>();
};

/// Both ends of one port's cable, which has no length.
class Wire : public sc_core::sc_module, public FrameReceiver, private EventHandler {
 public:
  Wire(const sc_core::sc_module_name& name, EventWheel& wheel, PacketPool& packets,
       const SliceTrace& trace, std::uint32_t port)
      : sc_core::sc_module(name),
        tx("tx"),
        rx("rx"),
        wheel_(wheel),
        packets_(packets),
        trace_(trace),
        port_(port) {
    target_ = wheel_.add_targets(*this, 1, this, 0);
    rx.bind(*this);
  }

  sc_core::sc_port<FrameReceiver> tx;
  sc_core::sc_export<FrameReceiver> rx;
  std::vector<SliceDeparture> departures;

  ReceivePath receive_path() const override { return {.target = target_}; }

 private:
  void start_of_simulation() override {
    const ReceivePath path = tx->receive_path();
    for (std::uint32_t i = 0; i < trace_.frames.size(); ++i) {
      const SliceFrame& frame = trace_.frames[i];
      if (frame.port != port_) continue;
      if (frame.pauses != 0) {
        post_pause(frame, path);
        continue;
      }
      const PacketId id = packets_.allocate();
      Packet& packet = packets_[id];
      packet = Packet{};
      packet.source = port_;
      packet.destination = frame.destination;
      packet.flow = i;
      packet.frame_bytes = static_cast<std::uint16_t>(frame.bytes);
      packet.dscp = frame.dscp;
      packet.ecn = frame.ecn;
      const Ps head = time_of(frame.clock) + path.head_delay;
      packet.tail = head + Ps{(frame.bytes + kPreambleBytes) * kPsPerByte};
      wheel_.post(head, path.target, path.frame_kind, id);
    }
  }
  void post_pause(const SliceFrame& frame, const ReceivePath& path) {
    const PacketId id = packets_.allocate();
    Packet& packet = packets_[id];
    packet = Packet{};
    packet.kind = PacketKind::kPfc;
    packet.frame_bytes = kPfcFrameBytes;
    packet.pcp = frame.pauses;
    packet.offset_bytes = frame.quanta;
    packet.tail = time_of(frame.clock) + kPfcTime + path.pfc_delay;
    wheel_.post(packet.tail, path.target, path.pfc_kind, id);
  }
  void handle(Event event) override {
    const Packet& packet = packets_[event.argument];
    departures.push_back({packet.flow, clocks_of(event.time), packet.ecn == Ecn::kCe});
    packets_.release(event.argument);
  }

  EventWheel& wheel_;
  PacketPool& packets_;
  const SliceTrace& trace_;
  std::uint32_t port_;
  TargetId target_ = 0;
};

}  // namespace

SwitchParams slice_params(std::uint32_t cells, bool pauses) {
  SwitchParams params;
  params.freq_offset_ppm = 0;
  params.latency = {.rx_phy = Ps{0},
                    .rx_mac = Ps{0},
                    .ingress_pipeline = time_of(kIngressClocks),
                    .mmu = time_of(kMmuClocks),
                    .egress_pipeline = time_of(kEgressClocks),
                    .tx_phy = Ps{0}};
  params.pfc.enabled = pauses;
  params.pfc.resp_time = time_of(kSlicePauseClocks) - kPfcTime;
  params.ports.pfc_enable.assign(kSlicePorts, 1u << kSliceMarkedQueue);
  params.pipes.count = 1;
  params.pipes.lanes_per_pipe = params.lanes;
  params.pipes.packets_per_second = kPacketsPerSecond;
  for (std::uint32_t dscp = 0; dscp < 64; ++dscp) params.qos.dscp_to_tc[dscp] = dscp / 8;
  params.scheduler.weights = {25, 50, 50, 100, 50, 50, 50, 50};
  params.scheduler.quantum_bytes = Bytes{9236};

  MmuParams& mmu = params.mmu;
  mmu.cell_bytes = kSliceCellBytes;
  mmu.total_cells = cells;
  mmu.pool_bytes = Bytes{std::uint64_t{cells} * kSliceCellBytes};
  mmu.num_slices = 1;
  mmu.shared_headroom_bytes = Bytes{0};
  mmu.headroom_overhead_cells = 0;
  mmu.lossless_pgs.clear();
  mmu.queue_min_bytes = Bytes{0};
  mmu.lossy_alpha_exp = 3;
  // A queue that no frame of two cells fits into: refused whenever releases come.
  QueueProfile closed;
  closed.static_limit = Bytes{kSliceCellBytes};
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    mmu.queue_overrides.push_back({port, kSliceClosedQueue, closed});
  }

  // A step, which needs no random draw.
  EcnParams step = params.ecn;
  step.kmin_bytes = step.kmax_bytes = kMarkAbove;
  params.ports.curves = {step};
  params.ports.curve_of_queue.assign(kSlicePorts * kQueues, 0);
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    params.ports.curve_of_queue[port * kQueues + kSliceMarkedQueue] = 1;
  }
  return params;
}

SliceDepartures run_slice_chip(const SwitchParams& params, const SliceTrace& trace) {
  OwnSystemC systemc;
  EventWheel wheel;
  PacketPool packets;
  StatisticsRegistry statistics;
  WheelBridge bridge("wheel", wheel);
  const std::vector<BitsPerSecond> rates(kSlicePorts, kRate);
  SwitchChip chip("chip", params, rates, {wheel, packets, statistics, 1, 0, 0, kSlicePorts + 1});
  std::vector<std::unique_ptr<Wire>> wires;
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    wires.push_back(
        std::make_unique<Wire>(fmt::format("wire{}", port).c_str(), wheel, packets, trace, port));
    wires[port]->tx.bind(chip.rx[port]);
    chip.tx[port].bind(wires[port]->rx);
    chip.routes().route_to_port(port, static_cast<std::uint16_t>(port));
  }
  bridge.run();
  chip.settle();
  chip.check_conservation();
  SliceDepartures out;
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    out.ports[port] = std::move(wires[port]->departures);
  }
  for (std::size_t reason = 0; reason < kChipDropReasons; ++reason) {
    const std::uint64_t lost = chip.report().drops[reason];
    (reason == static_cast<std::size_t>(ChipDrop::kNoRoute) ? out.no_route : out.dropped) += lost;
  }
  return out;
}

}  // namespace sluice::cosim
