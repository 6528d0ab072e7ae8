// SPDX-License-Identifier: Apache-2.0
// What a NIC shows a capture: each frame as it leaves and, with the first packet of a message, what
// the descriptors do not say about it. Leaves out: frames as bytes (packet/wire).
#include "nic/nic_core.h"

namespace sluice {
namespace {

bool is_request(PacketKind kind) {
  return kind == PacketKind::kWriteData || kind == PacketKind::kSendData ||
         kind == PacketKind::kReadRequest || kind == PacketKind::kAtomicRequest;
}

/// The host's plain writes name no address, and SENDs have none.
wire::WireMessage described(const Message& message, const MessageDetail& detail) {
  return {.remote_address = detail.remote_address,
          .has_address = message.verb && !is_send(message.op),
          .remote_key = detail.remote_key,
          .bytes = message.bytes,
          .immediate = message.immediate[0],
          .fetch_add = message.op == Operation::kFetchAdd,
          .swap_or_add = detail.operand,
          .compare = detail.compare};
}

}  // namespace

void NicCore::set_tap(std::uint32_t port, TapPoint tap) {
  taps_.resize(ports_.size());
  taps_[port] = tap;
  ports_[port].control |= kTapped;  // no packet of it is the common case any more
}

void NicCore::show_tap(std::uint32_t index, PacketId id, Ps now) const {
  if (taps_.empty() || taps_[index].tap == nullptr) return;
  const Packet& packet = packets_[id];
  if (is_request(packet.kind) && (packet.flags & packet_flag::kFirst) != 0) {
    const Message& message = messages_[packet.message];
    taps_[index].tap->on_message(packet, message.first_psn, message.packets,
                                 described(message, messages_.detail(packet.message)));
  }
  taps_[index].frame(packet, now + params_.tx_phy_latency);
}

}  // namespace sluice
