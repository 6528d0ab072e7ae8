// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the QP scheduler: a request whenever the RTL is ready, the QP whose turn it
// is, the earliest that waits, the QPs woken and the clocks compared with the C++ block. Directed:
// rings of one, two and three QPs, a full waiting queue, equal times; then all of it at random.
#include <algorithm>
#include <optional>

#include "rtl/qp_scheduler/qp_scheduler_record.h"
#include "rtl/qp_scheduler/qp_scheduler_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using rtl::QpSchedulerTwin;
using Op = QpSchedulerTwin::Op;
using Request = QpSchedulerTwin::Request;

constexpr std::uint32_t kQps = 90;

class Lockstep {
 public:
  Lockstep(BenchRun& run, std::uint32_t burst_packets)
      : run_(run), model_(burst_packets), rtl_(burst_packets, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// Takes clocks until the RTL is ready again.
  void ask(const Request& request) {
    run_.count_transaction();
    std::vector<std::uint32_t> woken;
    const QpSchedule::View view = model_.ask(request, woken);
    note(request, woken);
    const std::size_t clocks = std::max<std::size_t>(QpSchedulerTwin::kLatency, woken.size());
    for (std::size_t i = 0; i < clocks; ++i) {
      run_.expect("in_ready_o", i == 0, rtl_.ready());
      const QpSchedulerTwin::Answer answer = rtl_.clock(i == 0 ? &request : nullptr);
      run_.at_cycle(rtl_.cycle());
      run_.expect("out_valid_o", i + 1 == clocks, answer.valid);
      run_.expect("out_woken_o", i < woken.size(), answer.woken);
      if (answer.woken) run_.expect("out_woken_qp_o", woken[i], answer.woken_qp);
      if (!answer.valid) continue;
      run_.expect("out_current_o", view.current, answer.view.current);
      run_.expect("out_earliest_o", view.earliest_waiting.value,
                  answer.view.earliest_waiting.value);
      if (view.current != kNoQp) {
        run_.expect("out_burst_left_o", model_.burst_left(), answer.burst_left);
      }
    }
  }
  void idle() {
    const QpSchedulerTwin::Answer answer = rtl_.clock(nullptr);
    run_.at_cycle(rtl_.cycle());
    run_.expect("out_valid_o", false, answer.valid);
  }
  std::uint32_t current() const { return model_.view().current; }
  bool ring_empty() const { return model_.view().current == kNoQp; }
  Ps earliest() const { return model_.view().earliest_waiting; }
  bool may_wait() const { return waiting_ < QpSchedulerTwin::kMaxWaiting && !idle_.empty(); }
  /// A QP that neither waits nor is in the ring, which it leaves thereby.
  std::uint32_t take_idle() {
    const std::uint32_t at = run_.random().below(static_cast<std::uint32_t>(idle_.size()));
    std::swap(idle_[at], idle_.back());
    const std::uint32_t qp = idle_.back();
    idle_.pop_back();
    return qp;
  }
  void add_idle(std::uint32_t qp) { idle_.push_back(qp); }
  bool has_idle() const { return !idle_.empty(); }

 private:
  void note(const Request& request, const std::vector<std::uint32_t>& woken) {
    if (request.op == Op::kWait) ++waiting_;
    waiting_ -= woken.size();
  }

  BenchRun& run_;
  rtl::QpOrder model_;
  QpSchedulerTwin rtl_;
  std::size_t waiting_ = 0;
  std::vector<std::uint32_t> idle_;
};

/// Takes the current QP out of the ring.
void remove(Lockstep& bench, std::uint32_t current) {
  bench.ask({Op::kRemove, 0, Ps{}});
  bench.add_idle(current);
}

void small_rings(Lockstep& bench) {
  for (std::uint32_t size = 1; size <= 3; ++size) {
    for (std::uint32_t qp = 0; qp < size; ++qp) bench.ask({Op::kReady, qp, Ps{}});
    for (int i = 0; i < 20; ++i) bench.ask({Op::kCount, 0, Ps{}});
    for (std::uint32_t qp = 0; qp < size; ++qp) {
      bench.ask({Op::kRemove, 0, Ps{}});
      if (qp + 1 < size) bench.ask({Op::kCount, 0, Ps{}});
    }
  }
}

/// As many as may wait, in falling and equal times; then all at once, and one by one.
void full_queue(Lockstep& bench) {
  constexpr std::uint32_t kMost = QpSchedulerTwin::kMaxWaiting;
  for (const bool at_once : {true, false}) {
    for (std::uint32_t i = 0; i < kMost; ++i) {
      bench.ask({Op::kWait, i, Ps{1000 + (kMost - i) / 3}});
    }
    for (std::uint64_t now = at_once ? 2000 : 999; !at_once ? now < 1030 : now == 2000; ++now) {
      bench.ask({Op::kWake, 0, Ps{now}});
    }
    for (std::uint32_t i = 0; i < kMost; ++i) bench.ask({Op::kRemove, 0, Ps{}});
  }
}

void random(BenchRun& run, Lockstep& bench, std::uint64_t end) {
  RandomStream& random = run.random();
  Bursts busy(random);
  Ps now = 1_us;
  std::uint32_t fill = 0;  // phases that fill the waiting queue, and the ring
  while (run.cycle() < end && run.cycles_left() > 0) {
    if (!busy.next()) {
      bench.idle();
      if (random.below(64) == 0) fill = random.below(16);
      continue;
    }
    now += Ps{random.below(3)};
    const std::uint32_t kind = random.below(20);
    if (kind < 1 + fill / 4 && bench.has_idle()) {
      bench.ask({Op::kReady, bench.take_idle(), Ps{}});
    } else if (kind < 1 + fill && bench.may_wait()) {
      bench.ask({Op::kWait, bench.take_idle(), now + Ps{random.below(40)}});
    } else if (kind < 17 - fill / 2 && !bench.ring_empty()) {
      bench.ask({Op::kCount, 0, Ps{}});
    } else if (kind < 19 && !bench.ring_empty()) {
      remove(bench, bench.current());
    } else {
      if (random.below(4) == 0 && bench.earliest() != kNever) now = std::max(now, bench.earliest());
      bench.ask({Op::kWake, 0, now});
    }
  }
}

void replay(BenchRun& run) {
  RecordReader in(run, "qp_scheduler");
  in.expect_config("setup");
  Lockstep bench(run, in.number<std::uint32_t>("BURST_PACKETS"));
  while (in.next()) {
    const std::optional<Op> op = rtl::qp_op(in.kind());
    if (!op) in.refuse("ready, remove, count, wait or wake");
    Request request;
    request.op = *op;
    request.qp = in.index("QP", QpSchedulerTwin::kMaxQps);
    request.time.value = in.number<std::uint64_t>("PS");
    if ((*op == Op::kRemove || *op == Op::kCount) && bench.ring_empty()) {
      in.refuse("a request that an empty ring may have");
    }
    bench.ask(request);
  }
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::uint32_t bursts[] = {1, 2, 8};
  for (std::size_t i = 0; i < std::size(bursts); ++i) {
    const std::uint64_t end = run.cycle() + run.cycles_left() / (std::size(bursts) - i);
    Lockstep bench(run, bursts[i]);
    small_rings(bench);
    full_queue(bench);
    for (std::uint32_t qp = 0; qp < kQps; ++qp) bench.add_idle(qp);
    random(run, bench, end);
  }
}

}  // namespace

Bench qp_scheduler_bench() {
  return {
      "qp_scheduler",
      {"a turn is one packet too long", "a link written in this clock is read old",
       "equal times are woken in the order they came, not by number",
       "the next QP goes on with the burst of the one removed",
       "removing the last QP leaves it in the ring", "a QP made ready is not the last of the ring",
       "a QP is woken a clock late", "the last cell of a full waiting queue keeps its QP",
       "one QP is woken, not all due", "a QP that waits pushes another one out",
       "the burst does not start anew in an empty ring"},
      run_all};
}

}  // namespace sluice::cosim
