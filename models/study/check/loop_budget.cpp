// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the pause loop. It follows SwitchChip::start_of_simulation, send_pfc,
// serve_fifo and NicCore::attach: a change of the simulator's path has to change it here too.
#include "study/check/loop_budget.h"

#include <algorithm>
#include <cmath>

#include "packet/serialisation.h"

namespace sluice {
namespace {

/// Time of bytes at a rate, rounded up to a picosecond.
Ps line_time(std::uint64_t bytes, BitsPerSecond rate) {
  const __uint128_t bits = __uint128_t{bytes} * 8 * 1'000'000'000'000ULL;
  return Ps{static_cast<std::uint64_t>((bits + rate.value - 1) / rate.value)};
}

double bytes_of(Ps time, BitsPerSecond rate) {
  return static_cast<double>(time.value) * static_cast<double>(rate.value) / 8e12;
}

class Terms {
 public:
  explicit Terms(BitsPerSecond rate) : rate_(rate) {}

  void add(std::string name, Ps time) {
    list_.push_back({std::move(name), time, bytes_of(time, rate_)});
  }
  void add_bytes(std::string name, std::uint64_t bytes) {
    if (bytes == 0) return;
    list_.push_back({std::move(name), line_time(bytes, rate_), static_cast<double>(bytes)});
  }
  void add(const std::string& where, const std::vector<LoopStage>& stages) {
    for (const LoopStage& stage : stages) add(where + stage.name, stage.time);
  }
  Ps time() const {
    Ps sum{};
    for (const LoopTerm& term : list_) sum += term.time;
    return sum;
  }
  std::vector<LoopTerm> take() { return std::move(list_); }

 private:
  BitsPerSecond rate_;
  std::vector<LoopTerm> list_;
};

/// The longest that a PFC frame waits for its port: a frame just begun, or one that is held until
/// a slower port has delivered enough of it.
void add_wait(const PauseLoop& loop, Terms& terms) {
  const BitsPerSecond rate = loop.cable.rate;
  const Ps frame = line_time(loop.frames.reverse + kWireOverheadBytes, rate);
  Ps held{};
  if (loop.receiver.slowest_port.value != 0 && loop.receiver.slowest_port < rate) {
    const std::uint64_t bytes = loop.frames.reverse + kPreambleBytes;
    held = line_time(bytes, loop.receiver.slowest_port) - line_time(bytes, rate);
  }
  if (held > frame) {
    terms.add("wait for a frame of a slower port", held);
  } else {
    terms.add_bytes("wait for the reverse frame in flight",
                    loop.frames.reverse == 0 ? 0 : loop.frames.reverse + kWireOverheadBytes);
  }
}

/// Frames of one size that the peer's FIFO holds; a frame larger than the FIFO still enters it.
std::uint32_t fifo_frames(const LoopPeer& peer, std::uint32_t frame_bytes) {
  if (peer.fifo_cells == 0) return 0;
  return std::max(1u, peer.fifo_cells / cells_of_frame(frame_bytes, peer.fifo_cell_bytes));
}

/// Most cells, and most bytes on the wire, that a full FIFO brings. Both over all frame sizes.
struct FifoLoad {
  std::uint64_t cells = 0;
  std::uint64_t wire_bytes = 0;
};
FifoLoad fifo_load(const PauseLoop& loop) {
  FifoLoad load;
  const LoopFrames& frames = loop.frames;
  const std::uint32_t first = frames.uniform != 0 ? frames.uniform : kMinFrameBytes;
  const std::uint32_t last = frames.uniform != 0 ? frames.uniform : frames.largest;
  for (std::uint32_t bytes = first; bytes <= last; ++bytes) {
    const std::uint64_t count = fifo_frames(loop.peer, bytes);
    load.cells = std::max(load.cells, count * cells_of_frame(bytes, loop.receiver.cell_bytes));
    load.wire_bytes = std::max(load.wire_bytes, count * wire_bytes(bytes, loop.peer.gap_bytes));
  }
  return load;
}

/// Cells of all that comes in while `open` passes from the decision's frame on. The n-th frame
/// behind that one is begun n line times after it, so it counts when n line times fit into `open`;
/// in a mix the last one may be the largest.
std::uint64_t line_cells(const PauseLoop& loop, Ps open) {
  const LoopFrames& frames = loop.frames;
  const std::uint32_t cell = loop.receiver.cell_bytes;
  const std::uint32_t small =
      frames.uniform != 0 ? frames.uniform : worst_frame(frames.largest, cell, loop.peer.gap_bytes);
  const std::uint32_t large = frames.uniform != 0 ? frames.uniform : frames.largest;
  const __uint128_t bits = __uint128_t{open.value} * loop.cable.rate.value;
  const auto bytes = static_cast<std::uint64_t>(bits / (8 * __uint128_t{1'000'000'000'000ULL}));
  const std::uint64_t behind = bytes / wire_bytes(small, loop.peer.gap_bytes);
  return behind * cells_of_frame(small, cell) + cells_of_frame(large, cell);
}

}  // namespace

std::uint32_t worst_frame(std::uint32_t largest, std::uint32_t cell_bytes,
                          std::uint32_t gap_bytes) {
  std::uint32_t worst = kMinFrameBytes;
  for (std::uint32_t bytes = kMinFrameBytes; bytes <= largest; ++bytes) {
    const std::uint64_t ours =
        std::uint64_t{cells_of_frame(bytes, cell_bytes)} * wire_bytes(worst, gap_bytes);
    const std::uint64_t best =
        std::uint64_t{cells_of_frame(worst, cell_bytes)} * wire_bytes(bytes, gap_bytes);
    if (ours > best) worst = bytes;
  }
  return worst;
}

LoopBudget loop_budget(const PauseLoop& loop) {
  const LoopFrames& frames = loop.frames;
  const std::uint32_t largest = frames.uniform != 0 ? frames.uniform : frames.largest;
  Terms terms(loop.cable.rate);
  terms.add("MMU decision to MAC", Ps{0});
  add_wait(loop, terms);
  // The gap behind the frame is no part of its arrival.
  terms.add_bytes("PFC frame", kPfcFrameBytes + kPreambleBytes);
  terms.add("own ", loop.receiver.to_wire);
  const auto add_cable = [&](const std::string& way) {
    terms.add("cable, " + way, loop.cable.propagation);
    if (loop.cable.extra.value != 0) terms.add("modules, " + way, loop.cable.extra);
  };
  add_cable("PFC frame");
  const std::string peer = loop.peer.kind + " ";
  terms.add(peer, loop.peer.until_stopped);
  const Ps stopped = terms.time();
  Terms back(loop.cable.rate);
  back.add(peer, loop.peer.to_wire);
  const Ps cable = loop.cable.propagation + loop.cable.extra;
  Ps open = stopped + back.time() + cable;
  for (const LoopStage& stage : loop.receiver.to_admission) open += stage.time;
  if (loop.receiver.stores_frames) open += line_time(largest + kPreambleBytes, loop.cable.rate);
  const Ps drift{static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(open.value) * (loop.receiver.ppm + loop.peer.ppm) * 1e-6))};
  const FifoLoad fifo = fifo_load(loop);

  terms.add_bytes("frame in flight", wire_bytes(largest, loop.peer.gap_bytes));
  terms.add_bytes("egress FIFO", fifo.wire_bytes);
  terms.add(peer, loop.peer.to_wire);
  add_cable("data");
  terms.add("own ", loop.receiver.to_admission);
  if (loop.receiver.stores_frames) {
    terms.add_bytes("frame stored before the decision", largest + kPreambleBytes);
  }
  if (drift.value != 0) terms.add("clock offsets", drift);

  LoopBudget budget;
  std::uint64_t cells = line_cells(loop, open + drift) + fifo.cells;
  // Where frames differ in size, the one that led to the decision may be large as well.
  if (loop.receiver.stores_frames && frames.uniform == 0) {
    cells += cells_of_frame(largest, loop.receiver.cell_bytes);
  }
  budget.time = terms.time();
  double bytes = 0;
  budget.terms = terms.take();
  for (const LoopTerm& term : budget.terms) bytes += term.wire_bytes;
  budget.wire_bytes = static_cast<std::uint64_t>(std::ceil(bytes - 1e-6));
  budget.cells = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells, UINT32_MAX));
  budget.cell_bytes = std::uint64_t{budget.cells} * loop.receiver.cell_bytes;
  const std::uint32_t assumed =
      frames.uniform != 0
          ? frames.uniform
          : worst_frame(frames.largest, loop.receiver.cell_bytes, loop.peer.gap_bytes);
  budget.inflation =
      static_cast<double>(std::uint64_t{cells_of_frame(assumed, loop.receiver.cell_bytes)} *
                          loop.receiver.cell_bytes) /
      wire_bytes(assumed, loop.peer.gap_bytes);
  return budget;
}

}  // namespace sluice
