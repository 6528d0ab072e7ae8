// SPDX-License-Identifier: Apache-2.0
// The ingress pipelines of a chip as servers of a fixed packet rate with a small FIFO each: when a
// packet that arrives now is classified, or that it finds no room. Leaves out: the stages inside,
// whose latency is a parameter of the chip; egress pipelines.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/time.h"
#include "switch/pipe/pipe_params.h"

namespace sluice {

class IngressPipes {
 public:
  explicit IngressPipes(const PipeParams& params);

  /// When a packet that reaches `pipe` at `now` is classified: now, or later behind others. kNever:
  /// as many packets as the FIFO holds wait already; the packet is lost.
  Ps enter(std::uint32_t pipe, Ps now) {
    const std::uint64_t arrival = now.value << kFractionBits;
    std::uint64_t& free_at = free_at_[pipe];
    if (free_at <= arrival) [[likely]] {
      free_at = arrival + interval_;
      return now;
    }
    if (free_at - arrival > longest_wait_) return kNever;
    const std::uint64_t start = free_at;
    free_at += interval_;
    // Not before the pipe is free: rounded up.
    return Ps{(start + (1u << kFractionBits) - 1) >> kFractionBits};
  }

  /// Whether ports of these rates can bring more packets than some pipe classifies, with the
  /// smallest frames of 64 B.
  static bool can_be_oversubscribed(const PipeParams& params,
                                    const std::vector<BitsPerSecond>& rates,
                                    const std::vector<std::uint32_t>& pipe_of_port);

 private:
  static constexpr unsigned kFractionBits = 8;  // picoseconds are too coarse for 1.325 GHz

  std::vector<std::uint64_t> free_at_;  ///< 2^-8 ps
  std::uint64_t interval_;
  std::uint64_t longest_wait_;
};

/// Pipe of each port. `first_lane`: of each port, counted from 1; empty: ports in order, each with
/// as many lanes as its rate needs of the chip's `capacity` over all lanes. Throws ConfigError for
/// a lane that the chip does not have.
std::vector<std::uint32_t> pipes_of_ports(const PipeParams& params, BitsPerSecond capacity,
                                          const std::vector<BitsPerSecond>& rates,
                                          const std::vector<std::uint32_t>& first_lane);

}  // namespace sluice
