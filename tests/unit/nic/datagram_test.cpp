// SPDX-License-Identifier: Apache-2.0
// Streams of unreliable datagrams: spacing, sizes, header fields, PFC, ends; and that nobody
// answers them. Leaves out: their way through switches (TTL, loops).
#include <gtest/gtest.h>

#include <vector>

#include "kernel/error.h"
#include "packet/serialisation.h"
#include "unit/nic/nic_rig.h"

namespace sluice::test {
namespace {

struct Seen {
  Ps time;
  Packet packet;
};

/// Runs `streams` of node 0 towards node 1; what left node 0, by the tail.
std::vector<Seen> sent(NicRig& rig, const std::vector<UdStream>& streams, Ps until = kNever) {
  std::vector<Seen> seen;
  rig[0].look = [&seen](Packet& packet, Ps now) {
    seen.push_back({now, packet});
    return true;
  };
  rig[0].nic.send_datagrams(streams);
  rig.run_until(until);
  return seen;
}

UdStream stream_to_1() {
  UdStream stream;
  stream.destination = 1;
  return stream;
}

TEST(Datagrams, AreSpacedByTheRateAndCarryWhatTheStreamSays) {
  NicRig rig(exact_params(400));
  UdStream stream = stream_to_1();
  stream.rate = {45'000'000'000};
  stream.payload_bytes = 1001;
  stream.ttl = 16;
  stream.dscp = 10;
  stream.priority = 4;
  stream.frames = 5;
  stream.start = 3_us;
  const std::vector<Seen> seen = sent(rig, {stream});
  ASSERT_EQ(seen.size(), 5u);
  // 62 B around a SEND, DETH 8, pad 3.
  const std::uint32_t frame = 1001 + 62 + 8 + 3;
  for (std::size_t i = 0; i < 5; ++i) {
    const Packet& packet = seen[i].packet;
    EXPECT_EQ(packet.kind, PacketKind::kUdSend);
    EXPECT_EQ(packet.frame_bytes, frame);
    EXPECT_EQ(packet.ttl, 16);
    EXPECT_EQ(packet.dscp, 10);
    EXPECT_EQ(packet.pcp, 4);
    EXPECT_EQ(packet.ecn, Ecn::kEct0);
    EXPECT_EQ(packet.psn, i);
    const Ps due = 3_us + bit_times(i * (frame + 20) * 8, stream.rate);
    const Ps left = due + 50_ns + bit_times((frame + 8) * 8, {400'000'000'000});
    EXPECT_NEAR(static_cast<double>(seen[i].time.value), static_cast<double>((left + 150_ns).value),
                2)
        << i;
  }
  EXPECT_EQ(rig[0].nic.counters().datagrams_sent, 5u);
  EXPECT_EQ(rig[1].nic.counters().datagrams_received, 5u);
  EXPECT_EQ(rig[1].nic.counters().delivered_bytes, 5u * 1001);
  EXPECT_EQ(rig[1].nic.counters().acks_sent, 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
  EXPECT_TRUE(rig[1].received.empty());
}

TEST(Datagrams, WithoutARateFillTheLink) {
  NicRig rig(exact_params(400));
  UdStream stream = stream_to_1();
  stream.payload_bytes = 4096;
  stream.stop = 100_us;
  const std::vector<Seen> seen = sent(rig, {stream});
  const std::uint32_t wire = 4096 + 62 + 8 + 20;
  // Due at 0, t, 2t, … below 100 us.
  const Ps slot = bit_times(wire * 8, {400'000'000'000});
  EXPECT_EQ(seen.size(), (100_us).value / slot.value + 1);
}

TEST(Datagrams, StopForPfcOfTheirOwnPriorityAndMakeUpOneFrame) {
  NicRig rig(exact_params(400));
  UdStream three = stream_to_1();
  three.rate = {100'000'000'000};
  three.stop = 20_us;
  UdStream four = three;
  four.priority = 4;
  rig.pause(0, 5_us, 1 << 3, 7813);  // 10.0006 us at 400 Gb/s
  const std::vector<Seen> seen = sent(rig, {three, four});
  std::uint64_t of_three = 0;
  std::uint64_t of_four = 0;
  std::uint64_t in_pause = 0;
  for (const Seen& frame : seen) {
    ++(frame.packet.pcp == 3 ? of_three : of_four);
    if (frame.packet.pcp == 3 && frame.time > 5400_ns && frame.time < 15_us) ++in_pause;
  }
  EXPECT_EQ(in_pause, 0u);
  // 1114 wire bytes at 100 Gb/s: 89.12 ns.
  EXPECT_EQ(of_four, 20'000'000 / 89'120 + 1);
  // Due at 0 .. 4990.7 ns: 57. At 15,000.6 ns one, one made up, and one every 89.12 ns to 20
  // us: 58.
  EXPECT_EQ(of_three, 57u + 58);
}

TEST(Datagrams, AreCountedAndNoMoreWhenTheyArriveMarked) {
  NicRig rig(exact_params(400));
  UdStream stream = stream_to_1();
  stream.frames = 7;
  rig[0].look = [](Packet& packet, Ps) {
    packet.ecn = Ecn::kCe;
    return true;
  };
  rig[0].nic.send_datagrams({stream});
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().ecn_marked_received, 7u);
  EXPECT_EQ(rig[1].nic.counters().cnps_sent, 0u);
}

TEST(Datagrams, RefuseWhatNoHeaderHolds) {
  const auto refused = [](auto change) {
    UdStream stream = stream_to_1();
    change(stream);
    EXPECT_THROW(stream.validate(), ConfigError);
  };
  stream_to_1().validate();
  refused([](UdStream& s) { s.ttl = 0; });
  refused([](UdStream& s) { s.ttl = 256; });
  refused([](UdStream& s) { s.payload_bytes = 4097; });
  refused([](UdStream& s) { s.dscp = 64; });
  refused([](UdStream& s) { s.priority = 8; });
  refused([](UdStream& s) { s.ecn = 3; });
  refused([](UdStream& s) { s.rate = {1000}; });
  refused([](UdStream& s) { s.stop = s.start; });
}

}  // namespace
}  // namespace sluice::test
