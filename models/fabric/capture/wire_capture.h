// SPDX-License-Identifier: Apache-2.0
// Captures the frames that ports of a fabric send into one pcapng file, an interface a port. The
// model does not notice. Leaves out: notices of adaptive routing, which take no time of a port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/capture/capture_ports.h"
#include "fabric/capture/message_table.h"
#include "kernel/event_wheel.h"
#include "link/frame_tap.h"
#include "packet/pcapng/writer.h"

namespace sluice {

class Fabric;

class WireCapture final : private FrameTap {
 public:
  /// Creates `file` and taps the ports; before the simulation starts, which it must outlive.
  WireCapture(Fabric& fabric, const EventWheel& wheel, const std::vector<CapturePort>& ports,
              bool ipv6, const std::string& file);
  WireCapture(const WireCapture&) = delete;
  WireCapture& operator=(const WireCapture&) = delete;

  /// Throws ConfigError unless the file took everything.
  void close();
  std::uint64_t frames() const { return writer_.frames(); }

 private:
  void on_message(const Packet& packet, std::uint32_t first_psn, std::uint32_t packets,
                  const wire::WireMessage& message) override;
  void on_frame(std::uint32_t port, const Packet& packet, Ps first_bit) override;

  /// A frame that a port has begun to send and whose first bit may be on the wire only later.
  struct Pending {
    Ps time;
    std::uint64_t number = 0;  ///< in the order of the port's decisions
    std::uint32_t interface = 0;
    bool corrupt = false;
    wire::Buffer frame;
    bool operator>(const Pending& b) const {
      return time != b.time ? time > b.time : number > b.number;
    }
  };

  void write_until(Ps time);
  void tap(Fabric& fabric, const std::vector<CapturePort>& ports);
  wire::FrameContext context_of(std::uint32_t port, const Packet& packet);

  const EventWheel& wheel_;
  bool ipv6_;
  std::uint32_t endpoints_;
  pcapng::Writer writer_;
  MessageTable messages_;
  std::vector<wire::Mac> macs_;   ///< of each interface
  std::vector<Pending> pending_;  ///< min-heap: the file is in the order of time
  std::uint64_t next_number_ = 0;
};

/// Every port of a fabric that transmits.
std::vector<CapturePort> capture_ports(const Fabric& fabric);

}  // namespace sluice
