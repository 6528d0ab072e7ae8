// SPDX-License-Identifier: Apache-2.0
// Ranges of parameters: the comparison, exact for 64-bit integers, and their text in messages and
// tables. A range end at the default of ParameterRange counts as open.
#pragma once

#include <cstdint>
#include <string>

#include "config/units.h"
#include "kernel/parameter.h"

namespace sluice {

// x87's long double holds every 64-bit integer and every double exactly.
static_assert(std::numeric_limits<long double>::digits >= 64);

constexpr long double base_units(std::uint64_t value) { return value; }
constexpr long double base_units(std::int64_t value) { return value; }
constexpr long double base_units(double value) { return value; }
constexpr long double base_units(Ps value) { return value.value; }
constexpr long double base_units(BitsPerSecond value) { return value.value; }
constexpr long double base_units(Bytes value) { return value.value; }
constexpr long double base_units(Millimetres value) { return value.value; }

constexpr bool in_range(long double value, ParameterRange range) {
  return value >= range.min && value <= range.max;
}

constexpr bool open_above(ParameterRange range) { return range.max >= ParameterRange{}.max; }

std::string whole_text(double value);
std::string time_text(double value);
std::string rate_text(double value);
std::string bytes_text(double value);
std::string length_text(double value);

/// "-8..8", or "1 or more" where the range is open above.
template <class Format>
std::string range_text(ParameterRange range, const Format& format) {
  if (open_above(range)) return format(range.min) + " or more";
  return format(range.min) + ".." + format(range.max);
}

/// "is outside -8..8", or "is below 1".
template <class Format>
std::string outside_text(ParameterRange range, const Format& format) {
  if (open_above(range)) return "is below " + format(range.min);
  return "is outside " + range_text(range, format);
}

}  // namespace sluice
