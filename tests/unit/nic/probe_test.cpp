// SPDX-License-Identifier: Apache-2.0
// Round-trip probes between two NICs: what is measured, on which class, and what it costs.
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

NicParams probing(std::uint64_t gbps = 400) {
  NicParams params = exact_params(gbps);
  params.probe.always = true;
  return params;
}

TEST(Probe, MeasuresTheWayAndNeitherEndsProcessing) {
  // Both ways: PHYs 50 ns each, 150 ns (and 3 ps a node) of cable, 86 B and a preamble at 400 Gb/s.
  const Ps wire = bit_times((86 + 8) * 8, {400'000'000'000});
  for (const Ps turnaround : {100_ns, 2000_ns}) {
    NicParams params = probing();
    params.probe.turnaround = turnaround;
    params.rx_processing_latency = 700_ns;
    NicRig rig(params);
    rig.write(0, 1, 1);
    rig.run();
    EXPECT_EQ(rig[0].nic.counters().probes_sent, 1u);
    EXPECT_EQ(rig[1].nic.counters().probes_answered, 1u);
    EXPECT_EQ(rig[0].nic.counters().probe_replies, 1u);
    const Ps rtt{rig[0].nic.counters().probe_rtt_ps};
    EXPECT_EQ(rtt, 2 * (50_ns + 50_ns + 150_ns) + Ps{3} + 2 * wire) << turnaround.value;
    EXPECT_EQ(rig.packets.live(), 0u);
  }
}

TEST(Probe, GoesTheWayOfTheDataAndItsReplyInAClassOfItsOwn) {
  NicParams params = probing();
  params.data_dscp = 10;
  params.probe.dscp = 11;
  params.probe.reply_dscp = 12;
  params.probe.reply_priority = 5;
  params.probe.priority = 4;
  NicRig rig(params);
  std::vector<Packet> probes;
  std::uint32_t data_hash = 0;
  rig[0].look = [&](Packet& packet, Ps) {
    if (packet.kind == PacketKind::kWriteData) data_hash = packet.flow_hash;
    if (packet.kind == PacketKind::kProbe) probes.push_back(packet);
    return true;
  };
  rig[1].look = [&](Packet& packet, Ps) {
    if (packet.kind == PacketKind::kProbeReply) probes.push_back(packet);
    return true;
  };
  rig.write(0, 1, 8);
  rig.run();
  ASSERT_EQ(probes.size(), 2u);
  EXPECT_EQ(probes[0].flow_hash, data_hash);
  EXPECT_EQ(probes[0].dscp, 11u);
  EXPECT_EQ(probes[0].pcp, 4u);
  EXPECT_EQ(probes[0].frame_bytes, 86u);  // 14 + 20 + 8 + 12 + DETH 8 + 16 + ICRC 4 + FCS 4
  EXPECT_EQ(probes[1].dscp, 12u);
  EXPECT_EQ(probes[1].pcp, 5u);
  EXPECT_EQ(probes[1].offset_bytes, probes[0].offset_bytes);
  EXPECT_EQ(probes[1].psn, probes[0].psn);
}

TEST(Probe, IsSentAtItsIntervalWhileDataIsOutstandingAndNotAfter) {
  NicParams params = probing();
  params.probe.interval = 20_us;
  params.congestion_control = CongestionControl::kNone;
  NicRig rig(params);
  std::vector<Ps> sent;
  rig[0].look = [&](Packet& packet, Ps) {
    if (packet.kind == PacketKind::kProbe) sent.push_back(Ps{packet.offset_bytes});
    return true;
  };
  rig.write(0, 1, 10'000'000);  // 204 us at 400 Gb/s
  rig.run();
  ASSERT_EQ(sent.size(), 11u);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    EXPECT_GE(sent[i] - sent[i - 1], 20_us);
    EXPECT_LE(sent[i] - sent[i - 1], 20_us + 85_ns);  // a data frame may be on the MAC
  }
  EXPECT_EQ(rig[1].nic.counters().probes_sent, 0u) << "a NIC that only receives sends none";
}

TEST(Probe, NoneUnlessAskedFor) {
  NicRig rig(exact_params(400));
  rig.write(0, 1, 1 << 20);
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().probes_sent, 0u);
}

TEST(Probe, IsMissedAfterItsTimeout) {
  NicParams params = probing();
  params.probe.timeout = 30_us;
  params.probe.interval = 10_us;
  params.congestion_control = CongestionControl::kNone;
  NicRig rig(params);
  rig[1].look = [](Packet& packet, Ps) { return packet.kind != PacketKind::kProbeReply; };
  rig.write(0, 1, 10'000'000);  // 204 us and the doorbell: probes at 0.35 us + k 30 us
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().probes_sent, 7u);
  EXPECT_EQ(rig[0].nic.counters().probes_missed, 7u);
  EXPECT_EQ(rig[0].nic.counters().probe_replies, 0u);
}

TEST(Probe, WaitsWhileItsClassIsPaused) {
  NicParams params = probing();
  NicRig rig(params);
  std::vector<Ps> sent;
  rig[0].look = [&](Packet& packet, Ps) {
    if (packet.kind == PacketKind::kProbe) sent.push_back(Ps{packet.offset_bytes});
    return true;
  };
  rig.pause(0, 1_ns, 1 << 3, 7813);  // 10.0006 us at 400 Gb/s
  rig.write(0, 1, 8);
  rig.run();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_GE(sent[0], 10_us);
  EXPECT_LT(sent[0], 11_us);
}

TEST(Probe, ParametersAreChecked) {
  NicParams params = probing();
  params.probe.interval = 0_ps;
  EXPECT_THROW(params.validate(), ConfigError);
  params = probing();
  params.probe.timeout = 0_ps;
  EXPECT_THROW(params.validate(), ConfigError);
  params = probing();
  params.probe.reply_dscp = 64;
  EXPECT_THROW(params.validate(), ConfigError);
  params = probing();
  params.probe.priority = 8;
  EXPECT_THROW(params.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
