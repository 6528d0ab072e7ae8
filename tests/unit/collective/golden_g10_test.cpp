// SPDX-License-Identifier: Apache-2.0
// Golden table G10, rows 1 to 40: bus bandwidth factors and the closed forms of all-reduce and
// all-to-all at 400G and 800G with MTU 4096 over IPv4 and 5 us a step.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "collective/closed_form.h"

namespace sluice {
namespace {

struct FactorRow {
  const char* id;
  std::uint32_t ranks;
  double all_reduce, all_gather;
};
void PrintTo(const FactorRow& row, std::ostream* out) { *out << row.id; }

class GoldenG10Factor : public testing::TestWithParam<FactorRow> {};

TEST_P(GoldenG10Factor, IsThatOfNcclTests) {
  const FactorRow& row = GetParam();
  const auto factor = [&row](OpKind kind) { return busbw_factor(kind, row.ranks).value(); };
  EXPECT_NEAR(factor(OpKind::kAllReduce), row.all_reduce, 5.001e-7);
  EXPECT_NEAR(factor(OpKind::kAllGather), row.all_gather, 5.001e-7);
  EXPECT_NEAR(factor(OpKind::kReduceScatter), row.all_gather, 5.001e-7);
  EXPECT_NEAR(factor(OpKind::kAllToAll), row.all_gather, 5.001e-7);
  EXPECT_EQ(factor(OpKind::kBroadcast), 1);
  EXPECT_EQ(factor(OpKind::kReduce), 1);
}

const FactorRow kFactors[] = {
    {"G10_01", 2, 1.000000, 0.500000},    {"G10_02", 4, 1.500000, 0.750000},
    {"G10_03", 8, 1.750000, 0.875000},    {"G10_04", 16, 1.875000, 0.937500},
    {"G10_05", 64, 1.968750, 0.984375},   {"G10_06", 256, 1.992188, 0.996094},
    {"G10_07", 2048, 1.999023, 0.999512}, {"G10_08", 8192, 1.999756, 0.999878},
};
INSTANTIATE_TEST_SUITE_P(Rows, GoldenG10Factor, testing::ValuesIn(kFactors),
                         [](const auto& row) { return std::string(row.param.id); });

// Payload rate of golden row G1-11: 4096 of 4178 bytes.
constexpr double k400 = 400e9 / 8 * 4096 / 4178;
constexpr double k800 = 800e9 / 8 * 4096 / 4178;
constexpr double kMiB = 1024.0 * 1024;
constexpr double kGiB = 1024 * kMiB;

struct TimeRow {
  const char* id;
  double rate;
  std::uint32_t ranks;
  double bytes;
  double ring_no_latency_us, ring_us, ring_busbw, halving_doubling_us, tree_us, all_to_all_us;
};
void PrintTo(const TimeRow& row, std::ostream* out) { *out << row.id; }

class GoldenG10Time : public testing::TestWithParam<TimeRow> {};

/// Equal to the six digits that the table prints.
void expect_printed(double value, double printed) {
  EXPECT_NEAR(value, printed, 0.5001 * std::pow(10, std::floor(std::log10(printed)) - 5));
}

TEST_P(GoldenG10Time, IsThatOfTheFormula) {
  const TimeRow& row = GetParam();
  CollectiveCase c{row.ranks, row.bytes, row.rate, 0};
  expect_printed(ring_all_reduce_seconds(c) * 1e6, row.ring_no_latency_us);
  expect_printed(all_to_all_bound_seconds(c) * 1e6, row.all_to_all_us);
  c.step_latency_seconds = 5e-6;
  const double ring = ring_all_reduce_seconds(c);
  expect_printed(ring * 1e6, row.ring_us);
  expect_printed(halving_doubling_all_reduce_seconds(c) * 1e6, row.halving_doubling_us);
  expect_printed(tree_all_reduce_seconds(c) * 1e6, row.tree_us);
  // Four decimals in the table.
  EXPECT_NEAR(busbw(OpKind::kAllReduce, row.ranks, row.bytes, ring).value() / 1e9, row.ring_busbw,
              5.01e-5);
  // An all-reduce by ring is a reduce-scatter and an all-gather.
  EXPECT_DOUBLE_EQ(ring_reduce_scatter_seconds(c) + ring_all_gather_seconds(c), ring);
}

const TimeRow kTimes[] = {
    {"G10_09", k400, 8, 1 * kMiB, 37.4349, 107.435, 17.0802, 67.4349, 72.7827, 18.7174},
    {"G10_10", k400, 8, 64 * kMiB, 2395.83, 2465.83, 47.6271, 2425.83, 2768.09, 1197.92},
    {"G10_11", k400, 8, 1 * kGiB, 38333.3, 38403.3, 48.9293, 38363.3, 43839.5, 19166.7},
    {"G10_12", k400, 8, 16 * kGiB, 613333, 613403, 49.0131, 613363, 700982, 306667},
    {"G10_13", k400, 64, 1 * kMiB, 42.1142, 672.114, 3.0715, 102.114, 102.783, 21.0571},
    {"G10_14", k400, 64, 64 * kMiB, 2695.31, 3325.31, 39.7318, 2755.31, 2798.09, 1347.66},
    {"G10_15", k400, 64, 1 * kGiB, 43125, 43755, 48.3129, 43185, 43869.5, 21562.5},
    {"G10_16", k400, 64, 16 * kGiB, 690000, 690630, 48.9740, 690060, 701012, 345000},
    {"G10_17", k400, 2048, 1 * kMiB, 42.7618, 20512.8, 0.1022, 152.762, 152.783, 21.3809},
    {"G10_18", k400, 2048, 64 * kMiB, 2736.76, 23206.8, 5.7807, 2846.76, 2848.09, 1368.38},
    {"G10_19", k400, 2048, 1 * kGiB, 43788.1, 64258.1, 33.4033, 43898.1, 43919.5, 21894.1},
    {"G10_20", k400, 2048, 16 * kGiB, 700610, 721080, 47.6271, 700720, 701062, 350305},
    {"G10_21", k400, 8192, 1 * kMiB, 42.7775, 81952.8, 0.0256, 172.777, 172.783, 21.3887},
    {"G10_22", k400, 8192, 64 * kMiB, 2737.76, 84647.8, 1.5854, 2867.76, 2868.09, 1368.88},
    {"G10_23", k400, 8192, 1 * kGiB, 43804.2, 125714, 17.0802, 43934.2, 43939.5, 21902.1},
    {"G10_24", k400, 8192, 16 * kGiB, 700867, 782777, 43.8893, 700997, 701082, 350433},
    {"G10_25", k800, 8, 1 * kMiB, 18.7174, 88.7174, 20.6837, 48.7174, 51.3914, 9.35872},
    {"G10_26", k800, 8, 64 * kMiB, 1197.92, 1267.92, 92.6248, 1227.92, 1399.05, 598.958},
    {"G10_27", k800, 8, 1 * kGiB, 19166.7, 19236.7, 97.6806, 19196.7, 21934.8, 9583.33},
    {"G10_28", k800, 8, 16 * kGiB, 306667, 306737, 98.0150, 306697, 350506, 153333},
    {"G10_29", k800, 64, 1 * kMiB, 21.0571, 651.057, 3.1708, 81.0571, 81.3914, 10.5286},
    {"G10_30", k800, 64, 64 * kMiB, 1347.66, 1977.66, 66.8067, 1407.66, 1429.05, 673.828},
    {"G10_31", k800, 64, 1 * kGiB, 21562.5, 22192.5, 95.2543, 21622.5, 21964.8, 10781.2},
    {"G10_32", k800, 64, 16 * kGiB, 345000, 345630, 97.8586, 345060, 350536, 172500},
    {"G10_33", k800, 2048, 1 * kMiB, 21.3809, 20491.4, 0.1023, 131.381, 131.391, 10.6905},
    {"G10_34", k800, 2048, 64 * kMiB, 1368.38, 21838.4, 6.1430, 1478.38, 1479.05, 684.189},
    {"G10_35", k800, 2048, 1 * kGiB, 21894.1, 42364.1, 50.6664, 22004.1, 22014.8, 10947},
    {"G10_36", k800, 2048, 16 * kGiB, 350305, 370775, 92.6248, 350415, 350586, 175152},
    {"G10_37", k800, 8192, 1 * kMiB, 21.3887, 81931.4, 0.0256, 151.389, 151.391, 10.6944},
    {"G10_38", k800, 8192, 64 * kMiB, 1368.88, 83278.9, 1.6115, 1498.88, 1499.05, 684.44},
    {"G10_39", k800, 8192, 1 * kGiB, 21902.1, 103812, 20.6837, 22032.1, 22034.8, 10951},
    {"G10_40", k800, 8192, 16 * kGiB, 350433, 432343, 79.4636, 350563, 350606, 175217},
};
INSTANTIATE_TEST_SUITE_P(Rows, GoldenG10Time, testing::ValuesIn(kTimes),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(ClosedForm, OneRankHasNothingToDo) {
  const CollectiveCase alone{1, kMiB, k400, 5e-6};
  EXPECT_EQ(ring_all_reduce_seconds(alone), 0);
  EXPECT_EQ(halving_doubling_all_reduce_seconds(alone), 0);
  EXPECT_EQ(tree_all_reduce_seconds(alone), 0);
  EXPECT_EQ(all_to_all_bound_seconds(alone), 0);
  EXPECT_FALSE(busbw_factor(OpKind::kAllReduce, 1).has_value());
}

TEST(ClosedForm, OpsWithoutBytesHaveNoBusBandwidth) {
  EXPECT_FALSE(busbw_factor(OpKind::kBarrier, 8).has_value());
  EXPECT_FALSE(busbw_factor(OpKind::kCompute, 8).has_value());
  EXPECT_FALSE(busbw(OpKind::kAllReduce, 8, 0, 0).has_value());
  EXPECT_EQ(algbw(0, 0), 0);
}

TEST(ClosedForm, GatherAndScatterKeepTheRootsShareAtHome) {
  EXPECT_EQ(busbw_factor(OpKind::kGather, 4), 0.75);
  EXPECT_EQ(busbw_factor(OpKind::kScatter, 4), 0.75);
  EXPECT_EQ(busbw_factor(OpKind::kSend, 2), 1.0);
  EXPECT_EQ(busbw_factor(OpKind::kWrite, 2), 1.0);
}

TEST(ClosedForm, OtherThanPowersOfTwoTakeAStepMore) {
  const CollectiveCase nine{9, 0, k400, 1e-6};
  EXPECT_NEAR(halving_doubling_all_reduce_seconds(nine), 8e-6, 1e-15);
}

}  // namespace
}  // namespace sluice
