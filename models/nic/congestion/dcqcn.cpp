// SPDX-License-Identifier: Apache-2.0
#include "nic/congestion/dcqcn.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint32_t kAlphaOne = 1u << Dcqcn::kAlphaBits;
constexpr unsigned kGainBits = 10;  // gains and initial alpha are given in 1/1024
constexpr std::uint64_t kScaleUnit = 1'000'000;

std::uint32_t to_kbps(std::uint64_t bits_per_second) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bits_per_second / 1000, UINT32_MAX));
}

}  // namespace

Dcqcn::Dcqcn(const DcqcnParams& params, BitsPerSecond line_rate) : params_(params) {
  // Ratio line / reference in millionths, so that 800G over 40G is exactly 20.
  std::uint64_t scale = kScaleUnit;
  if (params.reference_rate.value != 0) {
    scale = line_rate.value / 1000 * kScaleUnit / (params.reference_rate.value / 1000);
  }
  const auto scaled = [scale](std::uint64_t value) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(value) * scale / kScaleUnit);
  };
  const std::uint64_t max = params.max_rate.value == 0 ? line_rate.value : params.max_rate.value;
  max_kbps_ = to_kbps(std::min(max, line_rate.value));
  min_kbps_ = std::clamp<std::uint32_t>(to_kbps(scaled(params.min_rate.value)), 1, max_kbps_);
  ai_kbps_ = to_kbps(scaled(params.ai_rate.value));
  hai_kbps_ = to_kbps(scaled(params.hai_rate.value));
  first_cnp_kbps_ = to_kbps(params.first_cnp_rate.value);
  const std::uint64_t bytes = scaled(params.byte_counter.value);
  if (bytes > INT32_MAX) {
    throw ConfigError(
        fmt::format("dcqcn.byte_counter: {} B at this line rate, expected below 2^31", bytes));
  }
  byte_counter_ = static_cast<std::int32_t>(bytes);
}

void Dcqcn::set_rate(DcqcnFlow& flow, std::uint64_t kbps) {
  flow.rate_kbps = static_cast<std::uint32_t>(kbps);
  flow.ps_per_byte = (std::uint64_t{8'000'000'000} << Dcqcn::kPaceFractionBits) / kbps;
}

bool Dcqcn::add_flow() {
  DcqcnFlow flow;
  set_rate(flow, max_kbps_);
  flow.target_kbps = max_kbps_;
  flow.alpha = params_.initial_alpha << (kAlphaBits - kGainBits);
  flow.bytes_left = byte_counter_;
  flows_.push_back(flow);
  return false;
}

/// Alpha's own clock: one decay a period, one rise where a CNP was seen (nvidia). Once alpha is 0
/// and nothing was seen the periods are skipped as one.
void Dcqcn::catch_up_alpha(DcqcnFlow& flow, Ps before) {
  const std::uint32_t gain = params_.alpha_gain;
  while (flow.next_alpha < before) {
    if (flow.alpha == 0 && !flow.cnp_in_alpha_period) {
      const std::uint64_t periods =
          (before.value - 1 - flow.next_alpha.value) / params_.alpha_period.value + 1;
      flow.next_alpha += params_.alpha_period * periods;
      return;
    }
    const std::uint64_t product = std::uint64_t{flow.alpha} * gain;
    flow.alpha -= static_cast<std::uint32_t>((product + (1u << kGainBits) - 1) >> kGainBits);
    if (flow.cnp_in_alpha_period) flow.alpha += gain << (kAlphaBits - kGainBits);
    flow.cnp_in_alpha_period = false;
    flow.next_alpha += params_.alpha_period;
  }
}

void Dcqcn::restart_increase(DcqcnFlow& flow, Ps now) {
  flow.timer_stage = flow.byte_stage = 0;
  flow.next_increase = now + params_.rate_timer;
  flow.bytes_left = byte_counter_;
}

void Dcqcn::cut(DcqcnFlow& flow, Ps now) {
  const bool clamp =
      params_.clamp_target ||
      (flow.increased && (flow.increased_by_bytes || params_.clamp_target_after_timer));
  if (clamp) flow.target_kbps = flow.rate_kbps;
  const std::uint64_t rate = flow.rate_kbps;
  const std::uint64_t by = (rate * flow.alpha) >> (kAlphaBits + params_.cut_shift);
  const std::uint64_t floor = rate * params_.min_decrease_percent / 100;
  set_rate(flow, std::max({rate - by, floor, std::uint64_t{min_kbps_}}));
  flow.increased = false;
  restart_increase(flow, now);
}

void Dcqcn::increase(DcqcnFlow& flow, bool by_bytes) {
  const bool paper = params_.algorithm == DcqcnAlgorithm::kPaper;
  std::uint16_t& stage = by_bytes ? flow.byte_stage : flow.timer_stage;
  const auto count = [&stage] {
    stage = static_cast<std::uint16_t>(stage + (stage != UINT16_MAX));
  };
  // The paper counts the event before it looks at the stages, NVIDIA's after.
  if (paper) count();
  // Without a byte counter NVIDIA's stages follow the timer alone.
  const bool timer_only = !paper && byte_counter_ == 0;
  const std::uint32_t least =
      timer_only ? flow.timer_stage : std::min(flow.timer_stage, flow.byte_stage);
  const std::uint32_t most = std::max(flow.timer_stage, flow.byte_stage);
  std::uint64_t target = flow.target_kbps;
  if (most >= params_.fast_recovery_stages) {
    const bool hyper = least > params_.fast_recovery_stages;
    const std::uint64_t steps = paper ? least - params_.fast_recovery_stages : 1;
    target += hyper ? steps * hai_kbps_ : ai_kbps_;
  }
  if (!paper) count();
  flow.target_kbps = static_cast<std::uint32_t>(std::min<std::uint64_t>(target, max_kbps_));
  // Rounded up, so that the current rate reaches its target.
  set_rate(flow, (std::uint64_t{flow.rate_kbps} + flow.target_kbps + 1) / 2);
  flow.increased = true;
  flow.increased_by_bytes = by_bytes;
}

[[gnu::noinline]] void Dcqcn::execute_due(DcqcnFlow& flow, Ps before) {
  for (Ps at = due(flow); at < before; at = due(flow)) {
    if (flow.cut_pending && flow.next_cut == at) {
      catch_up_alpha(flow, at + Ps{1});
      flow.cut_pending = false;
      flow.next_cut += params_.cut_period;
      cut(flow, at);
    } else {
      flow.next_increase += params_.rate_timer;
      increase(flow, false);
    }
  }
}

/// Byte-counter events that are due.
[[gnu::noinline]] void Dcqcn::count_bytes(DcqcnFlow& flow) {
  while (flow.bytes_left <= 0) {
    flow.bytes_left += byte_counter_;
    increase(flow, true);
  }
}

bool Dcqcn::on_cnp(std::uint32_t index, Ps now) {
  DcqcnFlow& flow = flows_[index];
  advance(flow, now);
  const bool first = !flow.started;
  flow.started = true;
  if (!first) catch_up_alpha(flow, now);
  if (first && first_cnp_kbps_ != 0 && first_cnp_kbps_ < flow.rate_kbps) {
    set_rate(flow, std::max(first_cnp_kbps_, min_kbps_));
    restart_increase(flow, now);
    flow.next_alpha = now + params_.alpha_period;
    flow.next_cut = now + params_.cut_period;
    return limited(flow);
  }
  if (params_.algorithm == DcqcnAlgorithm::kPaper) {
    cut(flow, now);
    const std::uint64_t product = std::uint64_t{flow.alpha} * params_.alpha_gain;
    flow.alpha -= static_cast<std::uint32_t>((product + (1u << kGainBits) - 1) >> kGainBits);
    flow.alpha += params_.alpha_gain << (kAlphaBits - kGainBits);
    flow.next_alpha = now + params_.alpha_period;
    return limited(flow);
  }
  if (first) {
    // The first CNP starts the clocks; alpha's first period does not count it.
    flow.next_alpha = now + params_.alpha_period;
    flow.next_cut = now + params_.cut_period;
  } else {
    flow.cnp_in_alpha_period = true;
    if (flow.next_cut < now) {
      const std::uint64_t periods =
          (now.value - flow.next_cut.value + params_.cut_period.value - 1) /
          params_.cut_period.value;
      flow.next_cut += params_.cut_period * periods;
    }
  }
  flow.cut_pending = true;
  return true;
}

RateControl::Pace Dcqcn::on_sent(std::uint32_t index, std::uint32_t wire_bytes, Ps start) {
  DcqcnFlow& flow = flows_[index];
  advance(flow, start + Ps{1});
  if (flow.rate_kbps < max_kbps_ && byte_counter_ != 0) {
    flow.bytes_left -= static_cast<std::int32_t>(wire_bytes);
    if (flow.bytes_left <= 0) [[unlikely]]
      count_bytes(flow);
  }
  const Ps frame{(wire_bytes * flow.ps_per_byte) >> Dcqcn::kPaceFractionBits};
  // At line rate the port's own clock is the limit, not the nominal rate.
  return {.interval = flow.rate_kbps < max_kbps_ ? frame : Ps{0}, .limited = limited(flow)};
}

const DcqcnFlow& Dcqcn::at(std::uint32_t index, Ps now) {
  DcqcnFlow& flow = flows_[index];
  advance(flow, now);
  if (flow.started) catch_up_alpha(flow, now);
  return flow;
}

}  // namespace sluice
