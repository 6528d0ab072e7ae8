// SPDX-License-Identifier: Apache-2.0
#include "fabric/capture/wire_capture.h"

#include <algorithm>
#include <functional>

#include "fabric/fabric.h"
#include "kernel/error.h"
#include "packet/addressing.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

/// A NIC port that the file does not want: its messages are looked at all the same.
constexpr std::uint32_t kNotWritten = UINT32_MAX;
constexpr std::uint32_t kFirstDatagramQp = 0x800000;

/// 02:01, chip and port; endpoints have 02:00.
std::uint64_t chip_port_mac(std::uint32_t chip, std::uint32_t port) {
  return 0x020100000000ULL | std::uint64_t{chip & 0xFFFF} << 16 | (port & 0xFFFF);
}

bool is_request(PacketKind kind) {
  return kind == PacketKind::kWriteData || kind == PacketKind::kSendData ||
         kind == PacketKind::kReadRequest || kind == PacketKind::kAtomicRequest;
}

}  // namespace

std::vector<CapturePort> capture_ports(const Fabric& fabric) {
  const Topology& topology = fabric.topology();
  std::vector<std::uint32_t> ports;
  for (const auto& nic : fabric.nics()) ports.push_back(nic->core().params().ports);
  const bool raw = ports.empty();
  if (raw) ports.assign(topology.endpoints, 1);
  return ports_of(topology, raw ? "host" : "nic", ports, fabric.cable_rates());
}

WireCapture::WireCapture(Fabric& fabric, const EventWheel& wheel,
                         const std::vector<CapturePort>& ports, bool ipv6, const std::string& file)
    : wheel_(wheel), ipv6_(ipv6), endpoints_(fabric.topology().endpoints), writer_(file) {
  for (const CapturePort& port : ports) {
    writer_.add_interface(port.name, port.rate);
    macs_.push_back(wire::mac_bytes(port.at.is_chip ? chip_port_mac(port.at.node, port.at.port)
                                                    : mac_of(port.at.node)));
  }
  tap(fabric, ports);
}

void WireCapture::tap(Fabric& fabric, const std::vector<CapturePort>& ports) {
  for (const auto& nic : fabric.nics()) {
    for (std::uint32_t i = 0; i < nic->core().params().ports; ++i) {
      nic->core().set_tap(i, {this, kNotWritten});
    }
  }
  for (std::uint32_t number = 0; number < ports.size(); ++number) {
    const PortRef& at = ports[number].at;
    if (at.is_chip) {
      fabric.chips()[at.node]->set_tap(at.port, {this, number});
    } else if (fabric.nics().empty()) {
      fabric.raw_endpoints()[at.node]->core().set_tap({this, number});
    } else {
      fabric.nics()[at.node]->core().set_tap(at.port, {this, number});
    }
  }
}

void WireCapture::on_message(const Packet& packet, std::uint32_t first_psn, std::uint32_t packets,
                             const wire::WireMessage& message) {
  messages_.remember(packet.source, packet.destination, packet.flow, first_psn, packets, message);
}

wire::FrameContext WireCapture::context_of(std::uint32_t port, const Packet& packet) {
  wire::FrameContext context;
  context.ipv6 = ipv6_;
  context.endpoints = endpoints_;
  context.pfc_source = macs_[port];
  if (packet.kind == PacketKind::kUdSend) {
    context.destination_qp = kFirstDatagramQp;
    context.source_qp = kFirstDatagramQp + 1 + packet.flow;
    return context;
  }
  if (packet.kind == PacketKind::kProbe || packet.kind == PacketKind::kProbeReply) {
    context.destination_qp = kProbeQp;
    context.source_qp = MessageTable::requester_qp(packet.flow);
    return context;
  }
  if (packet.kind == PacketKind::kRaw || packet.kind == PacketKind::kPfc) return context;
  // A CNP about READ data goes to where that comes from, the answering end.
  const bool of_response = packet.kind == PacketKind::kCnp && packet.offset_bytes != 0;
  const bool request = is_request(packet.kind) || of_response;
  const std::uint32_t requester = request ? packet.source : packet.destination;
  context.destination_qp =
      request ? messages_.responder_qp(packet.source, packet.destination, packet.flow)
              : MessageTable::requester_qp(packet.flow);
  if (!is_request(packet.kind) && packet.kind != PacketKind::kReadResponse) return context;
  const wire::WireMessage* message = messages_.find(requester, packet.flow, packet.psn);
  SLUICE_CHECK(message != nullptr, "no message of endpoint {}'s QP {} has PSN {:#08x}", requester,
               packet.flow, packet.psn);
  context.message = *message;
  return context;
}

void WireCapture::on_frame(std::uint32_t port, const Packet& packet, Ps first_bit) {
  if (port == kNotWritten) return;
  pending_.push_back({first_bit, next_number_++, port, (packet.flags & packet_flag::kCorrupt) != 0,
                      wire::compose_frame(packet, context_of(port, packet))});
  std::push_heap(pending_.begin(), pending_.end(), std::greater<>{});
  write_until(wheel_.now());  // nothing earlier can come any more
}

void WireCapture::write_until(Ps time) {
  while (!pending_.empty() && pending_.front().time <= time) {
    std::pop_heap(pending_.begin(), pending_.end(), std::greater<>{});
    const Pending& next = pending_.back();
    writer_.write(next.interface, next.time, next.frame, !next.corrupt);
    pending_.pop_back();
  }
}

void WireCapture::close() {
  write_until(kNever);
  writer_.close();
}

}  // namespace sluice
