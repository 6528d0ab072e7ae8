// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/dcqcn_rp/golden.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "rtl/dcqcn_rp/dcqcn_rp_twin.h"
#include "testbenches/cosim/dcqcn_rp/golden_rows.h"

namespace sluice::cosim {
namespace {

using rtl::DcqcnRpTwin;

void near(BenchRun& run, const char* what, double t_us, double want, double got, double within) {
  if (std::abs(want - got) <= within) return;
  run.differ(fmt::format("G7 {} at {} us", what, t_us), fmt::format("{:.6f}", want),
             fmt::format("{:.6f}", got));
}

/// A sender that always sends at its rate, as a fluid: the byte counter fires exactly when the
/// integral of the rate reaches it.
class Player {
 public:
  Player(BenchRun& run, const DcqcnParams& params, std::uint64_t gbps)
      : run_(run),
        rtl_(params, {gbps * 1'000'000'000}, run.rtl_options()),
        counter_(static_cast<double>(params.byte_counter.value)) {
    rtl_.add_flow();
  }
  ~Player() { run_.at_cycle(rtl_.cycle()); }

  void play(const std::vector<DcqcnRow>& rows) {
    for (const DcqcnRow& row : rows) {
      next_event();
      run_.at_cycle(rtl_.cycle());
      const DcqcnFlow flow = rtl_.at(0, Ps{now().value + 1});
      if (event_ != row.event) run_.differ("G7 event", row.event, std::string(event_));
      near(run_, "time", row.t_us, row.t_us, t_ * 1e-6, 0.001);
      near(run_, "timer stage", row.t_us, row.timer_stage, flow.timer_stage, 0);
      near(run_, "byte stage", row.t_us, row.byte_stage, flow.byte_stage, 0);
      near(run_, "alpha", row.t_us, row.alpha, flow.alpha * 0x1p-30, 1e-6);
      near(run_, "target", row.t_us, row.target_gbps, flow.target_kbps * 1e-6, 1e-4);
      near(run_, "rate", row.t_us, row.rate_gbps, flow.rate_kbps * 1e-6, 1e-4);
      t_ = std::max(t_, static_cast<double>(now().value) + (event_ == "RTIMER" ? 1 : 0));
    }
  }

 private:
  Ps now() const { return Ps{static_cast<std::uint64_t>(std::llround(t_))}; }

  /// Moves to the next event and tells the RTL of it.
  void next_event() {
    constexpr double kNone = 1e30;
    const DcqcnFlow before = rtl_.at(0, Ps{static_cast<std::uint64_t>(std::ceil(t_))});
    const double bytes_per_ps = before.rate_kbps * 1e3 / 8e12;
    const double cnp_at = cnps_ < 3 ? cnps_ * 50e6 : kNone;  // at 0, 50 and 100 us
    const double timer_at =
        before.started ? static_cast<double>(before.next_increase.value) : kNone;
    const double bytes_at = before.started ? t_ + (counter_ - sent_) / bytes_per_ps : kNone;
    const double at = std::min({cnp_at, timer_at, bytes_at});
    if (before.started) sent_ += (at - t_) * bytes_per_ps;
    t_ = at;
    event_ = "RTIMER";
    if (at == cnp_at) {
      event_ = "CNP";
      rtl_.on_cnp(0, now());
      ++cnps_;
      sent_ = 0;
    } else if (at == bytes_at) {
      event_ = "BYTE";
      rtl_.on_sent(0, static_cast<std::uint32_t>(counter_), now());
      sent_ = 0;
    }
  }

  BenchRun& run_;
  DcqcnRpTwin rtl_;
  double counter_;
  double sent_ = 0;
  double t_ = 0;
  unsigned cnps_ = 0;
  std::string_view event_;
};

void play_nvidia(BenchRun& run) {
  DcqcnRpTwin rtl(dcqcn_nvidia(), {400'000'000'000}, run.rtl_options());
  rtl.add_flow();
  const Ps cnps[] = {0_ps, 4500_ns, 8500_ns, 12500_ns};
  std::size_t next = 0;
  for (const DcqcnNvidiaRow& row : kG7TraceC) {
    const Ps t{row.t_us * 1'000'000ull};
    while (next < std::size(cnps) && cnps[next] < t) rtl.on_cnp(0, cnps[next++]);
    const DcqcnFlow flow = rtl.at(0, t + Ps{1});
    run.at_cycle(rtl.cycle());
    near(run, "trace C stage", row.t_us, row.stage, flow.timer_stage, 0);
    near(run, "trace C alpha", row.t_us, row.alpha, flow.alpha * 0x1p-30, 2e-6);
    near(run, "trace C target", row.t_us, 400, flow.target_kbps * 1e-6, 1e-3);
    near(run, "trace C rate", row.t_us, row.rate_gbps, flow.rate_kbps * 1e-6, 1e-3);
  }
}

}  // namespace

void play_golden(BenchRun& run) {
  DcqcnParams as_given;
  as_given.reference_rate = {0};
  Player(run, as_given, 40).play(kG7TraceA);
  Player(run, DcqcnParams{}, 400).play(kG7TraceB);
  DcqcnParams counter = as_given;
  counter.ai_rate = {400'000'000};
  counter.hai_rate = {2'000'000'000};
  counter.min_rate = {400'000'000};
  counter.byte_counter = {1'000'000};
  Player(run, counter, 400).play(kG7TraceD);
  play_nvidia(run);
}

}  // namespace sluice::cosim
