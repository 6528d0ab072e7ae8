// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/quantity.h"

#include <fmt/format.h>

#include <limits>

#include "config/units.h"
#include "kernel/error.h"

namespace sluice {
namespace {

using Kind = Quantity::Kind;

/// True when `parse` takes the text; its value goes to `units`.
template <class Parse>
bool takes(std::string_view text, std::int64_t& units, const Parse& parse) {
  try {
    const std::uint64_t value = parse(text);
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return false;
    units = static_cast<std::int64_t>(value);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

std::string Quantity::text() const {
  const auto whole = static_cast<std::uint64_t>(units);
  switch (kind) {
    case Kind::kInteger:
      return fmt::format("{}", units);
    case Kind::kDecimal:
      return format_number(decimal);
    case Kind::kTime:
      return format_time(Ps{whole});
    case Kind::kRate:
      return format_rate(BitsPerSecond{whole});
    case Kind::kBytes:
      return format_bytes(Bytes{whole});
    case Kind::kLength:
      return format_length(Millimetres{whole});
  }
  return {};
}

Quantity parse_quantity(std::string_view text) {
  Quantity q;
  try {
    q.units = parse_integer(text);
    return q;
  } catch (const ConfigError&) {  // not a whole number
  }
  q.kind = Kind::kTime;
  if (takes(text, q.units, [](std::string_view t) { return parse_time(t).value; })) return q;
  q.kind = Kind::kRate;
  if (takes(text, q.units, [](std::string_view t) { return parse_rate(t).value; })) return q;
  q.kind = Kind::kBytes;
  if (takes(text, q.units, [](std::string_view t) { return parse_bytes(t).value; })) return q;
  q.kind = Kind::kLength;
  if (takes(text, q.units, [](std::string_view t) { return parse_length(t).value; })) return q;
  q.kind = Kind::kDecimal;
  try {
    q.decimal = parse_number(text);
    return q;
  } catch (const ConfigError&) {
    throw ConfigError(fmt::format(
        "'{}', expected a number or a quantity such as 5m, 64KiB, 400Gbps or 2us", text));
  }
}

}  // namespace sluice
