// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the packet trackers: up to a request every clock, mostly of the QP of the
// clock before; decision, state and latency compared with the C++ tracker. Directed: gaps that span
// words and the whole window, the window's end, the wrap of PSNs, READs of many PSNs before,
// between and over kept packets, messages that begin again; then all of it at random.
#include <algorithm>
#include <deque>

#include "rtl/psn_tracker/psn_tracker_record.h"
#include "rtl/psn_tracker/psn_tracker_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using rtl::PsnTrackerTwin;
using Op = PsnTrackerTwin::Op;
using Request = PsnTrackerTwin::Request;

constexpr std::uint32_t kFlows = 6;

class Lockstep {
 public:
  Lockstep(BenchRun& run, const PsnTrackerConfig& config)
      : run_(run), config_(config), model_(config), rtl_(config, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  void clock(const Request* request) {
    const PsnTrackerTwin::Answer answer = rtl_.clock(request);
    run_.at_cycle(rtl_.cycle());
    if (request != nullptr) {
      run_.count_transaction();
      due_.push_back({rtl_.cycle() + PsnTrackerTwin::kLatency - 1, model_.ask(*request)});
    }
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (!is_due) return;
    const auto expect = [this](std::string_view name, auto model, auto value) {
      run_.expect(name, static_cast<std::uint64_t>(model), static_cast<std::uint64_t>(value));
    };
    rtl::compare_psn_tracker(due_.front().answer, answer, expect);
    due_.pop_front();
  }
  void drain() {
    while (!due_.empty()) clock(nullptr);
  }
  void packet(std::uint32_t flow, std::uint32_t psn, std::uint32_t span = 1) {
    const Request request{Op::kPacket, flow, psn & kPsnMask, span};
    clock(&request);
  }
  void go_back(std::uint32_t flow, std::uint32_t psn) {
    const Request request{Op::kGoBack, flow, psn & kPsnMask};
    clock(&request);
  }
  void add(std::uint32_t flow, std::uint32_t psn) {
    const Request request{Op::kAdd, flow, psn & kPsnMask};
    clock(&request);
  }
  bool has(std::uint32_t flow) const { return model_.has(flow); }
  std::uint32_t expected(std::uint32_t flow) const { return model_[flow].expected(); }
  std::uint32_t kept(std::uint32_t flow) const { return model_[flow].kept(); }
  const PsnTrackerConfig& config() const { return config_; }

 private:
  struct Due {
    std::uint64_t cycle;
    PsnTrackerTwin::Answer answer;
  };

  BenchRun& run_;
  PsnTrackerConfig config_;
  rtl::PsnTrackers model_;
  PsnTrackerTwin rtl_;
  std::deque<Due> due_;
};

/// Go-back-N, selective repeat with short, odd and the longest windows, placement with go-back-N.
std::vector<PsnTrackerConfig> configs() {
  return {{},
          {.keeps_early = true, .selective = true, .window = 64},
          {.keeps_early = true, .selective = true, .window = 1024},
          {.keeps_early = true, .selective = true, .window = 256, .reorder_packets = 12},
          {.keeps_early = true, .window = 64, .reorder_packets = 2},
          {.keeps_early = true, .selective = true, .window = 1024, .reorder_packets = 256}};
}

void add_flows(BenchRun& run, Lockstep& bench) {
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    // Half of them close to the wrap.
    const std::uint32_t psn =
        flow % 2 == 0 ? kPsnMask - run.random().below(100) : run.random().next_u32() & kPsnMask;
    bench.add(flow, psn);
  }
}

/// One packet is missing, `length` after it come, then it.
void fill_behind_gap(Lockstep& bench, std::uint32_t flow, std::uint32_t length) {
  const std::uint32_t first = bench.expected(flow);
  for (std::uint32_t i = 1; i <= length; ++i) bench.packet(flow, first + i);
  bench.packet(flow, first);
}

void directed(Lockstep& bench, bool whole_window) {
  const std::uint32_t window = bench.config().window;
  for (const std::uint32_t edge : {window, 1u << 23}) {
    const std::uint32_t first = bench.expected(0);
    for (const std::uint32_t ahead : {edge + 1, edge, edge - 1, edge - 1}) {
      bench.packet(0, first + ahead);
    }
  }
  fill_behind_gap(bench, 0, 1);
  for (std::uint32_t flow = 0; flow < 2; ++flow) {
    for (const std::uint32_t length : {1u, 5u, 62u, 63u}) fill_behind_gap(bench, flow, length);
  }
  if (window > 64) {
    for (const std::uint32_t length : {64u, 65u, 130u}) fill_behind_gap(bench, 0, length);
    // Every third is missing: more than one request for repeats may name.
    const std::uint32_t first = bench.expected(1);
    for (std::uint32_t i = 1; i < 200; ++i) {
      if (i % 3 != 0) bench.packet(1, first + i);
    }
    for (std::uint32_t i = 0; i < 200; i += 3) bench.packet(1, first + i);
  }
  if (whole_window) fill_behind_gap(bench, 2, window - 1);
}

/// READs in sequence at the wrap and of any length; ahead, up to the window's end and one beyond;
/// as long as what was kept behind them, and one longer; over PSNs that have come.
void reads(Lockstep& bench, std::uint32_t flow) {
  const std::uint32_t window = bench.config().window;
  for (const std::uint32_t span : {1u, 2u, 63u, 64u, window, window + 1, 1u << 22}) {
    bench.add(flow, kPsnMask - span + 1);  // ends at PSN 0
    bench.packet(flow, kPsnMask - span + 1, span);
    bench.add(flow, kPsnMask);
    bench.packet(flow, kPsnMask, span);
    bench.packet(flow, kPsnMask, span);  // again
    // Behind a gap of one, then the packet in it takes both.
    const std::uint32_t first = bench.expected(flow);
    bench.packet(flow, first + 1, span);
    bench.packet(flow, first);
  }
  for (const std::uint32_t ahead : {1u, 40u, 63u, window - 2, window - 1}) {
    const std::uint32_t first = bench.expected(flow);
    bench.packet(flow, first + ahead, window - ahead + 1);
    bench.packet(flow, first + ahead, window - ahead);
    bench.packet(flow, first, ahead + 1);  // meets it, so does the next
    bench.packet(flow, first, ahead);
    bench.add(flow, kPsnMask - ahead);
  }
  // Kept: 8 to 11, 14 to 17, 20; then READs that fill, meet and go beyond them.
  for (const std::uint32_t span : {2u, 8u, 9u, 12u, 14u, 20u, 21u, 22u}) {
    bench.add(flow, kPsnMask - 9);
    const std::uint32_t first = bench.expected(flow);
    bench.packet(flow, first + 14, 4);
    bench.packet(flow, first + 20);
    bench.packet(flow, first + 8, 4);
    bench.packet(flow, first + 10, 3);  // begins with what has come
    bench.packet(flow, first + 12, 4);  // ends with it
    bench.packet(flow, first, span);
    bench.packet(flow, bench.expected(flow), 2);
  }
}

/// Messages that begin again with packets kept behind them; then the same packets come again.
void begins_again(Lockstep& bench, std::uint32_t flow) {
  const std::uint32_t window = bench.config().window;
  for (const std::uint32_t back : {0u, 1u, 5u, 100u}) {
    for (const std::uint32_t last : {1u, 62u, 63u, window - 1}) {
      bench.add(flow, kPsnMask - 3);
      for (std::uint32_t i = 0; i < back; ++i) bench.packet(flow, kPsnMask - 3 + i);
      const std::uint32_t first = bench.expected(flow);
      bench.packet(flow, first + last);
      for (std::uint32_t i = 2; i < last && i < 9; i += 2) bench.packet(flow, first + i);
      bench.packet(flow, first + last);
      bench.go_back(flow, first - back);
      bench.go_back(flow, first - back);
      for (std::uint32_t i = 0; i <= back + 3; ++i) bench.packet(flow, first - back + i);
      bench.packet(flow, first + last);
    }
  }
}

/// In sequence, after the last, in the window, at its ends, or of the past.
std::uint32_t next_psn(BenchRun& run, const Lockstep& bench, std::uint32_t flow) {
  const std::uint32_t expected = bench.expected(flow);
  const std::uint32_t kept = bench.kept(flow);
  RandomStream& random = run.random();
  const std::uint32_t kind = random.below(32);
  if (kind < 8) return expected;
  if (kind < 24) return expected + kept + random.below(kind == 23 ? 90 : 3);
  if (kind < 29) return expected + random.below(std::max(kept, 1u));
  if (kind == 29) return expected - 1 - random.below(50);
  if (kind == 30) return expected + bench.config().window - random.below(2);
  return random.next_u32();
}

/// Mostly one PSN; else up to a gap, a word, the window, or far more.
std::uint32_t next_span(BenchRun& run, const Lockstep& bench) {
  RandomStream& random = run.random();
  const std::uint32_t kind = random.below(64);
  if (kind < 48) return 1;
  if (kind < 60) return 1 + random.below(4);
  if (kind < 62) return 1 + random.below(70);
  return 1 + random.below(kind == 62 ? bench.config().window + 2 : 1u << 22);
}

void random(BenchRun& run, Lockstep& bench, std::uint64_t end) {
  Bursts busy(run.random());
  std::uint32_t flow = 0;
  while (run.cycle() < end && run.cycles_left() > 0) {
    if (!busy.next()) {
      bench.clock(nullptr);
      continue;
    }
    if (run.random().below(4) == 0) flow = run.random().below(kFlows);
    const std::uint32_t kind = run.random().below(64);
    Request request{Op::kPacket, flow, next_psn(run, bench, flow) & kPsnMask,
                    next_span(run, bench)};
    if (kind == 0) {
      request = {Op::kSilence, flow, 0};
    } else if (kind == 1) {
      request = {Op::kGoBack, flow, (bench.expected(flow) - run.random().below(20)) & kPsnMask};
    } else if (kind == 2 && run.random().below(16) == 0) {
      request = {Op::kAdd, flow, run.random().next_u32() & kPsnMask};
    }
    bench.clock(&request);
  }
  bench.drain();
}

void replay(BenchRun& run) {
  RecordReader in(run, "psn_tracker");
  PsnTrackerConfig config;
  in.expect_config("setup");
  in.whole_line(rtl::read_psn_setup(in.line(), config) && rtl::psn_setup_line(config) == in.line(),
                "setup KEEPS_EARLY SELECTIVE WINDOW REORDER_PACKETS");
  Lockstep bench(run, config);
  while (in.next()) {
    Request request;
    in.whole_line(
        rtl::read_psn_request(in.line(), request) && rtl::psn_request_line(request) == in.line(),
        "add, packet, go_back, skip or silence, then FLOW, PSN and its operands");
    if (request.op != Op::kAdd && !bench.has(request.flow)) in.refuse("a FLOW that was added");
    bench.clock(&request);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::vector<PsnTrackerConfig> all = configs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t end = run.cycle() + run.cycles_left() / (all.size() - i);
    Lockstep bench(run, all[i]);
    add_flows(run, bench);
    directed(bench, i == 2);
    reads(bench, 3);
    begins_again(bench, 4);
    random(run, bench, end);
  }
}

}  // namespace

Bench psn_tracker_bench() {
  return {"psn_tracker",
          {"a QP starts at PSN 0",
           "the sequence of the clock before is not forwarded",
           "PSNs are compared without the wrap",
           "one packet too many fits the window",
           "a packet ahead that has come already is kept again",
           "only packets of one word are taken behind a gap",
           "the last packet ahead is not counted as kept",
           "the requests of the clock before are not forwarded",
           "what was judged does not move with the window",
           "the expected packet does not end the silence after a NAK",
           "a packet is lost when overtaken by one packet less",
           "one request for repeats looks at all packets",
           "every packet after a gap sends a NAK",
           "a READ stands for one PSN",
           "a READ may be longer than what was kept behind it",
           "a READ that ends beyond the window is kept",
           "of a READ ahead the first PSN is kept",
           "a message that begins again leaves what was kept behind it",
           "a message that begins again leaves what was judged",
           "what was kept does not count as discarded"},
          run_all};
}

}  // namespace sluice::cosim
