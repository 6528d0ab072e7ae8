// SPDX-License-Identifier: Apache-2.0
// Golden table G11: balls into bins on real route tables with real hashes of headers, polarisation,
// failed and unequal members under spray; field reports B51 and B52.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "switch/routing/route_table.h"

namespace sluice {
namespace {

RouteTable table(std::uint32_t members, const RoutingParams& params, std::uint64_t seed,
                 std::uint64_t chip = 0, const std::vector<std::uint32_t>& weights = {}) {
  RouteTable routes(params, seed, chip);
  routes.resize(1);
  std::vector<std::uint16_t> ports(members);
  std::iota(ports.begin(), ports.end(), std::uint16_t{0});
  routes.route_to_group(0, routes.add_group(ports, weights));
  return routes;
}

/// Hashes of `count` RoCE flows between endpoints drawn afresh for each run.
std::vector<std::uint32_t> flows(std::size_t count, std::uint64_t run) {
  static const HeaderHash kFiveTuple(HashAlgorithm::kCrc32, {}, false);
  RandomStream random(run, 1, RandomPurpose::kTest);
  std::vector<std::uint32_t> hashes;
  for (std::size_t i = 0; i < count; ++i) {
    Packet packet;
    packet.kind = PacketKind::kWriteData;
    packet.source = static_cast<std::uint32_t>(i);
    packet.destination = 8192 + random.below(8192);
    hashes.push_back(kFiveTuple(packet));
  }
  return hashes;
}

std::vector<std::uint32_t> loads(RouteTable& routes, std::size_t members,
                                 const std::vector<std::uint32_t>& hashes) {
  std::vector<std::uint32_t> load(members);
  for (const std::uint32_t hash : hashes) {
    Packet packet;
    packet.flow_hash = hash;
    ++load.at(routes.pick(packet));
  }
  return load;
}

struct Means {
  double fullest = 0;  ///< flows
  double used = 0;     ///< share of the offered load that links of one share each carry
  double idle = 0;     ///< share of the links
  double perfect = 0;  ///< share of the runs with equal loads
};

Means collide(std::size_t flow_count, std::uint32_t members, std::size_t runs) {
  Means means;
  // Links of 1 carry `flow_count` flows that offer `members` in all.
  const double each = static_cast<double>(members) / static_cast<double>(flow_count);
  for (std::size_t run = 1; run <= runs; ++run) {
    RouteTable routes = table(members, {}, run);
    const auto load = loads(routes, members, flows(flow_count, run));
    const auto [least, most] = std::minmax_element(load.begin(), load.end());
    means.fullest += *most;
    means.perfect += *least == *most ? 1 : 0;
    means.idle += static_cast<double>(std::count(load.begin(), load.end(), 0U)) / members;
    for (const std::uint32_t one : load) means.used += std::min(1.0, one * each) / members;
  }
  for (double* mean : {&means.fullest, &means.used, &means.idle, &means.perfect}) {
    *mean /= static_cast<double>(runs);
  }
  return means;
}

struct CollisionRow {
  const char* id;
  std::size_t flows;
  std::uint32_t links;
  double fullest;
  double sd;
  double used;
  double idle;
};
void PrintTo(const CollisionRow& row, std::ostream* out) { *out << row.id; }

const CollisionRow kRows[] = {
    {"G11_01", 8, 8, 2.6010, 0.685, 0.6561, 0.3439},
    {"G11_02", 16, 16, 3.0768, 0.745, 0.6439, 0.3561},
    {"G11_03", 32, 32, 3.5340, 0.748, 0.6378, 0.3622},
    {"G11_04", 64, 64, 3.9549, 0.764, 0.6350, 0.3650},
    {"G11_05", 128, 128, 4.3796, 0.744, 0.6336, 0.3664},
    {"G11_06", 16, 32, 2.3930, 0.595, 0.3981, 0.6019},
    {"G11_07", 64, 32, 5.4134, 0.950, 0.7336, 0.1312},
    {"G11_08", 128, 32, 8.6469, 1.224, 0.8077, 0.0171},
    {"G11_09", 256, 32, 14.3892, 1.606, 0.8626, 0.0003},
    {"G11_10", 512, 32, 24.8226, 2.142, 0.9024, 0.0},
    {"G11_11", 1024, 32, 44.2658, 2.901, 0.9308, 0.0},
    {"G11_12", 128, 64, 5.9678, 0.941, 0.7315, 0.1332},
    {"G11_13", 256, 64, 9.3706, 1.199, 0.8062, 0.0177},
    {"G11_14", 512, 64, 15.3314, 1.555, 0.8615, 0.0003},
    {"G11_15", 1024, 64, 26.1080, 2.074, 0.9015, 0.0},
    {"G11_16", 4096, 64, 83.4988, 3.796, 0.9506, 0.0},
};

class GoldenG11 : public testing::TestWithParam<CollisionRow> {};

TEST_P(GoldenG11, FlowsCollideLikeBallsInBins) {
  const CollisionRow& row = GetParam();
  const std::size_t runs = row.flows > 256 ? 2'000 : 10'000;
  const Means means = collide(row.flows, row.links, runs);
  // The table's tolerances are for 10^4 trials; 4 standard errors for fewer.
  const double scale = std::sqrt(1e4 / static_cast<double>(runs));
  EXPECT_NEAR(means.fullest, row.fullest, std::max(0.02, 0.04 * row.sd) * scale);
  EXPECT_NEAR(means.used, row.used, 0.003 * scale);
  EXPECT_NEAR(means.idle, row.idle, 0.003 * scale);
}

INSTANTIATE_TEST_SUITE_P(Rows, GoldenG11, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(FieldReport, B51_AsManyFlowsAsUplinksCollide) {
  const std::pair<std::uint32_t, double> rows[] = {{8, 2.60}, {16, 3.08}, {32, 3.52}, {64, 3.96}};
  for (const auto& [uplinks, fullest] : rows) {
    EXPECT_NEAR(collide(uplinks, uplinks, 1000).fullest, fullest, 0.05);
  }
  const Means eight = collide(8, 8, 10'000);
  EXPECT_NEAR(eight.idle * 8, 2.75, 0.05);
  // 8!/8^8 = 0.24 % of runs, 3 sigma.
  EXPECT_NEAR(eight.perfect, 0.0024, 3 * std::sqrt(0.0024 / 10'000));
}

TEST(FieldReport, B51_SprayLoadsAllUplinksAlike) {
  RoutingParams spray;
  spray.mode = LoadBalancing::kSpray;
  RouteTable routes = table(8, spray, 1);
  const auto load = loads(routes, 8, std::vector<std::uint32_t>(800'000, 0xABCDU));
  EXPECT_NEAR(*std::max_element(load.begin(), load.end()) / 100'000.0, 1.00, 0.01);
}

/// Uplinks of each second-tier switch that are used when the first tier's member i leads to switch
/// i of the second.
std::vector<std::size_t> second_tier(std::uint32_t members, std::uint32_t first_seed,
                                     std::uint32_t second_seed) {
  RoutingParams params;
  params.hash_seed = first_seed;
  RouteTable first = table(members, params, 1, 0);
  std::vector<std::set<std::uint32_t>> used(members);
  std::vector<RouteTable> second;
  for (std::uint32_t i = 0; i < members; ++i) {
    params.hash_seed = second_seed + (second_seed == first_seed ? 0 : i);
    second.push_back(table(members, params, 1, 1 + i));
  }
  for (const std::uint32_t hash : flows(50'000, 3)) {
    Packet packet;
    packet.flow_hash = hash;
    const std::uint32_t at = first.pick(packet);
    used[at].insert(second[at].pick(packet));
  }
  std::vector<std::size_t> counts;
  for (const auto& ports : used) counts.push_back(ports.size());
  return counts;
}

TEST(GoldenG11, G11_32_EqualSeedsPolariseDifferentSeedsDoNot) {
  EXPECT_EQ(second_tier(32, 7, 7), std::vector<std::size_t>(32, 1));
  EXPECT_EQ(second_tier(32, 7, 1000), std::vector<std::size_t>(32, 32));
}

RoutingParams spraying() {
  RoutingParams params;
  params.mode = LoadBalancing::kSpray;
  return params;
}

/// Throughput of links of 1 when `load` packets were offered to them as one stream that grows until
/// its fullest link, for its rate, is full.
double capacity(const std::vector<std::uint32_t>& load, const std::vector<double>& rates) {
  const double total = std::accumulate(load.begin(), load.end(), 0.0);
  double worst = 0;
  for (std::size_t i = 0; i < load.size(); ++i) worst = std::max(worst, load[i] / total / rates[i]);
  return 1 / worst;
}

TEST(GoldenG11, G11_36_SprayLosesTheShareOfTheFailedUplinks) {
  for (const std::uint16_t failed : std::initializer_list<std::uint16_t>{1, 3}) {
    RouteTable routes = table(32, spraying(), 1);
    for (std::uint16_t port = 0; port < failed; ++port) routes.remove_member(port);
    const auto load = loads(routes, 32, std::vector<std::uint32_t>(4'000'000, 1));
    const double left = capacity(load, std::vector<double>(32, 1)) / 32;
    EXPECT_NEAR(left, (32 - failed) / 32.0, 0.01);
    for (std::uint16_t port = 0; port < failed; ++port) EXPECT_EQ(load[port], 0u);
  }
}

TEST(GoldenG11, G11_37_WeightedSprayUsesUnequalLinksInFull) {
  const std::vector<double> rates{8, 4, 4, 2};
  RouteTable weighted = table(4, spraying(), 1, 0, {800, 400, 400, 200});
  const std::vector<std::uint32_t> packets(1'000'000, 1);
  EXPECT_NEAR(capacity(loads(weighted, 4, packets), rates), 18.0, 0.18);
  // Without weights the slowest link limits all: 4 x 2.
  RouteTable plain = table(4, spraying(), 1);
  EXPECT_NEAR(capacity(loads(plain, 4, packets), rates), 8.0, 0.08);
}

}  // namespace
}  // namespace sluice
