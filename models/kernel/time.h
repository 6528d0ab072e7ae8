// SPDX-License-Identifier: Apache-2.0
// Simulated time: a 64-bit count of picoseconds in a strong type, for instants and durations alike.
// Range: 0 .. 2^64-1 ps (213 days). Leaves out: sub-picosecond parts, which clocks keep themselves.
#pragma once

#include <compare>
#include <cstdint>

namespace sluice {

struct Ps {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Ps&) const = default;
  constexpr Ps& operator+=(Ps other) {
    value += other.value;
    return *this;
  }
  constexpr Ps& operator-=(Ps other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Ps operator+(Ps a, Ps b) { return Ps{a.value + b.value}; }
  friend constexpr Ps operator-(Ps a, Ps b) { return Ps{a.value - b.value}; }
  friend constexpr Ps operator*(Ps a, std::uint64_t n) { return Ps{a.value * n}; }
  friend constexpr Ps operator*(std::uint64_t n, Ps a) { return Ps{a.value * n}; }
  friend constexpr Ps operator/(Ps a, std::uint64_t n) { return Ps{a.value / n}; }

  constexpr double seconds() const { return static_cast<double>(value) * 1e-12; }
  constexpr double microseconds() const { return static_cast<double>(value) * 1e-6; }
};

/// Later than any event: "never".
inline constexpr Ps kNever{UINT64_MAX};

constexpr Ps operator""_ps(unsigned long long n) { return Ps{n}; }
constexpr Ps operator""_ns(unsigned long long n) { return Ps{n * 1000}; }
constexpr Ps operator""_us(unsigned long long n) { return Ps{n * 1000 * 1000}; }
constexpr Ps operator""_ms(unsigned long long n) { return Ps{n * 1000 * 1000 * 1000}; }

}  // namespace sluice
