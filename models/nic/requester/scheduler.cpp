// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/scheduler.h"

#include <algorithm>

namespace sluice {

void QpScheduler::push_waiting(Waiting entry) {
  if (elsewhere_ != nullptr) return show(elsewhere_->wait(entry.qp, entry.time));
  waiting_.push_back(entry);
  std::push_heap(waiting_.begin(), waiting_.end(), later);
  earliest_waiting_ = waiting_.front().time;
}

std::uint32_t QpScheduler::pop_waiting() {
  const std::uint32_t qp = waiting_.front().qp;
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  waiting_.pop_back();
  earliest_waiting_ = waiting_.empty() ? kNever : waiting_.front().time;
  return qp;
}

}  // namespace sluice
