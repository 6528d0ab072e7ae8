// SPDX-License-Identifier: Apache-2.0
// rttcc inside a NIC: probes set the rate, CNPs count or do not, a window beside it holds.
#include <gtest/gtest.h>

#include <algorithm>

#include "nic/psn.h"
#include "nic/responder/responder.h"
#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

NicParams rttcc() {
  NicParams params = exact_params(400);
  params.congestion_control = CongestionControl::kRttcc;
  return params;
}

/// Data frames that node 0 sends between 25 and 40 us over a way of `one_way`.
std::uint64_t frames_between(const NicParams& params, Ps one_way) {
  NicRig rig(params, 2, one_way);
  std::uint64_t frames = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    const Ps left = now - one_way;  // looked at where its tail has crossed the wire
    if (packet.kind == PacketKind::kWriteData && left >= 25_us && left < 40_us) ++frames;
    return true;
  };
  rig.write(0, 1, 1ull << 28);
  rig.run_until(80_us);
  EXPECT_GT(rig[0].nic.counters().probe_replies, 1u);
  return frames;
}

TEST(NicRttcc, ALongRoundTripHalvesTheRateOnceItsProbeIsBack) {
  // 4178 B of wire at 400 Gb/s are 83.56 ns. The first reply is back after 20.7 us, the second
  // after twice that.
  EXPECT_NEAR(static_cast<double>(frames_between(rttcc(), 10_us)), 15'000 / (2 * 83.56), 1.5);
  EXPECT_NEAR(static_cast<double>(frames_between(rttcc(), 5_us)), 15'000 / 83.56, 1.5);
}

TEST(NicRttcc, MarksCountUnlessTheDelayAlone) {
  for (const RttccSignal signal : {RttccSignal::kBoth, RttccSignal::kDelay}) {
    NicParams params = rttcc();
    params.rttcc.signal = signal;
    NicRig rig(params);
    rig[0].look = [](Packet& packet, Ps) {
      if (packet.kind == PacketKind::kWriteData) packet.ecn = Ecn::kCe;
      return true;
    };
    rig.write(0, 1, 1 << 20);
    rig.run();
    const std::uint64_t cnps = rig[1].nic.counters().cnps_sent;
    if (signal == RttccSignal::kDelay) {
      EXPECT_EQ(cnps, 0u);
    } else {
      // One each 4 us; 21 us at line rate, 42 at half of it.
      EXPECT_GE(cnps, 9u);
      EXPECT_LE(cnps, 14u);
    }
  }
}

TEST(NicRttcc, AProbeThatDoesNotComeBackCutsToo) {
  NicParams params = rttcc();
  params.rttcc.max_queuing_delay = 20_us;
  NicRig rig(params);
  rig[1].look = [](Packet& packet, Ps) { return packet.kind != PacketKind::kProbeReply; };
  std::uint64_t frames = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (packet.kind == PacketKind::kWriteData && now >= 45_us && now < 60_us) ++frames;
    return true;
  };
  rig.write(0, 1, 1ull << 28);
  rig.run_until(80_us);
  // Half the line after 20.4 us, a quarter after 40.4.
  EXPECT_NEAR(static_cast<double>(frames), 15'000 / (4 * 83.56), 1.5);
}

TEST(NicRttcc, AWindowBesideItHolds) {
  const auto most_outstanding = [](Bytes window) {
    NicParams params = rttcc();
    params.window_bytes = window;
    NicRig rig(params, 2, 10_us);
    std::uint32_t most = 0;
    rig[0].look = [&](Packet&, Ps) {
      const QpHot& qp = rig[0].nic.requester().qp(0);
      most = std::max(most, psn_distance(qp.next_psn, qp.una_psn));
      return true;
    };
    rig.write(0, 1, 1 << 24);
    rig.run_until(500_us);
    EXPECT_TRUE(rig[0].nic.requester().qp(0).limited);
    EXPECT_GT(rig[0].nic.counters().probe_replies, 5u);
    return most;
  };
  EXPECT_EQ(most_outstanding({32'768}), 8u);
  EXPECT_GT(most_outstanding({0}), 100u);
}

TEST(Responder, CnpsToOneDestinationAreSpacedOverItsQps) {
  const auto cnps_at_once = [](CnpScope scope) {
    ResponderConfig config;
    config.endpoint = 9;
    config.cnp_scope = scope;
    config.min_time_between_cnps = 4_us;
    Responder responder(config);
    unsigned cnps = 0;
    for (const auto& [source, qp] : {std::pair{1u, 0u}, {1u, 1u}, {2u, 0u}}) {
      Packet packet;
      packet.kind = PacketKind::kWriteData;
      packet.source = source;
      packet.destination = 9;
      packet.flow = qp;
      packet.ecn = Ecn::kCe;
      cnps += responder.on_data(packet, 0, 10_us).cnp ? 1 : 0;
      EXPECT_FALSE(responder.on_data(packet, 0, 13_us).cnp) << "4 us have not passed";
    }
    return cnps;
  };
  EXPECT_EQ(cnps_at_once(CnpScope::kQp), 3u);
  EXPECT_EQ(cnps_at_once(CnpScope::kDestination), 2u);
  EXPECT_EQ(cnps_at_once(CnpScope::kPort), 1u);
}

}  // namespace
}  // namespace sluice
