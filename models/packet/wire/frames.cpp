// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/frames.h"

#include "packet/serialisation.h"
#include "packet/wire/crc.h"

namespace sluice::wire {
namespace {

constexpr Mac kPfcDestination{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::uint16_t kPfcOpcode = 0x0101;
constexpr std::uint16_t kPauseOpcode = 0x0001;

void put_little32(Buffer& out, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// UDP checksum over pseudo header and datagram; `ip` starts at the IP header.
std::uint16_t udp_checksum_of(std::span<const std::uint8_t> ip, bool ipv6) {
  const std::size_t ip_bytes = ipv6 ? kIpv6Bytes : kIpv4Bytes;
  const auto addresses = ipv6 ? ip.subspan(8, 32) : ip.subspan(12, 8);
  std::uint32_t sum = internet_sum(addresses);
  sum += kIpProtocolUdp + static_cast<std::uint32_t>(ip.size() - ip_bytes);
  const std::uint16_t checksum = internet_checksum(internet_sum(ip.subspan(ip_bytes), sum));
  // 0 means "none", so a sum that comes out as 0 is sent as ones (RFC 768).
  return checksum == 0 ? 0xffff : checksum;
}

}  // namespace

Buffer roce_frame(const RoceEnvelope& around, const Bth& bth,
                  std::span<const std::uint8_t> after_bth) {
  const auto udp_bytes =
      static_cast<std::uint16_t>(kUdpBytes + kBthBytes + after_bth.size() + kIcrcBytes);
  Buffer out;
  out.reserve(kEthernetBytes + kVlanBytes + kIpv6Bytes + udp_bytes + kFcsBytes);
  Ethernet ethernet = around.ethernet;
  ethernet.ether_type = around.ipv6 ? kEtherTypeIpv6 : kEtherTypeIpv4;
  ethernet.encode(out);
  const std::size_t ip_start = out.size();
  if (around.ipv6) {
    Ipv6 ip = around.v6;
    ip.payload_bytes = udp_bytes;
    ip.encode(out);
  } else {
    Ipv4 ip = around.v4;
    ip.total_bytes = static_cast<std::uint16_t>(kIpv4Bytes + udp_bytes);
    ip.encode(out);
  }
  const std::size_t udp_start = out.size();
  Udp{around.udp_source_port, kRoceUdpPort, udp_bytes, 0}.encode(out);
  bth.encode(out);
  put_bytes(out, after_bth);
  put_little32(out, icrc(std::span(out).subspan(ip_start)));
  if (around.ipv6 || around.udp_checksum) {
    // The ICRC masks this field, so filling it in last does not spoil it.
    const std::uint16_t checksum = udp_checksum_of(std::span(out).subspan(ip_start), around.ipv6);
    out[udp_start + 6] = static_cast<std::uint8_t>(checksum >> 8);
    out[udp_start + 7] = static_cast<std::uint8_t>(checksum);
  }
  append_fcs(out);
  return out;
}

void append_fcs(Buffer& frame) {
  if (frame.size() < kMinFrameBytes - kFcsBytes) frame.resize(kMinFrameBytes - kFcsBytes);
  put_little32(frame, crc32(frame));
}

Buffer write_frame(const RoceEnvelope& around, Bth bth, const std::optional<Reth>& reth,
                   std::span<const std::uint8_t> payload) {
  const std::uint32_t pad = pad_bytes(static_cast<std::uint32_t>(payload.size()));
  bth.pad_count = static_cast<std::uint8_t>(pad);
  Buffer after_bth;
  after_bth.reserve(kRethBytes + payload.size() + pad);
  if (reth) reth->encode(after_bth);
  put_bytes(after_bth, payload);
  after_bth.resize(after_bth.size() + pad);
  return roce_frame(around, bth, after_bth);
}

Buffer ud_send_frame(const RoceEnvelope& around, Bth bth, const Deth& deth,
                     std::span<const std::uint8_t> payload) {
  const std::uint32_t pad = pad_bytes(static_cast<std::uint32_t>(payload.size()));
  bth.opcode = static_cast<std::uint8_t>(Opcode::kUdSendOnly);
  bth.pad_count = static_cast<std::uint8_t>(pad);
  Buffer after_bth;
  after_bth.reserve(kDethBytes + payload.size() + pad);
  deth.encode(after_bth);
  put_bytes(after_bth, payload);
  after_bth.resize(after_bth.size() + pad);
  return roce_frame(around, bth, after_bth);
}

Buffer ack_frame(const RoceEnvelope& around, Bth bth, const Aeth& aeth) {
  bth.opcode = static_cast<std::uint8_t>(Opcode::kAcknowledge);
  Buffer after_bth;
  aeth.encode(after_bth);
  return roce_frame(around, bth, after_bth);
}

Buffer cnp_frame(const RoceEnvelope& around, std::uint32_t destination_qp) {
  Bth bth;
  bth.opcode = static_cast<std::uint8_t>(Opcode::kCnp);
  bth.becn = true;
  bth.destination_qp = destination_qp;
  return roce_frame(around, bth, Buffer(kCnpReservedBytes));
}

Buffer pfc_frame(const Mac& source, const Pfc& pfc) {
  Buffer out;
  out.reserve(kPfcFrameBytes);
  Ethernet{kPfcDestination, source, false, 0, 0, kEtherTypeMacControl}.encode(out);
  put_big(out, kPfcOpcode, 2);
  put_big(out, pfc.enabled, 2);
  for (const std::uint16_t quanta : pfc.quanta) put_big(out, quanta, 2);
  append_fcs(out);
  return out;
}

Buffer pause_frame(const Mac& source, std::uint16_t quanta) {
  Buffer out;
  out.reserve(kPfcFrameBytes);
  Ethernet{kPfcDestination, source, false, 0, 0, kEtherTypeMacControl}.encode(out);
  put_big(out, kPauseOpcode, 2);
  put_big(out, quanta, 2);
  append_fcs(out);
  return out;
}

Pfc decode_pfc(std::span<const std::uint8_t> frame) {
  Reader in(frame);
  const Ethernet ethernet = Ethernet::decode(in);
  if (ethernet.ether_type != kEtherTypeMacControl || ethernet.destination != kPfcDestination) {
    throw TraceError("byte 0: MAC control to 01:80:c2:00:00:01 expected");
  }
  if (const std::uint16_t opcode = in.u16(); opcode != kPfcOpcode) {
    throw TraceError(fmt::format("byte 14: opcode 0x0101 of PFC expected, got 0x{:04x}", opcode));
  }
  if (frame.size() != kPfcFrameBytes) {
    throw TraceError(fmt::format("a PFC frame of {} B, 64 expected", frame.size()));
  }
  Pfc pfc;
  const std::uint16_t enabled = in.u16();
  if (enabled > 0xff) {
    throw TraceError(fmt::format("byte 16: class-enable vector 0x{:04x} above 0xff", enabled));
  }
  pfc.enabled = static_cast<std::uint8_t>(enabled);
  for (std::uint16_t& quanta : pfc.quanta) quanta = in.u16();
  return pfc;
}

RoceFrame decode_roce(std::span<const std::uint8_t> frame, Fcs fcs) {
  Reader in(frame);
  RoceFrame out;
  const std::size_t fcs_bytes = fcs == Fcs::kPresent ? kFcsBytes : 0;
  out.fcs_good = fcs_bytes != 0 && crc32(frame) == kGoodFrameCrc32;
  out.ethernet = Ethernet::decode(in);
  const std::size_t ip_start = in.position();
  std::size_t ip_end = ip_start;
  if (out.ethernet.ether_type == kEtherTypeIpv4) {
    out.v4 = Ipv4::decode(in);
    ip_end += out.v4.total_bytes;
  } else if (out.ethernet.ether_type == kEtherTypeIpv6) {
    out.ipv6 = true;
    out.v6 = Ipv6::decode(in);
    ip_end += kIpv6Bytes + out.v6.payload_bytes;
  } else {
    throw TraceError(fmt::format("byte {}: EtherType of IPv4 or IPv6 expected, got 0x{:04x}",
                                 ip_start - 2, out.ethernet.ether_type));
  }
  out.udp = Udp::decode(in);
  if (out.udp.destination_port != kRoceUdpPort) {
    throw TraceError(fmt::format("byte {}: UDP port {} expected, got {}", in.position() - 6,
                                 kRoceUdpPort, out.udp.destination_port));
  }
  out.bth = Bth::decode(in);
  if (ip_end + fcs_bytes > frame.size() || ip_end < in.position() + kIcrcBytes) {
    throw TraceError(fmt::format("byte {}: IP length says the packet ends at byte {} of {}",
                                 ip_start, ip_end, frame.size()));
  }
  out.after_bth = in.take(ip_end - kIcrcBytes - in.position());
  const auto tail = in.take(kIcrcBytes);
  for (unsigned i = 0; i < 4; ++i) out.icrc |= static_cast<std::uint32_t>(tail[i]) << (8 * i);
  const auto ip = frame.subspan(ip_start, ip_end - ip_start);
  out.icrc_good = out.icrc == icrc(ip.first(ip.size() - kIcrcBytes));
  // With the checksum in place the sum over everything is ones.
  const auto addresses = out.ipv6 ? ip.subspan(8, 32) : ip.subspan(12, 8);
  const auto datagram = ip.subspan(out.ipv6 ? kIpv6Bytes : kIpv4Bytes);
  const std::uint32_t sum = internet_sum(datagram, internet_sum(addresses) + kIpProtocolUdp +
                                                       static_cast<std::uint32_t>(datagram.size()));
  out.udp_checksum_good = out.udp.checksum == 0 ? !out.ipv6 : internet_checksum(sum) == 0;
  return out;
}

}  // namespace sluice::wire
