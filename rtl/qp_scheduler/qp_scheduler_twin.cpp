// SPDX-License-Identifier: Apache-2.0
#include "rtl/qp_scheduler/qp_scheduler_twin.h"

#include <Vqp_scheduler.h>
#include <Vqp_scheduler_qp_scheduler.h>

#include <algorithm>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct QpSchedulerTwin::Rtl : RtlModel<Vqp_scheduler> {
  using RtlModel::RtlModel;
};

static_assert(Vqp_scheduler_qp_scheduler::Qps == QpSchedulerTwin::kMaxQps);
static_assert(Vqp_scheduler_qp_scheduler::Waiting == QpSchedulerTwin::kMaxWaiting);

QpSchedulerTwin::QpSchedulerTwin(std::uint32_t burst_packets, const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  if (burst_packets > UINT16_MAX) {
    throw ConfigError(fmt::format("qp_scheduler in RTL: nic.burst_packets of {}, at most {}",
                                  burst_packets, UINT16_MAX));
  }
  rtl_->pins().cfg_burst_packets_i = static_cast<std::uint16_t>(burst_packets);
  rtl_->pins().in_valid_i = 0;
  rtl_->reset();
}

QpSchedulerTwin::~QpSchedulerTwin() = default;

bool QpSchedulerTwin::ready() const { return rtl_->pins().in_ready_o != 0; }

QpSchedulerTwin::Answer QpSchedulerTwin::clock(const Request* request) {
  Vqp_scheduler& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_op_i = static_cast<std::uint8_t>(request->op);
    pins.in_qp_i = static_cast<std::uint16_t>(request->qp);
    pins.in_time_i = request->time.value;
  }
  rtl_->tick();
  Answer answer;
  answer.valid = pins.out_valid_o != 0;
  answer.woken = pins.out_woken_o != 0;
  answer.woken_qp = pins.out_woken_qp_o;
  answer.view = {pins.out_ring_empty_o != 0 ? kNoQp : pins.out_current_o, Ps{pins.out_earliest_o}};
  answer.burst_left = pins.out_burst_left_o;
  return answer;
}

const QpSchedulerTwin::Answer& QpSchedulerTwin::ask(const Request& request,
                                                    std::vector<std::uint32_t>& woken) {
  const std::size_t before = woken.size();
  last_ = clock(&request);
  std::size_t clocks = 1;
  for (;; ++clocks) {
    if (last_.woken) woken.push_back(last_.woken_qp);
    if (last_.valid || clocks > kMaxWaiting) break;
    last_ = clock(nullptr);
  }
  const std::size_t expected = std::max<std::size_t>(kLatency, woken.size() - before);
  if (!last_.valid || clocks != expected) {
    throw RtlError(fmt::format("answer after {} clocks, expected {}", clocks, expected));
  }
  return last_;
}

void QpSchedulerTwin::check(std::uint32_t qp) const {
  if (qp >= kMaxQps) {
    throw ConfigError(fmt::format("qp_scheduler in RTL: more than {} QPs of one port", kMaxQps));
  }
}

QpSchedule::View QpSchedulerTwin::make_ready(std::uint32_t qp) {
  check(qp);
  return ask({Op::kReady, qp, Ps{}}, none_woken_).view;
}

QpSchedule::View QpSchedulerTwin::remove_current() {
  return ask({Op::kRemove, 0, Ps{}}, none_woken_).view;
}

QpSchedule::View QpSchedulerTwin::count_packet() {
  return ask({Op::kCount, 0, Ps{}}, none_woken_).view;
}

QpSchedule::View QpSchedulerTwin::wait(std::uint32_t qp, Ps time) {
  check(qp);
  if (waiting_ == kMaxWaiting) {
    throw ConfigError(
        fmt::format("qp_scheduler in RTL: more than {} QPs wait for a time", kMaxWaiting));
  }
  ++waiting_;
  return ask({Op::kWait, qp, time}, none_woken_).view;
}

QpSchedule::View QpSchedulerTwin::wake_due(Ps now, std::vector<std::uint32_t>& woken) {
  const std::size_t before = woken.size();
  const View view = ask({Op::kWake, 0, now}, woken).view;
  waiting_ -= static_cast<std::uint32_t>(woken.size() - before);
  return view;
}

std::uint64_t QpSchedulerTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
