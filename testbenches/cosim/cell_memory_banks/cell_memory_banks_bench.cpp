// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the banked cell memory: up to a write, a read and a release every clock; the
// place of each write, whether there is one, data and latency compared with the C++ block.
// Directed: filled to the last row, reads of the bank whose turn it is, one free row in the bank
// that is read; then bursts at random in banks small enough to run full.
#include "rtl/cell_memory_banks/cell_memory_banks_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {
namespace {

constexpr std::uint32_t kRows = 5;

class Lockstep {
 public:
  explicit Lockstep(BenchRun& run, std::uint32_t rows)
      : run_(run),
        model_({rtl::CellMemoryBanksTwin::params().banks, rows}),
        rtl_(rows, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// One clock; `write` is held back when no bank is free.
  void clock(bool write, std::optional<CellPlace> read, std::optional<CellPlace> release) {
    const auto bank = read ? std::optional<std::uint32_t>(read->bank) : std::nullopt;
    const std::optional<CellPlace> model = model_.place(bank);
    const std::optional<CellPlace> rtl = rtl_.place(bank);
    run_.expect("wr_ready_o", model.has_value(), rtl.has_value());
    if (model) {
      run_.expect("wr_bank_o", model->bank, rtl->bank);
      run_.expect("wr_row_o", model->row, rtl->row);
    }
    CellMemoryBanks::Clock in{{}, read, release};
    if (write) in.write = run_.random().next_u64();
    const std::optional<std::uint64_t> data = rtl_.clock(in);
    if (!model) in.write.reset();
    const std::uint64_t expected = model_.clock(in);
    run_.expect("out_valid_o", read.has_value(), data.has_value());
    if (read) run_.expect("out_data_o", expected, *data);
    if (in.write) held_.push_back(*model);
    if (in.write || read || release) run_.count_transaction();
    run_.at_cycle(rtl_.cycle());
  }
  /// Cells that hold data, in the order of their writes.
  const std::vector<CellPlace>& held() const { return held_; }
  CellPlace take(std::size_t index) {
    const CellPlace place = held_[index];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
    return place;
  }
  /// Bank of the next write, were nothing read.
  std::uint32_t next_bank() const {
    const auto place = model_.place({});
    return place ? place->bank : 0;
  }
  std::optional<CellPlace> held_in(std::uint32_t bank) const {
    for (const CellPlace& place : held_) {
      if (place.bank == bank) return place;
    }
    return std::nullopt;
  }

 private:
  BenchRun& run_;
  CellMemoryBanks model_;
  rtl::CellMemoryBanksTwin rtl_;
  std::vector<CellPlace> held_;
};

void directed(Lockstep& bench) {
  const std::uint32_t banks = rtl::CellMemoryBanksTwin::params().banks;
  // Clocks in which nothing is written leave the turn where it is.
  for (int i = 0; i < 3; ++i) bench.clock(false, {}, {});
  bench.clock(true, {}, {});
  for (int i = 0; i < 3; ++i) bench.clock(false, {}, {});
  // To the last row and once more, then all cells out again.
  for (std::uint32_t i = 0; i <= banks * kRows; ++i) bench.clock(true, {}, {});
  for (const CellPlace& place : std::vector(bench.held())) bench.clock(false, place, {});
  // One free row: while its bank is read the write waits.
  const CellPlace hole = bench.take(bench.held().size() / 2);
  bench.clock(true, {}, hole);
  bench.clock(true, bench.held_in(hole.bank), {});
  bench.clock(true, {}, {});
  // Reads the bank whose turn it is, as fast as places come back.
  for (int i = 0; i < 40; ++i) {
    const std::optional<CellPlace> read = bench.held_in(bench.next_bank());
    bench.clock(true, read, bench.take(0));
  }
}

void random(BenchRun& run, Lockstep& bench) {
  Bursts written(run.random());
  Bursts read(run.random());
  Bursts released(run.random());
  while (run.cycles_left() > 0) {
    std::optional<CellPlace> from;
    std::optional<CellPlace> back;
    const auto held = static_cast<std::uint32_t>(bench.held().size());
    if (held != 0 && read.next()) {
      from = bench.held()[run.random().below(held)];
      if (run.random().below(2) == 0) from = bench.held_in(bench.next_bank());
    }
    // Sometimes in the very clock of its last read.
    if (held != 0 && released.next()) back = bench.take(run.random().below(held));
    bench.clock(written.next(), from, back);
  }
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) run.bad_record("cell_memory_banks is in no fabric");
  // Several times from reset: what it forgets starts at random.
  for (int i = 0; i < 4; ++i) {
    Lockstep bench(run, kRows);
    directed(bench);
  }
  Lockstep bench(run, kRows);
  random(run, bench);
}

}  // namespace

Bench cell_memory_banks_bench() {
  return {"cell_memory_banks",
          {"a bank without a free row is written", "the bank that is read is written",
           "the lowest bank always comes first", "the turn is not reset",
           "the turn moves though nothing is written", "the turn stays at the bank that had it",
           "data come from the bank that is read now", "a row comes back to the bank written now",
           "rows never used go out before those that came back", "one row more than there are",
           "the ring of free rows wraps one too early",
           "a row that comes back as another goes out is not counted",
           "a row that comes back to an empty ring is not forwarded"},
          run_all};
}

}  // namespace sluice::cosim
