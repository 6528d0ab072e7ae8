// SPDX-License-Identifier: Apache-2.0
// The memory that cells' data lie in, clock by clock: banks of one port each, of which one is read
// and another is written in a clock. Leaves out: who reads when; a fabric counts cells only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace sluice {

struct CellMemoryParams {
  std::uint32_t banks = 8;
  std::uint32_t rows = 1024;  ///< cells of a bank

  void validate() const;
};

struct CellPlace {
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  bool operator==(const CellPlace&) const = default;
};

class CellMemoryBanks {
 public:
  /// Throws ConfigError.
  explicit CellMemoryBanks(const CellMemoryParams& params);

  /// Where a write lands in a clock that reads `bank` (or nothing): the first bank that is not read
  /// and has a free row, from the one after the last written on. In a bank, rows that came back go
  /// out first, the one that waits longest before the others, then the smallest never used.
  /// Empty: the write has to wait.
  std::optional<CellPlace> place(std::optional<std::uint32_t> read_bank) const;

  /// One clock with what it does, in any combination; the data read. Writes land at place(). A
  /// place that is released can be written from the next clock on. Misuse throws InvariantError.
  struct Clock {
    std::optional<std::uint64_t> write;
    std::optional<CellPlace> read;
    std::optional<CellPlace> release;
  };
  std::uint64_t clock(const Clock& in);

  std::uint32_t used() const { return used_; }  ///< cells that hold data

 private:
  struct Bank {
    std::vector<std::optional<std::uint64_t>> data;  ///< empty: free
    std::deque<std::uint32_t> returned;
    std::uint32_t fresh = 0;  ///< smallest row never used
  };
  bool has_row(const Bank& bank) const {
    return !bank.returned.empty() || bank.fresh < params_.rows;
  }
  void write(const CellPlace& place, std::uint64_t data);

  CellMemoryParams params_;
  std::vector<Bank> banks_;
  std::uint32_t first_ = 0;  ///< bank that is looked at first
  std::uint32_t used_ = 0;
};

}  // namespace sluice
