// SPDX-License-Identifier: Apache-2.0
// The ports of one ingress pipeline, clock by clock: a small FIFO a port, and one packet a clock,
// by round robin among those that hold one or oldest first. In a fabric IngressPipes stands for it.
// Leaves out: what happens to a packet that finds its port not ready.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace sluice {

/// Whose packet is next.
enum class ArbiterPolicy : std::uint8_t {
  kRoundRobin,   ///< of the first port that holds one, from the one after the last granted on
  kOldestFirst,  ///< that came first; of those of one clock, that of the lowest port
};

struct IngressArbiterParams {
  std::uint32_t ports = 8;
  std::uint32_t fifo_packets = 4;  ///< of each port
  ArbiterPolicy policy = ArbiterPolicy::kRoundRobin;

  void validate() const;
};

class IngressArbiter {
 public:
  struct Inputs {
    std::uint64_t valid = 0;          ///< ports that bring a packet, a bit each
    std::vector<std::uint32_t> desc;  ///< one a port
    bool out_ready = true;            ///< the pipeline takes a packet in this clock
  };
  struct Outputs {
    std::uint64_t ready = 0;  ///< ports whose FIFO has room
    bool valid = false;       ///< a packet for the pipeline, that stays until it is taken
    std::uint32_t port = 0;
    std::uint32_t desc = 0;
  };

  /// Throws ConfigError.
  explicit IngressArbiter(const IngressArbiterParams& params);

  /// In the clock that comes; they depend on no input of it.
  Outputs outputs() const;
  /// One clock: ports that bring a packet and are ready get it into their FIFO; when the pipeline
  /// has nothing to take or takes it, a port that holds a packet gives it (ArbiterPolicy). A packet
  /// can be granted from the clock after it came in.
  void clock(const Inputs& in);

 private:
  struct Packet {
    std::uint32_t port = 0;
    std::uint32_t desc = 0;
  };
  struct Waiting {
    std::uint32_t desc = 0;
    std::uint64_t since = 0;  ///< clock in which it came
  };
  /// A port that holds a packet, or the number of ports.
  std::uint32_t next_port() const;
  void grant();

  IngressArbiterParams params_;
  std::vector<std::deque<Waiting>> fifos_;
  std::uint64_t clock_ = 0;
  std::uint32_t first_ = 0;  ///< port that is looked at first
  bool valid_ = false;
  Packet out_;
};

}  // namespace sluice
