// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/headers.h"

#include "packet/serialisation.h"

namespace sluice::wire {

std::uint32_t internet_sum(std::span<const std::uint8_t> bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += i % 2 == 0 ? static_cast<std::uint32_t>(bytes[i]) << 8 : bytes[i];
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

std::uint16_t internet_checksum(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

void Ethernet::encode(Buffer& out) const {
  put_bytes(out, destination);
  put_bytes(out, source);
  if (vlan) {
    put_big(out, kEtherTypeVlan, 2);
    put_big(out, static_cast<std::uint32_t>(pcp << 13) | vlan_id, 2);
  }
  put_big(out, ether_type, 2);
}

Ethernet Ethernet::decode(Reader& in) {
  Ethernet header;
  header.destination = in.array<6>();
  header.source = in.array<6>();
  header.ether_type = in.u16();
  if (header.ether_type == kEtherTypeVlan) {
    const std::uint16_t tag = in.u16();
    header.vlan = true;
    header.pcp = static_cast<std::uint8_t>(tag >> 13);
    header.vlan_id = tag & 0x0fff;
    header.ether_type = in.u16();
  }
  return header;
}

void Ipv4::encode(Buffer& out) const {
  const std::size_t start = out.size();
  put_big(out, 0x45, 1);
  put_big(out, static_cast<std::uint32_t>(dscp << 2 | ecn), 1);
  put_big(out, total_bytes, 2);
  put_big(out, identification, 2);
  put_big(out, dont_fragment ? 0x4000 : 0, 2);
  put_big(out, ttl, 1);
  put_big(out, protocol, 1);
  put_big(out, 0, 2);
  put_big(out, source, 4);
  put_big(out, destination, 4);
  const std::uint16_t checksum = internet_checksum(internet_sum(std::span(out).subspan(start)));
  out[start + 10] = static_cast<std::uint8_t>(checksum >> 8);
  out[start + 11] = static_cast<std::uint8_t>(checksum);
}

Ipv4 Ipv4::decode(Reader& in) {
  const std::size_t start = in.position();
  const auto bytes = in.take(kIpv4Bytes);
  if (bytes[0] != 0x45) {
    throw TraceError(
        fmt::format("byte {}: IPv4 without options expected, got version and length "
                    "0x{:02x}",
                    start, bytes[0]));
  }
  if (internet_checksum(internet_sum(bytes)) != 0) {
    throw TraceError(fmt::format("byte {}: the IPv4 header checksum is wrong", start + 10));
  }
  Reader fields(bytes.subspan(1));
  Ipv4 header;
  const std::uint8_t tos = fields.u8();
  header.dscp = tos >> 2;
  header.ecn = tos & 3;
  header.total_bytes = fields.u16();
  header.identification = fields.u16();
  header.dont_fragment = (fields.u16() & 0x4000) != 0;
  header.ttl = fields.u8();
  header.protocol = fields.u8();
  fields.take(2);
  header.source = fields.u32();
  header.destination = fields.u32();
  return header;
}

void Ipv6::encode(Buffer& out) const {
  const auto traffic_class = static_cast<std::uint32_t>(dscp << 2 | ecn);
  put_big(out, 6U << 28 | traffic_class << 20 | flow_label, 4);
  put_big(out, payload_bytes, 2);
  put_big(out, next_header, 1);
  put_big(out, hop_limit, 1);
  put_bytes(out, source);
  put_bytes(out, destination);
}

Ipv6 Ipv6::decode(Reader& in) {
  const std::size_t start = in.position();
  const std::uint32_t word = in.u32();
  if (word >> 28 != 6) {
    throw TraceError(fmt::format("byte {}: IPv6 expected, got version {}", start, word >> 28));
  }
  Ipv6 header;
  header.dscp = static_cast<std::uint8_t>((word >> 22) & 0x3f);
  header.ecn = static_cast<std::uint8_t>((word >> 20) & 3);
  header.flow_label = word & 0xfffff;
  header.payload_bytes = in.u16();
  header.next_header = in.u8();
  header.hop_limit = in.u8();
  header.source = in.array<16>();
  header.destination = in.array<16>();
  return header;
}

void Udp::encode(Buffer& out) const {
  put_big(out, source_port, 2);
  put_big(out, destination_port, 2);
  put_big(out, bytes, 2);
  put_big(out, checksum, 2);
}

Udp Udp::decode(Reader& in) {
  Udp header;
  header.source_port = in.u16();
  header.destination_port = in.u16();
  header.bytes = in.u16();
  header.checksum = in.u16();
  return header;
}

void Bth::encode(Buffer& out) const {
  put_big(out, opcode, 1);
  put_big(out, (solicited ? 0x80U : 0U) | (mig_req ? 0x40U : 0U) | (pad_count & 3U) << 4, 1);
  put_big(out, partition_key, 2);
  put_big(out, (fecn ? 0x80U : 0U) | (becn ? 0x40U : 0U), 1);
  put_big(out, destination_qp, 3);
  put_big(out, ack_request ? 0x80U : 0U, 1);
  put_big(out, psn, 3);
}

Bth Bth::decode(Reader& in) {
  Bth header;
  header.opcode = in.u8();
  const std::uint8_t flags = in.u8();
  header.solicited = (flags & 0x80) != 0;
  header.mig_req = (flags & 0x40) != 0;
  header.pad_count = (flags >> 4) & 3;
  header.partition_key = in.u16();
  const std::uint8_t congestion = in.u8();
  header.fecn = (congestion & 0x80) != 0;
  header.becn = (congestion & 0x40) != 0;
  header.destination_qp = in.u24();
  header.ack_request = (in.u8() & 0x80) != 0;
  header.psn = in.u24();
  return header;
}

void Reth::encode(Buffer& out) const {
  put_big(out, virtual_address, 8);
  put_big(out, remote_key, 4);
  put_big(out, dma_bytes, 4);
}

Reth Reth::decode(Reader& in) {
  Reth header;
  header.virtual_address = in.u64();
  header.remote_key = in.u32();
  header.dma_bytes = in.u32();
  return header;
}

void Aeth::encode(Buffer& out) const {
  put_big(out, syndrome, 1);
  put_big(out, msn, 3);
}

Aeth Aeth::decode(Reader& in) {
  Aeth header;
  header.syndrome = in.u8();
  header.msn = in.u24();
  return header;
}

void Deth::encode(Buffer& out) const {
  put_big(out, queue_key, 4);
  put_big(out, source_qp, 4);  // the upper 8 bits are reserved
}

Deth Deth::decode(Reader& in) {
  Deth header;
  header.queue_key = in.u32();
  header.source_qp = in.u32() & 0xffffff;
  return header;
}

void AtomicEth::encode(Buffer& out) const {
  put_big(out, virtual_address, 8);
  put_big(out, remote_key, 4);
  put_big(out, swap_or_add, 8);
  put_big(out, compare, 8);
}

AtomicEth AtomicEth::decode(Reader& in) {
  AtomicEth header;
  header.virtual_address = in.u64();
  header.remote_key = in.u32();
  header.swap_or_add = in.u64();
  header.compare = in.u64();
  return header;
}

}  // namespace sluice::wire
