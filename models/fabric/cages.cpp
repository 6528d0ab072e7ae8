// SPDX-License-Identifier: Apache-2.0
#include "fabric/cages.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kGigabit = 1'000'000'000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A whole number from 1 to 4096 that fills `text`.
std::optional<std::uint32_t> count_in(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > 4096) {
    return {};
  }
  return value;
}

}  // namespace

std::vector<Breakout> parse_cages(const std::vector<std::string>& entries) {
  std::vector<Breakout> cages;
  for (const std::string& entry : entries) {
    std::string_view rest = entry;
    std::optional<std::uint32_t> repeat = 1;
    if (const std::size_t star = rest.find('*'); star != std::string_view::npos) {
      repeat = count_in(trimmed(rest.substr(0, star)));
      rest.remove_prefix(star + 1);
    }
    rest = trimmed(rest);
    const std::size_t times = rest.find('x');
    std::optional<std::uint32_t> ports;
    std::optional<std::uint32_t> gigabits;
    if (times != std::string_view::npos && rest.ends_with('G')) {
      ports = count_in(rest.substr(0, times));
      gigabits = count_in(rest.substr(times + 1, rest.size() - times - 2));
    }
    if (!repeat || !ports || !gigabits) {
      throw ConfigError(
          fmt::format("cages: '{}', expected a breakout like '2x400G' or '60 * 1x800G'", entry));
    }
    cages.insert(cages.end(), *repeat, {*ports, BitsPerSecond{*gigabits * kGigabit}});
  }
  return cages;
}

std::vector<CagePort> ports_of_cages(const std::vector<Breakout>& cages, const LaneBudget& chip) {
  const std::uint64_t lane = chip.lane_rate.value / kGigabit;
  std::vector<CagePort> ports;
  std::uint32_t first_lane = 1;
  for (const Breakout& cage : cages) {
    const std::uint64_t gigabits = cage.rate.value / kGigabit;
    const std::uint64_t lanes = (cage.rate.value + chip.lane_rate.value - 1) / chip.lane_rate.value;
    if (lanes * cage.ports > kLanesPerCage) {
      throw ConfigError(fmt::format("cages: {}x{}G needs {} lanes of {}G, a cage has {}",
                                    cage.ports, gigabits, lanes * cage.ports, lane, kLanesPerCage));
    }
    for (std::uint32_t i = 0; i < cage.ports; ++i) {
      ports.push_back({cage.rate, first_lane + i * static_cast<std::uint32_t>(lanes)});
    }
    first_lane += kLanesPerCage;
  }
  if (first_lane - 1 > chip.lanes) {
    throw ConfigError(fmt::format("cages: {} cages need {} lanes, the chip has {}", cages.size(),
                                  first_lane - 1, chip.lanes));
  }
  if (ports.size() > chip.max_ports) {
    throw ConfigError(
        fmt::format("cages: {} ports, the chip has at most {}", ports.size(), chip.max_ports));
  }
  return ports;
}

}  // namespace sluice
