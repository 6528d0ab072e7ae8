// SPDX-License-Identifier: Apache-2.0
// Golden rows G3-32 .. G3-79: n queues stand at the threshold, m new ones start; how much they hold
// when they first lose a frame, when that is, and what burst they took. Frames come and go one by
// one through the MMU; time is counted in frames of one line. Leaves out: chips and links.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "unit/switch/mmu/mmu_testing.h"

namespace sluice::golden {
namespace {

using sluice::testing::kLossy;

/// Columns of golden.md: per pool size, and the time as t C / B.
struct Row {
  int id;
  int alpha_exp;
  std::uint32_t n;
  std::uint32_t m;
  std::uint32_t g;
  double start;
  double first_drop;
  double time;
  double burst;
};

const std::vector<Row> kRows{
    {32, -3, 0, 1, 1, 0.000000, 0.111111, 0.111111, 0.222222},
    {33, -3, 0, 1, 7, 0.000000, 0.111111, 0.015873, 0.126984},
    {34, -3, 1, 1, 1, 0.111111, 0.100000, 0.100000, 0.200000},
    {35, -3, 1, 1, 7, 0.111111, 0.100000, 0.014286, 0.114286},
    {36, -3, 1, 1, 31, 0.111111, 0.099121, 0.003197, 0.102318},
    {37, -3, 2, 1, 7, 0.100000, 0.090909, 0.012987, 0.103896},
    {38, -3, 1, 4, 7, 0.111111, 0.074967, 0.010710, 0.085676},
    {39, -3, 4, 4, 7, 0.083333, 0.058333, 0.008333, 0.066667},
    {40, -1, 0, 1, 1, 0.000000, 0.333333, 0.333333, 0.666667},
    {41, -1, 0, 1, 7, 0.000000, 0.333333, 0.047619, 0.380952},
    {42, -1, 1, 1, 1, 0.333333, 0.250000, 0.250000, 0.500000},
    {43, -1, 1, 1, 7, 0.333333, 0.233333, 0.033333, 0.266667},
    {44, -1, 1, 1, 31, 0.333333, 0.224638, 0.007246, 0.231884},
    {45, -1, 2, 1, 7, 0.250000, 0.184211, 0.026316, 0.210526},
    {46, -1, 1, 4, 7, 0.333333, 0.113821, 0.016260, 0.130081},
    {47, -1, 4, 4, 7, 0.166667, 0.061404, 0.008772, 0.070175},
    {48, 0, 0, 1, 1, 0.000000, 0.500000, 0.500000, 1.000000},
    {49, 0, 0, 1, 7, 0.000000, 0.500000, 0.071429, 0.571429},
    {50, 0, 1, 1, 1, 0.500000, 0.333333, 0.333333, 0.666667},
    {51, 0, 1, 1, 7, 0.500000, 0.269231, 0.038462, 0.307692},
    {52, 0, 1, 1, 31, 0.500000, 0.254098, 0.008197, 0.262295},
    {53, 0, 2, 1, 7, 0.333333, 0.194444, 0.027778, 0.222222},
    {54, 0, 1, 4, 7, 0.500000, 0.102941, 0.014706, 0.117647},
    {55, 0, 4, 4, 7, 0.200000, 0.045161, 0.006452, 0.051613},
    {56, 1, 0, 1, 1, 0.000000, 0.666667, 0.666667, 1.333333},
    {57, 1, 0, 1, 7, 0.000000, 0.666667, 0.095238, 0.761905},
    {58, 1, 1, 1, 1, 0.666667, 0.400000, 0.400000, 0.800000},
    {59, 1, 1, 1, 7, 0.666667, 0.245614, 0.035088, 0.280702},
    {60, 1, 1, 1, 31, 0.666667, 0.227106, 0.007326, 0.234432},
    {61, 1, 2, 1, 7, 0.400000, 0.164706, 0.023529, 0.188235},
    {62, 1, 1, 4, 7, 0.666667, 0.076503, 0.010929, 0.087432},
    {63, 1, 4, 4, 7, 0.222222, 0.028283, 0.004040, 0.032323},
    {64, 2, 0, 1, 1, 0.000000, 0.800000, 0.800000, 1.600000},
    {65, 2, 0, 1, 7, 0.000000, 0.800000, 0.114286, 0.914286},
    {66, 2, 1, 1, 1, 0.800000, 0.444444, 0.444444, 0.888889},
    {67, 2, 1, 1, 7, 0.800000, 0.180645, 0.025806, 0.206452},
    {68, 2, 1, 1, 31, 0.800000, 0.164238, 0.005298, 0.169536},
    {69, 2, 2, 1, 7, 0.444444, 0.115226, 0.016461, 0.131687},
    {70, 2, 1, 4, 7, 0.800000, 0.048696, 0.006957, 0.055652},
    {71, 2, 4, 4, 7, 0.235294, 0.015991, 0.002284, 0.018275},
    {72, 3, 0, 1, 1, 0.000000, 0.888889, 0.888889, 1.777778},
    {73, 3, 0, 1, 7, 0.000000, 0.888889, 0.126984, 1.015873},
    {74, 3, 1, 1, 1, 0.888889, 0.470588, 0.470588, 0.941176},
    {75, 3, 1, 1, 7, 0.888889, 0.113131, 0.016162, 0.129293},
    {76, 3, 1, 1, 31, 0.888889, 0.101681, 0.003280, 0.104961},
    {77, 3, 2, 1, 7, 0.470588, 0.070088, 0.010013, 0.080100},
    {78, 3, 1, 4, 7, 0.888889, 0.027902, 0.003986, 0.031888},
    {79, 3, 4, 4, 7, 0.242424, 0.008527, 0.001218, 0.009746},
};

/// Lossy queues of one pool, one a port; ingress refuses nothing.
class SharedPool {
 public:
  SharedPool(std::uint32_t cell_bytes, std::uint64_t bytes, int alpha_exp, std::uint32_t queues,
             std::uint32_t frame_cells)
      : mmu_(make_mmu(params(cell_bytes, bytes, alpha_exp), {.ports = queues})),
        frame_cells_(frame_cells) {}

  bool arrive(std::uint32_t queue) { return mmu_->admit(frame(queue)).drop == DropReason::kNone; }
  void depart(std::uint32_t queue) {
    if (frames(queue) > 0) mmu_->release(frame(queue));
  }
  std::uint32_t frames(std::uint32_t queue) const {
    return mmu_->queue(static_cast<std::uint16_t>(queue), kLossy).total() / frame_cells_;
  }
  const Mmu& mmu() const { return *mmu_; }

 private:
  static MmuParams params(std::uint32_t cell_bytes, std::uint64_t bytes, int alpha_exp) {
    MmuParams p = sluice::testing::one_pool(cell_bytes, bytes, alpha_exp);
    p.lossy_alpha_exp = alpha_exp;
    p.lossy_pg_static_bytes = Bytes{bytes};
    return p;
  }
  MmuRequest frame(std::uint32_t queue) const {
    return sluice::testing::packet(queue, kLossy, queue, frame_cells_);
  }

  std::unique_ptr<Mmu> mmu_;
  std::uint32_t frame_cells_;
};

/// In frames, and in frame times of one line.
struct FirstDrop {
  std::uint32_t held = 0;
  double time = 0;
  std::uint32_t accepted = 0;
};

/// Old queues 0..n-1 are kept overloaded and all queues drain a frame each frame time; queues n..
/// start at time 0 with g + 1 frames each frame time, evenly spread.
std::vector<FirstDrop> run(SharedPool& pool, const Row& row) {
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t queue = 0; queue < row.n; ++queue) any |= pool.arrive(queue);
  }
  const std::uint32_t steps = row.g + 1;
  std::vector<FirstDrop> first(row.m);
  std::uint32_t dropped = 0;
  for (std::uint64_t step = 0; dropped < row.m; ++step) {
    for (std::uint32_t queue = 0; queue < row.n + row.m; ++queue) {
      if ((step + queue) % steps == steps - 1) pool.depart(queue);
    }
    for (std::uint32_t i = 0; i < row.m; ++i) {
      FirstDrop& drop = first[i];
      if (pool.arrive(row.n + i)) {
        if (drop.held == 0) ++drop.accepted;
      } else if (drop.held == 0) {
        drop.held = pool.frames(row.n + i);
        drop.time = static_cast<double>(step) / steps;
        ++dropped;
      }
    }
    for (std::uint32_t queue = 0; queue < row.n; ++queue) pool.arrive(queue);
  }
  return first;
}

class Transient : public ::testing::TestWithParam<Row> {};

TEST_P(Transient, NewQueuesFirstLoseAFrameWhereTheClosedFormSays) {
  const Row& row = GetParam();
  constexpr std::uint64_t kFrames = 100'000;
  SharedPool pool(254, kFrames * 254, row.alpha_exp, row.n + row.m, 1);
  const std::vector<FirstDrop> drops = run(pool, row);
  const auto near = [](double measured, double share) {
    const double expected = share * kFrames;
    EXPECT_NEAR(measured, expected, 0.01 * expected + 1);
  };
  for (const FirstDrop& drop : drops) {
    near(drop.held, row.first_drop);
    near(drop.time, row.time);
    near(drop.accepted, row.burst);
  }
  pool.mmu().check_conservation();
}

TEST_P(Transient, OldQueuesStartAtTheSteadyState) {
  const Row& row = GetParam();
  const double alpha = std::exp2(row.alpha_exp);
  EXPECT_NEAR(row.start, row.n == 0 ? 0 : alpha / (1 + row.n * alpha), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(G3, Transient, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return "G3_" + std::to_string(row.param.id); });

/// Frames of 16 cells: Spectrum-4's pool, alpha 1, one congested 400G queue, then 8:1 on another.
TEST(G3WorkedExample, AnIncastBesideACongestedQueueLosesFramesBeforeItsFairShare) {
  const Row row{0, 0, 1, 1, 7, 0, 0, 0, 0};
  constexpr double kFrame = 16 * 192;
  SharedPool pool(192, 158'229'504, 0, 2, 16);
  const FirstDrop drop = run(pool, row).front();
  EXPECT_NEAR(drop.held * kFrame, 42'600'251, 0.01 * 42'600'251 + kFrame);
  EXPECT_NEAR(drop.time * kFrame / 50e9 * 1e6, 121.7, 1.3) << "microseconds at 400 Gb/s";
  EXPECT_LT(drop.held * kFrame, 52'743'168) << "the fair share";
}

}  // namespace
}  // namespace sluice::golden
