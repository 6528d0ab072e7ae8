// SPDX-License-Identifier: Apache-2.0
#include "nic/limiter/qp_rate_limiter.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

constexpr std::uint64_t kPsPerByteAtOneBitPerSecond = 8'000'000'000'000;

}  // namespace

QpRateLimiter::QpRateLimiter(const Config& config, std::unique_ptr<RateControl> inner)
    : config_(config),
      depth_{static_cast<std::uint64_t>(__uint128_t{config.burst_bytes} *
                                        kPsPerByteAtOneBitPerSecond / config.rate.value)},
      inner_(std::move(inner)) {}

bool QpRateLimiter::add_flow() {
  flows_.emplace_back().inner_limited = inner_->add_flow();
  return true;
}

bool QpRateLimiter::on_cnp(std::uint32_t flow, Ps now) {
  flows_[flow].inner_limited = inner_->on_cnp(flow, now);
  return true;
}

bool QpRateLimiter::on_rtt(std::uint32_t flow, Ps rtt, Ps now) {
  flows_[flow].inner_limited = inner_->on_rtt(flow, rtt, now);
  return true;
}

RateControl::Pace QpRateLimiter::on_sent(std::uint32_t index, std::uint32_t wire_bytes, Ps start) {
  Flow& flow = flows_[index];
  Pace pace;
  if (flow.inner_limited) pace = inner_->on_sent(index, wire_bytes, start);
  flow.inner_limited = pace.limited;
  const std::uint64_t scaled = wire_bytes * kPsPerByteAtOneBitPerSecond + flow.remainder;
  flow.full = std::max(flow.full, start) + Ps{scaled / config_.rate.value};
  flow.remainder = scaled % config_.rate.value;
  pace.limited = true;
  pace.not_before = std::max(pace.not_before, flow.full - std::min(flow.full, depth_));
  return pace;
}

}  // namespace sluice
