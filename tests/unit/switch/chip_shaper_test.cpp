// SPDX-License-Identifier: Apache-2.0
// Shapers in a running chip: rates kept, wake-ups when a bucket opens, beside pauses and DWRR.
// Leaves out: the bucket's arithmetic (scheduler/shaper_test.cpp).
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

/// Wire bytes of the frames between the first and the last, over the time between them.
double gbit_per_s(const std::vector<Arrival>& arrivals, std::uint8_t dscp) {
  Ps first = kNever;
  Ps last{};
  std::uint64_t bytes = 0;
  for (const Arrival& arrival : arrivals) {
    if (arrival.packet.dscp != dscp) continue;
    if (first == kNever) {
      first = arrival.head;
    } else {
      bytes += arrival.packet.frame_bytes + kWireOverheadBytes;
    }
    last = arrival.head;
  }
  return static_cast<double>(bytes) * 8'000 / static_cast<double>((last - first).value);
}

/// Class 3 is shaped to 100 Gb/s beside class 0, which has the rest of 800.
void expect_shaped_beside_another(std::uint32_t fifo_cells) {
  SwitchParams params = quiet_chip();
  params.egress_fifo_cells = fifo_cells;
  params.scheduler.queue_shapers = {0, 0, 0, 100'000, 0, 0, 0, 0};
  params.scheduler.queue_bursts.assign(8, 2040);  // two frames of 1000 B
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {.dscp = 26}, 1000);
  bench.tester(2).send(Ps{}, {.dscp = 0}, 1000);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 2000u);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 26), 100, 0.5);
  EXPECT_GT(gbit_per_s(bench.arrivals(1), 0), 690);
}

TEST_F(Chip, G13_25_AShapedQueueKeepsItsRateAndLeavesTheRestToOthers) {
  expect_shaped_beside_another(0);
}

TEST_F(Chip, G13_25_AShaperPacesWhatEntersTheEgressFifo) { expect_shaped_beside_another(60); }

TEST_F(Chip, AShapedPortKeepsItsRate) {
  SwitchParams params = quiet_chip();
  params.scheduler.port_shaper = k400G;
  params.scheduler.port_burst = Bytes{1020};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 1000);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 1000u);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 26), 400, 1);
}

TEST_F(Chip, AShapedStrictClassLeavesTheRestToDwrr) {
  SwitchParams params = quiet_chip();
  params.scheduler.queue_shapers = {0, 0, 0, 0, 0, 0, 200'000, 0};
  params.scheduler.queue_bursts.assign(8, 1020);
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {.dscp = 48}, 2000);
  bench.tester(2).send(Ps{}, {.dscp = 26}, 2000);
  bench.tester(3).send(Ps{}, {.dscp = 0}, 2000);
  bench.run(20_us);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 48), 200, 4);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 26), 300, 12);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 0), 300, 12);
}

TEST_F(Chip, AShaperDoesNotLetAPausedClassGo) {
  SwitchParams params = quiet_chip();
  params.scheduler.queue_shapers = {0, 0, 0, 100'000, 0, 0, 0, 0};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {}, 100);
  bench.tester(1).pause(2_us, 1u << 3, 65535);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 100u);
  const Ps paused = 2_us + kCable + 336_ns + 720_ps;
  for (const Arrival& arrival : bench.arrivals(1)) {
    const Ps at = scheduled(params, arrival);
    EXPECT_TRUE(at < paused || at >= paused + 41'942'400_ps) << at.value;
  }
}

TEST_F(Chip, PortsHaveSchedulersOfTheirOwn) {
  SwitchParams params = quiet_chip();
  SchedulerParams slow;
  slow.port_shaper = k100G;
  slow.port_burst = Bytes{1020};
  params.ports.schedulers = {slow};
  params.ports.scheduler_of_port = {0, 0, 1, 0};
  ChipBench bench(params);
  bench.tester(0).send(Ps{}, {.destination = 1}, 500);
  bench.tester(3).send(Ps{}, {.destination = 2}, 500);
  bench.run();
  EXPECT_NEAR(gbit_per_s(bench.arrivals(1), 26), 800, 0.1);
  EXPECT_NEAR(gbit_per_s(bench.arrivals(2), 26), 100, 0.5);
}

}  // namespace
}  // namespace sluice::test
