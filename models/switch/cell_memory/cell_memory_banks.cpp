// SPDX-License-Identifier: Apache-2.0
#include "switch/cell_memory/cell_memory_banks.h"

#include "kernel/error.h"

namespace sluice {

void CellMemoryParams::validate() const {
  if (banks < 2 || rows == 0) {
    throw ConfigError(fmt::format(
        "cell memory: {} banks of {} rows, expected at least 2 banks and 1 row", banks, rows));
  }
}

CellMemoryBanks::CellMemoryBanks(const CellMemoryParams& params) : params_(params) {
  params.validate();
  banks_.resize(params.banks);
  for (Bank& bank : banks_) bank.data.resize(params.rows);
}

std::optional<CellPlace> CellMemoryBanks::place(std::optional<std::uint32_t> read_bank) const {
  for (std::uint32_t i = 0; i < params_.banks; ++i) {
    const std::uint32_t number = (first_ + i) % params_.banks;
    const Bank& bank = banks_[number];
    if (read_bank == number || !has_row(bank)) continue;
    return CellPlace{number, bank.returned.empty() ? bank.fresh : bank.returned.front()};
  }
  return std::nullopt;
}

void CellMemoryBanks::write(const CellPlace& place, std::uint64_t data) {
  Bank& bank = banks_[place.bank];
  if (bank.returned.empty()) {
    ++bank.fresh;
  } else {
    bank.returned.pop_front();
  }
  bank.data[place.row] = data;
  first_ = (place.bank + 1) % params_.banks;
  ++used_;
}

std::uint64_t CellMemoryBanks::clock(const Clock& in) {
  std::uint64_t data = 0;
  std::optional<std::uint32_t> read_bank;
  if (in.read) {
    const auto& word = banks_.at(in.read->bank).data.at(in.read->row);
    SLUICE_CHECK(word.has_value(), "cell memory: row {} of bank {} is read and holds nothing",
                 in.read->row, in.read->bank);
    data = *word;
    read_bank = in.read->bank;
  }
  if (in.write) {
    const auto where = place(read_bank);
    SLUICE_CHECK(where.has_value(), "cell memory: a write finds no bank ({} cells used)", used_);
    write(*where, *in.write);
  }
  if (in.release) {
    Bank& bank = banks_.at(in.release->bank);
    auto& word = bank.data.at(in.release->row);
    SLUICE_CHECK(word.has_value(), "cell memory: row {} of bank {} is released twice",
                 in.release->row, in.release->bank);
    word.reset();
    bank.returned.push_back(in.release->row);
    --used_;
  }
  return data;
}

}  // namespace sluice
