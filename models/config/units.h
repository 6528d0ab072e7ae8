// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them ("1.5us", "400Gbps", "32MiB", "100m") to and from exact integers.
// Leaves out: negative quantities and scientific notation; a bare number is refused, save 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernel/clock_rate.h"
#include "kernel/parameter.h"
#include "kernel/time.h"

namespace sluice {

/// Each parses exactly, in integers, and throws ConfigError with the text alone: the caller knows
/// the place. A value that is not a whole number of the base unit (ps, bit/s, B, mm) is refused.
Ps parse_time(std::string_view text);               ///< ps ns us ms s
BitsPerSecond parse_rate(std::string_view text);    ///< bps kbps Mbps Gbps Tbps, b/s … Tb/s
Bytes parse_bytes(std::string_view text);           ///< B kB KB MB GB TB KiB MiB GiB TiB
Millimetres parse_length(std::string_view text);    ///< mm cm m km
std::int64_t parse_integer(std::string_view text);  ///< decimal, optional sign
std::uint64_t parse_unsigned(std::string_view text);
double parse_number(std::string_view text);  ///< finite; a point and an exponent are allowed
bool parse_bool(std::string_view text);      ///< true or false, nothing else

/// Shortest exact text; parsing it gives the value back. 0 prints with the base unit ("0ps").
std::string format_time(Ps value);
std::string format_rate(BitsPerSecond value);
std::string format_bytes(Bytes value);
std::string format_length(Millimetres value);
/// Shortest text that reads back as the same double.
std::string format_number(double value);

/// Steps (insert, delete, replace, swap of neighbours) from one word to the other; case is ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate that `word` was probably meant to be; empty when none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates);
/// " (did you mean 'x'?)", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sluice
