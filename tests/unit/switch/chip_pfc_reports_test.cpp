// SPDX-License-Identifier: Apache-2.0
// Field reports B19, B22, B23 and B25 with the inputs of the reports, in a running chip.
// Leaves out: the timers alone (pfc/pfc_test.cpp), captures.
#include <algorithm>

#include "packet/wire/frames.h"
#include "unit/switch/chip_bench.h"

namespace sluice::test {
namespace {

/// B19: PFC with the bit of priority 0, priorities 3 and 4 lossless, a flow on each of seven
/// priorities, 90 % load in all.
TEST_F(Chip, FieldReport_B19_PauseOfALossyPriorityTouchesNoneOfSevenFlows) {
  SwitchParams params = quiet_chip();
  params.mmu.lossless_pgs = {3, 4};
  for (std::uint32_t p = 0; p < 8; ++p) params.qos.dscp_to_tc[p * 8] = p;
  ChipBench bench(params, 8);
  // 800 / 0.9 * 7 flows: one 1020 B slot every 79.333 ns each.
  for (std::uint8_t flow = 0; flow < 7; ++flow) {
    bench.tester(flow == 1 ? 7U : flow)
        .send(flow * 11_ns, {.dscp = static_cast<std::uint8_t>(flow * 8)}, 500, 79'333_ps);
  }
  bench.tester(1).pause(5_us, 1u << 0, 65535);
  bench.run();
  std::array<std::uint32_t, 8> got{};
  Ps longest{};
  std::array<Ps, 8> last{};
  for (const Arrival& arrival : bench.arrivals(1)) {
    const std::uint32_t flow = arrival.packet.dscp / 8;
    if (got[flow]++ != 0) longest = std::max(longest, arrival.head - last[flow]);
    last[flow] = arrival.head;
  }
  for (std::size_t flow = 0; flow < 7; ++flow) EXPECT_EQ(got[flow], 500u) << "flow " << flow;
  EXPECT_LT(longest, 2 * 79'333_ps) << "no flow ever stood still";
  EXPECT_EQ(bench.statistics.sum("pfc_rx", "rx_ignored_frames"), 1u);
  EXPECT_EQ(bench.chip.report().paused_ps, 0u);
}

/// B22: 400G to 100G through one switch, where the sender is told to stop at its own speed.
TEST_F(Chip, FieldReport_B22_AFastSenderToASlowPortLosesNothing) {
  SwitchParams params = quiet_chip(k400G);
  params.mmu.port_alpha_enabled = false;
  params.mmu.pg_alpha_exp = -7;
  ChipBench bench(params, {k400G, k100G});
  bench.tester(0).send(Ps{}, {.bytes = 4158}, 300);
  bench.run();
  ASSERT_EQ(bench.arrivals(1).size(), 300u) << "100G ports of a 400G profile drop nothing";
  // The slow port is never idle between two of them: 4178 B at 100 Gb/s.
  for (std::size_t i = 1; i < 300; ++i) {
    EXPECT_EQ(bench.arrivals(1)[i].head - bench.arrivals(1)[i - 1].head, 334'240_ps);
  }
  bench.chip.check_conservation();
  EXPECT_EQ(bench.chip.mmu().totals().used, 0u);
}

/// B23: XOFF(65535) at 0, XON at 1 us on 400G: data goes on 1 us + reaction time later.
TEST_F(Chip, FieldReport_B23_XonResumesAtOnceAndAnXoffRestartsTheTimer) {
  ChipBench bench(quiet_chip(k400G), {k400G, k400G});
  bench.tester(0).send(Ps{}, {}, 3000);
  bench.tester(1).pause(10_us, 1u << 3, 65535);
  bench.tester(1).pause(11_us, 1u << 3, 0);
  bench.tester(1).pause(20_us, 1u << 3, 65535);
  bench.tester(1).pause(30_us, 1u << 3, 65535);
  bench.run();
  // Cable, rx_phy, rx_mac and response, and the frame itself: 72 B at 400 Gb/s.
  const Ps reaction = kCable + 336_ns + 1'440_ps;
  std::vector<Ps> resumed;
  Ps before{};
  for (const Arrival& arrival : bench.arrivals(1)) {
    const Ps at = scheduled(bench.chip.params(), arrival);
    if (before != Ps{} && at - before > 100_ns) resumed.push_back(at);
    before = at;
  }
  ASSERT_EQ(resumed.size(), 2u);
  EXPECT_EQ(resumed[0], 11_us + reaction);
  EXPECT_EQ(resumed[1], 30_us + reaction + 83'884'800_ps) << "restarted, not added";
}

/// B25: the frame that a chip's pause becomes: only lossless classes, eight timers, 64 bytes.
TEST(FieldReport, B25_APauseIsALegalFrameAndXonHasTimerZero) {
  for (const std::uint16_t quanta : {std::uint16_t{65535}, std::uint16_t{0}}) {
    wire::Pfc pfc;
    pfc.enabled = 1u << 3 | 1u << 4;
    pfc.quanta[3] = quanta;
    pfc.quanta[4] = quanta;
    const wire::Buffer frame = wire::pfc_frame({0x02, 0, 0, 0, 0, 0x01}, pfc);
    ASSERT_EQ(frame.size(), 64u);
    const std::vector<std::uint8_t> head{0x01, 0x80, 0xc2, 0,    0,    0x01, 0x02, 0, 0,
                                         0,    0,    0x01, 0x88, 0x08, 0x01, 0x01, 0, 0x18};
    EXPECT_TRUE(std::equal(head.begin(), head.end(), frame.begin()));
    for (std::size_t priority = 0; priority < 8; ++priority) {
      const std::uint32_t timer =
          static_cast<std::uint32_t>(frame[18 + 2 * priority] << 8) | frame[19 + 2 * priority];
      EXPECT_EQ(timer, priority == 3 || priority == 4 ? quanta : 0u);
    }
    EXPECT_TRUE(std::all_of(frame.begin() + 34, frame.begin() + 60, [](std::uint8_t byte) {
      return byte == 0;
    })) << "26 bytes of padding (G4-66)";
  }
}

}  // namespace
}  // namespace sluice::test
