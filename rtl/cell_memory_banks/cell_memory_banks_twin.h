// SPDX-License-Identifier: Apache-2.0
// The banked cell memory in RTL, clock by clock as the C++ block.
#pragma once

#include <memory>
#include <optional>

#include "rtl/harness/rtl_options.h"
#include "switch/cell_memory/cell_memory_banks.h"

namespace sluice::rtl {

class CellMemoryBanksTwin {
 public:
  static constexpr unsigned kLatency = 1;  ///< clocks from a read to its data
  /// Those that the RTL is built with.
  static CellMemoryParams params();

  /// `rows`: of each bank that are used. Throws ConfigError for more than the RTL has.
  CellMemoryBanksTwin(std::uint32_t rows, const RtlOptions& options);
  ~CellMemoryBanksTwin();

  /// Where a write lands in a clock that reads `bank`, or nothing; empty: not ready.
  std::optional<CellPlace> place(std::optional<std::uint32_t> read_bank) const;
  /// One clock; the data of a read kLatency clocks ago, if there was one. A write that is not ready
  /// does nothing.
  std::optional<std::uint64_t> clock(const CellMemoryBanks::Clock& in);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
