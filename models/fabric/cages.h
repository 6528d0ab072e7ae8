// SPDX-License-Identifier: Apache-2.0
// Ports of one chip by OSFP cage: a cage has 8 SerDes lanes and is broken out into equal ports.
// Leaves out: which optics are plugged in, and speeds that change while running.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/clock_rate.h"

namespace sluice {

inline constexpr std::uint32_t kLanesPerCage = 8;

/// One cage as written: "2x400G".
struct Breakout {
  std::uint32_t ports = 1;
  BitsPerSecond rate{};
  bool operator==(const Breakout&) const = default;
};

/// One port of a chip and where it is wired.
struct CagePort {
  BitsPerSecond rate{};
  std::uint32_t first_lane = 1;  ///< of the chip, counted from 1
};

/// Cages in order from "1x800G" or "60 * 1x800G" entries. Throws ConfigError naming the entry.
std::vector<Breakout> parse_cages(const std::vector<std::string>& entries);

/// Lanes and ports of a chip that cages are held against.
struct LaneBudget {
  BitsPerSecond lane_rate{};
  std::uint32_t lanes = 0;
  std::uint32_t max_ports = 0;
};

/// Ports in order, cage by cage. Throws ConfigError when a cage needs more than its 8 lanes or the
/// chip has too few lanes or ports.
std::vector<CagePort> ports_of_cages(const std::vector<Breakout>& cages, const LaneBudget& chip);

}  // namespace sluice
