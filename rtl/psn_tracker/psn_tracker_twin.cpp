// SPDX-License-Identifier: Apache-2.0
#include "rtl/psn_tracker/psn_tracker_twin.h"

#include <Vpsn_tracker.h>
#include <Vpsn_tracker_psn_tracker.h>

#include <algorithm>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct PsnTrackerTwin::Rtl : RtlModel<Vpsn_tracker> {
  using RtlModel::RtlModel;
};

static_assert(Vpsn_tracker_psn_tracker::Qps == PsnTrackerTwin::kMaxQps);
static_assert(Vpsn_tracker_psn_tracker::Window == PsnTrackerTwin::kMaxWindow);

PsnTrackerTwin::PsnTrackerTwin(const PsnTrackerConfig& config, const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  if (config.keeps_early && config.window > kMaxWindow) {
    throw ConfigError(fmt::format("psn_tracker in RTL: nic.psn_window of {}, it has {}",
                                  config.window, kMaxWindow));
  }
  Vpsn_tracker& pins = rtl_->pins();
  pins.cfg_keeps_early_i = config.keeps_early;
  pins.cfg_selective_i = config.selective;
  pins.cfg_window_i = static_cast<std::uint16_t>(std::min(config.window, kMaxWindow));
  // Beyond the window all values mean the same: never.
  pins.cfg_reorder_packets_i =
      static_cast<std::uint16_t>(std::min<std::uint32_t>(config.reorder_packets, UINT16_MAX));
  pins.in_valid_i = 0;
  rtl_->reset();
}

PsnTrackerTwin::~PsnTrackerTwin() = default;

PsnTrackerTwin::Answer PsnTrackerTwin::clock(const Request* request) {
  Vpsn_tracker& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_op_i = static_cast<std::uint8_t>(request->op);
    pins.in_qp_i = static_cast<std::uint8_t>(request->flow);
    pins.in_psn_i = request->psn;
    pins.in_span_i = request->span;
  }
  rtl_->tick();
  Answer answer;
  if (!pins.out_valid_o) return answer;
  answer.valid = true;
  answer.decision = {.verdict = static_cast<PsnTracker::Verdict>(pins.out_verdict_o),
                     .nak = pins.out_nak_o != 0,
                     .nak_psn = pins.out_nak_psn_o,
                     .lost = pins.out_lost_o};
  answer.came = pins.out_came_o;
  answer.view = {pins.out_expected_o, pins.out_asked_o != 0, pins.out_received_o};
  answer.kept = pins.out_kept_o;
  answer.judged = pins.out_judged_o;
  return answer;
}

const PsnTrackerTwin::Answer& PsnTrackerTwin::ask(const Request& request) {
  last_ = clock(&request);
  for (unsigned i = 1; i < kLatency && !last_.valid; ++i) last_ = clock(nullptr);
  if (!last_.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  return last_;
}

void PsnTrackerTwin::add_flow(std::uint32_t first_psn) {
  if (flows_ == kMaxQps) {
    throw ConfigError(fmt::format("psn_tracker in RTL: more than {} flows to one NIC", kMaxQps));
  }
  ask({Op::kAdd, flows_++, first_psn});
}

PsnTracker::Decision PsnTrackerTwin::on_packet(std::uint32_t flow, std::uint32_t psn,
                                               std::uint32_t span) {
  return ask({Op::kPacket, flow, psn, span}).decision;
}

std::uint32_t PsnTrackerTwin::go_back(std::uint32_t flow, std::uint32_t psn) {
  return ask({Op::kGoBack, flow, psn}).came;
}

void PsnTrackerTwin::silence(std::uint32_t flow) { ask({Op::kSilence, flow, 0}); }

std::uint64_t PsnTrackerTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
