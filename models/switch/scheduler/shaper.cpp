// SPDX-License-Identifier: Apache-2.0
#include "switch/scheduler/shaper.h"

namespace sluice {
namespace {

/// Picoseconds of a byte at 1 bit/s.
constexpr std::uint64_t kBytePs = 8'000'000'000'000;

}  // namespace

TokenBucket::TokenBucket(BitsPerSecond rate, Bytes burst) : rate_(rate.value) {
  if (rate_ == 0) return;
  burst_ = Ps{static_cast<std::uint64_t>(static_cast<__uint128_t>(burst.value) * kBytePs / rate_)};
}

void TokenBucket::take(std::uint32_t wire_bytes, Ps now) {
  if (rate_ == 0) return;
  if (full_at_ < now) {
    full_at_ = now;
    remainder_ = 0;
  }
  const __uint128_t time = static_cast<__uint128_t>(wire_bytes) * kBytePs + remainder_;
  full_at_ += Ps{static_cast<std::uint64_t>(time / rate_)};
  remainder_ = static_cast<std::uint64_t>(time % rate_);
  opens_at_ = full_at_ > burst_ ? full_at_ - burst_ : Ps{0};
}

}  // namespace sluice
