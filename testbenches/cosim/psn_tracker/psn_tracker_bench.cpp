// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the packet trackers: up to a request every clock, mostly of the QP of the
// clock before; decision, state and latency compared with the C++ tracker. Directed: gaps that span
// words and the whole window, the window's end, the wrap of PSNs; then loss, overtaking and repeats
// at random.
#include <algorithm>
#include <deque>
#include <fstream>
#include <optional>

#include "rtl/psn_tracker/psn_tracker_record.h"
#include "rtl/psn_tracker/psn_tracker_twin.h"
#include "testbenches/cosim/harness/bench.h"

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
      const PsnTracker::Decision decision = model_.ask(*request);
      const PsnTracker& state = model_[request->flow];
      due_.push_back({rtl_.cycle() + PsnTrackerTwin::kLatency - 1, decision,
                      model_.view(request->flow), state.kept(), state.judged()});
    }
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (!is_due) return;
    compare(due_.front(), answer);
    due_.pop_front();
  }
  void drain() {
    while (!due_.empty()) clock(nullptr);
  }
  void packet(std::uint32_t flow, std::uint32_t psn) {
    const Request request{Op::kPacket, flow, psn & kPsnMask};
    clock(&request);
  }
  std::uint32_t expected(std::uint32_t flow) const { return model_.view(flow).expected; }
  std::uint32_t kept(std::uint32_t flow) const { return model_[flow].kept(); }
  const PsnTrackerConfig& config() const { return config_; }

 private:
  struct Due {
    std::uint64_t cycle;
    PsnTracker::Decision decision;
    PsnTracker::View view;
    std::uint32_t kept;
    std::uint32_t judged;
  };

  void compare(const Due& due, const PsnTrackerTwin::Answer& answer) {
    run_.expect("out_verdict_o", static_cast<std::uint64_t>(due.decision.verdict),
                static_cast<std::uint64_t>(answer.decision.verdict));
    run_.expect("out_nak_o", due.decision.nak, answer.decision.nak);
    run_.expect("out_nak_psn_o", due.decision.nak ? due.decision.nak_psn : 0,
                answer.decision.nak_psn);
    run_.expect("out_lost_o", due.decision.lost, answer.decision.lost);
    run_.expect("out_expected_o", due.view.expected, answer.view.expected);
    run_.expect("out_asked_o", due.view.asked, answer.view.asked);
    run_.expect("out_received_o", due.view.received, answer.view.received);
    run_.expect("out_kept_o", due.kept, answer.kept);
    run_.expect("out_judged_o", due.judged, answer.judged);
  }

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
    const Request request{Op::kAdd, flow, psn};
    bench.clock(&request);
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
    Request request{Op::kPacket, flow, next_psn(run, bench, flow) & kPsnMask};
    if (kind == 0) {
      request = {Op::kSilence, flow, 0};
    } else if (kind == 1 && bench.kept(flow) == 0) {
      request = {Op::kSkip, flow, 1 + run.random().below(300)};
    } else if (kind == 2 && bench.kept(flow) == 0) {
      request = {Op::kGoBack, flow, (bench.expected(flow) - run.random().below(20)) & kPsnMask};
    } else if (kind == 3 && run.random().below(16) == 0) {
      request = {Op::kAdd, flow, run.random().next_u32() & kPsnMask};
    }
    bench.clock(&request);
  }
  bench.drain();
}

void replay(BenchRun& run) {
  std::ifstream in(run.options().replay);
  std::string line;
  PsnTrackerConfig config;
  if (!std::getline(in, line) || !rtl::read_psn_setup(line, config)) run.bad_record(line);
  Lockstep bench(run, config);
  while (run.cycles_left() > 0 && std::getline(in, line)) {
    Request request;
    if (!rtl::read_psn_request(line, request)) run.bad_record(line);
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
    random(run, bench, end);
  }
}

}  // namespace

Bench psn_tracker_bench() {
  return {"psn_tracker",
          {"a QP starts at PSN 0", "the sequence of the clock before is not forwarded",
           "PSNs are compared without the wrap", "one packet too many fits the window",
           "a packet ahead that has come already is kept again",
           "only packets of one word are taken behind a gap",
           "the last packet ahead is not counted as kept",
           "the requests of the clock before are not forwarded",
           "what was judged does not move with the window",
           "the expected packet does not end the silence after a NAK",
           "a packet is lost when overtaken by one packet less",
           "one request for repeats looks at all packets", "every packet after a gap sends a NAK"},
          run_all};
}

}  // namespace sluice::cosim
