// SPDX-License-Identifier: Apache-2.0
#include "switch/pipe/ingress_arbiter.h"

#include "kernel/error.h"

namespace sluice {

void IngressArbiterParams::validate() const {
  if (ports == 0 || ports > 64 || fifo_packets == 0) {
    throw ConfigError(fmt::format(
        "ingress arbiter: {} ports with FIFOs of {} packets, expected 1 to 64 and at least 1",
        ports, fifo_packets));
  }
}

IngressArbiter::IngressArbiter(const IngressArbiterParams& params) : params_(params) {
  params.validate();
  fifos_.resize(params.ports);
}

IngressArbiter::Outputs IngressArbiter::outputs() const {
  Outputs out{0, valid_, out_.port, out_.desc};
  for (std::uint32_t port = 0; port < params_.ports; ++port) {
    if (fifos_[port].size() < params_.fifo_packets) out.ready |= std::uint64_t{1} << port;
  }
  return out;
}

std::uint32_t IngressArbiter::next_port() const {
  std::uint32_t next = params_.ports;
  for (std::uint32_t i = 0; i < params_.ports; ++i) {
    if (params_.policy == ArbiterPolicy::kRoundRobin) {
      const std::uint32_t port = (first_ + i) % params_.ports;
      if (!fifos_[port].empty()) return port;
    } else if (!fifos_[i].empty() &&
               (next == params_.ports || fifos_[i].front().since < fifos_[next].front().since)) {
      next = i;
    }
  }
  return next;
}

void IngressArbiter::grant() {
  const std::uint32_t port = next_port();
  valid_ = port < params_.ports;
  if (!valid_) return;
  out_ = {port, fifos_[port].front().desc};
  fifos_[port].pop_front();
  first_ = (port + 1) % params_.ports;
}

void IngressArbiter::clock(const Inputs& in) {
  const std::uint64_t accepted = in.valid & outputs().ready;
  if (!valid_ || in.out_ready) grant();
  for (std::uint32_t port = 0; port < params_.ports; ++port) {
    if (accepted >> port & 1u) fifos_[port].push_back({in.desc.at(port), clock_});
  }
  ++clock_;
}

}  // namespace sluice
