// SPDX-License-Identifier: Apache-2.0
// One chip with a tester on every port: frames and PFC frames sent at exact instants, arrivals
// logged. Testers obey no pause. Leaves out: hosts and NICs (unit/fabric, unit/study).
#pragma once

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "kernel/bridge/wheel_bridge.h"
#include "link/link.h"
#include "packet/packet.h"
#include "packet/serialisation.h"
#include "support/fresh_systemc.h"
#include "switch/chip.h"

namespace sluice::test {

/// A frame to send; `destination` is a port of the chip.
struct Frame {
  std::uint32_t destination = 1;
  std::uint16_t bytes = 1000;
  std::uint8_t dscp = 26;
  Ecn ecn = Ecn::kEct0;
  std::uint8_t flags = 0;
  std::uint32_t source = 0;
  std::uint8_t ttl = 64;
};

struct Arrival {
  Ps head{};
  Ps tail{};
  Packet packet;
};

struct PfcArrival {
  Ps at{};  ///< last bit
  std::uint8_t classes = 0;
  std::uint32_t quanta = 0;
};

/// Line time of `bytes` at the rates of these tests, which divide it.
inline Ps line_time(std::uint64_t bytes, BitsPerSecond rate) {
  return Ps{bytes * 8'000 / (rate.value / 1'000'000'000)};
}

class Tester : public sc_core::sc_module, public FrameReceiver, private EventHandler {
 public:
  Tester(const sc_core::sc_module_name& name, EventWheel& wheel, PacketPool& packets,
         BitsPerSecond rate)
      : sc_core::sc_module(name),
        tx("tx"),
        rx("rx"),
        wheel_(wheel),
        packets_(packets),
        rate_(rate) {
    target_ = wheel_.add_targets(*this, 1, this, 0);
    rx.bind(*this);
  }

  sc_core::sc_port<FrameReceiver> tx;
  sc_core::sc_export<FrameReceiver> rx;

  /// `count` frames back to back (or every `interval`), the first bit of the first out at `start`.
  void send(Ps start, const Frame& frame, std::uint32_t count = 1, Ps interval = {}) {
    if (interval == Ps{}) interval = line_time(frame.bytes + kWireOverheadBytes, rate_);
    for (std::uint32_t i = 0; i < count; ++i) frames_.push_back({start + i * interval, frame});
  }
  /// A PFC frame, first bit out at `start`.
  void pause(Ps start, std::uint8_t classes, std::uint32_t quanta) {
    pauses_.push_back({start, classes, quanta});
  }

  std::vector<Arrival> arrivals;
  std::vector<PfcArrival> pfc;

  ReceivePath receive_path() const override {
    return {.target = target_, .frame_kind = kFrameKind, .pfc_kind = kPfcKind};
  }

 private:
  static constexpr std::uint8_t kFrameKind = 0;
  static constexpr std::uint8_t kPfcKind = 1;

  void start_of_simulation() override {
    const ReceivePath path = tx->receive_path();
    std::uint32_t number = 0;
    for (const auto& [start, frame] : frames_) {
      const PacketId id = packets_.allocate();
      Packet& packet = packets_[id];
      packet = Packet{};
      packet.source = frame.source;
      packet.destination = frame.destination;
      packet.ttl = frame.ttl;
      packet.frame_bytes = frame.bytes;
      packet.dscp = frame.dscp;
      packet.ecn = frame.ecn;
      packet.flags = frame.flags;
      packet.psn = number++;
      const Ps head = start + path.head_delay;
      packet.tail = head + line_time(frame.bytes + kPreambleBytes, rate_);
      wheel_.post(path.at_tail ? packet.tail : head, path.target, path.frame_kind, id);
    }
    for (const PfcArrival& pause : pauses_) {
      const PacketId id = packets_.allocate();
      Packet& packet = packets_[id];
      packet = Packet{};
      packet.kind = PacketKind::kPfc;
      packet.frame_bytes = kPfcFrameBytes;
      packet.pcp = pause.classes;
      packet.offset_bytes = pause.quanta;
      packet.tail = pause.at + path.pfc_delay + line_time(kPfcFrameBytes + kPreambleBytes, rate_);
      wheel_.post(packet.tail, path.target, path.pfc_kind, id);
    }
  }
  void handle(Event event) override {
    const Packet& packet = packets_[event.argument];
    if (event.kind() == kPfcKind) {
      pfc.push_back({event.time, packet.pcp, static_cast<std::uint32_t>(packet.offset_bytes)});
    } else {
      arrivals.push_back({event.time, packet.tail, packet});
    }
    packets_.release(event.argument);
  }

  EventWheel& wheel_;
  PacketPool& packets_;
  BitsPerSecond rate_;
  TargetId target_ = 0;
  std::vector<std::pair<Ps, Frame>> frames_;
  std::vector<PfcArrival> pauses_;
};

inline constexpr BitsPerSecond k100G{100'000'000'000};
inline constexpr BitsPerSecond k400G{400'000'000'000};
inline constexpr BitsPerSecond k800G{800'000'000'000};
/// 30 m at 5 ns/m.
inline constexpr Ps kCable = 150_ns;

/// A Spectrum-4 without frequency offsets and marks: 600 ns from port to port.
inline SwitchParams quiet_chip(BitsPerSecond rate = k800G) {
  SwitchParams params = spectrum4(4, rate, Millimetres{30'000});
  params.freq_offset_ppm = 0;
  params.ecn.enabled = false;
  return params;
}

class ChipBench {
 public:
  explicit ChipBench(const SwitchParams& params, const std::vector<BitsPerSecond>& rates)
      : bridge("wheel", wheel),
        chip("chip", params, rates,
             {wheel, packets, statistics, 1, 0, 0, static_cast<std::uint32_t>(rates.size()) + 1}) {
    for (std::uint32_t port = 0; port < rates.size(); ++port) {
      LinkParams cable;
      cable.rate = rates[port];
      const auto named = [port](const char* what) { return fmt::format("{}{}", what, port); };
      testers.push_back(
          std::make_unique<Tester>(named("tester").c_str(), wheel, packets, rates[port]));
      links.push_back(std::make_unique<Link>(named("up").c_str(), cable));
      testers[port]->tx.bind(links.back()->in);
      links.back()->out.bind(chip.rx[port]);
      links.push_back(std::make_unique<Link>(named("down").c_str(), cable));
      chip.tx[port].bind(links.back()->in);
      links.back()->out.bind(testers[port]->rx);
      // The endpoint behind the last port has no route.
      chip.routes().route_to_port(port, static_cast<std::uint16_t>(port));
    }
  }
  explicit ChipBench(const SwitchParams& params, std::uint32_t ports = 4)
      : ChipBench(params, std::vector<BitsPerSecond>(ports, k800G)) {}

  void run(Ps until = kNever) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    bridge.run(until);
    chip.settle();
  }
  Tester& tester(std::size_t port) { return *testers[port]; }
  const std::vector<Arrival>& arrivals(std::size_t port) const { return testers[port]->arrivals; }
  std::uint32_t nowhere() const { return chip.ports(); }

  EventWheel wheel;
  PacketPool packets;
  StatisticsRegistry statistics;
  WheelBridge bridge;
  SwitchChip chip;
  std::vector<std::unique_ptr<Tester>> testers;
  std::vector<std::unique_ptr<Link>> links;
};

/// When the scheduler let go a frame that a tester of this chip logged.
inline Ps scheduled(const SwitchParams& params, const Arrival& arrival) {
  return arrival.head - kCable - params.latency.from_scheduler();
}

class Chip : public FreshSystemC {};

}  // namespace sluice::test
