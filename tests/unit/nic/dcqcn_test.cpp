// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point against the golden traces (G7.1), alpha recursions (G7.2) and an
// evaluation that steps every timer when it is due.
#include "nic/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../../testbenches/cosim/dcqcn_rp/golden_rows.h"
#include "kernel/random.h"

namespace sluice {
namespace {

using Row = DcqcnRow;

DcqcnParams as_given() {
  DcqcnParams params;
  params.reference_rate = {0};
  return params;
}

/// Plays a sender that always sends at its rate, as a fluid: the byte counter fires exactly when
/// the integral of the rate reaches it. Returns one row an event, alpha updates left out.
std::vector<Row> play(const DcqcnParams& params, std::uint64_t gbps, std::vector<Ps> cnps, Ps end) {
  Dcqcn dcqcn(params, {gbps * 1'000'000'000});
  dcqcn.add_flow();
  std::vector<Row> rows;
  double sent = 0;
  double t = 0;
  std::size_t next_cnp = 0;
  const auto counter = static_cast<double>(params.byte_counter.value);
  for (;;) {
    const DcqcnFlow before = dcqcn.at(0, Ps{static_cast<std::uint64_t>(std::ceil(t))});
    const double bytes_per_ps = before.rate_kbps * 1e3 / 8e12;
    const double cnp_at = next_cnp < cnps.size() ? static_cast<double>(cnps[next_cnp].value) : 1e30;
    const double timer_at = before.started ? static_cast<double>(before.next_increase.value) : 1e30;
    const double bytes_at = before.started ? t + (counter - sent) / bytes_per_ps : 1e30;
    const double at = std::min({cnp_at, timer_at, bytes_at});
    if (at > static_cast<double>(end.value)) return rows;
    if (before.started) sent += (at - t) * bytes_per_ps;
    t = at;
    const char* event = "RTIMER";
    const Ps now{static_cast<std::uint64_t>(std::llround(t))};
    if (at == cnp_at) {
      event = "CNP";
      dcqcn.on_cnp(0, now);
      ++next_cnp;
      sent = 0;
    } else if (at == bytes_at) {
      event = "BYTE";
      dcqcn.on_sent(0, static_cast<std::uint32_t>(params.byte_counter.value), now);
      sent = 0;
    }
    const DcqcnFlow& flow = dcqcn.after(0, now);
    rows.push_back({t * 1e-6, event, flow.timer_stage, flow.byte_stage, flow.alpha * 0x1p-30,
                    flow.target_kbps * 1e-6, flow.rate_kbps * 1e-6});
    t = std::max(t, static_cast<double>(now.value) + (at == timer_at ? 1 : 0));
  }
}

void expect_rows(const std::vector<Row>& got, const std::vector<Row>& want) {
  ASSERT_GE(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_STREQ(got[i].event, want[i].event) << i;
    EXPECT_NEAR(got[i].t_us, want[i].t_us, 0.001) << i;
    EXPECT_EQ(got[i].timer_stage, want[i].timer_stage) << i;
    EXPECT_EQ(got[i].byte_stage, want[i].byte_stage) << i;
    EXPECT_NEAR(got[i].alpha, want[i].alpha, 1e-6) << i;
    EXPECT_NEAR(got[i].target_gbps, want[i].target_gbps, 1e-4) << i;
    EXPECT_NEAR(got[i].rate_gbps, want[i].rate_gbps, 1e-4) << i;
  }
}

const std::vector<Ps> kThreeCnps{0_us, 50_us, 100_us};

TEST(Dcqcn, G7_01_To_23_TraceA) {
  expect_rows(play(as_given(), 40, kThreeCnps, 1200_us), kG7TraceA);
}

TEST(Dcqcn, G7_24_To_35_TraceBIsTenTimesTraceAByScaling) {
  // The paper's set as it stands, scaled from 40G to 400G by reference_rate.
  expect_rows(play(DcqcnParams{}, 400, kThreeCnps, 600_us), kG7TraceB);
}

TEST(Dcqcn, G7_36_To_69_TraceDWithByteCounterAndHyperStage) {
  DcqcnParams params = as_given();
  params.ai_rate = {400'000'000};
  params.hai_rate = {2'000'000'000};
  params.min_rate = {400'000'000};
  params.byte_counter = {1'000'000};
  expect_rows(play(params, 400, kThreeCnps, 880_us), kG7TraceD);
}

TEST(Dcqcn, G7_70_To_83_TraceCNvidia) {
  Dcqcn dcqcn(dcqcn_nvidia(), {400'000'000'000});
  dcqcn.add_flow();
  const std::vector<Ps> cnps{0_ps, 4500_ns, 8500_ns, 12500_ns};
  std::size_t next = 0;
  const auto check = [&](Ps t, unsigned stage, double alpha, double rate) {
    while (next < cnps.size() && cnps[next] < t) dcqcn.on_cnp(0, cnps[next++]);
    const DcqcnFlow& flow = dcqcn.after(0, t);
    EXPECT_EQ(flow.timer_stage, stage) << t.value;
    EXPECT_NEAR(flow.alpha * 0x1p-30, alpha, 2e-6) << t.value;
    EXPECT_NEAR(flow.target_kbps * 1e-6, 400, 1e-3) << t.value;
    EXPECT_NEAR(flow.rate_kbps * 1e-6, rate, 1e-3) << t.value;
  };
  for (const DcqcnNvidiaRow& row : kG7TraceC) {
    check(Ps{row.t_us * 1'000'000ull}, row.stage, row.alpha, row.rate_gbps);
  }
}

double alpha_after(const DcqcnParams& params, unsigned quiet_periods) {
  Dcqcn dcqcn(params, {400'000'000'000});
  dcqcn.add_flow();
  dcqcn.on_cnp(0, 0_ps);
  return dcqcn.after(0, params.alpha_period * quiet_periods).alpha * 0x1p-30;
}

TEST(Dcqcn, G7_84_To_90_AlphaDecaysWithoutCnps) {
  for (const auto& [periods, alpha] : {std::pair{1u, 0.996094},
                                       {10u, 0.961617},
                                       {50u, 0.822263},
                                       {100u, 0.676116},
                                       {177u, 0.500194},
                                       {355u, 0.249216},
                                       {1000u, 0.019963}}) {
    EXPECT_NEAR(alpha_after(as_given(), periods), alpha, 1e-6) << periods;
  }
}

TEST(Dcqcn, G7_91_To_95_AlphaRisesWithCnps) {
  for (const auto& [count, alpha] : {std::pair{1u, 0.003906},
                                     {5u, 0.019379},
                                     {20u, 0.075293},
                                     {100u, 0.323884},
                                     {200u, 0.542867}}) {
    DcqcnParams params = as_given();
    params.initial_alpha = 0;
    Dcqcn dcqcn(params, {400'000'000'000});
    dcqcn.add_flow();
    for (unsigned i = 0; i < count; ++i) dcqcn.on_cnp(0, i * 50_us);
    EXPECT_NEAR(dcqcn.after(0, (count - 1) * 50_us).alpha * 0x1p-30, alpha, 1e-6) << count;
  }
}

TEST(Dcqcn, G7_96_To_99_NvidiaAlphaDecays) {
  for (const auto& [us, alpha] :
       {std::pair{1u, 0.994145}, {100u, 0.612348}, {300u, 0.230061}, {1000u, 0.007478}}) {
    EXPECT_NEAR(alpha_after(dcqcn_nvidia(), us), alpha, 1e-6) << us;
  }
}

TEST(Dcqcn, G7_100_EachCnpHalvesTheRateWhileAlphaIsOne) {
  Dcqcn dcqcn(as_given(), {400'000'000'000});
  dcqcn.add_flow();
  std::uint32_t want = 400'000'000;
  for (unsigned i = 0; i < 5; ++i) {
    dcqcn.on_cnp(0, i * 50_us);
    want /= 2;
    EXPECT_EQ(dcqcn.after(0, i * 50_us).rate_kbps, want);
  }
}

TEST(Dcqcn, IsUnlimitedAgainOnlyWhenItReachesTheMaximum) {
  Dcqcn dcqcn(DcqcnParams{}, {400'000'000'000});
  dcqcn.add_flow();
  EXPECT_TRUE(dcqcn.on_cnp(0, 1_us));
  EXPECT_TRUE(dcqcn.on_sent(0, 4178, 2_us).limited);
  // Fast recovery from one cut halves a gap of 200 Gb/s 28 times.
  EXPECT_TRUE(dcqcn.on_sent(0, 4178, 1_us + 27 * 55_us).limited);
  EXPECT_FALSE(dcqcn.on_sent(0, 4178, 1_us + 30 * 55_us).limited);
}

// ---- every other parameter changes what it says ----

std::uint32_t rate_after_cnp(const DcqcnParams& params, Ps at = 1_us) {
  Dcqcn dcqcn(params, {400'000'000'000});
  dcqcn.add_flow();
  dcqcn.on_cnp(0, 0_ps);
  return dcqcn.after(0, at).rate_kbps;
}

TEST(Dcqcn, CutParametersShapeTheCut) {
  DcqcnParams params = as_given();
  EXPECT_EQ(rate_after_cnp(params), 200'000'000u);
  params.cut_shift = 2;
  EXPECT_EQ(rate_after_cnp(params), 300'000'000u);
  params.cut_shift = 0;
  EXPECT_EQ(rate_after_cnp(params), 40'000u);  // min_rate
  params.min_rate = {7'000'000'000};
  EXPECT_EQ(rate_after_cnp(params), 7'000'000u);
  params.min_decrease_percent = 60;
  EXPECT_EQ(rate_after_cnp(params), 240'000'000u);
  params.first_cnp_rate = {100'000'000'000};
  EXPECT_EQ(rate_after_cnp(params), 100'000'000u);
  params.max_rate = {90'000'000'000};
  params.first_cnp_rate = {0};
  EXPECT_EQ(rate_after_cnp(params), 54'000'000u);
}

TEST(Dcqcn, CutPeriodIsTheClockOfNvidiaCuts) {
  DcqcnParams params = dcqcn_nvidia();
  params.cut_period = 10_us;
  EXPECT_EQ(rate_after_cnp(params, 9_us), 400'000'000u);
  EXPECT_LT(rate_after_cnp(params, 10_us), 250'000'000u);
}

TEST(Dcqcn, ClampRulesDecideWhatTheTargetBecomes) {
  const auto target_after_second_cut = [](bool clamp, bool after_timer, Ps second) {
    DcqcnParams params = dcqcn_nvidia();
    params.clamp_target = clamp;
    params.clamp_target_after_timer = after_timer;
    Dcqcn dcqcn(params, {400'000'000'000});
    dcqcn.add_flow();
    dcqcn.on_cnp(0, 0_ps);
    dcqcn.on_cnp(0, second);
    return dcqcn.after(0, second + 5_us).target_kbps;
  };
  const Ps soon = 5_us;         // no increase in between
  const Ps after_one = 310_us;  // one increase by the timer in between
  EXPECT_EQ(target_after_second_cut(false, true, soon), 400'000'000u);
  EXPECT_LT(target_after_second_cut(true, true, soon), 250'000'000u);
  EXPECT_LT(target_after_second_cut(false, true, after_one), 310'000'000u);
  EXPECT_EQ(target_after_second_cut(false, false, after_one), 400'000'000u);
}

}  // namespace
}  // namespace sluice
