// SPDX-License-Identifier: Apache-2.0
#include "study/check/estimate.h"

#include <algorithm>
#include <cmath>

#include "packet/serialisation.h"
#include "study/check/wiring.h"

namespace sluice {
namespace {

/// Mean links between two hosts, over all pairs of few and a fixed part of many.
double mean_hops(const Wiring& wiring, std::uint32_t endpoints) {
  constexpr std::uint32_t kHosts = 64;
  const std::uint32_t step = std::max(1u, endpoints / kHosts);
  std::uint64_t hops = 0;
  std::uint64_t pairs = 0;
  for (std::uint32_t a = 0; a < endpoints; a += step) {
    // A step that is no multiple of a leaf's hosts, so that all distances are met.
    for (std::uint32_t i = 1; i < std::min(endpoints, kHosts + 1); ++i) {
      const std::uint32_t b =
          static_cast<std::uint32_t>((a + std::uint64_t{i} * (endpoints - 1) / kHosts) % endpoints);
      if (a == b) continue;
      hops += wiring.hops(a, b);
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(pairs);
}

std::uint64_t packets_of(std::uint64_t bytes, std::uint64_t messages, std::uint32_t mtu) {
  return std::max((bytes + mtu - 1) / mtu, messages);
}

std::uint64_t synthetic_packets(const FabricSpec& spec, std::uint32_t hosts) {
  const SyntheticParams& w = spec.workload;
  const std::uint64_t n = w.ranks == 0 ? hosts : w.ranks;
  const std::uint32_t mtu = spec.nic.mtu_bytes;
  std::uint64_t packets = 0;
  switch (w.type) {
    case SyntheticType::kPermutation:
      packets = hosts * packets_of(w.bytes.value, 1, mtu);
      break;
    case SyntheticType::kIncast:
      packets = w.count * packets_of(w.bytes.value, 1, mtu);
      break;
    case SyntheticType::kAllReduce:
      packets = packets_of(2 * (n - 1) * w.bytes.value, 2 * n * (n - 1), mtu);
      break;
    case SyntheticType::kAllToAll:
      packets = packets_of((n - 1) * w.bytes.value, n * (n - 1), mtu);
      break;
    default:
      break;
  }
  return packets * w.repeat;
}

/// Frames of the testers' streams; nothing when one has no end.
std::optional<std::uint64_t> raw_packets(const FabricSpec& spec) {
  std::uint64_t frames = 0;
  for (const RawStream& stream : spec.raw.streams) {
    if (stream.frames != 0) {
      frames += stream.frames;
      continue;
    }
    if (stream.stop == kNever) return std::nullopt;
    const BitsPerSecond rate = stream.rate.value != 0 ? stream.rate : spec.raw.endpoint.port_rate;
    const Ps each = bit_times(std::uint64_t{8} * wire_bytes(stream.frame_bytes), rate);
    if (stream.stop > stream.start) frames += (stream.stop - stream.start).value / each.value;
  }
  return frames;
}

}  // namespace

double EstimateParams::ns_per_hop(std::uint32_t endpoints) const {
  if (endpoints <= small_endpoints) return small_ns_per_hop;
  if (endpoints >= large_endpoints) return large_ns_per_hop;
  const double part = std::log2(static_cast<double>(endpoints) / small_endpoints) /
                      std::log2(static_cast<double>(large_endpoints) / small_endpoints);
  return small_ns_per_hop + part * (large_ns_per_hop - small_ns_per_hop);
}

RunEstimate estimate_run(const FabricSpec& spec, const EstimateParams& params) {
  const Topology topology = make_topology(spec.topology);
  const Wiring wiring(topology);
  std::uint64_t ports = 0;
  for (const std::uint32_t chip_ports : topology.chip_ports) ports += chip_ports;
  RunEstimate estimate;
  estimate.hops_per_packet = mean_hops(wiring, topology.endpoints);
  estimate.ns_per_hop = params.ns_per_hop(topology.endpoints);
  estimate.memory_bytes = static_cast<std::uint64_t>(
      params.base_bytes + params.bytes_per_port * static_cast<double>(ports));
  estimate.disk_bytes = static_cast<std::uint64_t>(
      params.disk_base_bytes + params.disk_bytes_per_port * static_cast<double>(ports));
  const std::optional<std::uint64_t> packets =
      spec.is_raw() ? raw_packets(spec) : synthetic_packets(spec, topology.endpoints);
  if (!packets || *packets == 0) return estimate;
  estimate.known = true;
  estimate.packets = *packets;
  const double hops = static_cast<double>(estimate.packets) * estimate.hops_per_packet;
  estimate.packet_hops = static_cast<std::uint64_t>(hops);
  estimate.cpu_s = hops * estimate.ns_per_hop * 1e-9;
  return estimate;
}

}  // namespace sluice
