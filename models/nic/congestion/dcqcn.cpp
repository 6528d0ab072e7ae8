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

DcqcnFixed dcqcn_fixed(const DcqcnParams& params, BitsPerSecond line_rate) {
  // Ratio line / reference in millionths, so that 800G over 40G is exactly 20.
  std::uint64_t scale = kScaleUnit;
  if (params.reference_rate.value != 0) {
    scale = line_rate.value / 1000 * kScaleUnit / (params.reference_rate.value / 1000);
  }
  const auto scaled = [scale](std::uint64_t value) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(value) * scale / kScaleUnit);
  };
  DcqcnFixed fixed;
  const std::uint64_t max = params.max_rate.value == 0 ? line_rate.value : params.max_rate.value;
  fixed.max_kbps = to_kbps(std::min(max, line_rate.value));
  fixed.min_kbps =
      std::clamp<std::uint32_t>(to_kbps(scaled(params.min_rate.value)), 1, fixed.max_kbps);
  fixed.ai_kbps = to_kbps(scaled(params.ai_rate.value));
  fixed.hai_kbps = to_kbps(scaled(params.hai_rate.value));
  fixed.first_cnp_kbps = to_kbps(params.first_cnp_rate.value);
  const std::uint64_t bytes = scaled(params.byte_counter.value);
  if (bytes > INT32_MAX) {
    throw ConfigError(
        fmt::format("dcqcn.byte_counter: {} B at this line rate, expected below 2^31", bytes));
  }
  fixed.byte_counter = static_cast<std::int32_t>(bytes);
  return fixed;
}

Dcqcn::Dcqcn(const DcqcnParams& params, BitsPerSecond line_rate)
    : params_(params), fixed_(dcqcn_fixed(params, line_rate)) {}

void Dcqcn::set_rate(DcqcnFlow& flow, std::uint64_t kbps) {
  ++work_.rate_changes;
  flow.rate_kbps = static_cast<std::uint32_t>(kbps);
  flow.ps_per_byte = (std::uint64_t{8'000'000'000} << Dcqcn::kPaceFractionBits) / kbps;
}

bool Dcqcn::add_flow() {
  DcqcnFlow flow;
  set_rate(flow, fixed_.max_kbps);
  flow.target_kbps = fixed_.max_kbps;
  flow.alpha = params_.initial_alpha << (kAlphaBits - kGainBits);
  flow.bytes_left = fixed_.byte_counter;
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
      ++work_.steps;
      ++work_.skips;
      flow.next_alpha += params_.alpha_period * periods;
      return;
    }
    ++work_.steps;
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
  flow.bytes_left = fixed_.byte_counter;
}

void Dcqcn::cut(DcqcnFlow& flow, Ps now) {
  const bool clamp =
      params_.clamp_target ||
      (flow.increased && (flow.increased_by_bytes || params_.clamp_target_after_timer));
  if (clamp) flow.target_kbps = flow.rate_kbps;
  const std::uint64_t rate = flow.rate_kbps;
  const std::uint64_t by = (rate * flow.alpha) >> (kAlphaBits + params_.cut_shift);
  const std::uint64_t floor = rate * params_.min_decrease_percent / 100;
  set_rate(flow, std::max({rate - by, floor, std::uint64_t{fixed_.min_kbps}}));
  flow.increased = false;
  restart_increase(flow, now);
}

void Dcqcn::increase(DcqcnFlow& flow, bool by_bytes) {
  ++work_.steps;
  const bool paper = params_.algorithm == DcqcnAlgorithm::kPaper;
  std::uint16_t& stage = by_bytes ? flow.byte_stage : flow.timer_stage;
  const auto count = [&stage] {
    stage = static_cast<std::uint16_t>(stage + (stage != UINT16_MAX));
  };
  // The paper counts the event before it looks at the stages, NVIDIA's after.
  if (paper) count();
  // Without a byte counter NVIDIA's stages follow the timer alone.
  const bool timer_only = !paper && fixed_.byte_counter == 0;
  const std::uint32_t least =
      timer_only ? flow.timer_stage : std::min(flow.timer_stage, flow.byte_stage);
  const std::uint32_t most = std::max(flow.timer_stage, flow.byte_stage);
  std::uint64_t target = flow.target_kbps;
  if (most >= params_.fast_recovery_stages) {
    const bool hyper = least > params_.fast_recovery_stages;
    const std::uint64_t steps = paper ? least - params_.fast_recovery_stages : 1;
    target += hyper ? steps * fixed_.hai_kbps : fixed_.ai_kbps;
  }
  if (!paper) count();
  flow.target_kbps = static_cast<std::uint32_t>(std::min<std::uint64_t>(target, fixed_.max_kbps));
  // Rounded up, so that the current rate reaches its target.
  set_rate(flow, (std::uint64_t{flow.rate_kbps} + flow.target_kbps + 1) / 2);
  flow.increased = true;
  flow.increased_by_bytes = by_bytes;
}

[[gnu::noinline]] void Dcqcn::execute_due(DcqcnFlow& flow, Ps before) {
  for (Ps at = due(flow); at < before; at = due(flow)) {
    if (flow.cut_pending && flow.next_cut == at) {
      catch_up_alpha(flow, at + Ps{1});
      ++work_.steps;
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
    flow.bytes_left += fixed_.byte_counter;
    increase(flow, true);
  }
}

bool Dcqcn::on_cnp(std::uint32_t index, Ps now) {
  DcqcnFlow& flow = flows_[index];
  advance(flow, now);
  const bool first = !flow.started;
  flow.started = true;
  if (!first) catch_up_alpha(flow, now);
  if (first && fixed_.first_cnp_kbps != 0 && fixed_.first_cnp_kbps < flow.rate_kbps) {
    set_rate(flow, std::max(fixed_.first_cnp_kbps, fixed_.min_kbps));
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
      ++work_.skips;
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
  if (flow.rate_kbps < fixed_.max_kbps && fixed_.byte_counter != 0) {
    flow.bytes_left -= static_cast<std::int32_t>(wire_bytes);
    if (flow.bytes_left <= 0) [[unlikely]]
      count_bytes(flow);
  }
  // Of up to 73 bits at the lowest rates.
  const auto scaled = static_cast<__uint128_t>(flow.ps_per_byte) * wire_bytes;
  const Ps frame{static_cast<std::uint64_t>(scaled >> Dcqcn::kPaceFractionBits)};
  // At line rate the port's own clock is the limit, not the nominal rate.
  return {.interval = flow.rate_kbps < fixed_.max_kbps ? frame : Ps{0}, .limited = limited(flow)};
}

const DcqcnFlow& Dcqcn::at(std::uint32_t index, Ps now) {
  DcqcnFlow& flow = flows_[index];
  advance(flow, now);
  if (flow.started) catch_up_alpha(flow, now);
  return flow;
}

}  // namespace sluice
