// SPDX-License-Identifier: Apache-2.0
#include "packet/pcapng/seen_packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "packet/serialisation.h"
#include "packet/wire/crc.h"
#include "packet/wire/frames.h"

namespace sluice::pcapng {
namespace {

using wire::Reader;

constexpr std::uint16_t kEtherTypeRoceV1 = 0x8915;
constexpr std::uint16_t kEtherTypeServiceTag = 0x88A8;
constexpr std::uint16_t kFragmentMask = 0x3FFF;  // more fragments, or not the first

/// EtherType behind any number of VLAN tags.
std::uint16_t ether_type_of(Reader& in) {
  in.take(2 * sizeof(wire::Mac));
  std::uint16_t type = in.u16();
  while (type == wire::kEtherTypeVlan || type == kEtherTypeServiceTag) {
    in.take(2);
    type = in.u16();
  }
  return type;
}

/// Where an IP packet ends that starts at `start`; nothing unless it carries a whole UDP datagram.
std::optional<std::size_t> take_ipv4(Reader& in, std::size_t start, SeenPacket& out) {
  const std::uint8_t version = in.u8();
  const std::size_t header = std::size_t{version & 15U} * 4;
  const std::uint8_t tos = in.u8();
  const std::uint16_t length = in.u16();
  in.take(2);
  const std::uint16_t fragment = in.u16();
  out.ttl = in.u8();
  const std::uint8_t protocol = in.u8();
  in.take(2);
  const auto source = in.array<4>();
  const auto destination = in.array<4>();
  if (version >> 4 != 4 || header < kIpv4Bytes || protocol != wire::kIpProtocolUdp) return {};
  if ((fragment & kFragmentMask) != 0) return {};
  in.take(header - kIpv4Bytes);
  out.dscp = tos >> 2;
  out.ecn = tos & 3;
  std::copy(source.begin(), source.end(), out.source.bytes.begin());
  std::copy(destination.begin(), destination.end(), out.destination.bytes.begin());
  return start + length;
}

std::optional<std::size_t> take_ipv6(Reader& in, std::size_t start, SeenPacket& out) {
  const wire::Ipv6 ip = wire::Ipv6::decode(in);
  if (ip.next_header != wire::kIpProtocolUdp) return {};
  out.dscp = ip.dscp;
  out.ecn = ip.ecn;
  out.ttl = ip.hop_limit;
  out.source = {true, ip.source};
  out.destination = {true, ip.destination};
  return start + kIpv6Bytes + ip.payload_bytes;
}

Check icrc_of(std::span<const std::uint8_t> ip, SeenPacket& out) {
  const auto tail = ip.last(kIcrcBytes);
  for (unsigned i = 0; i < kIcrcBytes; ++i) {
    out.icrc_value |= static_cast<std::uint32_t>(tail[i]) << (8 * i);
  }
  const bool options = !out.source.ipv6 && ip[0] != 0x45;
  if (options) return Check::kNotSeen;  // RoCEv2 does not define the ICRC over IP options
  return wire::icrc(ip.first(ip.size() - kIcrcBytes)) == out.icrc_value ? Check::kGood
                                                                        : Check::kBad;
}

/// From the BTH on; `end` is where the IP packet ends, ICRC included.
void take_transport(Reader& in, std::span<const std::uint8_t> bytes, std::size_t start,
                    std::size_t end, SeenPacket& out) {
  out.bth = wire::Bth::decode(in);
  out.kind = SeenKind::kRoce;
  const auto form = wire::form_of(out.bth.opcode);
  const std::size_t headers_end = in.position();
  if (end < headers_end + kIcrcBytes) {
    out.kind = SeenKind::kMalformed;
    return;
  }
  if (form) out.extensions = wire::Extensions::decode(*form, in);
  const std::size_t before = in.position() + kIcrcBytes + out.bth.pad_count;
  if (end < before) {
    out.kind = SeenKind::kMalformed;
    return;
  }
  if (form && form->payload) out.payload_bytes = static_cast<std::uint32_t>(end - before);
  if (end <= bytes.size()) out.icrc = icrc_of(bytes.subspan(start, end - start), out);
}

void take_ip(Reader& in, std::span<const std::uint8_t> bytes, bool ipv6, SeenPacket& out) {
  const std::size_t start = in.position();
  const auto end = ipv6 ? take_ipv6(in, start, out) : take_ipv4(in, start, out);
  if (!end) return;
  if (wire::Udp::decode(in).destination_port != wire::kRoceUdpPort) return;
  const std::size_t udp = in.position() - kUdpBytes;
  out.udp_source_port = static_cast<std::uint16_t>(bytes[udp] << 8 | bytes[udp + 1]);
  out.kind = SeenKind::kMalformed;
  take_transport(in, bytes, start, *end, out);
}

}  // namespace

std::string IpAddress::text() const {
  if (!ipv6) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    out += fmt::format("{}{:x}", i == 0 ? "" : ":", bytes[i] << 8 | bytes[i + 1]);
  }
  return out;
}

SeenPacket look_at(std::span<const std::uint8_t> bytes, std::uint32_t wire_bytes,
                   std::uint32_t fcs_bytes) {
  SeenPacket out;
  if (fcs_bytes == kFcsBytes && bytes.size() == wire_bytes && wire_bytes >= kMinFrameBytes) {
    out.fcs = wire::crc32(bytes) == wire::kGoodFrameCrc32 ? Check::kGood : Check::kBad;
  }
  Reader in(bytes);
  try {
    const std::uint16_t type = ether_type_of(in);
    if (type == wire::kEtherTypeMacControl) {
      constexpr std::uint16_t kPfcOpcode = 0x0101;
      if (in.u16() == kPfcOpcode) out.kind = SeenKind::kPfc;
    } else if (type == kEtherTypeRoceV1) {
      out.kind = SeenKind::kRoceV1;
    } else if (type == wire::kEtherTypeIpv4 || type == wire::kEtherTypeIpv6) {
      take_ip(in, bytes, type == wire::kEtherTypeIpv6, out);
    }
  } catch (const TraceError&) {
    // The capture holds less than the headers need: what was told before stands.
    if (out.kind == SeenKind::kRoce) out.kind = SeenKind::kMalformed;
  }
  return out;
}

}  // namespace sluice::pcapng
