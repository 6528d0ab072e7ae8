// SPDX-License-Identifier: Apache-2.0
// How a block tells its parameters: one `describe(ParameterVisitor&)` a parameter struct names each
// value with unit, range, source and meaning. Reading a file, printing a preset and hashing a
// configuration are visitors, so that no parameter can be read but not shown, or shown but not
// read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/time.h"

namespace sluice {

/// A number of bytes in configuration (sizes of buffers, thresholds, messages).
struct Bytes {
  std::uint64_t value = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
};

/// A cable length, in millimetres so that it is an integer.
struct Millimetres {
  std::uint64_t value = 0;
  constexpr auto operator<=>(const Millimetres&) const = default;
};

/// What a reader should know of a parameter. `source` starts with "estimate" where nobody published
/// it.
struct ParameterInfo {
  std::string_view meaning;
  std::string_view source;
  std::string_view unit = "";
};

/// Inclusive range in the parameter's own unit (ps, bit/s, B, mm or the plain number).
struct ParameterRange {
  double min = 0;
  double max = 1.8e19;
};

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  virtual void visit(std::string_view name, bool& value, const ParameterInfo& info) = 0;
  virtual void visit(std::string_view name, double& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  virtual void visit(std::string_view name, Ps& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  virtual void visit(std::string_view name, BitsPerSecond& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  virtual void visit(std::string_view name, Bytes& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  virtual void visit(std::string_view name, Millimetres& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  /// A list of small integers (weights, maps); every element obeys the range.
  virtual void visit(std::string_view name, std::vector<std::uint32_t>& value, ParameterRange range,
                     const ParameterInfo& info) = 0;
  /// A nested section: `begin` before its parameters, `end` after.
  virtual void begin(std::string_view name, std::string_view meaning) = 0;
  virtual void end() = 0;

  /// Any plain integer; the range is narrowed to what its type holds.
  template <class Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) void visit(
      std::string_view name, Integer& value, ParameterRange range, const ParameterInfo& info) {
    using Limits = std::numeric_limits<Integer>;
    range.min = std::max(range.min, static_cast<double>(Limits::min()));
    range.max = std::min(range.max, static_cast<double>(Limits::max()));
    auto wide = static_cast<std::int64_t>(value);
    visit_integer(name, wide, range, info);
    value = static_cast<Integer>(wide);
  }
  /// One of `names`, in the order of the enumerators, which count from 0.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void visit(std::string_view name, Enum& value, std::span<const std::string_view> names,
             const ParameterInfo& info) {
    auto index = static_cast<std::size_t>(value);
    visit_choice(name, index, names, info);
    value = static_cast<Enum>(index);
  }

 protected:
  virtual void visit_integer(std::string_view name, std::int64_t& value, ParameterRange range,
                             const ParameterInfo& info) = 0;
  virtual void visit_choice(std::string_view name, std::size_t& index,
                            std::span<const std::string_view> names, const ParameterInfo& info) = 0;
};

}  // namespace sluice
