// SPDX-License-Identifier: Apache-2.0
#include "rtl/dcqcn_rp/dcqcn_rp_twin.h"

#include <Vdcqcn_rp.h>
#include <Vdcqcn_rp_dcqcn_rp.h>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct DcqcnRpTwin::Rtl : RtlModel<Vdcqcn_rp> {
  using RtlModel::RtlModel;
};

static_assert(Vdcqcn_rp_dcqcn_rp::Flows == DcqcnRpTwin::kMaxFlows);

DcqcnRpTwin::DcqcnRpTwin(const DcqcnParams& params, BitsPerSecond line_rate,
                         const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  if (params.fast_recovery_stages > UINT16_MAX) {
    throw ConfigError(fmt::format("dcqcn_rp in RTL: dcqcn.fast_recovery_stages of {}, at most {}",
                                  params.fast_recovery_stages, UINT16_MAX));
  }
  configure(params, line_rate);
  rtl_->pins().in_valid_i = 0;
  rtl_->reset();
}

DcqcnRpTwin::~DcqcnRpTwin() = default;

void DcqcnRpTwin::configure(const DcqcnParams& params, BitsPerSecond line_rate) {
  const DcqcnFixed fixed = dcqcn_fixed(params, line_rate);
  Vdcqcn_rp& pins = rtl_->pins();
  pins.cfg_nvidia_i = params.algorithm == DcqcnAlgorithm::kNvidia;
  pins.cfg_alpha_gain_i = static_cast<std::uint16_t>(params.alpha_gain);
  pins.cfg_initial_alpha_i = static_cast<std::uint16_t>(params.initial_alpha);
  pins.cfg_alpha_period_i = params.alpha_period.value;
  pins.cfg_rate_timer_i = params.rate_timer.value;
  pins.cfg_cut_period_i = params.cut_period.value;
  pins.cfg_byte_counter_i = static_cast<std::uint32_t>(fixed.byte_counter);
  pins.cfg_fast_recovery_stages_i = static_cast<std::uint16_t>(params.fast_recovery_stages);
  pins.cfg_ai_kbps_i = fixed.ai_kbps;
  pins.cfg_hai_kbps_i = fixed.hai_kbps;
  pins.cfg_min_kbps_i = fixed.min_kbps;
  pins.cfg_max_kbps_i = fixed.max_kbps;
  pins.cfg_first_cnp_kbps_i = fixed.first_cnp_kbps;
  pins.cfg_cut_shift_i = static_cast<std::uint8_t>(params.cut_shift);
  pins.cfg_min_decrease_percent_i = static_cast<std::uint8_t>(params.min_decrease_percent);
  pins.cfg_clamp_target_i = params.clamp_target;
  pins.cfg_clamp_after_timer_i = params.clamp_target_after_timer;
}

void DcqcnRpTwin::put(const Request& request) {
  Vdcqcn_rp& pins = rtl_->pins();
  pins.in_op_i = static_cast<std::uint8_t>(request.op);
  pins.in_flow_i = static_cast<std::uint16_t>(request.flow);
  pins.in_bytes_i = request.bytes;
  pins.in_now_i = request.now.value;
}

DcqcnRpTwin::Answer DcqcnRpTwin::clock(const Request* request) {
  Vdcqcn_rp& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) put(*request);
  rtl_->tick();
  Answer answer;
  if (!pins.out_valid_o) return answer;
  answer.valid = true;
  answer.pace = {.interval = Ps{pins.out_interval_o}, .limited = pins.out_limited_o != 0};
  DcqcnFlow& flow = answer.flow;
  flow.rate_kbps = pins.out_rate_o;
  flow.target_kbps = pins.out_target_o;
  flow.alpha = pins.out_alpha_o;
  flow.bytes_left = static_cast<std::int32_t>(pins.out_bytes_left_o);
  flow.next_alpha = Ps{pins.out_next_alpha_o};
  flow.next_increase = Ps{pins.out_next_increase_o};
  flow.next_cut = Ps{pins.out_next_cut_o};
  flow.ps_per_byte = pins.out_pace_o;
  flow.timer_stage = pins.out_timer_stage_o;
  flow.byte_stage = pins.out_byte_stage_o;
  flow.started = (pins.out_flags_o >> 4 & 1) != 0;
  flow.cnp_in_alpha_period = (pins.out_flags_o >> 3 & 1) != 0;
  flow.cut_pending = (pins.out_flags_o >> 2 & 1) != 0;
  flow.increased = (pins.out_flags_o >> 1 & 1) != 0;
  flow.increased_by_bytes = (pins.out_flags_o & 1) != 0;
  answer.work = {pins.out_steps_o, pins.out_skips_o, pins.out_paced_o};
  return answer;
}

bool DcqcnRpTwin::ready() const { return rtl_->pins().in_ready_o != 0; }

const DcqcnRpTwin::Answer& DcqcnRpTwin::ask(const Request& request) {
  if (!ready()) throw RtlError("not ready for a request");
  last_ = clock(&request);
  std::uint64_t clocks = 1;
  // Without end only where timers are to be caught up without end.
  constexpr std::uint64_t kMost = 1u << 30;
  for (; !last_.valid && clocks < kMost; ++clocks) last_ = clock(nullptr);
  if (clocks != last_.clocks()) {
    throw RtlError(fmt::format("answer after {} clocks, expected {}", clocks, last_.clocks()));
  }
  return last_;
}

bool DcqcnRpTwin::add_flow() {
  if (flows_ == kMaxFlows) {
    throw ConfigError(fmt::format("dcqcn_rp in RTL: more than {} flows of one NIC", kMaxFlows));
  }
  return ask({Op::kAdd, flows_++, 0, Ps{}}).pace.limited;
}

bool DcqcnRpTwin::on_cnp(std::uint32_t flow, Ps now) {
  return ask({Op::kCnp, flow, 0, now}).pace.limited;
}

bool DcqcnRpTwin::on_rtt(std::uint32_t flow, Ps, Ps now) {
  return ask({Op::kRtt, flow, 0, now}).pace.limited;
}

RateControl::Pace DcqcnRpTwin::on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) {
  return ask({Op::kSent, flow, wire_bytes, start}).pace;
}

DcqcnFlow DcqcnRpTwin::at(std::uint32_t flow, Ps now) {
  return ask({Op::kRead, flow, 0, now}).flow;
}

std::uint64_t DcqcnRpTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
