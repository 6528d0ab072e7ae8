// SPDX-License-Identifier: Apache-2.0
// What one QP knows of answers to its READs and atomics that may come in any order: which have, and
// how far its requests were acknowledged beside them. Leaves out: QPs that take answers in order.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/psn.h"

namespace sluice {

struct Answers {
  std::uint32_t acknowledged = 0;  ///< all requests before it were executed
  std::uint32_t judged = 0;        ///< answers missing before it were asked for again

  /// `window`: a power of two of PSNs from the oldest unacknowledged on; others have not come.
  bool has(std::uint32_t window, std::uint32_t oldest, std::uint32_t psn) const {
    if (bits_.empty() || psn_distance(psn, oldest) >= window) return false;
    const std::uint32_t at = psn & (window - 1);
    return (bits_[at / 64] >> (at % 64) & 1) != 0;
  }
  /// Notes that it has come, or that it need not be known any more.
  void flip(std::uint32_t window, std::uint32_t psn) {
    if (bits_.empty()) bits_.resize(window / 64);
    const std::uint32_t at = psn & (window - 1);
    bits_[at / 64] ^= std::uint64_t{1} << (at % 64);
  }

 private:
  std::vector<std::uint64_t> bits_;  ///< PSN modulo the window; made with the first answer
};

}  // namespace sluice
