// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/scheduler.h"

#include <algorithm>
#include <utility>

namespace sluice {

void QpScheduler::push_behind(Waiting entry) {
  if (elsewhere_ != nullptr) return show(elsewhere_->wait(entry.qp, entry.time));
  if (later(first_, entry)) std::swap(first_, entry);
  behind_.push_back(entry);
  std::push_heap(behind_.begin(), behind_.end(), later);
}

void QpScheduler::take_next() {
  first_ = behind_.front();
  std::pop_heap(behind_.begin(), behind_.end(), later);
  behind_.pop_back();
}

}  // namespace sluice
