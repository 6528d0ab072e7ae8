// SPDX-License-Identifier: Apache-2.0
#include "link/link.h"

#include "kernel/error.h"

namespace sluice {

void LinkParams::describe(ParameterVisitor& visitor) {
  visitor.visit("rate", rate, {1e9, 1.6e12},
                {"MAC rate of the link", "hardware: 200, 400, 800 Gb/s ports of 51.2T switches"});
  visitor.visit("length", length, {0, 1e8}, {"cable length", "deployment"});
  visitor.visit("propagation_per_metre", propagation_per_metre, {3300, 10000},
                {"time of flight a metre", "fibre n = 1.468 to 1.5; 5 ns/m"});
  visitor.visit("extra_latency", extra_latency, {0, 1e9},
                {"latency of modules and retimers, one way", "estimate: 0 for linear optics"});
  visitor.visit("loss", loss, {0, 1},
                {"probability that a frame is damaged, each for itself",
                 "choice of the experiment; IEEE 802.3: below 6.2e-10 for 64 B frames"});
}

void LinkParams::validate() const {
  const std::uint64_t gigabit = 1'000'000'000;
  if (rate.value < gigabit || rate.value > 1600 * gigabit || rate.value % gigabit != 0) {
    throw ConfigError(
        fmt::format("rate: {} bit/s, expected a whole number of Gb/s from 1 to 1600", rate.value));
  }
  if (length.value > 100'000'000) {
    throw ConfigError(fmt::format("length: {} mm, expected at most 100 km", length.value));
  }
  if (propagation_per_metre < Ps{3300} || propagation_per_metre > Ps{10'000}) {
    throw ConfigError(fmt::format("propagation_per_metre: {} ps, expected 3.3 to 10 ns",
                                  propagation_per_metre.value));
  }
  if (extra_latency > Ps{1'000'000'000}) {
    throw ConfigError(
        fmt::format("extra_latency: {} ps, expected at most 1 ms", extra_latency.value));
  }
  if (!(loss >= 0 && loss <= 1)) {
    throw ConfigError(fmt::format("loss: {}, expected a probability", loss));
  }
}

Ps LinkParams::propagation() const {
  return Ps{(length.value * propagation_per_metre.value + 500) / 1000};
}

Link::Link(const sc_core::sc_module_name& name, const LinkParams& params)
    : sc_core::sc_module(name), out("out"), in("in"), params_(params) {
  params.validate();
  in.bind(*this);
}

ReceivePath Link::receive_path() const {
  ReceivePath path = out->receive_path();
  const Ps delay = params_.propagation() + params_.extra_latency;
  path.head_delay += delay;
  path.pfc_delay += delay;
  return path;
}

}  // namespace sluice
