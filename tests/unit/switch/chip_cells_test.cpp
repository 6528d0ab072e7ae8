// SPDX-License-Identifier: Apache-2.0
// A chip that sends its packets through a cell buffer: it is told of each of them, cell by cell, on
// every way out of the queues. Leaves out: the buffer itself (cell_buffer/).
#include "switch/cell_buffer/cell_buffer.h"
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

/// Real cells; says which packets went by.
class Recorder final : public PacketCells {
 public:
  explicit Recorder(const CellBufferParams& params)
      : buffer_(make_cell_buffer(params)), held_(params.queues) {}

  void enqueue(std::uint32_t queue, std::uint32_t packet, std::uint32_t cells) override {
    ++entered;
    for (std::uint32_t i = 0; i < cells; ++i) {
      buffer_->enqueue(queue, {i == 0, i + 1 == cells, packet});
    }
  }
  std::uint32_t dequeue(std::uint32_t queue, std::uint32_t expected) override {
    EXPECT_TRUE(held_[queue].empty()) << "the last one is still there";
    std::uint32_t packet = 0;
    for (bool last = false; !last;) {
      const DequeuedCell out = buffer_->dequeue(queue);
      if (out.word.first) packet = out.word.tag;
      held_[queue].push_back(out.cell);
      last = out.word.last;
    }
    EXPECT_EQ(packet, expected);
    ++left;
    return packet;
  }
  void release(std::uint32_t queue) override {
    EXPECT_FALSE(held_[queue].empty());
    for (const std::uint32_t cell : held_[queue]) buffer_->release(cell);
    held_[queue].clear();
  }
  std::uint32_t used() const override { return buffer_->used(); }

  int entered = 0;
  int left = 0;

 private:
  std::unique_ptr<CellBuffer> buffer_;
  std::vector<std::vector<std::uint32_t>> held_;
};

Recorder& record(ChipBench& bench) {
  auto recorder = std::make_unique<Recorder>(
      CellBufferParams{bench.chip.mmu().totals().total, 4 * SwitchChip::kQueues});
  Recorder& result = *recorder;
  bench.chip.set_cells(std::move(recorder));
  return result;
}

/// Two senders to one port.
void incast(ChipBench& bench) {
  bench.tester(0).send(Ps{}, {.bytes = 1500}, 50);
  bench.tester(2).send(Ps{}, {.bytes = 64}, 50);
}

/// A SystemC context of its own for a second chip in a test.
class OwnContext {
 public:
  OwnContext() {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  }
  ~OwnContext() { sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = previous_; }

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_ = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_simcontext* previous_ = sc_core::sc_curr_simcontext;
};

/// What arrives at port 1 of a chip that only counts cells.
std::vector<Arrival> without_cells(const SwitchParams& params) {
  const OwnContext context;
  ChipBench plain(params);
  incast(plain);
  plain.run();
  return plain.arrivals(1);
}

void expect_all_through(const SwitchParams& params) {
  const std::vector<Arrival> expected = without_cells(params);
  ASSERT_EQ(expected.size(), 100u);
  ChipBench bench(params);
  Recorder& cells = record(bench);
  incast(bench);
  bench.run();
  EXPECT_EQ(cells.entered, 100);
  EXPECT_EQ(cells.left, 100);
  EXPECT_EQ(cells.used(), 0u);
  bench.chip.check_conservation();
  ASSERT_EQ(bench.arrivals(1).size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(bench.arrivals(1)[i].head, expected[i].head);
    EXPECT_EQ(bench.arrivals(1)[i].packet.frame_bytes, expected[i].packet.frame_bytes);
  }
}

TEST_F(Chip, SendsWhatItsCellBufferHandsOutWhenItWouldAnyway) { expect_all_through(quiet_chip()); }

TEST_F(Chip, GivesCellsBackWhenTheEgressFifoTakesTheFrame) {
  SwitchParams params = quiet_chip();
  params.egress_fifo_cells = 40;
  expect_all_through(params);
}

/// Cells that the buffer counts at `until`, after one frame of 1000 B has come in.
std::uint32_t used_at(const SwitchParams& params, Ps until) {
  const OwnContext context;
  ChipBench bench(params);
  Recorder& cells = record(bench);
  bench.tester(0).send(Ps{}, {.bytes = 1000});
  bench.run(until);
  return cells.used();
}

TEST_F(Chip, HoldsTheCellsOfAFrameUntilItsLastBitHasLeft) {
  const SwitchParams params = quiet_chip();
  const Ps start = kCable + params.latency.to_admission();
  const Ps end = start + line_time(1000 + kWireOverheadBytes, k800G);
  const std::uint32_t cells = (1000 + params.mmu.cell_bytes - 1) / params.mmu.cell_bytes;
  EXPECT_EQ(used_at(params, start - 1_ns), 0u);
  EXPECT_EQ(used_at(params, start + 1_ns), cells);
  EXPECT_EQ(used_at(params, end - 1_ns), cells);
  EXPECT_EQ(used_at(params, end + 1_ns), 0u);
}

TEST_F(Chip, TellsItsCellBufferOfWhatAWatchdogThrowsAway) {
  SwitchParams params = quiet_chip();
  params.watchdog.enabled = true;
  params.watchdog.detection_time = 200_us;
  params.watchdog.restoration_time = 100_us;
  params.watchdog.poll_interval = 50_us;
  params.watchdog.action = WatchdogAction::kDrop;
  ChipBench bench(params);
  Recorder& cells = record(bench);
  for (std::uint32_t i = 0; i < 15; ++i) bench.tester(1).pause(i * 40_us, 1u << 3, 65535);
  bench.tester(0).send(10_us, {}, 100);  // waits, then is thrown away
  bench.tester(2).send(400_us, {}, 50);  // in the storm: does not come in
  bench.tester(0).send(900_us, {}, 20);  // after it
  bench.run();
  EXPECT_EQ(cells.entered, 120);
  EXPECT_EQ(cells.left, 120);
  EXPECT_EQ(cells.used(), 0u);
  EXPECT_EQ(bench.arrivals(1).size(), 20u);
  bench.chip.check_conservation();
}

}  // namespace
}  // namespace sluice::test
