// SPDX-License-Identifier: Apache-2.0
// The raw endpoint: rates, spacing, counting, PFC both ways.
#include "host/raw_source.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice {
namespace {

struct Pair {
  explicit Pair(const RawParams& first, const RawParams& second = {}, std::uint64_t seed = 1)
      : a(first, {wheel, packets, seed, 0}), b(second, {wheel, packets, seed, 1}) {
    connect(a, b);
    connect(b, a);
    a.start();
    b.start();
  }
  static void connect(RawCore& from, RawCore& to) {
    ReceivePath path = to.receive_path();
    path.head_delay += 150_ns;
    path.pfc_delay += 150_ns;
    from.attach(path);
  }
  EventWheel wheel;
  PacketPool packets;
  RawCore a;
  RawCore b;
};

RawParams at_400g(std::vector<RawStream> streams) {
  RawParams params;
  params.port_rate = {400'000'000'000};
  params.streams = std::move(streams);
  return params;
}

RawStream stream(std::uint32_t frame_bytes, std::uint64_t frames) {
  RawStream result;
  result.destination = 1;
  result.frame_bytes = frame_bytes;
  result.frames = frames;
  return result;
}

TEST(RawSource, G1_20_LineRateOf256ByteFrames) {
  Pair pair(at_400g({stream(256, 1001)}));
  pair.wheel.run_before(kNever);
  const RawReceived& got = pair.b.received(0);
  EXPECT_EQ(got.frames, 1001u);
  EXPECT_EQ(got.bytes, 256u * 1001u);
  EXPECT_EQ(got.last - got.first, 1000 * 5'520_ps);
  EXPECT_EQ(got.first, 150_ns + 5'280_ps);
  EXPECT_EQ(got.latency_min, 150_ns + 5'280_ps);
  EXPECT_EQ(got.latency_max, got.latency_min);
  EXPECT_EQ(pair.packets.live(), 0u);
}

TEST(RawSource, KeepsAConfiguredRateStartAndStop) {
  RawStream s = stream(1024, 0);
  s.rate = {100'000'000'000};
  s.start = 2_us;
  s.stop = 102_us;
  s.dscp = 26;
  s.ecn = 3;
  Pair pair(at_400g({s}));
  pair.wheel.run_before(kNever);
  const RawReceived& got = pair.b.received(26);
  EXPECT_NEAR(static_cast<double>(got.frames), 100e3 / 83.52, 1.01);
  EXPECT_EQ(got.marked, got.frames);
  EXPECT_EQ(got.first, 2_us + 150_ns + 20'640_ps);
  EXPECT_EQ(pair.a.sent(0), got.frames);
}

TEST(RawSource, TagsAddFourBytes) {
  RawStream s = stream(64, 1);
  s.tagged = true;
  Pair pair(at_400g({s}));
  pair.wheel.run_before(kNever);
  EXPECT_EQ(pair.b.received(0).bytes, 68u);
}

TEST(RawSource, PoissonArrivalsHaveTheirRateAndWaitLikeMD1) {
  RawStream s = stream(4158, 200'000);
  s.rate = {200'000'000'000};
  s.arrivals = RawArrivals::kPoisson;
  Pair pair(at_400g({s}));
  pair.wheel.run_before(kNever);
  const RawReceived& got = pair.b.received(0);
  const double mean_gap = static_cast<double>((got.last - got.first).value) / 199'999;
  EXPECT_NEAR(mean_gap / 167'120, 1, 0.01);
  // G13-26: mean wait at load 0.5 is half a slot, 41.8 ns.
  const double mean = static_cast<double>(got.latency_sum.value) / 200'000;
  EXPECT_NEAR((mean - static_cast<double>(got.latency_min.value)) / 41'780, 1, 0.05);
}

TEST(RawSource, TwoLineRateStreamsAlternate) {
  RawStream second = stream(1024, 0);
  second.dscp = 1;
  Pair pair(at_400g({stream(1024, 0), second}));
  pair.wheel.run_before(100_us);
  EXPECT_NEAR(static_cast<double>(pair.b.received(0).frames),
              static_cast<double>(pair.b.received(1).frames), 1.01);
}

TEST(RawSource, ObeysPfcUnlessToldNotTo) {
  for (const bool obey : {true, false}) {
    RawParams params = at_400g({stream(1024, 0)});
    params.obey_pfc = obey;
    Pair pair(params);
    pair.wheel.run_before(1_us);
    pair.b.send_pfc(1, 65535);
    pair.wheel.run_before(10_us);
    const std::uint64_t paused = pair.b.received(0).frames;
    pair.wheel.run_before(20_us);
    EXPECT_EQ(pair.b.received(0).frames == paused, obey);
    pair.b.send_pfc(1, 0);
    pair.wheel.run_before(30_us);
    EXPECT_GT(pair.b.received(0).frames, paused + 100);
    EXPECT_EQ(pair.a.counters().xoff_received, 1u);
    EXPECT_EQ(pair.a.counters().xon_received, 1u);
    EXPECT_EQ(pair.a.counters().paused_ps > 0, obey);
  }
}

TEST(RawSource, PausesItsPeerFromStartToRelease) {
  RawParams params = at_400g({stream(1024, 0)});
  params.streams[0].priority = 3;
  RawParams closed = at_400g({});
  closed.pause_priorities = 1u << 3;
  closed.pause_start = 10_us;
  closed.pause_release = 500_us;  // several refreshes of 83.885 us / 2
  Pair pair(params, closed);
  pair.wheel.run_before(11_us);
  const std::uint64_t before = pair.b.received(0).frames;
  EXPECT_GT(before, 400u);
  pair.wheel.run_before(500_us);
  EXPECT_LT(pair.b.received(0).frames, before + 2);
  pair.wheel.run_before(510_us);
  EXPECT_GT(pair.b.received(0).frames, before + 400);
  // XOFF at 10 us and every 41.9424 us before 500 us, then XON.
  EXPECT_EQ(pair.b.counters().pfc_sent, 12u + 1u);
}

TEST(RawSource, SendsSingleFramesOnDemand) {
  Pair pair(at_400g({}));
  for (int i = 0; i < 3; ++i) pair.a.send_now(stream(64, 1));
  pair.wheel.run_before(kNever);
  EXPECT_EQ(pair.b.received(0).frames, 3u);
  EXPECT_EQ(pair.b.received(0).last - pair.b.received(0).first, 2 * 1'680_ps);  // G1-15
}

TEST(RawSource, StagesAndResponseAddTheirTime) {
  RawParams sender = at_400g({stream(64, 1)});
  sender.tx_latency = 10_ns;
  sender.pfc_response = 30_ns;
  RawParams receiver = at_400g({});
  receiver.rx_latency = 20_ns;
  Pair pair(sender, receiver);
  EXPECT_EQ(pair.a.receive_path().pfc_delay, 30_ns);
  pair.wheel.run_before(kNever);
  EXPECT_EQ(pair.b.received(0).first, 150_ns + 30_ns + 1'440_ps);
}

TEST(RawSource, ValidateNamesTheKey) {
  RawStream s = stream(63, 1);
  EXPECT_THROW(s.validate(), ConfigError);
  s = stream(9217, 1);
  EXPECT_THROW(s.validate(), ConfigError);
  s = stream(64, 1);
  s.arrivals = RawArrivals::kPoisson;
  EXPECT_THROW(s.validate(), ConfigError);
  s.rate = {900'000'000'000};
  EXPECT_THROW(at_400g({s}).validate(), ConfigError);
  RawParams params = at_400g({});
  params.pause_quanta = 0;
  EXPECT_THROW(params.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
