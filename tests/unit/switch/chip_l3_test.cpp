// SPDX-License-Identifier: Apache-2.0
// A routed chip: TTL, routes by prefix through the chip's own tables, IPv6 endpoints.
// Leaves out: the FIB alone (forwarding/fib_test).
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "packet/addressing.h"
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

std::uint64_t drops(const ChipBench& bench, ChipDrop reason) {
  return bench.chip.report().drops[static_cast<std::size_t>(reason)];
}

IpPrefix endpoints(std::uint32_t first, unsigned length) {
  return IpPrefix::v4(ipv4_address_of(first), length);
}

TEST_F(Chip, DecrementsTheTtlAndDropsWhatCameWithOne) {
  ChipBench bench(quiet_chip());
  for (const std::uint8_t ttl : std::initializer_list<std::uint8_t>{1, 2, 64, 255}) {
    Frame frame;
    frame.ttl = ttl;
    bench.tester(0).send(std::uint64_t{ttl} * 1_us, frame);
  }
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 3u);
  EXPECT_EQ(bench.arrivals(1)[0].packet.ttl, 1);
  EXPECT_EQ(bench.arrivals(1)[1].packet.ttl, 63);
  EXPECT_EQ(bench.arrivals(1)[2].packet.ttl, 254);
  EXPECT_EQ(drops(bench, ChipDrop::kTtlExpired), 1u);
}

TEST_F(Chip, AnExpiredTtlIsNoLossOfALosslessGroup) {
  ChipBench bench(quiet_chip());
  Frame frame;
  frame.ttl = 1;  // DSCP 26: the lossless class
  bench.tester(0).send({}, frame, 5);
  bench.run();
  EXPECT_EQ(drops(bench, ChipDrop::kTtlExpired), 5u);
  EXPECT_EQ(bench.chip.report().lossless_drops, 0u);
}

TEST_F(Chip, RoutesByTheLongestPrefixAndFollowsChanges) {
  ChipBench bench(quiet_chip());
  bench.chip.routes().resize(6);  // nothing installed yet
  bench.chip.add_route(endpoints(0, 30), 2);
  bench.chip.add_route(endpoints(1, 32), 3);
  bench.tester(0).send(0_us, {.destination = 0});
  bench.tester(0).send(1_us, {.destination = 1});
  bench.tester(0).send(2_us, {.destination = 4});
  bench.run();
  EXPECT_EQ(bench.arrivals(2).size(), 1u);
  EXPECT_EQ(bench.arrivals(3).size(), 1u);
  EXPECT_EQ(drops(bench, ChipDrop::kNoRoute), 1u);
  Packet to_one;
  to_one.destination = 1;
  EXPECT_EQ(bench.chip.routes().pick(to_one), 3u);
  EXPECT_TRUE(bench.chip.remove_route(endpoints(1, 32)));
  EXPECT_EQ(bench.chip.routes().pick(to_one), 2u);
  bench.chip.add_route(endpoints(0, 8), 1);
  EXPECT_EQ(bench.chip.routes().pick(to_one), 2u);
  EXPECT_TRUE(bench.chip.remove_route(endpoints(0, 30)));
  EXPECT_EQ(bench.chip.routes().pick(to_one), 1u);
  EXPECT_FALSE(bench.chip.remove_route(endpoints(0, 30)));
}

TEST_F(Chip, ARouteToAGroupFollowsItsMembers) {
  ChipBench bench(quiet_chip());
  RouteTable& routes = bench.chip.routes();
  const Fib::NextHop hop = routes.entry_of_group(routes.add_group({2, 3}));
  bench.chip.add_route(endpoints(0, 24), hop);
  Packet packet;
  packet.destination = 1;
  EXPECT_GE(routes.pick(packet), 2u);
  routes.remove_member(2);
  EXPECT_EQ(routes.pick(packet), 3u);
  routes.remove_member(3);
  EXPECT_EQ(routes.pick(packet), RouteTable::kNoRoute);
  // A shorter route that changes meanwhile does not bring the empty group back to life.
  bench.chip.add_route(endpoints(0, 16), 0);
  EXPECT_EQ(routes.pick(packet), RouteTable::kNoRoute);
  routes.restore_member(2);
  EXPECT_EQ(routes.pick(packet), 2u);
}

TEST_F(Chip, NoRouteLeadsToTheBroadcastAddress) {
  ChipBench bench(quiet_chip());
  bench.chip.add_route(IpPrefix::v4(0, 0), 2);
  Packet packet;
  packet.destination = broadcast_of(5);
  EXPECT_EQ(bench.chip.routes().pick(packet), RouteTable::kNoRoute);
}

TEST_F(Chip, RefusesMoreRoutesThanItsTableHolds) {
  SwitchParams params = quiet_chip();
  params.forwarding.host_entries = 1;
  ChipBench bench(params);
  bench.chip.add_route(endpoints(0, 32), 1);
  EXPECT_THROW(bench.chip.add_route(endpoints(1, 32), 1), ConfigError);
}

}  // namespace
}  // namespace sluice::test
