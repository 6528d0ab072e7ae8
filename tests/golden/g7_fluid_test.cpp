// SPDX-License-Identifier: Apache-2.0
// Golden section G7.3: DCQCN's fluid fixed point (Zhu et al., CoNEXT 2016) solved for every row.
// Leaves out: a running fabric that settles there.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sluice::golden {
namespace {

struct FixedPoint {
  double p;          ///< marking probability of a packet
  double alpha;      ///< of each flow
  double gap_gbps;   ///< target rate less current rate
  double cube_root;  ///< p by the approximation for small p
};

/// `flows` equal flows of 1000-B packets share `gbps`; the steps and the byte counter scale.
FixedPoint solve(double gbps, double flows) {
  constexpr double kTau = 50e-6;
  constexpr double kTimer = 55e-6;
  constexpr double kStages = 5;
  constexpr double kBits = 8000;
  const double capacity = gbps * 1e9 / kBits;
  const double rate = capacity / flows;
  const double bytes = 1e4 * gbps / 40;  // packets
  const double ai = 40e6 * gbps / 40 / kBits;
  FixedPoint at{};
  // Decrease less increase of the target rate; rises with p.
  const auto excess = [&](double p) {
    const double log = std::log1p(-p);
    const double notified = -std::expm1(kTau * rate * log);
    at.p = p;
    at.alpha = -std::expm1(kTimer * rate * log);
    const double b = p / std::expm1(-bytes * log);
    const double d = p / std::expm1(-kTimer * rate * log);
    const double gap = at.alpha * notified / (kTau * (b + d));
    at.gap_gbps = gap * kBits / 1e9;
    return gap * notified / kTau -
           ai * rate *
               (b * std::exp(kStages * bytes * log) + d * std::exp(kStages * kTimer * rate * log));
  };
  double low = 1e-9;
  double high = 0.5;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (excess(middle) > 0 ? high : low) = middle;
  }
  excess(low);
  const double events = 1 / bytes + flows / (kTimer * capacity);
  at.cube_root = std::cbrt(ai * flows * flows / (kTimer * capacity * capacity) * events * events);
  return at;
}

struct Row {
  double gbps;
  double flows;
  double p, cube_root, alpha, gap_gbps;
};

TEST(DcqcnFluid, G7_103_To_123_FixedPoints) {
  for (const Row& row : std::vector<Row>{{40, 2, 0.000776989, 0.000924687, 0.10136, 0.2180},
                                         {40, 4, 0.00188767, 0.00231952, 0.12182, 0.1595},
                                         {40, 8, 0.00455211, 0.00583151, 0.14516, 0.1151},
                                         {40, 10, 0.00603196, 0.00784866, 0.15328, 0.1033},
                                         {40, 16, 0.0108727, 0.0146777, 0.17130, 0.0818},
                                         {40, 32, 0.025618, 0.0369643, 0.19990, 0.0572},
                                         {40, 64, 0.0590536, 0.0931176, 0.23014, 0.0394},
                                         {400, 2, 7.77416e-05, 9.24687e-05, 0.10138, 2.1800},
                                         {400, 4, 0.000189016, 0.000231952, 0.12187, 1.5954},
                                         {400, 8, 0.000456648, 0.000583151, 0.14530, 1.1513},
                                         {400, 10, 0.000605711, 0.000784866, 0.15348, 1.0332},
                                         {400, 16, 0.0010954, 0.00146777, 0.17170, 0.8182},
                                         {400, 32, 0.00260676, 0.00369643, 0.20093, 0.5721},
                                         {400, 64, 0.00614662, 0.00931176, 0.23274, 0.3933},
                                         {800, 2, 3.8872e-05, 4.62343e-05, 0.10138, 4.3600},
                                         {800, 4, 9.45151e-05, 0.000115976, 0.12187, 3.1909},
                                         {800, 8, 0.000228364, 0.000291575, 0.14531, 2.3026},
                                         {800, 10, 0.000302926, 0.000392433, 0.15349, 2.0664},
                                         {800, 16, 0.000547929, 0.000733885, 0.17172, 1.6364},
                                         {800, 32, 0.00130465, 0.00184822, 0.20099, 1.1441},
                                         {800, 64, 0.00308028, 0.00465588, 0.23289, 0.7865}}) {
    const FixedPoint got = solve(row.gbps, row.flows);
    EXPECT_NEAR(got.p / row.p, 1, 1e-4) << row.gbps << " " << row.flows;
    EXPECT_NEAR(got.cube_root / row.cube_root, 1, 1e-4) << row.gbps << " " << row.flows;
    EXPECT_NEAR(got.alpha, row.alpha, 6e-6) << row.gbps << " " << row.flows;
    EXPECT_NEAR(got.gap_gbps, row.gap_gbps, 6e-5) << row.gbps << " " << row.flows;
  }
}

}  // namespace
}  // namespace sluice::golden
