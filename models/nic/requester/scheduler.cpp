// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/scheduler.h"

#include <algorithm>

namespace sluice {

void QpScheduler::wait(std::vector<QpHot>& qps, std::uint32_t qp, Ps time) {
  qps[qp].state = QpState::kWaiting;
  waiting_.push_back({time, qp});
  std::push_heap(waiting_.begin(), waiting_.end(), later);
  earliest_waiting_ = waiting_.front().time;
}

void QpScheduler::wake_first(std::vector<QpHot>& qps) {
  const std::uint32_t qp = waiting_.front().qp;
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  waiting_.pop_back();
  earliest_waiting_ = waiting_.empty() ? kNever : waiting_.front().time;
  make_ready(qps, qp);
}

}  // namespace sluice
