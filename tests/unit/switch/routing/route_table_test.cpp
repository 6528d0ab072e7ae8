// SPDX-License-Identifier: Apache-2.0
// Equal-cost choice: even shares, flows that stay, tiers that do or do not follow each other.
// Leaves out: routes of a whole fabric (unit/fabric).
#include "switch/routing/route_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <set>

namespace sluice {
namespace {

constexpr std::uint32_t kGroupTo = 0;    // endpoint behind a group
constexpr std::uint32_t kPortTo = 1;     // endpoint behind one port
constexpr std::uint32_t kNowhereTo = 2;  // endpoint without a route

RouteTable table(std::uint16_t members, RoutingParams params = {}, std::uint64_t seed = 1,
                 std::uint64_t chip = 0) {
  RouteTable routes(params, seed, chip);
  routes.resize(3);
  std::vector<std::uint16_t> ports(members);
  std::iota(ports.begin(), ports.end(), std::uint16_t{0});
  routes.route_to_group(kGroupTo, routes.add_group(ports));
  routes.route_to_port(kPortTo, 5);
  return routes;
}

Packet packet_to(std::uint32_t endpoint, std::uint32_t flow_hash) {
  Packet packet;
  packet.destination = endpoint;
  packet.flow_hash = flow_hash;
  return packet;
}
std::uint32_t pick(RouteTable& routes, std::uint32_t endpoint, std::uint32_t flow_hash) {
  return routes.pick(packet_to(endpoint, flow_hash));
}
std::uint32_t peek(const RouteTable& routes, std::uint32_t endpoint, std::uint32_t flow_hash) {
  return routes.peek(packet_to(endpoint, flow_hash));
}

RoutingParams spray() {
  RoutingParams params;
  params.mode = LoadBalancing::kSpray;
  return params;
}
RoutingParams seeded(std::uint32_t seed) {
  RoutingParams params;
  params.hash_seed = seed;
  return params;
}

/// Hashes of flows as CRC-32 would spread them.
std::vector<std::uint32_t> flows(std::size_t count, std::uint64_t seed = 1) {
  RandomStream random(seed, 0, RandomPurpose::kTest);
  std::vector<std::uint32_t> hashes(count);
  for (std::uint32_t& hash : hashes) hash = random.next_u32();
  return hashes;
}

std::vector<std::uint32_t> loads(RouteTable& routes, std::size_t members,
                                 const std::vector<std::uint32_t>& hashes) {
  std::vector<std::uint32_t> load(members);
  for (const std::uint32_t hash : hashes) ++load.at(pick(routes, kGroupTo, hash));
  return load;
}

void expect_even(const std::vector<std::uint32_t>& load) {
  const double total = std::accumulate(load.begin(), load.end(), 0.0);
  const double share = 1.0 / static_cast<double>(load.size());
  const double sigma = std::sqrt(total * share * (1 - share));
  for (const std::uint32_t one : load) EXPECT_NEAR(one, total * share, 3 * sigma);
}

TEST(RouteTable, FlowsSpreadEvenlyOverAnyNumberOfMembers) {
  for (const std::uint16_t members : std::initializer_list<std::uint16_t>{2, 3, 5, 8}) {
    RouteTable routes = table(members);
    expect_even(loads(routes, members, flows(60'000)));
  }
}

// Field report B53: consecutive 5-tuples have hashes that differ in few bits.
TEST(RouteTable, NeighbouringHashesSpreadEvenlyToo) {
  for (const std::uint16_t members : std::initializer_list<std::uint16_t>{3, 5, 8}) {
    RouteTable routes = table(members);
    std::vector<std::uint32_t> hashes(60'000);
    std::iota(hashes.begin(), hashes.end(), 0x12340000U);
    expect_even(loads(routes, members, hashes));
  }
}

TEST(RouteTable, AFlowStaysOnItsMember) {
  RouteTable routes = table(8);
  for (const std::uint32_t hash : flows(200)) {
    const std::uint32_t first = pick(routes, kGroupTo, hash);
    for (int packet = 0; packet < 10; ++packet) EXPECT_EQ(pick(routes, kGroupTo, hash), first);
    EXPECT_EQ(peek(routes, kGroupTo, hash), first);
  }
}

TEST(RouteTable, SprayDrawsForEveryPacketOfAFlow) {
  RouteTable routes = table(5, spray());
  expect_even(loads(routes, 5, std::vector<std::uint32_t>(60'000, 0xABCD1234U)));
  EXPECT_EQ(peek(routes, kGroupTo, 0xABCD1234U), RouteTable::kNoRoute);
}

TEST(RouteTable, APortTakesEveryFlowAndAMissingRouteNone) {
  for (const RoutingParams& params : {RoutingParams{}, spray()}) {
    RouteTable routes = table(8, params);
    for (const std::uint32_t hash : flows(100)) {
      EXPECT_EQ(pick(routes, kPortTo, hash), 5u);
      EXPECT_EQ(peek(routes, kPortTo, hash), 5u);
      EXPECT_EQ(pick(routes, kNowhereTo, hash), RouteTable::kNoRoute);
      EXPECT_EQ(peek(routes, kNowhereTo, hash), RouteTable::kNoRoute);
    }
  }
}

/// Loads of a second tier whose chip gets only what the first sent to its member 0.
std::vector<std::uint32_t> second_tier(RouteTable first, RouteTable second) {
  std::vector<std::uint32_t> arriving;
  for (const std::uint32_t hash : flows(160'000)) {
    if (pick(first, kGroupTo, hash) == 0) arriving.push_back(hash);
  }
  return loads(second, 8, arriving);
}

TEST(FieldReport, B52_TiersOfOneSeedPolarise) {
  const auto load = second_tier(table(8, seeded(77)), table(8, seeded(77), 9, 4));
  EXPECT_EQ(std::count(load.begin(), load.end(), 0U), 7);
}

TEST(FieldReport, B52_TiersOfTwoSeedsDoNot) {
  expect_even(second_tier(table(8, seeded(77)), table(8, seeded(78))));
}

TEST(RouteTable, ChipsHaveSeedsOfTheirOwnUnlessTold) {
  expect_even(second_tier(table(8, {}, 1, 0), table(8, {}, 1, 1)));
  RouteTable one_run = table(8, {}, 1, 0);
  RouteTable same_run = table(8, {}, 1, 0);
  RouteTable other_run = table(8, {}, 2, 0);
  const auto hashes = flows(64);
  std::size_t moved = 0;
  for (const std::uint32_t hash : hashes) {
    EXPECT_EQ(pick(one_run, kGroupTo, hash), pick(same_run, kGroupTo, hash));
    moved += pick(one_run, kGroupTo, hash) != pick(other_run, kGroupTo, hash) ? 1 : 0;
  }
  EXPECT_GT(moved, 40u);  // 7/8 of 64 on average
}

struct Collisions {
  double mean_of_fullest;
  double mean_idle;
};

/// `count` flows over 8 members in 1000 runs of seeds of their own.
Collisions collide(std::size_t count) {
  Collisions result{};
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RouteTable routes = table(8, {}, seed);
    const auto load = loads(routes, 8, flows(count, seed));
    result.mean_of_fullest += *std::max_element(load.begin(), load.end()) / 1000.0;
    result.mean_idle += static_cast<double>(std::count(load.begin(), load.end(), 0U)) / 1000.0;
  }
  return result;
}

TEST(FieldReport, B51_EightFlowsOnEightMembersCollideLikeBallsInBins) {
  const Collisions eight = collide(8);
  EXPECT_NEAR(eight.mean_of_fullest, 2.60, 0.05);
  EXPECT_NEAR(eight.mean_idle, 2.75, 0.10);
}

TEST(FieldReport, B51_EightTimesTheFlowsEvenThemOut) {
  EXPECT_NEAR(collide(64).mean_of_fullest / 8, 1.53, 0.02);
}

}  // namespace
}  // namespace sluice
