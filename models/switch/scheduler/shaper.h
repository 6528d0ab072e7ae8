// SPDX-License-Identifier: Apache-2.0
// A token bucket in exact arithmetic: at most rate * t + burst + one frame leave in any time t.
// Leaves out: a second rate (peak), colours.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"

namespace sluice {

class TokenBucket {
 public:
  /// Rate 0: no shaper, always open.
  TokenBucket(BitsPerSecond rate, Bytes burst);

  bool shapes() const { return rate_ != 0; }
  /// The bucket is not overdrawn: a frame may go.
  bool open(Ps now) const { return opens_at_ <= now; }
  /// Earliest time at which it is open; now or earlier: it is.
  Ps opens_at() const { return opens_at_; }
  /// A frame goes: `wire_bytes` with preamble and gap. The bucket may be overdrawn by it.
  void take(std::uint32_t wire_bytes, Ps now);

 private:
  std::uint64_t rate_ = 0;
  Ps burst_{};                   ///< time in which the burst refills
  Ps full_at_{};                 ///< when the bucket is full again
  Ps opens_at_{};                ///< full_at_ less the burst
  std::uint64_t remainder_ = 0;  ///< of full_at_, in 1 / rate ps
};

}  // namespace sluice
