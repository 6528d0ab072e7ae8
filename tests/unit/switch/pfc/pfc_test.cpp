// SPDX-License-Identifier: Apache-2.0
// Golden rows G4-01..04 and G4-64 and the reports on PFC: pause timers, refresh, counters.
// Leaves out: frames on the wire and the reaction time.
#include "switch/pfc/pfc.h"

#include <gtest/gtest.h>

#include "kernel/error.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

constexpr BitsPerSecond gbit(std::uint64_t n) { return BitsPerSecond{n * 1000000000}; }
constexpr std::uint8_t kBoth = 1u << 3 | 1u << 4;
constexpr PfcFrame kXoff3{1u << 3, 65535};
constexpr PfcFrame kXon3{1u << 3, 0};

TEST(Pfc, G4_01_to_04_AQuantumIs512BitTimes) {
  EXPECT_EQ(pause_duration(1, gbit(100)), Ps{5120});
  EXPECT_EQ(pause_duration(1, gbit(200)), Ps{2560});
  EXPECT_EQ(pause_duration(1, gbit(400)), Ps{1280});
  EXPECT_EQ(pause_duration(1, gbit(800)), Ps{640});
  EXPECT_EQ(pause_duration(65535, gbit(100)), Ps{335539200});
  EXPECT_EQ(pause_duration(65535, gbit(200)), Ps{167769600});
  EXPECT_EQ(pause_duration(65535, gbit(400)), Ps{83884800});
  EXPECT_EQ(pause_duration(65535, gbit(800)), Ps{41942400});
}

TEST(PfcReceiver, G4_64_ResumesWhenTheTimerHasRunOutAndNotBefore) {
  PfcReceiver rx({gbit(400), gbit(800)}, {kBoth, kBoth});
  for (const std::uint32_t port : {0u, 1u}) {
    const Ps end = Ps{1000} + pause_duration(65535, port == 0 ? gbit(400) : gbit(800));
    EXPECT_EQ(rx.paused(port, Ps{1000}), 0);
    rx.receive(port, kXoff3, Ps{1000});
    EXPECT_EQ(rx.paused(port, Ps{1000}), 1u << 3);
    EXPECT_EQ(rx.next_resume(port, Ps{1000}), end);
    EXPECT_EQ(rx.paused(port, end - Ps{1}), 1u << 3);
    EXPECT_EQ(rx.paused(port, end), 0);
    EXPECT_EQ(rx.next_resume(port, end), kNever);
    EXPECT_EQ(rx.counters(port, 3).paused_ps, (end - Ps{1000}).value);
  }
}

TEST(FieldReports, B22QuantaLastAtTheSpeedOfThePortThatObeys) {
  PfcReceiver rx({gbit(100), gbit(400)}, {kBoth, kBoth});
  rx.receive(0, kXoff3, Ps{0});
  rx.receive(1, kXoff3, Ps{0});
  EXPECT_EQ(rx.next_resume(0, Ps{0}), Ps{335539200});
  EXPECT_EQ(rx.next_resume(1, Ps{0}), Ps{83884800});
}

TEST(FieldReports, B23ZeroQuantaResumeAtOnceAndANewXoffOverrides) {
  PfcReceiver rx({gbit(400)}, {kBoth});
  rx.receive(0, kXoff3, 0_us);
  rx.receive(0, kXon3, 1_us);
  EXPECT_EQ(rx.paused(0, 1_us), 0);
  EXPECT_EQ(rx.counters(0, 3).paused_ps, 1000000u);
  rx.receive(0, kXoff3, 10_us);
  rx.receive(0, kXoff3, 20_us);
  EXPECT_EQ(rx.next_resume(0, 20_us), 20_us + Ps{83884800}) << "restarted, not added";
  rx.receive(0, {1u << 3, 100}, 30_us);
  EXPECT_EQ(rx.next_resume(0, 30_us), 30_us + Ps{128000}) << "a shorter time overrides too";
  rx.settle(40_us);
  EXPECT_EQ(rx.counters(0, 3).paused_ps, 1000000u + 20000000u + 128000u);
  rx.settle(50_us);
  EXPECT_EQ(rx.counters(0, 3).paused_ps, 1000000u + 20000000u + 128000u) << "counted once";
  EXPECT_EQ(rx.counters(0, 3).xoff_frames, 4u);
  EXPECT_EQ(rx.counters(0, 3).xon_frames, 1u);
}

TEST(FieldReports, B19PauseOfALossyPriorityIsIgnoredAndCounted) {
  PfcReceiver rx({gbit(400)}, {kBoth});
  rx.receive(0, {1u << 0 | 1u << 4, 65535}, Ps{0});
  EXPECT_EQ(rx.paused(0, Ps{1}), 1u << 4);
  EXPECT_EQ(rx.counters(0, 0).ignored_frames, 1u);
  EXPECT_EQ(rx.counters(0, 0).xoff_frames, 0u);
  EXPECT_EQ(rx.counters(0, 4).ignored_frames, 0u);
}

TEST(PfcReceiver, PrioritiesRunOutOneByOne) {
  PfcReceiver rx({gbit(800)}, {kBoth});
  rx.receive(0, {1u << 3, 100}, Ps{0});
  rx.receive(0, {1u << 4, 200}, Ps{0});
  EXPECT_EQ(rx.paused(0, Ps{63999}), kBoth);
  EXPECT_EQ(rx.paused(0, Ps{64000}), 1u << 4);
  EXPECT_EQ(rx.next_resume(0, Ps{64000}), Ps{128000});
  EXPECT_EQ(rx.paused(0, Ps{128000}), 0);
}

TEST(PfcReceiver, ARunningPauseIsCountedUpToTheReport) {
  PfcReceiver rx({gbit(800)}, {kBoth});
  rx.receive(0, kXoff3, Ps{1000});
  rx.settle(Ps{5000});
  EXPECT_EQ(rx.counters(0, 3).paused_ps, 4000u);
  EXPECT_EQ(rx.paused(0, Ps{5000}), 1u << 3);
}

TEST(PfcSender, AFrameNamesAllStoppedClassesAndXonOnlyItsOwn) {
  PfcSender tx(PfcParams{}, {gbit(400)});
  EXPECT_EQ(tx.xoff(0, 3, Ps{0}).class_enable, 1u << 3);
  const PfcFrame both = tx.xoff(0, 4, Ps{10});
  EXPECT_EQ(both.class_enable, kBoth);
  EXPECT_EQ(both.quanta, 65535u);
  const PfcFrame xon = tx.xon(0, 3);
  EXPECT_EQ(xon.class_enable, 1u << 3);
  EXPECT_EQ(xon.quanta, 0u);
  EXPECT_EQ(tx.xoff_mask(0), 1u << 4);
  EXPECT_TRUE(tx.xon(0, 3).empty()) << "not XOFF any more";
  EXPECT_EQ(tx.counters(0, 3).xoff_frames, 2u);
  EXPECT_EQ(tx.counters(0, 3).xon_frames, 1u);
}

TEST(PfcSender, XoffIsRepeatedAtHalfItsTimeWhileItHolds) {
  PfcSender tx(PfcParams{}, {gbit(400)});
  EXPECT_EQ(tx.refresh_due(0), kNever);
  tx.xoff(0, 3, Ps{1000});
  const Ps due = Ps{1000} + Ps{83884800 / 2};
  EXPECT_EQ(tx.refresh_due(0), due);
  EXPECT_TRUE(tx.refresh(0, due - Ps{1}).empty());
  EXPECT_EQ(tx.refresh(0, due).class_enable, 1u << 3);
  EXPECT_EQ(tx.refresh_due(0), due + Ps{83884800 / 2});
  tx.xon(0, 3);
  EXPECT_EQ(tx.refresh_due(0), kNever);
  EXPECT_TRUE(tx.refresh(0, due * 9).empty());
}

TEST(PfcSender, QuantaAndRefreshAreParameters) {
  PfcParams params;
  params.quanta = 1000;
  params.refresh_percent = 80;
  PfcSender tx(params, {gbit(800)});
  EXPECT_EQ(tx.xoff(0, 3, Ps{0}).quanta, 1000u);
  EXPECT_EQ(tx.refresh_due(0), Ps{512000});
  params.enabled = false;
  PfcSender off(params, {gbit(800)});
  EXPECT_TRUE(off.xoff(0, 3, Ps{0}).empty());
  EXPECT_EQ(off.refresh_due(0), kNever);
}

TEST(PfcParams, BadValuesAreRefused) {
  PfcParams p;
  p.quanta = 0;
  EXPECT_THROW(p.validate(), ConfigError);
  p = {};
  p.quanta = 65536;
  EXPECT_THROW(p.validate(), ConfigError);
  p = {};
  p.refresh_percent = 100;
  EXPECT_THROW(p.validate(), ConfigError);
}

}  // namespace
}  // namespace sluice
