// SPDX-License-Identifier: Apache-2.0
// How far DCQCN's fixed point is from the same equations in double precision, over long random runs
// of CNPs, frames and silences; and that its pace does not wrap. Leaves out: golden traces
// (dcqcn_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/random.h"
#include "nic/congestion/dcqcn.h"

namespace sluice {
namespace {

/// The equations as published, on real numbers; every timer stepped when it is due.
class Exact {
 public:
  Exact(const DcqcnParams& params, BitsPerSecond line)
      : p_(params),
        paper_(params.algorithm == DcqcnAlgorithm::kPaper),
        fixed_(dcqcn_fixed(params, line)),
        rate_(fixed_.max_kbps),
        target_(fixed_.max_kbps),
        alpha_(params.initial_alpha / 1024.0),
        gain_(params.alpha_gain / 1024.0),
        bytes_left_(fixed_.byte_counter) {}

  void cnp(Ps now) {
    advance(now);
    const bool first = !started_;
    started_ = true;
    if (first || paper_) next_alpha_ = now + p_.alpha_period;
    if (first) next_cut_ = now + p_.cut_period;
    if (paper_) {
      cut(now);
      alpha_ = (1 - gain_) * alpha_ + gain_;
      return;
    }
    if (!first) {
      seen_ = true;
      while (next_cut_ < now) next_cut_ += p_.cut_period;
    }
    pending_ = true;
  }
  void sent(std::uint32_t bytes, Ps now) {
    advance(now + Ps{1});
    if (fixed_.byte_counter == 0 || at_top()) return;
    bytes_left_ -= bytes;
    for (; bytes_left_ <= 0; bytes_left_ += fixed_.byte_counter) increase(byte_stage_);
  }
  double rate(Ps now) {
    advance(now);
    return rate_;
  }
  bool at_top() const { return !started_ || rate_ >= fixed_.max_kbps; }

 private:
  void advance(Ps before) {
    while (started_) {
      const Ps cut_at = pending_ ? next_cut_ : kNever;
      const Ps at = std::min({cut_at, next_alpha_, next_increase_});
      if (at >= before) return;
      if (next_alpha_ == at) {
        alpha_ = (1 - gain_) * alpha_ + (seen_ ? gain_ : 0);
        seen_ = false;
        next_alpha_ += p_.alpha_period;
      } else if (cut_at == at) {
        pending_ = false;
        next_cut_ += p_.cut_period;
        cut(at);
      } else {
        next_increase_ += p_.rate_timer;
        if (!at_top()) increase(timer_stage_);
      }
    }
  }
  void cut(Ps now) {
    if (p_.clamp_target || increased_) target_ = rate_;
    const double by = rate_ * alpha_ / (1u << p_.cut_shift);
    rate_ = std::max({rate_ - by, rate_ * p_.min_decrease_percent / 100, 1.0 * fixed_.min_kbps});
    increased_ = false;
    timer_stage_ = byte_stage_ = 0;
    next_increase_ = now + p_.rate_timer;
    bytes_left_ = fixed_.byte_counter;
  }
  void increase(unsigned& stage) {
    if (paper_) ++stage;
    const bool timer_only = !paper_ && fixed_.byte_counter == 0;
    const unsigned least = timer_only ? timer_stage_ : std::min(timer_stage_, byte_stage_);
    const unsigned most = std::max(timer_stage_, byte_stage_);
    const unsigned stages = p_.fast_recovery_stages;
    if (least > stages) {
      target_ += (paper_ ? least - stages : 1.0) * fixed_.hai_kbps;
    } else if (most >= stages) {
      target_ += fixed_.ai_kbps;
    }
    if (!paper_) ++stage;
    target_ = std::min(target_, 1.0 * fixed_.max_kbps);
    rate_ = (rate_ + target_) / 2;
    increased_ = true;
  }

  DcqcnParams p_;
  bool paper_;
  DcqcnFixed fixed_;
  double rate_, target_, alpha_, gain_;
  std::int64_t bytes_left_;
  Ps next_alpha_ = kNever, next_increase_ = kNever, next_cut_ = kNever;
  unsigned timer_stage_ = 0, byte_stage_ = 0;
  bool started_ = false, seen_ = false, pending_ = false, increased_ = false;
};

/// Largest relative error of the rate over 100 ms of bursts of congestion and silences.
double largest_error(const DcqcnParams& params, std::uint64_t gbps, std::uint64_t seed) {
  const BitsPerSecond line{gbps * 1'000'000'000};
  Dcqcn dcqcn(params, line);
  dcqcn.add_flow();
  Exact exact(params, line);
  RandomStream random(seed, 0, RandomPurpose::kTest);
  double worst = 0;
  std::uint32_t cnps_of_100 = 0;
  Ps now = 1_us;
  for (int step = 0; now < 100_ms; ++step) {
    if (step % 200 == 0) cnps_of_100 = random.below(3) * random.below(20);
    now += Ps{random.below(1000) == 0 ? random.below(2'000'000'000) : random.below(1'000'000)};
    if (random.below(100) < cnps_of_100) {
      dcqcn.on_cnp(0, now);
      exact.cnp(now);
    } else {
      const std::uint32_t bytes = 84 + random.below(4100);
      dcqcn.on_sent(0, bytes, now);
      exact.sent(bytes, now);
    }
    const double want = exact.rate(now + Ps{1});
    worst = std::max(worst, std::abs(dcqcn.after(0, now).rate_kbps - want) / want);
  }
  return worst;
}

/// docs/blocks/dcqcn.md has these bounds.
TEST(DcqcnError, ThePaperSetStaysWithinTenMillionthsOfDoublePrecision) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const double worst = largest_error(DcqcnParams{}, 400, seed);
    EXPECT_LT(worst, 1e-5) << seed;
    EXPECT_GT(worst, 0) << seed;
  }
}

TEST(DcqcnError, ThePaperSetWithAShortByteCounterToo) {
  DcqcnParams params;
  params.byte_counter = {20'000};
  params.rate_timer = 20_us;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_LT(largest_error(params, 400, seed), 1e-5) << seed;
  }
}

TEST(DcqcnError, TheHpccSetStaysWithin20MillionthsAndNvidiasWithinAFewKbpsOfItsLowestRate) {
  // NVIDIA's lowest rate is 1 Mb/s: there 1 kbit/s, one rounding, is 1e-3.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_LT(largest_error(dcqcn_nvidia(), 400, seed), 1e-2) << seed;
    EXPECT_LT(largest_error(dcqcn_hpcc(), 400, seed), 2e-5) << seed;
  }
}

TEST(DcqcnError, TheLongestFrameAtTheLowestRateDoesNotWrap) {
  DcqcnParams params;
  params.reference_rate = {0};
  params.min_rate = {1'000};
  params.cut_shift = 0;
  Dcqcn dcqcn(params, {400'000'000'000});
  dcqcn.add_flow();
  dcqcn.on_cnp(0, 0_ps);
  ASSERT_EQ(dcqcn.after(0, 0_ps).rate_kbps, 1u);
  // 9236 B of 8 bits at 1 kbit/s: 73.888 s.
  EXPECT_EQ(dcqcn.on_sent(0, 9236, 1_us).interval, Ps{73'888'000'000'000});
}

}  // namespace
}  // namespace sluice
