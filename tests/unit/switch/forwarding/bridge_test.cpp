// SPDX-License-Identifier: Apache-2.0
// Learning, ageing, moving and flooding of a bridge. Leaves out: chips (chip_l2_test).
#include "switch/forwarding/bridge.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint32_t kBroadcast = 100;
using Ports = std::vector<std::uint16_t>;

Packet frame(std::uint32_t source, std::uint32_t destination) {
  Packet packet;
  packet.source = source;
  packet.destination = destination;
  return packet;
}

Ports sent(Bridge& bridge, std::uint32_t port, const Packet& packet, Ps now = {}) {
  const auto ports = bridge.forward(port, packet, now);
  return {ports.begin(), ports.end()};
}

TEST(Bridge, FloodsWhatItDoesNotKnowAndLearnsFromIt) {
  Bridge bridge({}, 4, kBroadcast);
  EXPECT_EQ(sent(bridge, 0, frame(10, 11)), (Ports{1, 2, 3}));
  EXPECT_EQ(sent(bridge, 2, frame(11, 10)), (Ports{0}));
  EXPECT_EQ(sent(bridge, 0, frame(10, 11)), (Ports{2}));
  EXPECT_EQ(bridge.counters().flooded, 1u);
  EXPECT_EQ(bridge.counters().flooded_copies, 3u);
  EXPECT_EQ(bridge.table().counters().learned, 2u);
}

TEST(Bridge, ABroadcastGoesToAllOtherPortsAlways) {
  Bridge bridge({}, 3, kBroadcast);
  sent(bridge, 0, frame(10, 11));
  EXPECT_EQ(sent(bridge, 1, frame(11, kBroadcast)), (Ports{0, 2}));
  EXPECT_EQ(sent(bridge, 1, frame(11, kBroadcast)), (Ports{0, 2}));
}

TEST(Bridge, StaysInsideTheVlan) {
  Bridge bridge({.vlan_of_port = {1, 2, 1, 2, 1}}, 5, kBroadcast);
  EXPECT_EQ(sent(bridge, 0, frame(10, kBroadcast)), (Ports{2, 4}));
  EXPECT_EQ(sent(bridge, 1, frame(11, kBroadcast)), (Ports{3}));
  // A station of the other VLAN is unknown here.
  EXPECT_EQ(sent(bridge, 3, frame(12, 10)), (Ports{1}));
}

TEST(Bridge, SendsNothingBackToThePortItCameFrom) {
  Bridge bridge({}, 3, kBroadcast);
  sent(bridge, 0, frame(10, kBroadcast));
  EXPECT_EQ(sent(bridge, 0, frame(11, 10)), Ports{});
}

TEST(Bridge, ForgetsAStationAtItsAgeingTimeNotBefore) {
  Bridge bridge({.mac_ageing = 10_us}, 3, kBroadcast);
  sent(bridge, 2, frame(10, kBroadcast), 5_us);
  EXPECT_EQ(sent(bridge, 0, frame(11, 10), 15_us - Ps{1}), (Ports{2}));
  EXPECT_EQ(sent(bridge, 0, frame(11, 10), 15_us), (Ports{1, 2}));
  // Any frame of it is a sign of life.
  sent(bridge, 2, frame(10, 11), 16_us);
  EXPECT_EQ(sent(bridge, 0, frame(11, 10), 26_us - Ps{1}), (Ports{2}));
}

TEST(Bridge, FollowsAStationThatMoves) {
  Bridge bridge({}, 4, kBroadcast);
  sent(bridge, 1, frame(10, kBroadcast));
  sent(bridge, 3, frame(10, kBroadcast));
  EXPECT_EQ(sent(bridge, 0, frame(11, 10)), (Ports{3}));
  EXPECT_EQ(bridge.table().counters().moved, 1u);
}

TEST(Bridge, AFullTableLearnsNobodyAndTheFrameIsStillSent) {
  Bridge bridge({.mac_entries = 2, .mac_ageing = 10_us}, 4, kBroadcast);
  sent(bridge, 0, frame(10, kBroadcast), 0_us);
  sent(bridge, 1, frame(11, kBroadcast), 4_us);
  EXPECT_EQ(sent(bridge, 2, frame(12, 10), 5_us), (Ports{0}));
  EXPECT_EQ(bridge.table().size(), 2u);
  EXPECT_EQ(bridge.table().counters().not_learned, 1u);
  EXPECT_EQ(sent(bridge, 0, frame(13, 12), 6_us), (Ports{1, 2, 3}));
  // Once the oldest has aged there is room.
  sent(bridge, 2, frame(12, 11), 10_us);
  EXPECT_EQ(sent(bridge, 1, frame(11, 12), 11_us), (Ports{2}));
  EXPECT_EQ(bridge.table().counters().aged, 1u);
}

TEST(Bridge, FlushingAPortForgetsItsStations) {
  Bridge bridge({}, 3, kBroadcast);
  sent(bridge, 1, frame(10, kBroadcast));
  bridge.table().flush(1);
  EXPECT_EQ(sent(bridge, 0, frame(11, 10)), (Ports{1, 2}));
}

TEST(Bridge, RefusesAVlanListOfAnotherLength) {
  EXPECT_THROW(Bridge({.vlan_of_port = {1, 1}}, 3, kBroadcast), ConfigError);
  ForwardingParams reserved;
  reserved.vlan_of_port = {4095};
  EXPECT_THROW(reserved.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
