// SPDX-License-Identifier: Apache-2.0
// What a NIC shows a capture: each frame as it leaves and, with the first packet of a message, what
// the descriptors do not say about it. Leaves out: frames as bytes (packet/wire).
#include "nic/nic_core.h"

namespace sluice {

void NicCore::set_tap(std::uint32_t port, TapPoint tap) {
  taps_.resize(ports_.size());
  taps_[port] = tap;
  ports_[port].control |= kTapped;  // no packet of it is the common case any more
}

void NicCore::show_tap(std::uint32_t index, PacketId id, Ps now) const {
  if (taps_.empty() || taps_[index].tap == nullptr) return;
  const Packet& packet = packets_[id];
  const bool request = packet.kind == PacketKind::kWriteData;
  if (request && (packet.flags & packet_flag::kFirst) != 0) {
    const Message& message = messages_[packet.message];
    taps_[index].tap->on_message(packet, message.first_psn, message.packets,
                                 {.bytes = message.bytes});
  }
  taps_[index].frame(packet, now + params_.tx_phy_latency);
}

}  // namespace sluice
