// SPDX-License-Identifier: Apache-2.0
// Receive requests that a host keeps posted, of one QP or shared by all of a NIC: so many, each
// posted again some time after a message used it. Leaves out: the buffers they point to.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

class ReceiveQueue {
 public:
  /// `depth` 0: never empty. `repost_delay` kNever: used ones do not come back.
  ReceiveQueue(std::uint32_t depth, Ps repost_delay) : repost_delay_(repost_delay), ready_(depth) {}

  bool limited() const { return !ready_.empty(); }
  /// Uses one; false when none is posted.
  bool take(Ps now) {
    if (!limited()) return true;
    if (ready_[oldest_] > now) return false;
    ready_[oldest_] = repost_delay_ == kNever ? kNever : now + repost_delay_;
    oldest_ = oldest_ + 1 == ready_.size() ? 0 : oldest_ + 1;
    return true;
  }
  /// Posted and not used.
  std::uint32_t available(Ps now) const {
    std::uint32_t count = 0;
    std::size_t at = oldest_;
    while (count < ready_.size() && ready_[at] <= now) {
      ++count;
      at = at + 1 == ready_.size() ? 0 : at + 1;
    }
    return count;
  }

 private:
  Ps repost_delay_{};
  std::vector<Ps> ready_;  ///< when each is posted, earliest at oldest_
  std::size_t oldest_ = 0;
};

}  // namespace sluice
