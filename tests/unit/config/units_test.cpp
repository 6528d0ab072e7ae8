// SPDX-License-Identifier: Apache-2.0
// Every unit, exactness, and what is said of a quantity that does not fit.
#include "config/units.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/error.h"

namespace sluice {
namespace {

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, ReadEveryUnitOfTime) {
  EXPECT_EQ(parse_time("7ps").value, 7U);
  EXPECT_EQ(parse_time("7ns").value, 7'000U);
  EXPECT_EQ(parse_time("7us").value, 7'000'000U);
  EXPECT_EQ(parse_time("7ms").value, 7'000'000'000U);
  EXPECT_EQ(parse_time("7s").value, 7'000'000'000'000U);
}

TEST(Units, ReadEveryUnitOfRate) {
  EXPECT_EQ(parse_rate("3bps").value, 3U);
  EXPECT_EQ(parse_rate("3kbps").value, 3'000U);
  EXPECT_EQ(parse_rate("3Mbps").value, 3'000'000U);
  EXPECT_EQ(parse_rate("800Gbps").value, 800'000'000'000U);
  EXPECT_EQ(parse_rate("1.6Tbps").value, 1'600'000'000'000U);
  EXPECT_EQ(parse_rate("3b/s").value, 3U);
  EXPECT_EQ(parse_rate("3kb/s").value, 3'000U);
  EXPECT_EQ(parse_rate("3Mb/s").value, 3'000'000U);
  EXPECT_EQ(parse_rate("400 Gb/s").value, 400'000'000'000U);
  EXPECT_EQ(parse_rate("3Tb/s").value, 3'000'000'000'000U);
}

TEST(Units, ReadEveryUnitOfSize) {
  EXPECT_EQ(parse_bytes("5B").value, 5U);
  EXPECT_EQ(parse_bytes("5KB").value, 5'000U);
  EXPECT_EQ(parse_bytes("5kB").value, 5'000U);
  EXPECT_EQ(parse_bytes("5MB").value, 5'000'000U);
  EXPECT_EQ(parse_bytes("5GB").value, 5'000'000'000U);
  EXPECT_EQ(parse_bytes("5TB").value, 5'000'000'000'000U);
  EXPECT_EQ(parse_bytes("5KiB").value, 5U * 1024);
  EXPECT_EQ(parse_bytes("32MiB").value, 32U * 1024 * 1024);
  EXPECT_EQ(parse_bytes("5GiB").value, 5ULL << 30);
  EXPECT_EQ(parse_bytes("5TiB").value, 5ULL << 40);
}

TEST(Units, ReadEveryUnitOfLength) {
  EXPECT_EQ(parse_length("4mm").value, 4U);
  EXPECT_EQ(parse_length("4cm").value, 40U);
  EXPECT_EQ(parse_length("4m").value, 4'000U);
  EXPECT_EQ(parse_length("4km").value, 4'000'000U);
}

TEST(Units, ReadFractionsExactly) {
  EXPECT_EQ(parse_time("1.5us").value, 1'500'000U);
  EXPECT_EQ(parse_time("0.000000000001s").value, 1U);
  EXPECT_EQ(parse_time("1.50000000000000000000us").value, 1'500'000U);
  EXPECT_EQ(parse_bytes("0.5KiB").value, 512U);
  EXPECT_EQ(parse_length("0.25m").value, 250U);
  // 2^53 + 1 ps: a double would lose the last picosecond.
  EXPECT_EQ(parse_time("9007199254740.993ns").value, 9'007'199'254'740'993U);
  EXPECT_EQ(parse_time("18446744073709551615ps").value, UINT64_MAX);
}

TEST(Units, RefuseWhatIsNotAWholeNumberOfTheBaseUnit) {
  EXPECT_EQ(error_of([] { parse_time("0.1ps"); }), "0.1ps is not a whole number of ps");
  EXPECT_EQ(error_of([] { parse_time("1.2345ns"); }), "1.2345ns is not a whole number of ps");
  EXPECT_EQ(error_of([] { parse_bytes("0.3KiB"); }), "0.3KiB is not a whole number of B");
}

TEST(Units, RefuseABareNumberAndNameTheUnits) {
  EXPECT_EQ(error_of([] { parse_time("5"); }), "5 needs a unit of time: ps ns us ms s");
  EXPECT_EQ(error_of([] { parse_rate("400"); }),
            "400 needs a unit of rate: bps kbps Mbps Gbps Tbps");
  EXPECT_EQ(error_of([] { parse_bytes("9497600"); }),
            "9497600 needs a unit of size: B KB MB GB TB KiB MiB GiB TiB");
  EXPECT_EQ(error_of([] { parse_length("100"); }), "100 needs a unit of length: mm cm m km");
}

TEST(Units, AllowABareZero) {
  EXPECT_EQ(parse_time("0").value, 0U);
  EXPECT_EQ(parse_bytes("0").value, 0U);
  EXPECT_EQ(parse_length("0.0").value, 0U);
}

TEST(Units, RefuseAnUnknownUnitAndSuggestOne) {
  EXPECT_EQ(error_of([] { parse_bytes("32mib"); }),
            "32mib: 'mib' is not a unit of size (did you mean 'MiB'?); use one of "
            "B KB MB GB TB KiB MiB GiB TiB");
  EXPECT_EQ(error_of([] { parse_time("5m"); }),
            "5m: 'm' is not a unit of time; use one of ps ns us ms s");
  EXPECT_EQ(error_of([] { parse_rate("400GBps"); }),
            "400GBps: 'GBps' is not a unit of rate (did you mean 'Gbps'?); use one of "
            "bps kbps Mbps Gbps Tbps");
}

TEST(Units, RefuseWhatIsNoQuantity) {
  EXPECT_EQ(error_of([] { parse_time("soon"); }), "expected a time such as 5us, got 'soon'");
  EXPECT_EQ(error_of([] { parse_time(""); }), "expected a time such as 5us, got ''");
  EXPECT_EQ(error_of([] { parse_time("-5ns"); }), "-5ns: a time is not negative");
  EXPECT_EQ(error_of([] { parse_bytes("1e3B"); }).substr(0, 33),
            "1e3B: 'e3B' is not a unit of size");
  EXPECT_EQ(error_of([] { parse_bytes("1.5.2KB"); }).substr(0, 20), "1.5.2KB: '.2KB' is n");
  EXPECT_EQ(error_of([] { parse_length(".5m"); }).substr(0, 17), "expected a length");
}

TEST(Units, RefuseWhatOverflows) {
  EXPECT_EQ(error_of([] { parse_time("18446744073709551616ps"); }),
            "18446744073709551616ps is too large for a 64-bit count of ps");
  EXPECT_EQ(error_of([] { parse_time("99999999s"); }),
            "99999999s is too large for a 64-bit count of ps");
  EXPECT_NE(error_of([] { parse_time(std::string(60, '9') + "s"); }), "no error");
}

TEST(Units, PrintTheShortestExactText) {
  EXPECT_EQ(format_time(Ps{1'500'000}), "1.5us");
  EXPECT_EQ(format_time(Ps{83'560}), "83.56ns");
  EXPECT_EQ(format_time(Ps{1'000'001}), "1.000001us");
  EXPECT_EQ(format_time(Ps{0}), "0ps");
  EXPECT_EQ(format_rate(BitsPerSecond{800'000'000'000}), "800Gbps");
  EXPECT_EQ(format_rate(BitsPerSecond{1'600'000'000'000}), "1.6Tbps");
  EXPECT_EQ(format_bytes(Bytes{32U << 20}), "32MiB");
  EXPECT_EQ(format_bytes(Bytes{9'497'600}), "9275KiB");
  EXPECT_EQ(format_bytes(Bytes{9'497'601}), "9497601B");
  EXPECT_EQ(format_bytes(Bytes{0}), "0B");
  EXPECT_EQ(format_length(Millimetres{100'000}), "100m");
  EXPECT_EQ(format_length(Millimetres{1'500}), "1.5m");
  EXPECT_EQ(format_length(Millimetres{2'000'000}), "2km");
}

TEST(Units, PrintWhatReadsBack) {
  std::vector<std::uint64_t> values{0, 1, 9, 10, 999, 1000, 1001, 1023, 1024, 1025, UINT64_MAX};
  for (std::uint64_t x = 1; x < UINT64_MAX / 7; x = x * 7 + 3) values.push_back(x);
  for (const std::uint64_t value : values) {
    EXPECT_EQ(parse_time(format_time(Ps{value})).value, value);
    EXPECT_EQ(parse_rate(format_rate(BitsPerSecond{value})).value, value);
    EXPECT_EQ(parse_bytes(format_bytes(Bytes{value})).value, value);
    EXPECT_EQ(parse_length(format_length(Millimetres{value})).value, value);
  }
}

TEST(Numbers, ReadIntegersOfTheWholeRange) {
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_integer("+8"), 8);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(error_of([] { parse_integer("9223372036854775808"); }),
            "9223372036854775808 does not fit in 64 bits");
  EXPECT_EQ(error_of([] { parse_unsigned("-1"); }), "-1 is negative");
  for (const char* text : {"", "1.5", "1e3", "0x10", "12 ", "abc", "-", "--1", "+-1", "1_000"}) {
    EXPECT_EQ(error_of([text] { parse_integer(text); }),
              "expected a whole number, got '" + std::string(text) + "'");
  }
}

TEST(Numbers, ReadFiniteNumbersAlone) {
  EXPECT_EQ(parse_number("-1.5e-3"), -0.0015);
  for (const char* text : {"nan", "inf", "-inf", "1e999", "0.5x", ""}) {
    EXPECT_EQ(error_of([text] { parse_number(text); }),
              "expected a number, got '" + std::string(text) + "'");
  }
}

TEST(Numbers, ReadTrueAndFalseAlone) {
  EXPECT_TRUE(parse_bool("true"));
  EXPECT_FALSE(parse_bool("false"));
  for (const char* text : {"yes", "on", "True", "1", ""}) {
    EXPECT_EQ(error_of([text] { parse_bool(text); }),
              "expected true or false, got '" + std::string(text) + "'");
  }
}

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("KMIN", "kmin"), 0U);
}

TEST(NearestName, FindsTheWordThatWasMeant) {
  const std::vector<std::string_view> flags{"--progress", "--quiet", "--trace", "--out"};
  EXPECT_EQ(nearest_name("--progres", flags), "--progress");
  EXPECT_EQ(nearest_name("--quite", flags), "--quiet");
  EXPECT_EQ(nearest_name("--nonsense", flags), "");
  EXPECT_EQ(did_you_mean("--tarce", flags), " (did you mean '--trace'?)");
  EXPECT_EQ(did_you_mean("x", flags), "");
}

}  // namespace
}  // namespace sluice
