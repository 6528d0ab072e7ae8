// SPDX-License-Identifier: Apache-2.0
#include "kernel/clock_rate.h"

#include "kernel/error.h"

namespace sluice {

ByteClock::ByteClock(BitsPerSecond rate, std::int64_t offset_ppb) {
  SLUICE_CHECK(rate.value >= 1'000'000'000 && rate.value <= 10'000'000'000'000,
               "a byte clock at {} bit/s is outside 1 Gb/s .. 10 Tb/s", rate.value);
  // 8e12 ps*bit/s per byte over R (1 + offset/1e9), rounded once to 2^-34 ps.
  const __uint128_t numerator = static_cast<__uint128_t>(8'000'000'000'000ULL) << kFractionBits;
  const auto scaled =
      static_cast<__uint128_t>(rate.value) * static_cast<std::uint64_t>(1'000'000'000 + offset_ppb);
  ps_per_byte_ = static_cast<std::uint64_t>((numerator * 1'000'000'000 + scaled / 2) / scaled);
}

}  // namespace sluice
