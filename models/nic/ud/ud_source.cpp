// SPDX-License-Identifier: Apache-2.0
#include "nic/ud/ud_source.h"

#include <algorithm>
#include <string_view>

#include "kernel/error.h"
#include "nic/flow.h"
#include "nic/psn.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

constexpr std::string_view kChoice = "choice of the experiment";
constexpr ParameterRange kTime{0, 1.8e19};

void check(bool good, std::string_view key, std::uint64_t value, std::string_view expected) {
  if (!good) throw ConfigError(fmt::format("{}: {}, expected {}", key, value, expected));
}

}  // namespace

void UdStream::describe(ParameterVisitor& visitor) {
  visitor.visit("destination", destination, {0, 16777215}, {"receiving endpoint", kChoice});
  visitor.visit("payload_bytes", payload_bytes, {0, 4096}, {"payload of a datagram", kChoice, "B"});
  visitor.visit("rate", rate, {0, 1.6e12}, {"preamble to gap; 0: the line rate", kChoice});
  visitor.visit("dscp", dscp, {0, 63}, {"DSCP", "SONiC QoS maps: 26 is RoCE"});
  visitor.visit("priority", priority, {0, 7}, {"PFC priority that stops it; PCP", kChoice});
  visitor.visit("ecn", ecn, {0, 2}, {"ECN bits", "RFC 3168"});
  visitor.visit("ttl", ttl, {1, 255}, {"IPv4 TTL or IPv6 hop limit", kChoice});
  visitor.visit("frames", frames, {0, 9e18},
                {"datagrams to send; 0: until stop", kChoice, "frames"});
  visitor.visit("start", start, kTime, {"first datagram due", kChoice});
  visitor.visit("stop", stop, kTime, {"no datagram is due from here on", kChoice});
}

void UdStream::validate() const {
  check(payload_bytes <= 4096, "payload_bytes", payload_bytes, "0..4096");
  check(rate.value == 0 || rate.value >= 1'000'000'000, "rate", rate.value, "0 or at least 1 Gb/s");
  check(dscp < 64, "dscp", dscp, "0..63");
  check(priority < 8, "priority", priority, "0..7");
  check(ecn < 3, "ecn", ecn, "0..2");
  check(ttl >= 1 && ttl < 256, "ttl", ttl, "1..255");
  check(start < stop, "start", start.value, "ps below stop");
}

UdSource::UdSource(const UdConfig& config, const std::vector<UdStream>& streams) : config_(config) {
  for (const UdStream& wanted : streams) {
    wanted.validate();
    Stream& stream = streams_.emplace_back();
    stream.config = wanted;
    stream.clock = ByteClock(wanted.rate.value == 0 ? config.port_rate : wanted.rate, 0);
    stream.due = wanted.start;
    stream.flow_hash = flow_hash_of(config.endpoint, wanted.destination, config.encapsulation.ipv6);
    stream.frame_bytes =
        static_cast<std::uint16_t>(ud_send_frame_bytes(wanted.payload_bytes, config.encapsulation));
  }
}

void UdSource::send(Stream& stream, Packet& packet, Ps now) {
  const UdStream& config = stream.config;
  packet = Packet{};
  packet.kind = PacketKind::kUdSend;
  packet.source = config_.endpoint;
  packet.destination = config.destination;
  packet.flow = static_cast<std::uint32_t>(&stream - streams_.data());
  packet.flow_hash = stream.flow_hash;
  packet.psn = static_cast<std::uint32_t>(stream.sent) & kPsnMask;
  packet.payload_bytes = static_cast<std::uint16_t>(config.payload_bytes);
  packet.frame_bytes = stream.frame_bytes;
  packet.ecn = static_cast<Ecn>(config.ecn);
  packet.dscp = static_cast<std::uint8_t>(config.dscp);
  packet.pcp = static_cast<std::uint8_t>(config.priority);
  packet.ttl = static_cast<std::uint8_t>(config.ttl);
  packet.flags = config_.encapsulation.vlan ? packet_flag::kTagged : std::uint8_t{0};
  packet.hops = 1;
  ++stream.sent;
  // A shaper: time lost to a pause is made up by at most one frame.
  const Ps interval = stream.clock.take(wire_bytes(stream.frame_bytes, config_.gap_bytes));
  stream.due = std::max(stream.due, now - std::min(now, interval)) + interval;
  const bool done = config.frames != 0 && stream.sent == config.frames;
  if (done || stream.due >= config.stop) stream.due = kNever;
}

}  // namespace sluice
