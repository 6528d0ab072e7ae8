// SPDX-License-Identifier: Apache-2.0
#include "config/range_text.h"

#include <fmt/format.h>

namespace sluice {
namespace {

std::uint64_t whole(double value) {
  if (value <= 0) return 0;
  return value >= 0x1p64 ? UINT64_MAX : static_cast<std::uint64_t>(value);
}

}  // namespace

std::string whole_text(double value) { return fmt::format("{:.0f}", value); }
std::string time_text(double value) { return format_time(Ps{whole(value)}); }
std::string rate_text(double value) { return format_rate(BitsPerSecond{whole(value)}); }
std::string bytes_text(double value) { return format_bytes(Bytes{whole(value)}); }
std::string length_text(double value) { return format_length(Millimetres{whole(value)}); }

}  // namespace sluice
