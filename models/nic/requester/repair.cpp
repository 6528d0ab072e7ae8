// SPDX-License-Identifier: Apache-2.0
#include "nic/requester/repair.h"

#include <algorithm>

#include "kernel/error.h"

namespace sluice {

bool Repairs::missing(std::uint32_t window, std::uint32_t psn) const {
  if (missing_count_ == 0) return false;
  const std::uint32_t at = psn & (window - 1);
  return (missing_[at / 64] >> (at % 64) & 1) != 0;
}

void Repairs::want(std::uint32_t window, std::uint32_t psn) {
  if (missing(window, psn)) return;
  if (missing_.empty()) missing_.resize(window / 64);
  const std::uint32_t at = psn & (window - 1);
  missing_[at / 64] |= std::uint64_t{1} << (at % 64);
  ++missing_count_;
}

std::uint32_t Repairs::take(std::uint32_t window, std::uint32_t oldest, std::uint32_t next_psn) {
  std::uint32_t psn = oldest;
  while (!missing(window, psn)) {
    psn = psn_add(psn, 1);
    SLUICE_CHECK(psn != next_psn, "a packet to repeat is none that was sent");
  }
  const std::uint32_t at = psn & (window - 1);
  missing_[at / 64] ^= std::uint64_t{1} << (at % 64);
  --missing_count_;
  return psn;
}

void Repairs::note(std::uint32_t psn, std::uint32_t packets, std::uint32_t next_psn) {
  const auto known = std::find_if(repeated_.begin(), repeated_.end(),
                                  [psn](const Repeated& entry) { return entry.psn == psn; });
  if (known != repeated_.end()) repeated_.erase(known);
  repeated_.push_back({psn, packets, next_psn});
}

void Repairs::forget_from(std::uint32_t window, std::uint32_t psn, std::uint32_t end) {
  for (std::uint32_t at = psn; missing_count_ != 0 && at != end; at = psn_add(at, 1)) {
    if (!missing(window, at)) continue;
    missing_[(at & (window - 1)) / 64] ^= std::uint64_t{1} << (at % 64);
    --missing_count_;
  }
  std::erase_if(repeated_,
                [psn](const Repeated& entry) { return psn_at_or_after(entry.psn, psn); });
  end_recovery();
}

void Repairs::forget_before(std::uint32_t window, std::uint32_t previous_oldest,
                            std::uint32_t oldest) {
  for (std::uint32_t psn = previous_oldest; missing_count_ != 0 && psn != oldest;
       psn = psn_add(psn, 1)) {
    const std::uint32_t at = psn & (window - 1);
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    if ((missing_[at / 64] & bit) != 0) --missing_count_;
    missing_[at / 64] &= ~bit;
  }
  std::erase_if(repeated_, [oldest](const Repeated& entry) {
    return psn_at_or_after(oldest, psn_add(entry.psn, entry.packets));
  });
  if (recovering() && psn_at_or_after(oldest, recovery_end_)) end_recovery();
}

std::uint32_t Repairs::sent_before(std::uint32_t psn) const {
  for (const Repeated& entry : repeated_) {
    if (entry.covers(psn)) return entry.next_psn;
  }
  return psn_add(psn, 1);
}

}  // namespace sluice
