// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the cell buffer: up to an enqueue, a dequeue and a release every clock; cell
// numbers, words, what is ready and latency compared with the C++ block. Directed: empty queues, a
// full buffer, one cell that comes as another leaves, a cell back into a queue just emptied; then
// bursts at random in a memory small enough to run full.
#include <algorithm>
#include <array>
#include <deque>

#include "rtl/cell_buffer/cell_buffer_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using rtl::CellBufferTwin;
using Inputs = CellBufferTwin::Inputs;

constexpr std::uint32_t kCells = 24;
constexpr std::array<std::uint32_t, 6> kQueues{0, 1, 7, 8, 2049, 4095};

class Lockstep {
 public:
  Lockstep(BenchRun& run, const CellBufferParams& params)
      : run_(run), model_(make_cell_buffer(params)), rtl_(params, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// What one clock did.
  struct Done {
    bool enqueued = false;
    std::optional<DequeuedCell> out;
  };
  Done clock(const Inputs& in) {
    const CellBufferTwin::Outputs rtl = rtl_.clock(in);
    Done done;
    run_.expect("enq_ready_o", !model_->full(), rtl.enqueue_ready);
    run_.expect("used_o", model_->used(), rtl.used);
    done.enqueued = in.enqueue && !model_->full();
    if (in.dequeue) {
      const bool filled = !model_->empty(*in.dequeue);
      run_.expect("deq_ready_o", filled, rtl.dequeue_ready);
      if (filled) done.out = model_->dequeue(*in.dequeue);
    }
    if (done.enqueued) {
      run_.expect("enq_cell_o", model_->enqueue(in.enqueue->queue, in.enqueue->word), rtl.cell);
    }
    if (in.release) model_->release(*in.release);
    run_.expect("out_valid_o", done.out.has_value(), rtl.out.has_value());
    if (done.out) compare(*done.out, *rtl.out);
    run_.at_cycle(rtl_.cycle());
    return done;
  }
  const CellBuffer& model() const { return *model_; }

 private:
  void compare(const DequeuedCell& model, const DequeuedCell& rtl) {
    run_.expect("out_cell_o", model.cell, rtl.cell);
    run_.expect("out_first_o", model.word.first, rtl.word.first);
    run_.expect("out_last_o", model.word.last, rtl.word.last);
    run_.expect("out_tag_o", model.word.tag, rtl.word.tag);
  }

  BenchRun& run_;
  std::unique_ptr<CellBuffer> model_;
  CellBufferTwin rtl_;
};

/// Packets of one to five cells into the queues, and cells that wait to be released.
class Traffic {
 public:
  Traffic(BenchRun& run, Lockstep& bench) : run_(run), bench_(bench) {}

  /// One clock. `queue`: index into kQueues.
  bool step(std::optional<std::size_t> into, std::optional<std::size_t> from, bool release) {
    Inputs in;
    if (into) in.enqueue = Inputs::Enqueue{kQueues[*into], word(*into)};
    if (from) in.dequeue = kQueues[*from];
    if (release && !held_.empty()) {
      // Not always the oldest: frames of several ports end in any order.
      const auto at =
          held_.begin() +
          run_.random().below(static_cast<std::uint32_t>(std::min<std::size_t>(held_.size(), 3)));
      in.release = *at;
      held_.erase(at);
    }
    const Lockstep::Done done = bench_.clock(in);
    if (in.enqueue || in.dequeue || in.release) run_.count_transaction();
    if (done.enqueued) {
      Open& open = open_[*into];
      open.left = in.enqueue->word.last ? 0 : open.left - 1;
      ++tag_;
    }
    if (done.out) held_.push_back(done.out->cell);
    return done.out.has_value();
  }
  void empty_all() {
    for (std::size_t q = 0; q < kQueues.size(); ++q) {
      while (step({}, q, true)) {
      }
    }
    while (!held_.empty()) step({}, {}, true);
  }

 private:
  struct Open {
    std::uint32_t left = 0;  ///< cells of the packet that have not come; 0: none is open
  };
  CellWord word(std::size_t queue) {
    Open& open = open_[queue];
    const bool first = open.left == 0;
    if (first && wanted_[queue] == 0) wanted_[queue] = 1 + run_.random().below(5);
    if (first) {
      // Stays the same while the buffer is full: a request that waits does not change.
      const std::uint32_t cells = wanted_[queue];
      if (!bench_.model().full()) {
        open.left = cells;
        wanted_[queue] = 0;
      }
      return {true, cells == 1, tag_};
    }
    return {false, open.left == 1, tag_};
  }

  BenchRun& run_;
  Lockstep& bench_;
  std::array<Open, kQueues.size()> open_{};
  std::array<std::uint32_t, kQueues.size()> wanted_{};
  std::deque<std::uint32_t> held_;
  std::uint32_t tag_ = 0x80000000;
};

void directed(Traffic& traffic) {
  for (std::size_t q = 0; q < kQueues.size(); ++q) traffic.step({}, q, false);
  // Cells come back before all were used once: they go out again first.
  for (int i = 0; i < 6; ++i) traffic.step(0, {}, false);
  traffic.empty_all();
  for (int i = 0; i < 8; ++i) traffic.step(0, {}, false);
  traffic.empty_all();
  // Until the buffer is full and once more; out again back to back; all cells back.
  for (std::uint32_t i = 0; i <= kCells; ++i) traffic.step(2, {}, false);
  for (std::uint32_t i = 0; i <= kCells; ++i) traffic.step({}, 2, i > 3);
  traffic.empty_all();
  // One cell in the queue, and another comes 0, 1 or 2 clocks after it leaves.
  for (int wait = 0; wait <= 2; ++wait) {
    for (int i = 0; i < 8; ++i) {
      traffic.step(3, {}, true);
      if (wait == 0) traffic.step(3, 3, true);
      if (wait > 0) traffic.step({}, 3, true);
      if (wait > 1) traffic.step(4, {}, false);
      if (wait > 0) traffic.step(3, {}, false);
      traffic.step({}, 3, true);
      traffic.step({}, 3, true);
    }
  }
  // The only free cell goes round: given back in one clock, taken in the next.
  for (std::uint32_t i = 0; i < kCells; ++i) traffic.step(5, {}, false);
  for (int i = 0; i < 40; ++i) traffic.step(5, 5, true);
  traffic.empty_all();
}

void random(BenchRun& run, Traffic& traffic) {
  Bursts coming(run.random());
  Bursts leaving(run.random());
  Bursts released(run.random());
  std::uint32_t into = 0;
  std::uint32_t from = 0;
  while (run.cycles_left() > 0) {
    // Often the same queue clock after clock, and both sides at one.
    if (run.random().below(3) == 0) into = run.random().below(kQueues.size());
    if (run.random().below(3) == 0) from = run.random().below(kQueues.size());
    if (run.random().below(3) == 0) from = into;
    const auto at = [](bool on, std::uint32_t queue) {
      return on ? std::optional<std::size_t>(queue) : std::nullopt;
    };
    traffic.step(at(coming.next(), into), at(leaving.next(), from), released.next());
  }
}

/// Plays "buffer cells queues", then "enqueue queue packet cells", "dequeue queue" (of a packet)
/// and "release queue" of a running chip, a cell a clock; releases run beside what follows.
class Replay {
 public:
  Replay(BenchRun& run, RecordReader& in, const CellBufferParams& params)
      : run_(run), in_(in), params_(params), bench_(run, params), held_(params.queues) {}

  void request() {
    run_.count_transaction();
    const std::string_view kind = in_.kind();
    if (kind != "enqueue" && kind != "dequeue" && kind != "release") {
      in_.refuse("enqueue, dequeue or release");
    }
    const std::uint32_t queue = in_.index("QUEUE", params_.queues);
    if (kind == "enqueue") {
      const auto packet = in_.number<std::uint32_t>("PACKET");
      enqueue(queue, packet, in_.number("CELLS", params_.cells));
    } else if (kind == "dequeue") {
      dequeue(queue);
    } else {
      releases_.insert(releases_.end(), held_[queue].begin(), held_[queue].end());
      held_[queue].clear();
    }
  }
  void drain() {
    while (!releases_.empty()) clock({});
    clock({});
  }

 private:
  void enqueue(std::uint32_t queue, std::uint32_t packet, std::uint32_t cells) {
    for (std::uint32_t i = 0; i < cells; ++i) {
      Inputs in;
      in.enqueue = Inputs::Enqueue{queue, {i == 0, i + 1 == cells, packet}};
      for (bool taken = false; !taken;) {
        const bool may_come_free = !releases_.empty();
        taken = clock(in).enqueued;
        if (!taken && !may_come_free) in_.refuse("a packet that the buffer has room for");
      }
    }
  }
  void dequeue(std::uint32_t queue) {
    for (bool last = false; !last;) {
      Inputs in;
      in.dequeue = queue;
      const auto out = clock(in).out;
      if (!out) in_.refuse("a queue that holds a packet");
      held_[queue].push_back(out->cell);
      last = out->word.last;
    }
  }
  Lockstep::Done clock(Inputs in) {
    if (!releases_.empty()) {
      in.release = releases_.front();
      releases_.pop_front();
    }
    return bench_.clock(in);
  }

  BenchRun& run_;
  RecordReader& in_;
  CellBufferParams params_;
  Lockstep bench_;
  std::vector<std::vector<std::uint32_t>> held_;
  std::deque<std::uint32_t> releases_;
};

void replay(BenchRun& run) {
  RecordReader in(run, "cell_buffer");
  in.expect_config("buffer");
  CellBufferParams params;
  params.cells = in.number("CELLS", CellBufferTwin::kMaxCells);
  params.queues = in.number("QUEUES", CellBufferTwin::kMaxQueues);
  Replay replay(run, in, params);
  while (in.next()) replay.request();
  replay.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  Lockstep bench(run, {kCells, CellBufferTwin::kMaxQueues});
  Traffic traffic(run, bench);
  directed(traffic);
  random(run, traffic);
}

}  // namespace

Bench cell_buffer_bench() {
  return {"cell_buffer",
          {"the head of a dequeue in the clock before is not forwarded",
           "an empty queue gives a cell", "a full buffer takes a cell",
           "a queue whose last cell leaves as another comes counts as empty",
           "the link that is written as it is read is not forwarded",
           "the tail moves at the first cell of a queue only", "queues are not empty after reset",
           "the head of a queue just emptied overwrites that of the next cell",
           "cells never used go out before those that came back", "one cell more than there are",
           "the ring of free cells wraps one too early",
           "a cell that comes back as another goes out is not counted",
           "a cell that comes back to an empty ring is not forwarded"},
          run_all};
}

}  // namespace sluice::cosim
