// SPDX-License-Identifier: Apache-2.0
// A bridging chip: unknown and broadcast frames flood, learned ones do not, every copy is charged.
// Leaves out: the bridge alone (forwarding/bridge_test).
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "packet/addressing.h"
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

constexpr std::uint32_t kBroadcast = broadcast_of(5);  // of a bench of 4 ports

SwitchParams bridge() {
  SwitchParams params = quiet_chip();
  params.forwarding.mode = ForwardingMode::kL2;
  return params;
}

std::uint64_t drops(const ChipBench& bench, ChipDrop reason) {
  return bench.chip.report().drops[static_cast<std::size_t>(reason)];
}

/// A frame of the station behind a port of the same number.
Frame from(std::uint32_t source, std::uint32_t destination) {
  Frame frame;
  frame.source = source;
  frame.destination = destination;
  return frame;
}

TEST_F(Chip, FloodsToAllOtherPortsAndLearnsWhereStationsAre) {
  ChipBench bench(bridge());
  bench.tester(0).send(0_us, from(0, 2));  // nobody knows 2
  bench.tester(2).send(5_us, from(2, 0));  // 0 was heard on port 0
  bench.tester(0).send(10_us, from(0, 2));
  bench.run();
  EXPECT_EQ(bench.arrivals(0).size(), 1u);
  EXPECT_EQ(bench.arrivals(1).size(), 1u);
  EXPECT_EQ(bench.arrivals(2).size(), 2u);
  EXPECT_EQ(bench.arrivals(3).size(), 1u);
  EXPECT_EQ(bench.chip.bridge()->counters().flooded, 1u);
}

TEST_F(Chip, ACopyTakesAsLongAsAUnicastFrame) {
  const SwitchParams params = bridge();
  ChipBench bench(params);
  bench.tester(0).send(0_us, from(0, kBroadcast));
  bench.run();
  for (std::size_t port = 1; port < 4; ++port) {
    ASSERT_EQ(bench.arrivals(port).size(), 1u);
    // Two cables of 150 ns and the chip's stages.
    EXPECT_EQ(bench.arrivals(port)[0].head, kCable + params.latency.total() + kCable);
  }
}

TEST_F(Chip, EveryCopyIsChargedToTheBuffer) {
  ChipBench bench(bridge());
  // All egress ports hold class 3: the copies stay in the buffer.
  for (std::size_t port = 1; port < 4; ++port) bench.tester(port).pause(0_us, 1 << 3, 65535);
  bench.tester(0).send(1_us, from(0, kBroadcast));
  bench.run(3_us);
  // 1000 B in cells of 192 B.
  EXPECT_EQ(bench.chip.mmu().totals().used, 3 * 6u);
  bench.chip.check_conservation();
}

TEST_F(Chip, BridgesLeaveTheTtlAlone) {
  ChipBench bench(bridge());
  Frame frame = from(0, kBroadcast);
  frame.ttl = 1;
  bench.tester(0).send(0_us, frame);
  bench.run();
  EXPECT_EQ(bench.arrivals(1).at(0).packet.ttl, 1);
  EXPECT_EQ(drops(bench, ChipDrop::kTtlExpired), 0u);
}

TEST_F(Chip, AStationOnThePortThatAsksGetsNothing) {
  ChipBench bench(bridge());
  bench.tester(0).send(0_us, from(0, kBroadcast));
  bench.tester(0).send(1_us, from(3, 0));
  bench.run();
  EXPECT_EQ(drops(bench, ChipDrop::kNoRoute), 1u);
  EXPECT_EQ(bench.arrivals(0).size(), 0u);
}

TEST_F(Chip, FloodsInsideTheVlanOfThePort) {
  SwitchParams params = bridge();
  params.forwarding.vlan_of_port = {1, 2, 1, 2};
  ChipBench bench(params);
  bench.tester(0).send(0_us, from(0, kBroadcast));
  bench.tester(1).send(0_us, from(1, kBroadcast));
  bench.run();
  EXPECT_EQ(bench.arrivals(2).size(), 1u);
  EXPECT_EQ(bench.arrivals(2)[0].packet.source, 0u);
  EXPECT_EQ(bench.arrivals(3).size(), 1u);
  EXPECT_EQ(bench.arrivals(3)[0].packet.source, 1u);
}

TEST(BridgeParams, LoadBalancingHasNothingToDoInABridge) {
  SwitchParams params = bridge();
  params.validate();
  params.routing.mode = LoadBalancing::kSpray;
  EXPECT_THROW(params.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice::test
