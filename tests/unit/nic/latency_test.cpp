// SPDX-License-Identifier: Apache-2.0
// Closed forms of latency (golden G2) and goodput (G1), back to back over 30 m of fibre.
#include <gtest/gtest.h>

#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

Ps one_way(std::uint64_t gbps, std::uint64_t bytes) {
  NicRig rig(exact_params(gbps));
  rig.write(0, 1, bytes);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  return rig[1].received.at(0).time;
}

TEST(NicLatency, G2_01_8ByteWriteAt200G) { EXPECT_EQ(one_way(200, 8), 953'760_ps); }
TEST(NicLatency, G2_01_4096ByteWriteAt200G) { EXPECT_EQ(one_way(200, 4096), 1'117'280_ps); }
TEST(NicLatency, G2_07_8ByteWriteAt400G) { EXPECT_EQ(one_way(400, 8), 951'880_ps); }
TEST(NicLatency, G2_07_4096ByteWriteAt400G) { EXPECT_EQ(one_way(400, 4096), 1'033'640_ps); }
TEST(NicLatency, G2_13_8ByteWriteAt800G) { EXPECT_EQ(one_way(800, 8), 950'940_ps); }
TEST(NicLatency, G2_13_4096ByteWriteAt800G) { EXPECT_EQ(one_way(800, 4096), 991'820_ps); }

TEST(NicLatency, G2_25_RoundTripIsTwoWaysWithDataAndAckSerialised) {
  NicRig rig(exact_params(400));
  rig.write(0, 1, 8, 77);
  rig.run();
  ASSERT_EQ(rig[0].acked.size(), 1u);
  EXPECT_EQ(rig[0].acked[0].cookie, 77u);
  // Back to back: 2 p + 2 * 800 + s(86) + s(66); node 1's wire is 3 ps longer.
  EXPECT_EQ(rig[0].acked[0].time, 2 * 150_ns + 2 * 800_ns + 1'880_ps + 1'480_ps + 3_ps);
}

TEST(NicLatency, EachNamedStageAddsItsOwnTime) {
  const std::vector<Ps NicParams::*> stages{
      &NicParams::pcie_doorbell_latency, &NicParams::tx_processing_latency,
      &NicParams::tx_phy_latency,        &NicParams::rx_phy_latency,
      &NicParams::rx_processing_latency, &NicParams::pcie_write_latency};
  for (const auto stage : stages) {
    NicParams params = exact_params(400);
    params.*stage += 7_ns;
    NicRig rig(params);
    rig.write(0, 1, 8);
    rig.run();
    EXPECT_EQ(rig[1].received.at(0).time, 951'880_ps + 7_ns);
  }
}

TEST(NicLatency, AckGenerationDelaysTheAcknowledgementAlone) {
  NicParams params = exact_params(400);
  params.ack_generation_latency += 11_ns;
  NicRig rig(params);
  rig.write(0, 1, 8);
  rig.run();
  EXPECT_EQ(rig[1].received.at(0).time, 951'880_ps);
  EXPECT_EQ(rig[0].acked.at(0).time, 1'903'363_ps + 11_ns);
}

/// Goodput in Gb/s of one long write, between the first and the last packet's arrival.
double goodput(const NicParams& params, std::uint64_t packets) {
  NicRig rig(params);
  Ps first{};
  Ps last{};
  std::uint64_t bytes = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (first.value == 0) {
      first = now;
    } else {
      bytes += packet.payload_bytes;
    }
    last = now;
    return true;
  };
  rig.write(0, 1, packets * params.mtu_bytes);
  rig.run();
  return static_cast<double>(bytes) * 8e3 / static_cast<double>((last - first).value);
}

TEST(NicGoodput, G1_11_At400And800G) {
  EXPECT_NEAR(goodput(exact_params(400), 10'000) / 392.149354, 1, 1e-4);
  EXPECT_NEAR(goodput(exact_params(800), 10'000) / 784.298708, 1, 1e-4);
}
TEST(NicGoodput, G1_12_VlanTagCosts4Bytes) {
  NicParams params = exact_params(400);
  params.vlan_tag = true;
  EXPECT_NEAR(goodput(params, 10'000) / (400.0 * 4096 / 4182), 1, 1e-4);
}
TEST(NicGoodput, G1_32_SpectrumXGapOf25Bytes) {
  NicParams params = exact_params(400);
  params.inter_packet_gap_bytes = 25;
  EXPECT_NEAR(goodput(params, 10'000) / 390.933, 1, 1e-4);
  params.inter_packet_gap_bytes = 33;  // G1-33
  EXPECT_NEAR(goodput(params, 10'000) / 390.186, 1, 1e-4);
}
TEST(NicGoodput, G1_34_RethInEveryPacket) {
  NicParams params = exact_params(400);
  params.reth_every_packet = true;
  EXPECT_NEAR(goodput(params, 10'000) / 390.653, 1, 1e-4);
}
TEST(NicGoodput, G1_01_SmallMtu) {
  NicParams params = exact_params(400);
  params.mtu_bytes = 256;
  EXPECT_NEAR(goodput(params, 20'000) / 302.959, 1, 1e-4);
}

TEST(NicGoodput, BackToBackMessagesStreamAtLineRate) {
  NicRig rig(exact_params(400));
  for (int i = 0; i < 1000; ++i) rig.write(0, 1, 4096);
  rig.run();
  ASSERT_EQ(rig[1].received.size(), 1000u);
  // Each is a WRITE ONLY of 4174 B: 83.88 ns a slot (G1-26).
  EXPECT_EQ(rig[1].received[999].time - rig[1].received[0].time, 999 * 83'880_ps);
}

TEST(NicGoodput, ClockOffsetsStayWithinThePpmAndDifferByEndpoint) {
  NicParams params = exact_params(400);
  params.frequency_offset_ppm = 50;
  std::vector<double> offsets;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    NicRig rig(params, 2, 150_ns, seed);
    rig.write(0, 1, 4096 * 100'000ull);
    rig.run_until(8_ms);
    const double frames = static_cast<double>(rig[0].nic.port_counters(0).tx_frames);
    offsets.push_back((frames / (8e9 / 83'560.0 - 4.2) - 1) * 1e6);
  }
  for (const double ppm : offsets) EXPECT_NEAR(ppm, 0, 65);  // 50, and a frame in 95,742 is 10 ppm
  EXPECT_GT(*std::max_element(offsets.begin(), offsets.end()), 15);
  EXPECT_LT(*std::min_element(offsets.begin(), offsets.end()), -15);
}

TEST(NicPorts, QpsAreSpreadOverPorts) {
  NicParams params = exact_params(400);
  params.ports = 2;
  params.plane_failure_threshold = 0;  // no probes
  NicRig rig(params, 3);
  rig.write(0, 1, 4096 * 1000);
  rig.write(0, 2, 4096 * 1000);
  rig.run();
  EXPECT_EQ(rig[0].nic.port_counters(0).tx_frames, 1000u);
  EXPECT_EQ(rig[0].nic.port_counters(1).tx_frames, 1000u);
  EXPECT_EQ(rig[1].received.size() + rig[2].received.size(), 2u);
}

}  // namespace
}  // namespace sluice
