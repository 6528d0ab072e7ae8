// SPDX-License-Identifier: Apache-2.0
// Syndromes, RNR timers and credit codes of the AETH (golden G13-16 to G13-18; IBTA 9.7.5.2).
#include "packet/aeth.h"

#include <gtest/gtest.h>

#include "packet/wire/headers.h"

namespace sluice {
namespace {

TEST(Aeth, G13_16_RnrTimersOfTheTable) {
  // hardware.md 7.4, in microseconds.
  constexpr std::array<std::uint64_t, 32> kMicroseconds{
      655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
      480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
      20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};
  for (std::uint32_t code = 0; code < 32; ++code) {
    EXPECT_EQ(aeth::rnr_timer(code), Ps{kMicroseconds[code] * 1'000'000}) << code;
  }
}

TEST(Aeth, G13_17_CreditCodes) {
  EXPECT_EQ(aeth::kCredits[0], 0u);
  EXPECT_EQ(aeth::kCredits[5], 6u);
  EXPECT_EQ(aeth::kCredits[10], 32u);
  EXPECT_EQ(aeth::kCredits[20], 1024u);
  EXPECT_EQ(aeth::kCredits[30], 32768u);
  for (std::uint8_t code = 0; code < 31; ++code) {
    EXPECT_EQ(aeth::credit_code(aeth::kCredits[code]), code);
    if (code > 0) {
      EXPECT_EQ(aeth::credit_code(aeth::kCredits[code] - 1), code - 1);
    }
  }
  EXPECT_EQ(aeth::credit_code(1'000'000), 30u);
}

TEST(Aeth, G13_18_Syndromes) {
  EXPECT_EQ(aeth::kAckUnlimited, wire::kSyndromeAck);
  EXPECT_EQ(aeth::kRnrNak | 14, 0x2E);
  EXPECT_EQ(aeth::kNakSequence, wire::kSyndromeNakSequence);
  EXPECT_EQ(aeth::kNakInvalidRequest, 0x61);
  EXPECT_EQ(aeth::kNakRemoteAccess, 0x62);
  EXPECT_EQ(aeth::kNakRemoteOperational, 0x63);
  EXPECT_TRUE(aeth::is_rnr(0x2E));
  EXPECT_FALSE(aeth::is_rnr(0x60));
  EXPECT_EQ(aeth::word(0x60, 0x1000005), 0x60000005u);
  EXPECT_EQ(aeth::syndrome_of(0x60000005), 0x60);
  EXPECT_EQ(aeth::msn_of(0x60000005), 5u);
}

}  // namespace
}  // namespace sluice
