// SPDX-License-Identifier: Apache-2.0
#include "nic/congestion/dcqcn_params.h"

#include <array>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kAlgorithms{"paper", "nvidia"};
constexpr std::string_view kPaper = "Zhu et al., SIGCOMM 2015, section 5";
constexpr std::string_view kNvidia = "NVIDIA DCQCN parameter page and mlxconfig";

constexpr ParameterRange kPeriod{1e3, 1e12};
constexpr ParameterRange kRate{0, 3.2e12};

void describe_increase(DcqcnParams& params, ParameterVisitor& visitor) {
  visitor.visit("rate_timer", params.rate_timer, kPeriod,
                {"time between increases by the timer (RPG_TIME_RESET)", kPaper});
  visitor.visit("byte_counter", params.byte_counter, {0, 1e8},
                {"bytes between increases by the byte counter (RPG_BYTE_RESET); 0: none", kPaper});
  visitor.visit("fast_recovery_stages", params.fast_recovery_stages, {1, 1000},
                {"stages of fast recovery, F (RPG_THRESHOLD)", kPaper});
  visitor.visit("ai_rate", params.ai_rate, kRate, {"additive step (RPG_AI_RATE)", kPaper});
  visitor.visit("hai_rate", params.hai_rate, kRate, {"hyper step (RPG_HAI_RATE)", kPaper});
  visitor.visit("reference_rate", params.reference_rate, kRate,
                {"line rate that the steps, min_rate and byte_counter are given at; 0: no scaling",
                 "estimate: scaled with the line rate"});
  visitor.visit("min_rate", params.min_rate, kRate, {"lowest rate (RPG_MIN_RATE)", kPaper});
  visitor.visit("max_rate", params.max_rate, kRate,
                {"highest rate (RPG_MAX_RATE); 0: the line rate", kNvidia});
}

void describe_decrease(DcqcnParams& params, ParameterVisitor& visitor) {
  visitor.visit("alpha_gain", params.alpha_gain, {1, 1023},
                {"g in 1/1024 (1024 - DCE_TCP_G)", kPaper, "1/1024"});
  visitor.visit("initial_alpha", params.initial_alpha, {0, 1024},
                {"alpha before the first CNP (INITIAL_ALPHA_VALUE)", kPaper, "1/1024"});
  visitor.visit("alpha_period", params.alpha_period, kPeriod,
                {"time between updates of alpha (DCE_TCP_RTT)", kPaper});
  visitor.visit("cut_shift", params.cut_shift, {0, 10},
                {"a cut takes alpha / 2^shift of the rate (RPG_GD - 10)", kNvidia});
  visitor.visit("min_decrease_percent", params.min_decrease_percent, {0, 100},
                {"a cut leaves at least this part of the rate (RPG_MIN_DEC_FAC)", kNvidia, "%"});
  visitor.visit("cut_period", params.cut_period, kPeriod,
                {"nvidia: clock of the cuts (RATE_REDUCE_MONITOR_PERIOD)", kNvidia});
  visitor.visit("clamp_target", params.clamp_target,
                {"every cut sets the target to the current rate (CLAMP_TGT_RATE)", kNvidia});
  visitor.visit("clamp_target_after_timer", params.clamp_target_after_timer,
                {"so does the first cut after an increase by the timer "
                 "(CLAMP_TGT_RATE_AFTER_TIME_INC)",
                 kNvidia});
  visitor.visit(
      "first_cnp_rate", params.first_cnp_rate, kRate,
      {"rate set by a flow's first CNP (RATE_TO_SET_ON_FIRST_CNP); 0: an ordinary cut", kNvidia});
}

}  // namespace

void DcqcnParams::describe(ParameterVisitor& visitor) {
  visitor.visit("algorithm", algorithm, kAlgorithms,
                {"paper: cuts at the CNP; nvidia: cuts and alpha on their own clocks", kPaper});
  describe_increase(*this, visitor);
  describe_decrease(*this, visitor);
  visitor.visit("min_time_between_cnps", min_time_between_cnps, {0, 1e12},
                {"the receiver's shortest time between two CNPs", kPaper});
  visitor.visit("cnp_scope", cnp_scope, kCnpScopes,
                {"what that time applies to", "paper: flow; ConnectX firmware 40.45.1020: port"});
}

void DcqcnParams::validate() const {
  const auto positive = [](Ps value, const char* key) {
    if (value.value == 0) throw ConfigError(fmt::format("dcqcn.{}: 0, expected more than 0", key));
  };
  positive(alpha_period, "alpha_period");
  positive(rate_timer, "rate_timer");
  positive(cut_period, "cut_period");
  if (alpha_gain == 0 || alpha_gain > 1023) {
    throw ConfigError(fmt::format("dcqcn.alpha_gain: {}, expected 1..1023 (1/1024)", alpha_gain));
  }
  if (initial_alpha > 1024) {
    throw ConfigError(
        fmt::format("dcqcn.initial_alpha: {}, expected 0..1024 (1/1024)", initial_alpha));
  }
  if (min_decrease_percent > 100) {
    throw ConfigError(
        fmt::format("dcqcn.min_decrease_percent: {}, expected 0..100", min_decrease_percent));
  }
  if (cut_shift > 10) {
    throw ConfigError(fmt::format("dcqcn.cut_shift: {}, expected 0..10", cut_shift));
  }
  if (max_rate.value != 0 && max_rate.value < 1'000'000) {
    throw ConfigError(
        fmt::format("dcqcn.max_rate: {} bit/s, expected 0 or at least 1 Mb/s", max_rate.value));
  }
  if (reference_rate.value != 0 && reference_rate.value < 1'000'000'000) {
    throw ConfigError(fmt::format("dcqcn.reference_rate: {} bit/s, expected 0 or at least 1 Gb/s",
                                  reference_rate.value));
  }
}

DcqcnParams dcqcn_nvidia() {
  DcqcnParams params;
  params.algorithm = DcqcnAlgorithm::kNvidia;
  params.reference_rate = {0};
  params.alpha_gain = 5;
  params.initial_alpha = 1023;
  params.alpha_period = 1_us;
  params.rate_timer = 300_us;
  params.byte_counter = {0};  // RPG_BYTE_RESET's unit is not public: the timer alone
  params.fast_recovery_stages = 1;
  params.ai_rate = {5'000'000};
  params.hai_rate = {50'000'000};
  params.min_rate = {1'000'000};
  params.min_decrease_percent = 50;
  params.clamp_target = false;
  params.min_time_between_cnps = 4_us;
  params.cnp_scope = CnpScope::kPort;
  return params;
}

DcqcnParams dcqcn_hpcc() {
  DcqcnParams params = dcqcn_nvidia();
  params.reference_rate = {25'000'000'000};
  params.alpha_gain = 4;
  params.initial_alpha = 1024;
  params.rate_timer = 900_us;
  params.ai_rate = {50'000'000};
  params.hai_rate = {100'000'000};
  params.min_rate = {100'000'000};
  params.min_decrease_percent = 0;
  params.cnp_scope = CnpScope::kQp;
  return params;
}

DcqcnParams dcqcn_preset(std::string_view name) {
  if (name == "nvidia") return dcqcn_nvidia();
  if (name == "hpcc") return dcqcn_hpcc();
  return {};
}

}  // namespace sluice
