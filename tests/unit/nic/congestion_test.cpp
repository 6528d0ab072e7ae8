// SPDX-License-Identifier: Apache-2.0
// Congestion control inside a NIC: CNPs for marks, their spacing, pacing, fairness of QPs.
#include <gtest/gtest.h>

#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

auto mark_all(Packet& packet, Ps) {
  if (packet.kind == PacketKind::kWriteData && packet.ecn == Ecn::kEct0) packet.ecn = Ecn::kCe;
  return true;
}

TEST(NicCnp, HasItsOwnClassAndSize) {
  NicRig rig(exact_params(400));
  rig[0].look = mark_all;
  std::vector<Packet> replies;
  rig[1].look = [&](Packet& packet, Ps) {
    replies.push_back(packet);
    return true;
  };
  rig.write(0, 1, 8);
  rig.run();
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].kind, PacketKind::kCnp);  // strictly before the ACK of the same packet
  EXPECT_EQ(replies[0].frame_bytes, 78u);
  EXPECT_EQ(replies[0].dscp, 48u);
  EXPECT_EQ(replies[0].pcp, 6u);
  EXPECT_EQ(replies[0].ecn, Ecn::kNotEct);
  EXPECT_EQ(replies[1].kind, PacketKind::kAck);
  EXPECT_EQ(replies[1].dscp, 26u);
  EXPECT_EQ(rig[1].nic.counters().ecn_marked_received, 1u);
  EXPECT_EQ(rig[0].nic.counters().cnps_received, 1u);
}

TEST(NicCnp, DscpAndPrioritiesAndEcnAreParameters) {
  NicParams params = exact_params(400);
  params.data_dscp = 10;
  params.ack_dscp = 11;
  params.cnp_dscp = 12;
  params.cnp_priority = 7;
  params.vlan_tag = true;
  NicRig rig(params);
  std::vector<Packet> frames;
  rig[0].look = [&](Packet& packet, Ps now) {
    frames.push_back(packet);
    return mark_all(packet, now);
  };
  rig[1].look = [&](Packet& packet, Ps) {
    frames.push_back(packet);
    return true;
  };
  rig.write(0, 1, 8);
  rig.run();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].dscp, 10u);
  EXPECT_EQ(frames[0].frame_bytes, 90u);
  EXPECT_EQ(frames[1].dscp, 12u);
  EXPECT_EQ(frames[1].pcp, 7u);
  EXPECT_EQ(frames[1].frame_bytes, 82u);
  EXPECT_EQ(frames[2].dscp, 11u);
  EXPECT_EQ(frames[2].frame_bytes, 70u);
  EXPECT_NE(frames[2].flags & packet_flag::kTagged, 0);
  params.ecn_capable = false;
  NicRig plain(params);
  plain[0].look = [](Packet& packet, Ps) {
    EXPECT_EQ(packet.ecn, Ecn::kNotEct);
    return true;
  };
  plain.write(0, 1, 8);
  plain.run();
}

/// Send times of CNPs of node 0, the receiver, while `senders` nodes send marked data for `time`.
std::vector<std::pair<std::uint32_t, Ps>> cnps(const NicParams& params, std::uint32_t senders,
                                               Ps time) {
  NicRig rig(params, senders + 1);
  std::vector<std::pair<std::uint32_t, Ps>> sent;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (packet.kind == PacketKind::kCnp) sent.emplace_back(packet.destination, now);
    return true;
  };
  for (std::uint32_t i = 1; i <= senders; ++i) {
    rig[i].look = mark_all;
    rig.write(i, 0, 1ull << 30);
  }
  rig.run_until(time);
  return sent;
}

TEST(NicCnp, G7_102_SpacingPerQp) {
  NicParams params = exact_params(400);
  params.dcqcn.min_rate = {20'000'000'000};  // half the line, so that marks keep coming
  const auto sent = cnps(params, 2, 1_ms);
  std::array<std::vector<Ps>, 3> of;
  for (const auto& [destination, time] : sent) of[destination].push_back(time);
  for (const std::uint32_t i : {1u, 2u}) {
    EXPECT_GE(of[i].size(), 18u);
    EXPECT_LE(of[i].size(), 20u);
    for (std::size_t k = 1; k < of[i].size(); ++k) {
      EXPECT_GE((of[i][k] - of[i][k - 1]).value, 50'000'000u - 10'000u);  // less a frame's wait
    }
  }
}

TEST(NicCnp, G7_102_SpacingPerPort) {
  NicParams params = exact_params(400);
  params.dcqcn.cnp_scope = CnpScope::kPort;
  params.dcqcn.min_rate = {20'000'000'000};
  params.dcqcn.min_time_between_cnps = 20_us;
  const auto sent = cnps(params, 2, 1_ms);
  EXPECT_GE(sent.size(), 45u);
  EXPECT_LE(sent.size(), 50u);
  for (std::size_t k = 1; k < sent.size(); ++k) {
    EXPECT_GE((sent[k].second - sent[k - 1].second).value, 20'000'000u - 10'000u);
  }
}

TEST(NicCnp, NoneWhenDcqcnIsOff) {
  NicParams params = exact_params(400);
  params.congestion_control = CongestionControl::kNone;
  EXPECT_TRUE(cnps(params, 2, 1_ms).empty());
}

TEST(NicCnp, B49_GenerationLatencyDelaysTheReaction) {
  const auto first_cnp = [](Ps latency) {
    NicParams params = exact_params(400);
    params.cnp_generation_latency = latency;
    return cnps(params, 1, 100_us).at(0).second;
  };
  EXPECT_EQ(first_cnp(55_us) - first_cnp(0_us), 55_us);
}

TEST(NicPacing, FlowSendsAtTheRateDcqcnGivesIt) {
  NicParams params = exact_params(400);
  params.dcqcn.rate_timer = 1'000'000_us;  // hold the rate after the cut
  params.dcqcn.byte_counter = {0};
  NicRig rig(params);
  Ps first{};
  Ps last{};
  std::uint64_t frames = 0;
  unsigned marked = 0;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (++marked == 1) packet.ecn = Ecn::kCe;
    if (now > 20_us) {
      if (first.value == 0) {
        first = now;
      } else {
        ++frames;
      }
      last = now;
    }
    return true;
  };
  rig.write(0, 1, 4096 * 10'000);
  rig.run();
  const double gbps =
      static_cast<double>(frames) * 4178 * 8e3 / static_cast<double>((last - first).value);
  EXPECT_NEAR(gbps / 200, 1, 1e-4);
}

TEST(NicPacing, RecoversToLineRateByItself) {
  NicRig rig(exact_params(400));
  unsigned marked = 0;
  rig[0].look = [&](Packet& packet, Ps) {
    if (++marked == 1) packet.ecn = Ecn::kCe;
    return true;
  };
  rig.write(0, 1, 1ull << 29);
  rig.run_until(1_us);
  EXPECT_FALSE(rig[0].nic.requester().qp(0).limited);
  rig.run_until(10_us);
  EXPECT_TRUE(rig[0].nic.requester().qp(0).limited);
  rig.run_until(5_ms);
  EXPECT_FALSE(rig[0].nic.requester().qp(0).limited);
}

TEST(NicScheduler, TwoQpsShareThePort) {
  for (const std::uint32_t burst : {1u, 8u}) {
    NicParams params = exact_params(400);
    params.burst_packets = burst;
    NicRig rig(params, 3);
    std::array<std::uint64_t, 3> bytes{};
    std::uint32_t run = 0;
    std::uint32_t longest = 0;
    std::uint32_t before = 0;
    rig[0].look = [&](Packet& packet, Ps) {
      bytes[packet.destination] += packet.frame_bytes;
      run = packet.destination == before ? run + 1 : 1;
      before = packet.destination;
      longest = std::max(longest, run);
      return true;
    };
    rig.write(0, 1, 1ull << 30);
    rig.write(0, 2, 1ull << 30);
    rig.run_until(1_ms);
    EXPECT_NEAR(static_cast<double>(bytes[1]) / static_cast<double>(bytes[2]), 1, 2e-3);
    EXPECT_EQ(longest, burst);
  }
}

TEST(NicScheduler, APacedQpLeavesTheRestToTheOther) {
  NicParams params = exact_params(400);
  params.dcqcn.rate_timer = 1'000'000_us;
  params.dcqcn.byte_counter = {0};
  NicRig rig(params, 3);
  std::array<std::uint64_t, 3> bytes{};
  bool marked = false;
  rig[0].look = [&](Packet& packet, Ps now) {
    if (packet.destination == 1 && !std::exchange(marked, true)) packet.ecn = Ecn::kCe;
    if (packet.destination == 1 && now > 60_us && now < 61_us) packet.ecn = Ecn::kCe;
    if (now > 100_us) bytes[packet.destination] += packet.frame_bytes + 20;
    return true;
  };
  rig.write(0, 1, 1ull << 30);
  rig.write(0, 2, 1ull << 30);
  rig.run_until(1_ms + 100_us);
  // Cut twice: 100 Gb/s at most, and the line stays full.
  const double paced = static_cast<double>(bytes[1]) * 8e-6;
  const double other = static_cast<double>(bytes[2]) * 8e-6;
  EXPECT_NEAR(paced, 99, 2);
  EXPECT_NEAR(paced + other, 400, 0.5);
}

}  // namespace
}  // namespace sluice
