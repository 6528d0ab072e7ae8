// SPDX-License-Identifier: Apache-2.0
// What Verilator's runtime says of one instance, kept with the instance's context instead of
// printed: an error is one line, and a failed assertion names itself only there.
#pragma once

#include <fmt/core.h>
#include <verilated.h>

#include <string>
#include <string_view>

namespace sluice::rtl {

struct RtlContext : VerilatedContext {
  std::string said;
};

/// The assertion that Verilator reports first in `said`, as "dut.pfc_tx.a_hold (pfc_tx.sv:12)";
/// the whole text where it reports something else.
inline std::string first_assertion(std::string_view said) {
  constexpr std::string_view kError = "%Error: ";
  constexpr std::string_view kFailed = ": Assertion failed in ";
  const std::size_t error = said.find(kError);
  const std::size_t failed = said.find(kFailed);
  if (error == said.npos || failed == said.npos || failed < error) return std::string(said);
  const std::size_t place = error + kError.size();
  const std::string_view rest = said.substr(failed + kFailed.size());
  return fmt::format("{} ({})", rest.substr(0, rest.find(':')), said.substr(place, failed - place));
}

}  // namespace sluice::rtl
