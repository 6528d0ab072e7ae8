// SPDX-License-Identifier: Apache-2.0
// Golden G8: goodput of go-back-N, selective repeat and restarted messages under independent packet
// loss, five seeds each. Two NICs and a wire that loses data; counts and bounds are golden's.
// Leaves out: G8-16 to G8-18, single events (tests/unit/nic).
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/random.h"
#include "unit/nic/nic_rig.h"

namespace sluice::golden {
namespace {

constexpr double kWireBits = (4096 + 62 + 20) * 8.0;  // of a packet from the middle of a message
constexpr std::uint64_t kSeeds = 5;

/// A row of the table: rate and round trip.
struct Row {
  const char* id;
  std::uint64_t gbps;
  unsigned rtt_us;
  unsigned slots;  ///< N
};

/// Golden's N = ceil(RTT R / (8 x 4178)).
unsigned slots_of(const Row& row) {
  return static_cast<unsigned>(
      std::ceil(row.rtt_us * 1e-6 * static_cast<double>(row.gbps) * 1e9 / kWireBits));
}

NicParams params_of(const Row& row, sluice::LossRecovery recovery) {
  NicParams params = cx8();
  params.port_rate = {row.gbps * 1'000'000'000};
  params.frequency_offset_ppm = 0;
  params.loss_recovery = recovery;
  // A repetition that is lost again costs a timeout: one that is short, and longer than it takes
  // to ask for an ACK and get it.
  params.timeout_code = row.rtt_us > 8 ? 3 : row.rtt_us > 4 ? 2 : 1;
  // Selective repeat has no need of the timer: a packet lost three times takes four round trips.
  if (recovery == sluice::LossRecovery::kSelectiveRepeat) params.timeout_code = 6;
  params.psn_window = 8192;  // never limiting
  return params;
}

/// From a loss to its repetition, at the sender's wire: the packet's way to the responder, the
/// NAK's back, and the stages of both NICs. `wire` is one way.
Ps wire_for(const Row& row) {
  const Ps round_trip{row.rtt_us * 1'000'000ULL};
  const double rate = static_cast<double>(row.gbps);  // bits a nanosecond
  const double stages = 50 + 400 + 400 + 400;         // PHY; receiver; its ACK; sender
  const double serial = (4158 + 8) * 8 / rate + (66 + 8) * 8 / rate;
  const double left = round_trip.seconds() * 1e9 - stages - serial;
  return Ps{static_cast<std::uint64_t>(left / 2 * 1000)};
}

struct Outcome {
  double goodput = 0;  ///< of what the wire carries
  std::uint64_t timeouts = 0;
};

/// One long message, of which about `packets` packets are sent, so long that its ends do not count.
Outcome run(const Row& row, sluice::LossRecovery recovery, double loss, std::uint64_t packets,
            std::uint64_t seed) {
  test::NicRig rig(params_of(row, recovery), 2, wire_for(row), seed);
  RandomStream random(seed, row.slots, RandomPurpose::kTest);
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(loss, 63));
  rig[0].look = [&](Packet&, Ps) { return random.next_u64() >> 1 >= threshold; };
  rig.write(0, 1, packets * 4096);
  const double slot = kWireBits / (static_cast<double>(row.gbps) * 1e9);
  const Ps end{static_cast<std::uint64_t>(static_cast<double>(packets) * slot * 1e12)};
  rig.run_until(end);
  const NicCounters& receiver = rig[1].nic.counters();
  // The first packet needs half a round trip; from then on a slot each.
  const double slots = static_cast<double>(packets) - row.slots / 2.0;
  return {static_cast<double>(receiver.delivered_packets) / slots, rig[0].nic.counters().timeouts};
}

class G8 : public testing::TestWithParam<Row> {};

constexpr double kLosses[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

std::uint64_t packets_for(double loss) {
  if (loss < 5e-6) return 200'000;
  return loss < 5e-5 ? 400'000 : 1'000'000;
}

TEST_P(G8, GoBackNReachesTheClosedForm) {
  const Row& row = GetParam();
  ASSERT_EQ(row.slots, slots_of(row));
  for (const double p : kLosses) {
    const std::uint64_t packets = packets_for(p);
    const double expected = (1 - p) / (1 + (row.slots - 1) * p);
    const double sigma = row.slots * std::sqrt(p / static_cast<double>(packets));
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Outcome outcome = run(row, sluice::LossRecovery::kGoBackN, p, packets, seed);
      EXPECT_NEAR(outcome.goodput, expected, 0.005 + 3 * sigma) << "p " << p << " seed " << seed;
      sum += outcome.goodput;
    }
    EXPECT_NEAR(sum / kSeeds, expected, 0.005 + 3 * sigma / std::sqrt(kSeeds)) << "p " << p;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, G8,
                         testing::Values(Row{"G8_01", 400, 4, 48}, Row{"G8_02", 400, 8, 96},
                                         Row{"G8_03", 400, 12, 144}, Row{"G8_04", 400, 20, 240},
                                         Row{"G8_05", 800, 4, 96}, Row{"G8_06", 800, 8, 192},
                                         Row{"G8_07", 800, 12, 288}, Row{"G8_08", 800, 20, 479}),
                         [](const auto& row) { return row.param.id; });

TEST(G8, SelectiveRepeatLosesNoMoreThanTheLostPackets) {
  for (const Row& row : {Row{"", 400, 4, 48}, Row{"", 800, 20, 479}}) {
    for (const double p : kLosses) {
      const std::uint64_t packets = packets_for(p) / 2;
      const double sigma = std::sqrt(p / static_cast<double>(packets));
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Outcome outcome = run(row, sluice::LossRecovery::kSelectiveRepeat, p, packets, seed);
        EXPECT_NEAR(outcome.goodput, 1 - p, 0.005 + 3 * sigma) << "p " << p << " seed " << seed;
        EXPECT_EQ(outcome.timeouts, 0u) << "p " << p << " seed " << seed;
      }
    }
  }
}

/// A loss repeats its whole message. At 10G the answer comes within two slots, as in the closed
/// form.
TEST(G8, G8_09_To_12_GoBack0RepeatsWholeMessages) {
  struct Case {
    double p;
    std::uint64_t packets;  ///< M
    double goodput;
  };
  for (const Case& row :
       {Case{1e-6, 256, 0.99987}, Case{1e-6, 1024, 0.99949}, Case{1e-5, 256, 0.99872},
        Case{1e-5, 1024, 0.99488}, Case{1e-4, 256, 0.98720}, Case{1e-4, 1024, 0.94962},
        Case{1e-3, 256, 0.87696}, Case{1e-3, 1024, 0.57343}}) {
    const auto m = static_cast<double>(row.packets);
    EXPECT_NEAR(row.goodput, m * row.p / (std::pow(1 - row.p, -m) - 1), 5e-6);
    const std::uint64_t sent = row.p < 5e-6 ? 200'000 : 1'000'000;
    // Restarts of a message are geometric: variance (1 - w) / w^2, each of about M / 2 packets.
    const double whole = std::pow(1 - row.p, m);
    const double restarts = std::sqrt((1 - whole) / (whole * whole));
    const double messages = static_cast<double>(sent) * row.goodput / m * kSeeds;
    const double sigma = row.goodput * row.goodput * restarts / 2 / std::sqrt(messages);
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      NicParams params = test::exact_params(10);
      params.loss_recovery = sluice::LossRecovery::kGoBack0;
      params.timeout_code = 10;
      test::NicRig rig(params, 2, 10_ns, seed);
      RandomStream random(seed, 2, RandomPurpose::kTest);
      const auto threshold = static_cast<std::uint64_t>(std::ldexp(row.p, 63));
      rig[0].look = [&](Packet&, Ps) { return random.next_u64() >> 1 >= threshold; };
      for (std::uint64_t i = 0; i * row.packets < sent; ++i) rig.write(0, 1, row.packets * 4096, i);
      rig.run_until(Ps{sent * 4178 * 800});
      sum +=
          static_cast<double>(rig[1].nic.counters().delivered_packets) / static_cast<double>(sent);
    }
    EXPECT_NEAR(sum / kSeeds, row.goodput, 0.01 + 3 * sigma) << "p " << row.p << " M " << m;
  }
}

/// Of messages of 256 packets that are sent one after the other, those that nothing was lost of.
TEST(G8, G8_13_To_15_MessagesOf1MiBWithoutLoss) {
  for (const double p : {1e-6, 1e-5, 1e-4}) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      constexpr std::uint64_t kMessages = 2000;
      NicParams params = test::exact_params(800);
      params.loss_recovery = sluice::LossRecovery::kSelectiveRepeat;
      params.timeout_code = 2;
      test::NicRig rig(params, 2, 150_ns, seed);
      RandomStream random(seed, 1, RandomPurpose::kTest);
      const auto threshold = static_cast<std::uint64_t>(std::ldexp(p, 63));
      std::uint64_t whole = 0;
      std::uint64_t repeated = 0;
      rig[0].look = [&](Packet&, Ps) { return random.next_u64() >> 1 >= threshold; };
      rig[0].when_acked = [&](std::uint64_t cookie) {
        const std::uint64_t so_far = rig[0].nic.counters().retransmitted_packets;
        if (so_far == repeated) ++whole;
        repeated = so_far;
        if (cookie + 1 < kMessages) rig.write(0, 1, 1 << 20, cookie + 1);
      };
      rig.write(0, 1, 1 << 20, 0);
      rig.run();
      const double expected = std::pow(1 - p, 256);
      const double sigma = std::sqrt(expected * (1 - expected) / kMessages);
      // One message in 2000 is 0.0005.
      EXPECT_NEAR(static_cast<double>(whole) / kMessages, expected, 3 * sigma + 0.0005)
          << "p " << p << " seed " << seed;
      EXPECT_EQ(rig[1].received.size(), kMessages);
    }
  }
}

}  // namespace
}  // namespace sluice::golden
