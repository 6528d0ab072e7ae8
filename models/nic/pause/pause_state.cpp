// SPDX-License-Identifier: Apache-2.0
#include "nic/pause/pause_state.h"

#include <algorithm>

namespace sluice {

Ps PauseState::close(std::size_t priority, Ps now) {
  const Ps end = std::min(until_[priority], now);
  const Ps spent = end > since_[priority] ? end - since_[priority] : Ps{0};
  since_[priority] = now;
  return spent;
}

Ps PauseState::apply(std::uint8_t enabled, std::uint32_t quanta, Ps now) {
  // At 400 Gb/s the longest pause is 83.885 us; at 1 Gb/s it is 33.6 ms: the product needs 65 bits.
  const auto pause = static_cast<std::uint64_t>(static_cast<__uint128_t>(quanta) * kQuantumBits *
                                                1'000'000'000'000ULL / rate_.value);
  Ps spent{};
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    if ((enabled >> priority & 1) == 0) continue;
    spent += close(priority, now);
    until_[priority] = quanta == 0 ? now : now + Ps{pause};
  }
  return spent;
}

Ps PauseState::settle(Ps now) {
  Ps spent{};
  for (std::size_t priority = 0; priority < kPriorities; ++priority) spent += close(priority, now);
  return spent;
}

}  // namespace sluice
