// SPDX-License-Identifier: Apache-2.0
// When probes are sent and what counts as missed, without a NIC.
#include "nic/probe/prober.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

struct Nic final : ProbeSender, ProbeListener {
  struct Sent {
    std::uint32_t lane;
    std::uint32_t sequence;
    Ps time;
  };
  bool wants_probe(std::uint32_t lane) const override { return wants.at(lane); }
  void send_probe(std::uint32_t lane, std::uint32_t sequence, Ps now) override {
    sent.push_back({lane, sequence, now});
    prober->sent(lane, now);
  }
  void on_probe_rtt(std::uint32_t lane, Ps rtt, Ps) override { rtts.emplace_back(lane, rtt); }
  void on_probe_overdue(std::uint32_t lane, Ps age, Ps now) override {
    EXPECT_EQ(age, now - sent.back().time);
    overdue.emplace_back(lane, age);
  }
  void on_probe_missed(std::uint32_t lane, std::uint32_t missed, Ps now) override {
    misses.push_back({lane, missed, now});
  }
  /// Calls the timer whenever it is wanted, up to `end`.
  void run(Ps end) {
    while (prober->timer_wanted() <= end) prober->on_timer(prober->timer_wanted());
  }

  std::vector<bool> wants = std::vector<bool>(10'000, true);
  Prober* prober = nullptr;
  std::vector<Sent> sent;
  std::vector<Sent> misses;
  std::vector<std::pair<std::uint32_t, Ps>> rtts;
  std::vector<std::pair<std::uint32_t, Ps>> overdue;
};

struct Fixture {
  explicit Fixture(Prober::Config config) : prober(config, nic, nic) { nic.prober = &prober; }
  Nic nic;
  Prober prober;
};

TEST(Prober, SendsTheNextProbeAnIntervalAfterOneThatWasAnsweredSooner) {
  Fixture f({.interval = 10_us, .timeout = 100_us, .spacing = 0_us});
  f.prober.start(0, 1_us);
  f.nic.run(1_us);
  EXPECT_TRUE(f.prober.on_reply(0, 1, 3_us, 4_us));
  f.nic.run(50_us);
  ASSERT_EQ(f.nic.sent.size(), 2u);  // the second is in flight
  EXPECT_EQ(f.nic.sent[0].time, 1_us);
  EXPECT_EQ(f.nic.sent[1].time, 11_us);
  EXPECT_EQ(f.nic.sent[1].sequence, 2u);
  ASSERT_EQ(f.nic.rtts.size(), 1u);
  EXPECT_EQ(f.nic.rtts[0].second, 3_us);
}

TEST(Prober, SendsTheNextProbeAtOnceWhereTheReplyTookLonger) {
  Fixture f({.interval = 10_us, .timeout = 100_us, .spacing = 0_us});
  f.prober.start(0, 0_us);
  f.nic.run(30_us);
  EXPECT_TRUE(f.prober.on_reply(0, 1, 30_us, 30_us));
  f.nic.run(30_us);
  ASSERT_EQ(f.nic.sent.size(), 2u);
  EXPECT_EQ(f.nic.sent[1].time, 30_us);
}

TEST(Prober, CountsMissesInARowAndForgetsThemAtAReply) {
  Fixture f({.interval = 10_us, .timeout = 25_us, .spacing = 0_us});
  f.prober.start(3, 0_us);
  f.nic.run(Ps{(25_us).value - 1});
  EXPECT_TRUE(f.nic.misses.empty());
  f.nic.run(50_us);
  ASSERT_EQ(f.nic.misses.size(), 2u);
  EXPECT_EQ(f.nic.misses[0].time, 25_us);
  EXPECT_EQ(f.nic.misses[1].time, 50_us);
  EXPECT_EQ(f.nic.misses[1].sequence, 2u);  // in a row
  EXPECT_FALSE(f.prober.on_reply(3, 1, 60_us, 60_us)) << "the first probe's reply is too late";
  EXPECT_TRUE(f.prober.on_reply(3, 3, 10_us, 60_us));
  EXPECT_FALSE(f.prober.on_reply(3, 3, 10_us, 60_us)) << "a reply counts once";
  f.nic.run(85_us);
  ASSERT_EQ(f.nic.misses.size(), 3u);
  EXPECT_EQ(f.nic.misses[2].time, 85_us);  // sent at 60 us, an interval after the one of 50 us
  EXPECT_EQ(f.nic.misses[2].sequence, 1u);
}

TEST(Prober, TellsOfAReplyThatIsOverdueEachTimeAgain) {
  Fixture f({.interval = 10_us, .timeout = 95_us, .spacing = 0_us, .overdue = 30_us});
  f.prober.start(0, 0_us);
  f.nic.run(Ps{(30_us).value - 1});
  EXPECT_TRUE(f.nic.overdue.empty());
  f.nic.run(94_us);
  ASSERT_EQ(f.nic.overdue.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(f.nic.overdue[i].second, 30_us * (i + 1));
  EXPECT_TRUE(f.nic.misses.empty());
  f.nic.run(95_us);
  EXPECT_EQ(f.nic.misses.size(), 1u);
  EXPECT_TRUE(f.prober.on_reply(0, 2, 20_us, 115_us));
  f.nic.run(200_us);
  // The third probe left at 115 us.
  EXPECT_EQ(f.nic.overdue.size(), 5u);
}

TEST(Prober, RestsWhileALaneHasNothingOutstanding) {
  Fixture f({.interval = 10_us, .timeout = 100_us, .spacing = 0_us});
  f.prober.start(0, 0_us);
  f.nic.run(0_us);
  f.prober.on_reply(0, 1, 1_us, 1_us);
  f.nic.wants[0] = false;
  f.nic.run(200_us);
  EXPECT_EQ(f.nic.sent.size(), 1u);
  EXPECT_EQ(f.prober.timer_wanted(), kNever);
  f.nic.wants[0] = true;
  f.prober.start(0, 203_us);
  f.nic.run(300_us);
  ASSERT_EQ(f.nic.sent.size(), 2u);
  EXPECT_EQ(f.nic.sent[1].time, 203_us);
}

TEST(Prober, AFreshStartKeepsTheIntervalToTheLastProbe) {
  Fixture f({.interval = 10_us, .timeout = 100_us, .spacing = 0_us});
  f.prober.start(0, 0_us);
  f.nic.run(0_us);
  f.prober.on_reply(0, 1, 1_us, 1_us);
  f.prober.start(0, 2_us);  // already at work: changes nothing
  f.nic.run(10_us);
  ASSERT_EQ(f.nic.sent.size(), 2u);
  EXPECT_EQ(f.nic.sent[1].time, 10_us);
}

TEST(Prober, SpacesTheProbesOfManyLanesInTheOrderTheyBecameDue) {
  Fixture f({.interval = 10_us, .timeout = 1000_us, .spacing = 100_ns});
  for (std::uint32_t lane = 0; lane < 1000; ++lane) f.prober.start(lane, 1_us);
  f.nic.run(500_us);
  ASSERT_EQ(f.nic.sent.size(), 1000u);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(f.nic.sent[i].lane, i);
    EXPECT_EQ(f.nic.sent[i].time, 1_us + i * 100_ns);
  }
}

}  // namespace
}  // namespace sluice
