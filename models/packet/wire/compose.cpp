// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/compose.h"

#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"
#include "packet/addressing.h"
#include "packet/serialisation.h"
#include "packet/wire/extensions.h"
#include "packet/wire/frames.h"

namespace sluice::wire {
namespace {

constexpr std::uint64_t kBroadcastMac = 0xFFFFFFFFFFFF;
constexpr std::uint32_t kBroadcastIpv4 = UINT32_MAX;
constexpr std::uint64_t kGroupBytes = 8;

std::uint64_t payload_group(std::uint64_t address) {
  return mix64(address / kGroupBytes) | 0x0101010101010101ULL;
}

bool has(const Packet& packet, std::uint8_t flag) { return (packet.flags & flag) != 0; }

RoceEnvelope envelope_of(const Packet& packet, const FrameContext& context) {
  RoceEnvelope around;
  const bool broadcast = packet.destination == context.endpoints;
  around.ethernet.destination = mac_bytes(broadcast ? kBroadcastMac : mac_of(packet.destination));
  around.ethernet.source = mac_bytes(mac_of(packet.source));
  around.ethernet.vlan = has(packet, packet_flag::kTagged);
  around.ethernet.pcp = around.ethernet.vlan ? packet.pcp : std::uint8_t{0};
  around.ipv6 = context.ipv6;
  around.v4.dscp = around.v6.dscp = packet.dscp;
  around.v4.ecn = around.v6.ecn = static_cast<std::uint8_t>(packet.ecn);
  around.v4.ttl = around.v6.hop_limit = packet.ttl;
  around.v4.source = ipv4_address_of(packet.source);
  around.v4.destination = broadcast ? kBroadcastIpv4 : ipv4_address_of(packet.destination);
  around.v6.source = ipv6_address_of(packet.source);
  around.v6.destination = ipv6_address_of(packet.destination);
  around.udp_source_port = flow_source_port(packet.source, packet.destination);
  return around;
}

/// Opcode of a packet with payload, from that of the message's First packet; Middle, Last and the
/// rest follow it (IBTA table 38).
Opcode in_message(Opcode first_opcode, const Packet& packet) {
  constexpr unsigned kMiddle = 1, kLast = 2, kOnly = 4;
  unsigned offset = kMiddle;
  if (has(packet, packet_flag::kFirst)) {
    offset = has(packet, packet_flag::kLast) ? kOnly : 0;
  } else if (has(packet, packet_flag::kLast)) {
    offset = kLast;
  }
  const bool ends = has(packet, packet_flag::kLast);
  if (ends && has(packet, packet_flag::kImmediate)) ++offset;
  return static_cast<Opcode>(static_cast<unsigned>(first_opcode) + offset);
}

Opcode read_response(const Packet& packet) {
  const bool first = has(packet, packet_flag::kFirst);
  const bool last = has(packet, packet_flag::kLast);
  if (first) return last ? Opcode::kReadResponseOnly : Opcode::kReadResponseFirst;
  return last ? Opcode::kReadResponseLast : Opcode::kReadResponseMiddle;
}

Opcode opcode_of(const Packet& packet, const WireMessage& message) {
  switch (packet.kind) {
    case PacketKind::kWriteData:
      return in_message(Opcode::kWriteFirst, packet);
    case PacketKind::kSendData:
      return in_message(Opcode::kSendFirst, packet);
    case PacketKind::kReadRequest:
      return Opcode::kReadRequest;
    case PacketKind::kReadResponse:
      return read_response(packet);
    case PacketKind::kAtomicRequest:
      return message.fetch_add ? Opcode::kFetchAdd : Opcode::kCompareSwap;
    case PacketKind::kAtomicResponse:
      return Opcode::kAtomicAcknowledge;
    case PacketKind::kUdSend:
    case PacketKind::kProbe:
    case PacketKind::kProbeReply:
      return Opcode::kUdSendOnly;
    case PacketKind::kCnp:
      return Opcode::kCnp;
    default:
      return Opcode::kAcknowledge;
  }
}

Aeth aeth_of(const Packet& packet) {
  return {static_cast<std::uint8_t>(packet.message >> 24), packet.message & 0xFFFFFF};
}

bool is_probe(const Packet& packet) {
  return packet.kind == PacketKind::kProbe || packet.kind == PacketKind::kProbeReply;
}

/// What packet/serialisation.h says that probes carry.
void put_probe(Buffer& out, const Packet& packet) {
  put_big(out, packet.offset_bytes, 8);
  put_big(out, packet.kind == PacketKind::kProbeReply ? packet.message : 0, 4);
  put_big(out, 0, 4);
}

void put_contents(Buffer& out, const Packet& packet, const WireMessage& message) {
  if (is_probe(packet)) return put_probe(out, packet);
  const std::uint64_t address = packet.kind == PacketKind::kUdSend
                                    ? std::uint64_t{packet.psn} << 12
                                    : message.remote_address + packet.offset_bytes;
  put_payload(out, address, packet.payload_bytes);
}

/// A spraying sender may put the RETH on every packet: the length of the frame tells.
bool carries_reth(const Packet& packet, const OpcodeForm& form, Encapsulation around) {
  if (packet.kind != PacketKind::kWriteData || form.reth) return form.reth;
  const std::uint32_t immediate = form.immediate ? kImmediateBytes : 0;
  return packet.frame_bytes == write_frame_bytes(packet.payload_bytes + immediate, true, around);
}

Extensions extensions_of(const Packet& packet, const FrameContext& context, const OpcodeForm& form,
                         Encapsulation around) {
  const WireMessage& message = context.message;
  Extensions out;
  if (form.deth) out.deth = Deth{kDatagramQueueKey, context.source_qp};
  if (packet.kind == PacketKind::kReadRequest) {
    // It says itself where in its message it begins, and how much is left.
    out.reth = Reth{message.remote_address + (packet.offset_bytes >> 32), message.remote_key,
                    static_cast<std::uint32_t>(packet.offset_bytes)};
  } else if (carries_reth(packet, form, around)) {
    const auto rest = static_cast<std::uint32_t>(message.bytes - packet.offset_bytes);
    out.reth = Reth{message.remote_address + packet.offset_bytes, message.remote_key, rest};
  }
  if (form.atomic) {
    out.atomic =
        AtomicEth{message.remote_address, message.remote_key, message.swap_or_add, message.compare};
  }
  if (form.aeth) out.aeth = aeth_of(packet);
  if (form.atomic_ack) out.atomic_ack = packet.offset_bytes;
  if (form.immediate) out.immediate = message.immediate;
  return out;
}

Buffer roce(const Packet& packet, const FrameContext& context) {
  const Opcode opcode = opcode_of(packet, context.message);
  const OpcodeForm form = *form_of(static_cast<std::uint8_t>(opcode));
  const Encapsulation around{context.ipv6, has(packet, packet_flag::kTagged)};
  Bth bth;
  bth.opcode = static_cast<std::uint8_t>(opcode);
  bth.destination_qp = context.destination_qp;
  bth.psn = packet.psn;
  bth.ack_request = has(packet, packet_flag::kAckReq);
  bth.becn = packet.kind == PacketKind::kCnp;
  bth.mig_req = packet.kind != PacketKind::kCnp;  // as adapters do that never migrate a path
  Buffer after;
  after.reserve(packet.frame_bytes);
  if (packet.kind == PacketKind::kCnp) {
    after.resize(kCnpReservedBytes);
  } else {
    extensions_of(packet, context, form, around).encode(after);
  }
  if (form.payload) {
    bth.pad_count = static_cast<std::uint8_t>(pad_bytes(packet.payload_bytes));
    put_contents(after, packet, context.message);
    after.resize(after.size() + bth.pad_count);
  }
  return roce_frame(envelope_of(packet, context), bth, after);
}

/// Testers' frames: a UDP datagram to the discard port, as long as asked for.
Buffer raw(const Packet& packet, const FrameContext& context) {
  RoceEnvelope around = envelope_of(packet, context);
  around.ethernet.ether_type = kEtherTypeIpv4;
  Buffer out;
  out.reserve(packet.frame_bytes);
  around.ethernet.encode(out);
  const auto ip_bytes = static_cast<std::uint16_t>(packet.frame_bytes - kFcsBytes - out.size());
  around.v4.total_bytes = ip_bytes;
  around.v4.encode(out);
  const auto udp_bytes = static_cast<std::uint16_t>(ip_bytes - kIpv4Bytes);
  Udp{around.udp_source_port, kRawUdpPort, udp_bytes, 0}.encode(out);
  put_payload(out, 0, udp_bytes - kUdpBytes);
  append_fcs(out);
  return out;
}

Buffer pfc(const Packet& packet, const FrameContext& context) {
  Pfc out{packet.pcp, {}};
  for (unsigned priority = 0; priority < out.quanta.size(); ++priority) {
    if ((packet.pcp >> priority & 1) == 0) continue;
    out.quanta[priority] = static_cast<std::uint16_t>(packet.offset_bytes);
  }
  return pfc_frame(context.pfc_source, out);
}

Buffer compose(const Packet& packet, const FrameContext& context) {
  if (packet.kind == PacketKind::kPfc) return pfc(packet, context);
  if (packet.kind == PacketKind::kRaw) return raw(packet, context);
  return roce(packet, context);
}

}  // namespace

std::uint8_t payload_byte(std::uint64_t address) {
  return static_cast<std::uint8_t>(payload_group(address) >> (8 * (address % kGroupBytes)));
}

void put_payload(Buffer& out, std::uint64_t address, std::uint32_t bytes) {
  for (const std::uint64_t end = address + bytes; address != end;) {
    const std::uint64_t in_group = address % kGroupBytes;
    const std::uint64_t count = std::min(kGroupBytes - in_group, end - address);
    std::uint64_t group = payload_group(address) >> (8 * in_group);
    for (std::uint64_t i = 0; i < count; ++i, group >>= 8) {
      out.push_back(static_cast<std::uint8_t>(group));
    }
    address += count;
  }
}

Buffer compose_frame(const Packet& packet, const FrameContext& context) {
  Buffer frame = compose(packet, context);
  SLUICE_CHECK(frame.size() == packet.frame_bytes,
               "a packet of kind {} and {} B payload is {} B long on the wire, its descriptor says "
               "{} B",
               static_cast<unsigned>(packet.kind), packet.payload_bytes, frame.size(),
               packet.frame_bytes);
  if (has(packet, packet_flag::kCorrupt)) {
    for (auto byte = frame.end() - kFcsBytes; byte != frame.end(); ++byte) {
      *byte = static_cast<std::uint8_t>(~*byte);
    }
  }
  return frame;
}

}  // namespace sluice::wire
