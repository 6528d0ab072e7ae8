// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of DCQCN's reaction point: a request whenever the RTL is ready, its answer, the
// flow's whole state and the clocks compared with the C++ block. Golden traces first; then CNPs,
// frames and silences of several flows, at the instants where timers end and beside them.
#include <algorithm>
#include <optional>

#include "rtl/dcqcn_rp/dcqcn_rp_compare.h"
#include "rtl/dcqcn_rp/dcqcn_rp_record.h"
#include "rtl/dcqcn_rp/dcqcn_rp_twin.h"
#include "testbenches/cosim/dcqcn_rp/golden.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using rtl::DcqcnRpTwin;
using Op = DcqcnRpTwin::Op;
using Request = DcqcnRpTwin::Request;

constexpr std::uint32_t kFlows = 5;

class Lockstep {
 public:
  Lockstep(BenchRun& run, const rtl::DcqcnSetup& setup)
      : run_(run),
        model_(setup.params, setup.line_rate),
        rtl_(setup.params, setup.line_rate, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// Holds the request until it is taken; its answer is compared when it comes.
  void ask(const Request& request) {
    for (bool taken = false; !taken;) {
      taken = rtl_.ready();
      if (taken) expect_answer_to(request);
      clock(&request);
    }
  }
  void idle() { clock(nullptr); }
  void drain() {
    while (due_) clock(nullptr);
  }
  const Dcqcn& model() const { return model_; }

 private:
  struct Due {
    std::uint64_t cycle = 0;
    RateControl::Pace pace{};
    DcqcnFlow flow;
    DcqcnWork work;
  };

  void expect_answer_to(const Request& request) {
    run_.count_transaction();
    const DcqcnWork before = model_.work();
    Due due;
    due.pace = ask_model(request);
    due.flow = model_.stored(request.flow);
    due.work = rtl::work_between(before, model_.work());
    DcqcnRpTwin::Answer answer;
    answer.work = due.work;
    due.cycle = rtl_.cycle() + answer.clocks();
    due_ = due;
  }
  RateControl::Pace ask_model(const Request& r) {
    switch (r.op) {
      case Op::kAdd:
        return {.limited = model_.add_flow()};
      case Op::kCnp:
        return {.limited = model_.on_cnp(r.flow, r.now)};
      case Op::kRtt:
        return {.limited = model_.on_rtt(r.flow, 5_us, r.now)};
      case Op::kSent:
        return model_.on_sent(r.flow, r.bytes, r.now);
      default: {
        const DcqcnFlow& flow = model_.at(r.flow, r.now);
        return {.limited = flow.rate_kbps < model_.max_kbps() || flow.cut_pending};
      }
    }
  }
  void clock(const Request* request) {
    const DcqcnRpTwin::Answer answer = rtl_.clock(request);
    run_.at_cycle(rtl_.cycle());
    const bool is_due = due_ && due_->cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (!is_due) return;
    rtl::compare_dcqcn(due_->flow, answer.flow, [this](auto name, auto model, auto rtl) {
      run_.expect(name, static_cast<std::uint64_t>(model), static_cast<std::uint64_t>(rtl));
    });
    run_.expect("out_interval_o", due_->pace.interval.value, answer.pace.interval.value);
    run_.expect("out_limited_o", due_->pace.limited, answer.pace.limited);
    run_.expect("out_steps_o", due_->work.steps, answer.work.steps);
    run_.expect("out_skips_o", due_->work.skips, answer.work.skips);
    due_.reset();
  }

  BenchRun& run_;
  Dcqcn model_;
  DcqcnRpTwin rtl_;
  std::optional<Due> due_;
};

/// Timers short against the frames, so that stages, hyper increase and the highest rate are met.
DcqcnParams busy(DcqcnParams p) {
  p.reference_rate = {0};
  p.byte_counter = {9'000};
  p.rate_timer = 3_us;
  p.alpha_period = 2_us;
  p.fast_recovery_stages = 2;
  p.ai_rate = {3'000'000'000};
  p.hai_rate = {20'000'000'000};
  return p;
}

std::vector<rtl::DcqcnSetup> setups() {
  const BitsPerSecond line{400'000'000'000};
  DcqcnParams timer_only = busy(dcqcn_nvidia());
  timer_only.byte_counter = {0};
  timer_only.rate_timer = 7_us;
  DcqcnParams clamps = busy(dcqcn_nvidia());
  clamps.clamp_target_after_timer = false;
  clamps.cut_period = 5_us;
  DcqcnParams ties = busy(dcqcn_nvidia());
  ties.rate_timer = ties.alpha_period = ties.cut_period = 1_us;
  ties.alpha_gain = 600;
  DcqcnParams deep = busy(DcqcnParams{});  // to the lowest rate, several events a frame
  deep.cut_shift = 0;
  deep.min_rate = {1'000};
  deep.byte_counter = {700};
  deep.alpha_gain = 1023;
  DcqcnParams first = busy(DcqcnParams{});
  first.first_cnp_rate = {90'000'000'000};
  first.max_rate = {250'000'000'000};
  first.min_rate = {100'000'000'000};
  first.min_decrease_percent = 60;
  DcqcnParams first_nvidia = busy(dcqcn_nvidia());
  first_nvidia.first_cnp_rate = {30'000'000'000};
  first_nvidia.clamp_target = true;
  first_nvidia.min_decrease_percent = 33;
  first_nvidia.cut_shift = 3;
  return {{busy(DcqcnParams{}), line},
          {timer_only, line},
          {clamps, line},
          {ties, line},
          {deep, {3'200'000'000'000}},
          {first, line},
          {first_nvidia, line},
          {dcqcn_hpcc(), {100'000'000'000}},
          {DcqcnParams{}, {800'000'000'000}}};
}

/// Now, or soon, or when a timer of the flow ends, or a clock beside that.
Ps next_time(BenchRun& run, const DcqcnFlow& flow, Ps now) {
  const std::uint32_t kind = run.random().below(16);
  if (kind >= 6) return now + Ps{run.random().below(kind == 15 ? 30'000'000 : 400'000)};
  const Ps ends[] = {flow.next_alpha, flow.next_increase, flow.next_cut};
  const Ps end = ends[kind / 2];
  const Ps near = end + Ps{run.random().below(3)} - Ps{end.value != 0 ? 1u : 0u};
  constexpr Ps kFar = 500_us;
  return near >= now && near - now < kFar ? near : now;
}

/// A flow that was silent for a day: alpha is 0 long since, its periods are skipped by a division.
void silence(Lockstep& bench, Ps& now) {
  bench.ask({Op::kCnp, 0, 0, now});
  now += Ps{86'400'000'000'123'457};
  bench.ask({Op::kRead, 0, 0, now});
  bench.ask({Op::kCnp, 0, 0, now});
  bench.ask({Op::kSent, 0, 4178, now});
}

void random(BenchRun& run, const rtl::DcqcnSetup& setup, std::uint64_t cycles) {
  Lockstep bench(run, setup);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) bench.ask({Op::kAdd, flow, 0, Ps{}});
  const std::uint64_t end = run.cycle() + cycles;
  Bursts duty(run.random());
  Ps now = 1_us;
  if (setup.params.alpha_gain > 500) silence(bench, now);
  std::uint32_t flow = 0;
  while (run.cycle() < end && run.cycles_left() > 0) {
    if (!duty.next()) {
      bench.idle();
      continue;
    }
    if (run.random().below(2) == 0) flow = run.random().below(kFlows);
    now = next_time(run, bench.model().stored(flow), now);
    const std::uint32_t kind = run.random().below(16);
    const Op op = kind < 4 ? Op::kCnp : kind < 14 ? Op::kSent : kind < 15 ? Op::kRead : Op::kRtt;
    bench.ask({op, flow, 84 + run.random().below(9100), now});
  }
  bench.drain();
}

void replay(BenchRun& run) {
  RecordReader in(run, "dcqcn_rp");
  rtl::DcqcnSetup setup;
  in.expect_config("setup");
  in.whole_line(rtl::read_dcqcn_setup(in.line(), setup) &&
                    rtl::dcqcn_setup_line(setup.params, setup.line_rate) == in.line(),
                "setup LINE_RATE and the 18 parameters of DCQCN");
  Lockstep bench(run, setup);
  std::uint32_t flows = 0;
  while (in.next()) {
    Request request;
    in.whole_line(rtl::read_dcqcn_request(in.line(), request) &&
                      rtl::dcqcn_request_line(request) == in.line(),
                  "add, cnp, sent, read or rtt, then FLOW BYTES PS");
    if (request.op == Op::kAdd ? request.flow != flows++ : request.flow >= flows) {
      in.refuse("a FLOW that was added, or the next one to add");
    }
    bench.ask(request);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  play_golden(run);
  const std::vector<rtl::DcqcnSetup> all = setups();
  for (std::size_t i = 0; i < all.size(); ++i) {
    random(run, all[i], run.cycles_left() / (all.size() - i));
  }
}

}  // namespace

Bench dcqcn_rp_bench() {
  return {
      "dcqcn_rp",
      {"a cut does not restart the timer", "alpha's decay rounds up",
       "the paper's stages are looked at before they are counted", "hyper increase one stage early",
       "target beyond the highest rate", "rate rounds down and never reaches its target",
       "the timer at the instant of a CNP comes before it",
       "an increase at the instant of a cut comes before it",
       "alpha's update at the instant of a cut comes after it",
       "the CNP that alpha has seen counts in its next period too",
       "the target is not clamped after an increase by the byte counter",
       "cuts go below the lowest rate",
       "the pace is not renewed after an increase by the byte counter",
       "the cut clock is one period early after a silence",
       "a cut does not restart the byte counter"},
      run_all};
}

}  // namespace sluice::cosim
