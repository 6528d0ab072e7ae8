// SPDX-License-Identifier: Apache-2.0
#include "nic/congestion/rttcc.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr unsigned kFactorBits = 16;     // alpha and the factors
constexpr unsigned kShareBits = 20;      // shares of the line rate
constexpr std::uint64_t kMostCuts = 64;  // for one sample
constexpr std::uint64_t kFactorOne = 1u << kFactorBits;
constexpr unsigned kShareToRate = Rttcc::kRateBits - kShareBits;

}  // namespace

Rttcc::Rttcc(const RttccParams& params, BitsPerSecond line_rate)
    : params_(params),
      line_ps_per_byte_(static_cast<std::uint64_t>(
          (__uint128_t{8'000'000'000'000} << kPaceFractionBits) / line_rate.value)) {}

void Rttcc::set_rate(RttccFlow& flow, std::uint64_t rate) {
  const std::uint64_t lowest = std::uint64_t{params_.min_rate_share} << kShareToRate;
  flow.rate = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rate, lowest, kLineRate));
  flow.ps_per_byte = static_cast<std::uint64_t>(
      (static_cast<__uint128_t>(line_ps_per_byte_) << kRateBits) / flow.rate);
}

bool Rttcc::add_flow() {
  set_rate(flows_.emplace_back(), kLineRate);
  return false;
}

bool Rttcc::first_congestion(RttccFlow& flow, Ps now) {
  flow.last_congestion = now;
  if (flow.congested_before) return false;
  flow.congested_before = true;
  const std::uint64_t most = std::uint64_t{params_.first_congestion_factor} << kShareToRate;
  set_rate(flow, std::min<std::uint64_t>(flow.rate, most));
  return true;
}

void Rttcc::decrease(RttccFlow& flow, std::uint64_t factor, unsigned factor_bits) {
  set_rate(flow, (flow.rate * factor) >> factor_bits);
}

void Rttcc::increase(RttccFlow& flow, Ps now) {
  if (!limited(flow)) return;
  const bool hyper = now - flow.last_congestion >= params_.hai_interval;
  const std::uint64_t step = hyper ? params_.hai_step : params_.ai_step;
  const std::uint64_t most =
      (flow.rate * std::uint64_t{params_.max_increase_factor}) >> kFactorBits;
  set_rate(flow, std::min(flow.rate + (step << kShareToRate), most));
}

/// A sample that took many T counts for as many: under congestion samples are rare.
void Rttcc::cut(RttccFlow& flow, Ps rtt) {
  if (rtt >= params_.max_queuing_delay) {
    return decrease(flow, params_.first_congestion_factor, kShareBits);
  }
  // Below max_queuing_delay, at most 1 s: the product needs less than 57 bits.
  const Ps threshold = params_.congestion_delay_threshold;
  const std::uint64_t by = params_.alpha * (rtt - threshold).value / rtt.value;
  const std::uint64_t factor =
      std::max<std::uint64_t>(kFactorOne - by, params_.max_decrease_factor);
  const std::uint64_t cuts = std::min<std::uint64_t>(rtt.value / threshold.value, kMostCuts);
  for (std::uint64_t i = 0; i < cuts; ++i) decrease(flow, factor, kFactorBits);
}

bool Rttcc::on_rtt(std::uint32_t index, Ps rtt, Ps now) {
  RttccFlow& flow = flows_[index];
  if (rtt <= params_.congestion_delay_threshold || params_.signal == RttccSignal::kCnp) {
    increase(flow, now);
  } else if (!first_congestion(flow, now)) {
    cut(flow, rtt);
  }
  return limited(flow);
}

bool Rttcc::on_cnp(std::uint32_t index, Ps now) {
  RttccFlow& flow = flows_[index];
  if (params_.uses_cnps() && !first_congestion(flow, now)) {
    decrease(flow, params_.max_decrease_factor, kFactorBits);
  }
  return limited(flow);
}

RateControl::Pace Rttcc::on_sent(std::uint32_t index, std::uint32_t wire_bytes, Ps) {
  const RttccFlow& flow = flows_[index];
  const Ps frame{(wire_bytes * flow.ps_per_byte) >> kPaceFractionBits};
  return {.interval = limited(flow) ? frame : Ps{0}, .limited = limited(flow)};
}

}  // namespace sluice
