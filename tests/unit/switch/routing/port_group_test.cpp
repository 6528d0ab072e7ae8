// SPDX-License-Identifier: Apache-2.0
// Groups of ports: weights as buckets, and which flows move when a member goes and comes back.
// Leaves out: the choice of the bucket (route_table_test).
#include "switch/routing/port_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/error.h"
#include "switch/routing/route_table.h"

namespace sluice {
namespace {

RoutingParams resilient_params(bool resilient) {
  RoutingParams params;
  params.resilient = resilient;
  return params;
}

RoutingParams small_tables() {
  RoutingParams params;
  params.max_groups = 1;
  params.max_members = 3;
  return params;
}

using Counts = std::vector<std::uint32_t>;
using Ports = std::vector<std::uint16_t>;

TEST(PortGroup, WeightsBecomeTheFewestBuckets) {
  EXPECT_EQ(buckets_by_weight({1, 1, 1}, 512), (Counts{1, 1, 1}));
  EXPECT_EQ(buckets_by_weight({400, 400, 200}, 512), (Counts{2, 2, 1}));
  EXPECT_EQ(buckets_by_weight({800}, 512), (Counts{1}));
}

TEST(PortGroup, WeightsThatDoNotFitAreRoundedByLargestRemainder) {
  // 512 x 1000/1003 = 510.47, 512 x 2/1003 = 1.02, 512 x 1/1003 = 0.51.
  EXPECT_EQ(buckets_by_weight({1000, 2, 1}, 512), (Counts{510, 1, 1}));
  // Of 8: 3.344, 3.324 and 1.332; one bucket is left over, for the first.
  EXPECT_EQ(buckets_by_weight({502, 499, 200}, 8), (Counts{4, 3, 1}));
  // Of 8: 3.337, 3.324 and 1.339.
  EXPECT_EQ(buckets_by_weight({501, 499, 201}, 8), (Counts{3, 3, 2}));
}

TEST(PortGroup, EveryMemberKeepsABucketHoweverSmallItsWeight) {
  const Counts buckets = buckets_by_weight({1'000'000, 1, 1, 1}, 8);
  EXPECT_EQ(buckets, (Counts{5, 1, 1, 1}));
  EXPECT_EQ(buckets_by_weight({1000, 1000, 1, 1, 1, 1, 1, 1}, 8), Counts(8, 1));
}

GroupShape of(std::vector<std::uint16_t> members, bool resilient,
              std::vector<std::uint32_t> weights = {}) {
  return {std::move(members), std::move(weights), resilient};
}

std::size_t held(const PortGroup& group, std::uint16_t port) {
  return static_cast<std::size_t>(std::count(group.buckets().begin(), group.buckets().end(), port));
}

TEST(PortGroup, AResilientGroupHasWholeRoundsOfBuckets) {
  const PortGroup group(of({4, 7, 9}, true));
  EXPECT_EQ(group.buckets().size(), 510u);
  for (const std::uint16_t port : Ports{4, 7, 9}) EXPECT_EQ(held(group, port), 170u);
}

TEST(PortGroup, AResilientGroupMovesTheLostMembersBucketsAloneAndEvenly) {
  PortGroup group(of({4, 7, 9}, true));
  const std::vector<std::uint16_t> before = group.buckets();
  ASSERT_TRUE(group.remove(7));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != 7) {
      EXPECT_EQ(group.buckets()[i], before[i]);
    }
  }
  EXPECT_EQ(held(group, 4), 255u);
  EXPECT_EQ(held(group, 9), 255u);
  ASSERT_TRUE(group.restore(7));
  EXPECT_EQ(group.buckets(), before);
}

TEST(PortGroup, AResilientGroupDealsOutByWeight) {
  PortGroup group(of({1, 2, 3}, true, {2, 1, 1}));
  EXPECT_EQ(held(group, 1), 256u);
  group.remove(3);
  EXPECT_NEAR(static_cast<double>(held(group, 1)), 512 * 2 / 3.0, 1);
}

TEST(PortGroup, TheLastMembersBucketsStayUntilOneReturns) {
  for (const bool resilient : {false, true}) {
    PortGroup group(of({1, 2}, resilient));
    group.remove(1);
    group.remove(2);
    EXPECT_EQ(group.present(), 0u);
    group.restore(2);
    EXPECT_EQ(held(group, 2), group.buckets().size());
    group.restore(1);
    EXPECT_EQ(held(group, 1), held(group, 2));
  }
}

TEST(PortGroup, GoingTwiceOrWithoutBeingAMemberChangesNothing) {
  PortGroup group(of({1, 2, 3}, false));
  EXPECT_FALSE(group.remove(4));
  EXPECT_FALSE(group.restore(1));
  EXPECT_TRUE(group.remove(1));
  EXPECT_FALSE(group.remove(1));
  EXPECT_FALSE(group.has(1));
}

// Through a route table, as packets see it.

constexpr std::size_t kFlows = 30'000;

std::vector<std::uint32_t> choices(RouteTable& routes) {
  RandomStream random(5, 0, RandomPurpose::kTest);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < kFlows; ++i) {
    Packet packet;
    packet.flow_hash = random.next_u32();
    chosen.push_back(routes.pick(packet));
  }
  return chosen;
}

RouteTable table(const std::vector<std::uint16_t>& members, const RoutingParams& params = {},
                 const std::vector<std::uint32_t>& weights = {}) {
  RouteTable routes(params, 1, 0);
  routes.resize(1);
  routes.route_to_group(0, routes.add_group(members, weights));
  return routes;
}

double share_of(const std::vector<std::uint32_t>& chosen, std::uint32_t port) {
  return static_cast<double>(std::count(chosen.begin(), chosen.end(), port)) / kFlows;
}

double moved(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) count += before[i] != after[i] ? 1 : 0;
  return static_cast<double>(count) / kFlows;
}

/// 3 sigma of a share.
double spread(double share) { return 3 * std::sqrt(share * (1 - share) / kFlows); }

TEST(FieldReport, B53_OneThreeAndFiveMembersHaveEqualShares) {
  for (const std::size_t members : {1U, 3U, 5U}) {
    std::vector<std::uint16_t> ports(members);
    std::iota(ports.begin(), ports.end(), std::uint16_t{0});
    RouteTable routes = table(ports);
    const auto chosen = choices(routes);
    const double share = 1.0 / static_cast<double>(members);
    for (const std::uint16_t port : ports) {
      EXPECT_NEAR(share_of(chosen, port), share, spread(share) + 1e-12) << members << " members";
    }
  }
}

TEST(FieldReport, B53_AMemberLostFromThreeMovesTwoThirdsOfTheFlowsOfAPlainGroup) {
  for (const std::uint16_t lost : Ports{10, 20, 30}) {
    RouteTable routes = table({10, 20, 30});
    const auto before = choices(routes);
    routes.remove_member(lost);
    const auto after = choices(routes);
    EXPECT_NEAR(moved(before, after), 2 / 3.0, spread(2 / 3.0));
    EXPECT_EQ(share_of(after, lost), 0.0);
    for (const std::uint16_t port : Ports{10, 20, 30}) {
      if (port != lost) {
        EXPECT_NEAR(share_of(after, port), 0.5, spread(0.5));
      }
    }
    routes.restore_member(lost);
    EXPECT_EQ(choices(routes), before);
  }
}

TEST(FieldReport, B53_AResilientGroupMovesTheFlowsOfTheLostMemberAlone) {
  for (const std::uint16_t lost : Ports{10, 20, 30}) {
    RouteTable routes = table({10, 20, 30}, resilient_params(true));
    const auto before = choices(routes);
    routes.remove_member(lost);
    const auto after = choices(routes);
    EXPECT_NEAR(moved(before, after), 1 / 3.0, spread(1 / 3.0));
    for (std::size_t i = 0; i < kFlows; ++i) {
      if (before[i] != lost) {
        ASSERT_EQ(after[i], before[i]);
      }
    }
    for (const std::uint16_t port : Ports{10, 20, 30}) {
      if (port != lost) {
        EXPECT_NEAR(share_of(after, port), 0.5, spread(0.5));
      }
    }
    routes.restore_member(lost);
    EXPECT_EQ(choices(routes), before);
  }
}

TEST(RouteTable, AWeightedGroupSharesByWeight) {
  RouteTable routes = table({1, 2, 3}, {}, {800, 400, 200});
  const auto chosen = choices(routes);
  EXPECT_NEAR(share_of(chosen, 1), 4 / 7.0, spread(4 / 7.0));
  EXPECT_NEAR(share_of(chosen, 2), 2 / 7.0, spread(2 / 7.0));
  EXPECT_NEAR(share_of(chosen, 3), 1 / 7.0, spread(1 / 7.0));
}

TEST(RouteTable, AGroupWithoutMembersHasNoRouteUntilOneReturns) {
  for (const bool resilient : {false, true}) {
    RouteTable routes = table({3, 4}, resilient_params(resilient));
    routes.remove_member(3);
    routes.remove_member(4);
    EXPECT_EQ(routes.pick(Packet{}), RouteTable::kNoRoute);
    EXPECT_EQ(routes.peek(Packet{}), RouteTable::kNoRoute);
    // A route installed meanwhile has none either.
    routes.route_to_group(0, 0);
    EXPECT_EQ(routes.pick(Packet{}), RouteTable::kNoRoute);
    routes.restore_member(4);
    EXPECT_EQ(routes.pick(Packet{}), 4u);
  }
}

TEST(RouteTable, AGroupLikeAnEarlierOneIsThatOne) {
  RouteTable routes = table({1, 2});
  EXPECT_EQ(routes.add_group({1, 2}), 0u);
  EXPECT_EQ(routes.add_group({1, 2}, {3, 3}), 1u);
  EXPECT_EQ(routes.add_group({2, 1}), 2u);
}

TEST(RouteTable, RefusesMoreGroupsAndMembersThanItsTablesHold) {
  RouteTable few = table({1, 2}, small_tables());
  EXPECT_THROW(few.add_group({1, 2, 3, 4}), ConfigError);
  try {
    few.add_group({2, 3});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("routing.max_groups: 1"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice
