// SPDX-License-Identifier: Apache-2.0
// The byte clock against 8 B / R in exact integers: no rounding may build up over a long run.
#include "kernel/clock_rate.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kGbps = 1'000'000'000;

class ByteClockAtRate : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ByteClockAtRate, IsExactWithoutAnOffset) {
  const std::uint64_t gbps = GetParam();
  ByteClock clock(BitsPerSecond{gbps * kGbps}, 0);
  std::uint64_t total = 0;
  for (std::uint32_t bytes : {84U, 86U, 4178U, 4194U, 9236U, 1U}) {
    EXPECT_EQ(clock.peek(bytes).value, bytes * 8000ULL / gbps);
    const Ps taken = clock.take(bytes);
    EXPECT_EQ(taken.value, bytes * 8000ULL / gbps) << bytes << " B at " << gbps << " Gb/s";
    total += taken.value;
  }
  EXPECT_EQ(total, (84 + 86 + 4178 + 4194 + 9236 + 1) * 8000ULL / gbps);
}

/// 8 B / (R (1 + offset)) in ps, rounded down, without floating point.
std::uint64_t closed_form(std::uint64_t bytes, std::uint64_t gbps, std::int64_t ppb) {
  const auto numerator = static_cast<__uint128_t>(bytes) * 8000 * 1'000'000'000;
  return static_cast<std::uint64_t>(numerator / (static_cast<__uint128_t>(gbps) *
                                                 static_cast<std::uint64_t>(1'000'000'000 + ppb)));
}

TEST_P(ByteClockAtRate, StaysWithinAPicosecondOverAMillionFrames) {
  for (std::int64_t ppb : {-50'000LL, -12'345LL, 7LL, 50'000LL}) {
    ByteClock clock(BitsPerSecond{GetParam() * kGbps}, ppb);
    std::uint64_t total = 0, bytes = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      total += clock.take(4178).value;
      bytes += 4178;
    }
    EXPECT_NEAR(static_cast<double>(total),
                static_cast<double>(closed_form(bytes, GetParam(), ppb)), 1.0)
        << ppb << " ppb at " << GetParam() << " Gb/s";
  }
}

TEST_P(ByteClockAtRate, PeekPromisesWhatTakeThenGives) {
  ByteClock clock(BitsPerSecond{GetParam() * kGbps}, 31'337);
  for (std::uint32_t bytes = 60; bytes < 5000; bytes += 7) {
    const Ps promised = clock.peek(bytes);
    EXPECT_EQ(promised, clock.take(bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, ByteClockAtRate, testing::Values(100, 200, 400, 800),
                         [](const auto& rate) { return std::to_string(rate.param) + "G"; });

TEST(ByteClock, RunsFasterWithAPositiveOffset) {
  ByteClock fast(BitsPerSecond{400 * kGbps}, 50'000), slow(BitsPerSecond{400 * kGbps}, -50'000);
  // 10^6 B at 400 Gb/s are 20 us; 50 ppm of that is 1 ns.
  EXPECT_NEAR(static_cast<double>(fast.take(1'000'000).value), 20'000'000 - 1000, 1);
  EXPECT_NEAR(static_cast<double>(slow.take(1'000'000).value), 20'000'000 + 1000, 2);
}

TEST(ByteClock, HoldsTheLargestFrameAtTheSlowestRate) {
  // 65535 B at 1 Gb/s: 524.28 us; the fixed-point product must not overflow.
  ByteClock clock(BitsPerSecond{1 * kGbps}, 0);
  EXPECT_EQ(clock.take(65535).value, 65535ULL * 8000);
  EXPECT_EQ(clock.take(65535).value, 65535ULL * 8000);
}

TEST(ByteClock, RefusesRatesThatItCannotHold) {
  EXPECT_THROW(ByteClock(BitsPerSecond{0}, 0), InvariantError);
  EXPECT_THROW(ByteClock(BitsPerSecond{11'000 * kGbps}, 0), InvariantError);
}

TEST(FieldReport, B86_AMillionSymbolsOfPam4DoNotDrift) {
  // 53.125 GBd, two bits a symbol: a unit interval of 18.8235 ps, four of them a byte.
  ByteClock lane({106'250'000'000}, 0);
  Ps sum{};
  for (int byte = 0; byte < 250'000; ++byte) sum += lane.take(1);
  EXPECT_NEAR(static_cast<double>(sum.value), 18'823'529, 1);
  EXPECT_EQ(ByteClock({400'000'000'000}, 0).take(1), Ps{20});
  EXPECT_EQ(ByteClock({800'000'000'000}, 0).take(1), Ps{10});
}

}  // namespace
}  // namespace sluice
