// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point against the golden traces (G7.1), alpha recursions (G7.2) and an
// evaluation that steps every timer when it is due.
#include "nic/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernel/random.h"

namespace sluice {
namespace {

struct Row {
  double t_us;
  const char* event;
  unsigned timer_stage, byte_stage;
  double alpha, target_gbps, rate_gbps;
};

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
  expect_rows(play(as_given(), 40, kThreeCnps, 1200_us),
              {{0, "CNP", 0, 0, 1, 40, 20},
               {50, "CNP", 0, 0, 1, 20, 10},
               {100, "CNP", 0, 0, 1, 10, 5},
               {155, "RTIMER", 1, 0, 0.996094, 10.0000, 7.5000},
               {210, "RTIMER", 2, 0, 0.992203, 10.0000, 8.7500},
               {265, "RTIMER", 3, 0, 0.988327, 10.0000, 9.3750},
               {320, "RTIMER", 4, 0, 0.984466, 10.0000, 9.6875},
               {375, "RTIMER", 5, 0, 0.980621, 10.0400, 9.8637},
               {430, "RTIMER", 6, 0, 0.976790, 10.0800, 9.9719},
               {485, "RTIMER", 7, 0, 0.972975, 10.1200, 10.0459},
               {540, "RTIMER", 8, 0, 0.969174, 10.1600, 10.1030},
               {595, "RTIMER", 9, 0, 0.965388, 10.2000, 10.1515},
               {650, "RTIMER", 10, 0, 0.961617, 10.2400, 10.1957},
               {705, "RTIMER", 11, 0, 0.957861, 10.2800, 10.2379},
               {760, "RTIMER", 12, 0, 0.954119, 10.3200, 10.2789},
               {815, "RTIMER", 13, 0, 0.950392, 10.3600, 10.3195},
               {870, "RTIMER", 14, 0, 0.946680, 10.4000, 10.3597},
               {925, "RTIMER", 15, 0, 0.942982, 10.4400, 10.3999},
               {980, "RTIMER", 16, 0, 0.939298, 10.4800, 10.4399},
               {1035, "RTIMER", 17, 0, 0.935629, 10.5200, 10.4800},
               {1090, "RTIMER", 18, 0, 0.931974, 10.5600, 10.5200},
               {1145, "RTIMER", 19, 0, 0.928334, 10.6000, 10.5600},
               {1200, "RTIMER", 20, 0, 0.924707, 10.6400, 10.6000}});
}

TEST(Dcqcn, G7_24_To_35_TraceBIsTenTimesTraceAByScaling) {
  // The paper's set as it stands, scaled from 40G to 400G by reference_rate.
  expect_rows(play(DcqcnParams{}, 400, kThreeCnps, 600_us),
              {{0, "CNP", 0, 0, 1, 400, 200},
               {50, "CNP", 0, 0, 1, 200, 100},
               {100, "CNP", 0, 0, 1, 100, 50},
               {155, "RTIMER", 1, 0, 0.996094, 100.0000, 75.0000},
               {210, "RTIMER", 2, 0, 0.992203, 100.0000, 87.5000},
               {265, "RTIMER", 3, 0, 0.988327, 100.0000, 93.7500},
               {320, "RTIMER", 4, 0, 0.984466, 100.0000, 96.8750},
               {375, "RTIMER", 5, 0, 0.980621, 100.4000, 98.6375},
               {430, "RTIMER", 6, 0, 0.976790, 100.8000, 99.7188},
               {485, "RTIMER", 7, 0, 0.972975, 101.2000, 100.4594},
               {540, "RTIMER", 8, 0, 0.969174, 101.6000, 101.0297},
               {595, "RTIMER", 9, 0, 0.965388, 102.0000, 101.5148}});
}

TEST(Dcqcn, G7_36_To_69_TraceDWithByteCounterAndHyperStage) {
  DcqcnParams params = as_given();
  params.ai_rate = {400'000'000};
  params.hai_rate = {2'000'000'000};
  params.min_rate = {400'000'000};
  params.byte_counter = {1'000'000};
  expect_rows(play(params, 400, kThreeCnps, 880_us),
              {{0, "CNP", 0, 0, 1, 400, 200},
               {40, "BYTE", 0, 1, 1, 400, 300},
               {50, "CNP", 0, 0, 1, 300, 150},
               {100, "CNP", 0, 0, 1, 150, 75},
               {155, "RTIMER", 1, 0, 0.996094, 150.0000, 112.5000},
               {189.444, "BYTE", 1, 1, 0.996094, 150.0000, 131.2500},
               {210, "RTIMER", 2, 1, 0.992203, 150.0000, 140.6250},
               {247.704, "BYTE", 2, 2, 0.992203, 150.0000, 145.3125},
               {265, "RTIMER", 3, 2, 0.988327, 150.0000, 147.65625},
               {302.158, "BYTE", 3, 3, 0.988327, 150.0000, 148.8281},
               {320, "RTIMER", 4, 3, 0.984466, 150.0000, 149.4141},
               {355.771, "BYTE", 4, 4, 0.984466, 150.0000, 149.7070},
               {375, "RTIMER", 5, 4, 0.980621, 150.4000, 150.0535},
               {409.129, "BYTE", 5, 5, 0.980621, 150.8000, 150.4268},
               {430, "RTIMER", 6, 5, 0.976790, 151.2000, 150.8134},
               {462.229, "BYTE", 6, 6, 0.976790, 153.2000, 152.0067},
               {485, "RTIMER", 7, 6, 0.972975, 155.2000, 153.6033},
               {514.547, "BYTE", 7, 7, 0.972975, 159.2000, 156.4017},
               {540, "RTIMER", 8, 7, 0.969174, 163.2000, 159.8008},
               {565.151, "BYTE", 8, 8, 0.969174, 169.2000, 164.5004},
               {595, "RTIMER", 9, 8, 0.965388, 175.2000, 169.8502},
               {613.192, "BYTE", 9, 9, 0.965388, 183.2000, 176.5251},
               {650, "RTIMER", 10, 9, 0.961617, 191.2000, 183.8626},
               {658.171, "BYTE", 10, 10, 0.961617, 201.2000, 192.5313},
               {699.723, "BYTE", 10, 11, 0.961617, 211.2000, 201.8656},
               {705, "RTIMER", 11, 11, 0.957861, 223.2000, 212.5328},
               {737.629, "BYTE", 11, 12, 0.957861, 235.2000, 223.8664},
               {760, "RTIMER", 12, 12, 0.954119, 249.2000, 236.5332},
               {772.649, "BYTE", 12, 13, 0.954119, 263.2000, 249.8666},
               {804.666, "BYTE", 12, 14, 0.954119, 277.2000, 263.5333},
               {815, "RTIMER", 13, 14, 0.950392, 293.2000, 278.3667},
               {833.956, "BYTE", 13, 15, 0.950392, 309.2000, 293.7833},
               {861.187, "BYTE", 13, 16, 0.950392, 325.2000, 309.4917},
               {870, "RTIMER", 14, 16, 0.946680, 343.2000, 326.3458}});
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
  check(4_us, 0, 0.979654, 204.0693);
  check(8_us, 0, 0.965471, 105.5578);
  check(12_us, 0, 0.951564, 55.3353);
  check(16_us, 0, 0.937926, 29.3851);
  check(316_us, 1, 0.215991, 214.6926);
  check(616_us, 2, 0.049740, 307.3463);
  check(916_us, 3, 0.011454, 353.6731);
  check(1216_us, 4, 0.002638, 376.8366);
  check(1516_us, 5, 0.000607, 388.4183);
  check(1816_us, 6, 0.000140, 394.2091);
  check(2116_us, 7, 0.000032, 397.1046);
  check(2416_us, 8, 0.000007, 398.5523);
  check(2716_us, 9, 0.000002, 399.2761);
  check(3016_us, 10, 0.000000, 399.6381);
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
