// SPDX-License-Identifier: Apache-2.0
#include "rtl/cell_memory_banks/cell_memory_banks_twin.h"

#include <Vcell_memory_banks.h>
#include <Vcell_memory_banks_cell_memory_banks.h>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct CellMemoryBanksTwin::Rtl : RtlModel<Vcell_memory_banks> {
  using RtlModel::RtlModel;
};

static_assert(Vcell_memory_banks_cell_memory_banks::DataBits == 64);

CellMemoryParams CellMemoryBanksTwin::params() {
  return {Vcell_memory_banks_cell_memory_banks::Banks, Vcell_memory_banks_cell_memory_banks::Rows};
}

CellMemoryBanksTwin::CellMemoryBanksTwin(std::uint32_t rows, const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  if (rows == 0 || rows > params().rows) {
    throw ConfigError(
        fmt::format("cell_memory_banks in RTL: {} rows, expected 1 to {}", rows, params().rows));
  }
  Vcell_memory_banks& pins = rtl_->pins();
  pins.rows_i = static_cast<std::uint16_t>(rows);
  pins.wr_valid_i = pins.rd_valid_i = pins.rel_valid_i = 0;
  rtl_->reset();
}

CellMemoryBanksTwin::~CellMemoryBanksTwin() = default;

std::optional<CellPlace> CellMemoryBanksTwin::place(std::optional<std::uint32_t> read_bank) const {
  Vcell_memory_banks& pins = rtl_->pins();
  pins.rd_valid_i = read_bank.has_value();
  if (read_bank) pins.rd_bank_i = static_cast<std::uint8_t>(*read_bank);
  rtl_->settle();
  if (!pins.wr_ready_o) return std::nullopt;
  return CellPlace{pins.wr_bank_o, pins.wr_row_o};
}

std::optional<std::uint64_t> CellMemoryBanksTwin::clock(const CellMemoryBanks::Clock& in) {
  Vcell_memory_banks& pins = rtl_->pins();
  pins.wr_valid_i = in.write.has_value();
  if (in.write) pins.wr_data_i = *in.write;
  pins.rd_valid_i = in.read.has_value();
  if (in.read) {
    pins.rd_bank_i = static_cast<std::uint8_t>(in.read->bank);
    pins.rd_row_i = static_cast<std::uint16_t>(in.read->row);
  }
  pins.rel_valid_i = in.release.has_value();
  if (in.release) {
    pins.rel_bank_i = static_cast<std::uint8_t>(in.release->bank);
    pins.rel_row_i = static_cast<std::uint16_t>(in.release->row);
  }
  rtl_->tick();
  // Whatever the next clock reads changes nothing about these data.
  pins.rd_bank_i = static_cast<std::uint8_t>((pins.rd_bank_i + 1u) % params().banks);
  rtl_->settle();
  std::optional<std::uint64_t> data;
  if (pins.out_valid_o) data = pins.out_data_o;
  pins.wr_valid_i = pins.rd_valid_i = pins.rel_valid_i = 0;
  return data;
}

std::uint64_t CellMemoryBanksTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
