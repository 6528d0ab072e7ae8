// SPDX-License-Identifier: Apache-2.0
#include "switch/pipe/ingress_pipes.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {

IngressPipes::IngressPipes(const PipeParams& params) : free_at_(params.count) {
  params.validate();
  constexpr double kPsPerSecond = 1e12;
  interval_ = static_cast<std::uint64_t>(kPsPerSecond * (1u << kFractionBits) /
                                         static_cast<double>(params.packets_per_second));
  // One packet is being classified; the others wait.
  longest_wait_ = interval_ * params.fifo_packets;
}

bool IngressPipes::can_be_oversubscribed(const PipeParams& params,
                                         const std::vector<BitsPerSecond>& rates,
                                         const std::vector<std::uint32_t>& pipe_of_port) {
  constexpr std::uint64_t kSmallestWireBits = 8 * (64 + 20);
  std::vector<std::uint64_t> packets(params.count);
  for (std::size_t port = 0; port < rates.size(); ++port) {
    packets[pipe_of_port[port]] += rates[port].value / kSmallestWireBits + 1;
  }
  return std::any_of(packets.begin(), packets.end(),
                     [&params](std::uint64_t rate) { return rate > params.packets_per_second; });
}

std::vector<std::uint32_t> pipes_of_ports(const PipeParams& params, BitsPerSecond capacity,
                                          const std::vector<BitsPerSecond>& rates,
                                          const std::vector<std::uint32_t>& first_lane) {
  const std::uint32_t lanes = params.count * params.lanes_per_pipe;
  const std::uint64_t lane_rate = std::max<std::uint64_t>(1, capacity.value / lanes);
  std::vector<std::uint32_t> pipes;
  std::uint64_t next_lane = 1;
  for (std::size_t port = 0; port < rates.size(); ++port) {
    const std::uint64_t lane = first_lane.empty() ? next_lane : first_lane[port];
    next_lane += (rates[port].value + lane_rate - 1) / lane_rate;
    // Slow service ports sit behind the last lane (SONiC numbers them 513 on): on the last pipe.
    const std::uint64_t pipe =
        std::min<std::uint64_t>((lane - 1) / params.lanes_per_pipe, params.count - 1);
    if (lane == 0) throw ConfigError(fmt::format("port {}: lane 0, expected 1 or more", port));
    pipes.push_back(static_cast<std::uint32_t>(pipe));
  }
  return pipes;
}

}  // namespace sluice
