// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/pipe_views.h"

#include <algorithm>

#include "kernel/random.h"

namespace sluice {

PipeViews::PipeViews(std::uint32_t pipes, std::uint32_t ports, Ps refresh, std::uint64_t seed,
                     std::uint64_t chip)
    : ports_(ports), refresh_(refresh) {
  if (live()) return;
  grades_.resize(std::size_t{pipes} * ports);
  for (std::uint32_t pipe = 0; pipe < pipes; ++pipe) {
    RandomStream random(seed, chip << 8 | pipe, RandomPurpose::kPipePhase);
    order_.push_back({Ps{random.next_u64() % refresh.value}, pipe});
  }
  std::sort(order_.begin(), order_.end(), [](const Slot& a, const Slot& b) {
    return a.phase != b.phase ? a.phase < b.phase : a.pipe < b.pipe;
  });
  next_due_ = order_.front().phase;
}

void PipeViews::advance() {
  if (++next_ == order_.size()) {
    next_ = 0;
    period_start_ += refresh_;
  }
  next_due_ = period_start_ + order_[next_].phase;
}

void PipeViews::seek(Ps now) {
  period_start_ = Ps{now.value - now.value % refresh_.value};
  next_ = 0;
  next_due_ = period_start_ + order_[0].phase;
  while (next_due_ <= now) advance();
}

}  // namespace sluice
