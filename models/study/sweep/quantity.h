// SPDX-License-Identifier: Apache-2.0
// A number of a study's range with its unit, as an integer of base units or a plain decimal.
// Leaves out: negative quantities with a unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

struct Quantity {
  enum class Kind : std::uint8_t { kInteger, kDecimal, kTime, kRate, kBytes, kLength };
  Kind kind = Kind::kInteger;
  std::int64_t units = 0;  ///< ps, bit/s, B, mm or the integer itself
  double decimal = 0;      ///< kDecimal

  double number() const { return kind == Kind::kDecimal ? decimal : static_cast<double>(units); }
  /// The shortest text that parses to the same.
  std::string text() const;
};

/// Throws ConfigError with the text alone.
Quantity parse_quantity(std::string_view text);

}  // namespace sluice
