// SPDX-License-Identifier: Apache-2.0
// Longest prefix match for both IP versions, table sizes, and the painting of address ranges.
// Leaves out: chips (chip_l3_test).
#include "switch/forwarding/fib.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernel/error.h"
#include "kernel/random.h"
#include "packet/addressing.h"

namespace sluice {
namespace {

constexpr std::uint32_t address(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

TEST(Fib, TheLongestPrefixWins) {
  Fib fib({});
  fib.add(IpPrefix::v4(0, 0), 1);
  fib.add(IpPrefix::v4(address(10, 0, 0, 0), 8), 2);
  fib.add(IpPrefix::v4(address(10, 1, 0, 0), 16), 3);
  fib.add(IpPrefix::v4(address(10, 1, 2, 3), 32), 4);
  EXPECT_EQ(fib.lookup_v4(address(192, 168, 0, 1)), 1u);
  EXPECT_EQ(fib.lookup_v4(address(10, 2, 0, 0)), 2u);
  EXPECT_EQ(fib.lookup_v4(address(10, 1, 255, 255)), 3u);
  EXPECT_EQ(fib.lookup_v4(address(10, 1, 2, 3)), 4u);
  EXPECT_EQ(fib.lookup_v4(address(10, 1, 2, 4)), 3u);
}

TEST(Fib, TheLongestPrefixWinsInIpv6) {
  Fib fib({});
  const wire::Ipv6Address one = ipv6_address_of(1);
  fib.add(IpPrefix::v6(one, 48), 2);
  fib.add(IpPrefix::v6(one, 127), 3);
  fib.add(IpPrefix::v6(one, 128), 4);
  EXPECT_EQ(fib.lookup_v6(one), 4u);
  EXPECT_EQ(fib.lookup_v6(ipv6_address_of(0)), 3u);
  EXPECT_EQ(fib.lookup_v6(ipv6_address_of(2)), 2u);
  EXPECT_EQ(fib.lookup_v6({0x20, 0x01}), std::nullopt);
  // The versions have tables of their own: ::a00:1 is not 10.0.0.1.
  EXPECT_EQ(fib.lookup_v4(address(10, 0, 0, 1)), std::nullopt);
}

TEST(Fib, BitsBehindThePrefixDoNotCount) {
  EXPECT_EQ(IpPrefix::v4(address(10, 1, 2, 3), 16), IpPrefix::v4(address(10, 1, 0, 0), 16));
  EXPECT_EQ(to_string(IpPrefix::v4(address(10, 1, 2, 3), 12)), "10.0.0.0/12");
  EXPECT_EQ(to_string(IpPrefix::v6(ipv6_address_of(0xABCD1234), 112)),
            "fd53:6c75:6963:0:0:0:abcd:0/112");
}

TEST(Fib, ARemovedRouteUncoversTheShorterOne) {
  Fib fib({});
  fib.add(IpPrefix::v4(address(10, 0, 0, 0), 8), 2);
  fib.add(IpPrefix::v4(address(10, 1, 0, 0), 16), 3);
  EXPECT_TRUE(fib.remove(IpPrefix::v4(address(10, 1, 0, 0), 16)));
  EXPECT_FALSE(fib.remove(IpPrefix::v4(address(10, 1, 0, 0), 16)));
  EXPECT_EQ(fib.lookup_v4(address(10, 1, 0, 0)), 2u);
  fib.remove(IpPrefix::v4(address(10, 0, 0, 0), 8));
  EXPECT_EQ(fib.lookup_v4(address(10, 1, 0, 0)), std::nullopt);
  EXPECT_EQ(fib.lpm_used(), 0u);
}

TEST(Fib, FullTablesAreRefusedWithTheNumbers) {
  Fib fib({.lpm_entries = 2, .host_entries = 3});
  fib.add(IpPrefix::v4(address(10, 0, 0, 0), 8), 1);
  fib.add(IpPrefix::v4(address(11, 0, 0, 0), 8), 1);
  try {
    fib.add(IpPrefix::v4(address(12, 0, 0, 0), 8), 1);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "forwarding.lpm_entries: 2 entries, all but 0 in use: no room for 12.0.0.0/8");
  }
  fib.add(IpPrefix::v4(address(11, 0, 0, 0), 8), 7);  // another next hop needs no room
  EXPECT_EQ(fib.lookup_v4(address(11, 2, 3, 4)), 7u);
  // A whole IPv6 address takes two of the three host entries.
  fib.add(IpPrefix::v6(ipv6_address_of(1), 128), 1);
  EXPECT_THROW(fib.add(IpPrefix::v6(ipv6_address_of(2), 128), 1), ConfigError);
  fib.add(IpPrefix::v4(address(10, 0, 0, 1), 32), 1);
  EXPECT_EQ(fib.host_used(), 3u);
  EXPECT_THROW(fib.add(IpPrefix::v4(address(10, 0, 0, 2), 32), 1), ConfigError);
}

/// Random routes over 256 addresses: what resolve() paints is what lookup() finds.
TEST(Fib, ResolvingARangeGivesEveryAddressItsLongestMatch) {
  RandomStream random(3, 0, RandomPurpose::kTest);
  for (int round = 0; round < 50; ++round) {
    Fib fib({});
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t at = kFirstIpv4Address + random.below(256);
      fib.add(IpPrefix::v4(at, 20 + random.below(13)), random.below(1000));
    }
    const IpPrefix range =
        IpPrefix::v4(kFirstIpv4Address + random.below(256), 24 + random.below(9));
    std::vector<std::uint32_t> painted(256, 12345);
    fib.resolve(range, 9999, [&](auto first, auto last, Fib::NextHop hop) {
      for (auto a = first; a <= last; ++a) {
        painted.at(static_cast<std::size_t>(a) - kFirstIpv4Address) = hop;
      }
    });
    for (std::uint32_t i = 0; i < 256; ++i) {
      const std::uint32_t at = kFirstIpv4Address + i;
      const bool inside = at >= range.address && at <= range.last();
      EXPECT_EQ(painted[i], inside ? fib.lookup_v4(at).value_or(9999) : 12345u);
    }
  }
}

}  // namespace
}  // namespace sluice
