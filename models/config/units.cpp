// SPDX-License-Identifier: Apache-2.0
#include "config/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "kernel/error.h"

namespace sluice {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  ///< in base units
};

/// A physical dimension: `units` rise; those after `listed` are accepted but not advertised.
struct Dimension {
  std::string_view noun;
  std::string_view base;
  std::span<const Unit> units;
  std::size_t listed;
  std::string_view example;
};

constexpr std::uint64_t kKilo = 1000, kMega = 1'000'000, kGiga = 1'000'000'000;
constexpr std::uint64_t kTera = 1'000'000'000'000;
constexpr std::array<Unit, 5> kTimeUnits{
    {{"ps", 1}, {"ns", kKilo}, {"us", kMega}, {"ms", kGiga}, {"s", kTera}}};
constexpr std::array<Unit, 10> kRateUnits{{{"bps", 1},
                                           {"kbps", kKilo},
                                           {"Mbps", kMega},
                                           {"Gbps", kGiga},
                                           {"Tbps", kTera},
                                           {"b/s", 1},
                                           {"kb/s", kKilo},
                                           {"Mb/s", kMega},
                                           {"Gb/s", kGiga},
                                           {"Tb/s", kTera}}};
constexpr std::array<Unit, 10> kByteUnits{{{"B", 1},
                                           {"KB", kKilo},
                                           {"MB", kMega},
                                           {"GB", kGiga},
                                           {"TB", kTera},
                                           {"KiB", 1ULL << 10},
                                           {"MiB", 1ULL << 20},
                                           {"GiB", 1ULL << 30},
                                           {"TiB", 1ULL << 40},
                                           {"kB", kKilo}}};
constexpr std::array<Unit, 4> kLengthUnits{{{"mm", 1}, {"cm", 10}, {"m", kKilo}, {"km", kMega}}};

constexpr Dimension kTime{"time", "ps", kTimeUnits, 5, "5us"};
constexpr Dimension kRate{"rate", "bps", kRateUnits, 5, "400Gbps"};
constexpr Dimension kSize{"size", "B", kByteUnits, 9, "4MiB"};
constexpr Dimension kLength{"length", "mm", kLengthUnits, 4, "5m"};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string unit_list(const Dimension& dimension) {
  std::string text;
  for (const Unit& unit : dimension.units.first(dimension.listed)) {
    if (!text.empty()) text += ' ';
    text += unit.name;
  }
  return text;
}

/// digits[.digits], as mantissa / 10^scale.
struct Decimal {
  __uint128_t mantissa = 0;
  unsigned scale = 0;
};

constexpr unsigned kMaxDigits = 25;

/// Takes a decimal number off the front of `text`; false when there is none or it is too long.
bool take_decimal(std::string_view& text, Decimal& out) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  std::string digits(text.substr(0, at));
  if (digits.empty()) return false;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    const std::size_t start = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    std::string_view fraction = text.substr(start, at - start);
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    out.scale = static_cast<unsigned>(fraction.size());
    digits += fraction;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > kMaxDigits || out.scale > kMaxDigits) return false;
  for (const char c : digits) out.mantissa = out.mantissa * 10 + static_cast<unsigned>(c - '0');
  text.remove_prefix(at);
  return true;
}

[[noreturn]] void throw_unknown_unit(std::string_view whole, std::string_view word,
                                     const Dimension& dimension) {
  std::vector<std::string_view> names;
  for (const Unit& unit : dimension.units) names.push_back(unit.name);
  throw ConfigError(fmt::format("{}: '{}' is not a unit of {}{}; use one of {}", whole, word,
                                dimension.noun, did_you_mean(word, names), unit_list(dimension)));
}

std::uint64_t parse_quantity(std::string_view whole, const Dimension& dimension) {
  std::string_view rest = whole;
  Decimal number;
  if (rest.starts_with('-')) {
    throw ConfigError(fmt::format("{}: a {} is not negative", whole, dimension.noun));
  }
  if (!take_decimal(rest, number)) {
    throw ConfigError(fmt::format("expected a {} such as {}, got '{}'", dimension.noun,
                                  dimension.example, whole));
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) {
    if (number.mantissa == 0) return 0;
    throw ConfigError(
        fmt::format("{} needs a unit of {}: {}", whole, dimension.noun, unit_list(dimension)));
  }
  const auto unit = std::find_if(dimension.units.begin(), dimension.units.end(),
                                 [rest](const Unit& entry) { return entry.name == rest; });
  if (unit == dimension.units.end()) throw_unknown_unit(whole, rest, dimension);
  // mantissa < 10^25 < 2^84 and factor <= 2^40: the product fits 128 bits.
  __uint128_t value = number.mantissa * unit->factor;
  for (unsigned i = 0; i < number.scale; ++i) {
    if (value % 10 != 0) {
      throw ConfigError(fmt::format("{} is not a whole number of {}", whole, dimension.base));
    }
    value /= 10;
  }
  if (value > UINT64_MAX) {
    throw ConfigError(
        fmt::format("{} is too large for a 64-bit count of {}", whole, dimension.base));
  }
  return static_cast<std::uint64_t>(value);
}

/// value / factor with all its decimals; factor is a power of ten.
std::string decimal_text(std::uint64_t value, const Unit& unit) {
  std::string text = std::to_string(value / unit.factor);
  std::uint64_t rest = value % unit.factor;
  if (rest != 0) {
    text += '.';
    for (std::uint64_t place = unit.factor / 10; rest != 0; place /= 10) {
      text += static_cast<char>('0' + rest / place);
      rest %= place;
    }
  }
  return text + std::string(unit.name);
}

std::string format_decimal(std::uint64_t value, std::span<const Unit> units) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].factor <= value) best = i;
  }
  return decimal_text(value, units[best]);
}

}  // namespace

Ps parse_time(std::string_view text) { return Ps{parse_quantity(text, kTime)}; }
BitsPerSecond parse_rate(std::string_view text) {
  return BitsPerSecond{parse_quantity(text, kRate)};
}
Bytes parse_bytes(std::string_view text) { return Bytes{parse_quantity(text, kSize)}; }
Millimetres parse_length(std::string_view text) {
  return Millimetres{parse_quantity(text, kLength)};
}

namespace {

template <class T>
T parse_whole(std::string_view text) {
  T value{};
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && is_digit(digits[1])) digits.remove_prefix(1);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  if (whole && code == std::errc::result_out_of_range) {
    throw ConfigError(fmt::format("{} does not fit in 64 bits", text));
  }
  if (!whole || code != std::errc()) {
    throw ConfigError(fmt::format("expected a whole number, got '{}'", text));
  }
  return value;
}

}  // namespace

std::int64_t parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }

std::uint64_t parse_unsigned(std::string_view text) {
  if (text.size() > 1 && text[0] == '-' && is_digit(text[1])) {
    throw ConfigError(fmt::format("{} is negative", text));
  }
  return parse_whole<std::uint64_t>(text);
}

double parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size() || code != std::errc() ||
      !std::isfinite(value)) {
    throw ConfigError(fmt::format("expected a number, got '{}'", text));
  }
  return value;
}

bool parse_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw ConfigError(fmt::format("expected true or false, got '{}'", text));
}

std::string format_time(Ps value) { return format_decimal(value.value, kTimeUnits); }
std::string format_rate(BitsPerSecond value) {
  return format_decimal(value.value, std::span(kRateUnits).first(5));
}
std::string format_length(Millimetres value) {
  // Centimetres read worse than millimetres beside metres.
  constexpr std::array<Unit, 3> kPrinted{{{"mm", 1}, {"m", kKilo}, {"km", kMega}}};
  return format_decimal(value.value, kPrinted);
}

std::string format_bytes(Bytes value) {
  constexpr std::array<Unit, 4> kBinary{
      {{"TiB", 1ULL << 40}, {"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}}};
  for (const Unit& unit : kBinary) {
    if (value.value != 0 && value.value % unit.factor == 0) {
      return std::to_string(value.value / unit.factor) + std::string(unit.name);
    }
  }
  return std::to_string(value.value) + "B";
}

std::string format_number(double value) { return fmt::format("{}", value); }

}  // namespace sluice
