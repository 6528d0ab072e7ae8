// SPDX-License-Identifier: Apache-2.0
// The wheel beside other SystemC processes: who goes first, who wakes whom, where it stops.
#include "kernel/bridge/wheel_bridge.h"

#include <gtest/gtest.h>

#include <string>

#include "kernel/error.h"
#include "support/fresh_systemc.h"

namespace sluice {
namespace {

class WheelBridgeTest : public test::FreshSystemC {};

/// Writes down (time, who) of everything that happens.
struct Log {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  void add(Ps time, std::string who) { lines.emplace_back(time.value, std::move(who)); }
  bool ordered() const {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i].first < lines[i - 1].first) return false;
      // At equal time a foreign process goes before the wheel.
      if (lines[i].first == lines[i - 1].first && lines[i - 1].second == "wheel" &&
          lines[i].second == "foreign") {
        return false;
      }
    }
    return true;
  }
};

struct Source : EventHandler {
  EventWheel* wheel;
  Log* log;
  Ps period;
  std::uint64_t left;
  void handle(Event event) override {
    if (left == 0) return;
    log->add(event.time, "wheel");
    if (--left > 0) wheel->post(event.time + period, event.target(), 0);
  }
};

struct Clocked : sc_core::sc_module {
  sc_core::sc_clock clock;
  Log& log;
  Clocked(const sc_core::sc_module_name& name, const sc_core::sc_time& period, Log& to)
      : sc_module(name), clock("clock", period), log(to) {
    SC_HAS_PROCESS(Clocked);
    SC_METHOD(edge);
    sensitive << clock.posedge_event();
    dont_initialize();
  }
  void edge() { log.add(from_sc_time(sc_core::sc_time_stamp()), "foreign"); }
};

TEST_F(WheelBridgeTest, KeepsOrderBesideAClockedNeighbour) {
  Log log;
  EventWheel wheel;
  std::vector<Source> sources(64);
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    sources[i] = Source{};
    sources[i].wheel = &wheel;
    sources[i].log = &log;
    sources[i].period = Ps{400 + 100 * i};
    sources[i].left = 500;
    wheel.post(Ps{800 * i}, wheel.add_targets(sources[i], 1, &sources[i], 0), 0);
  }
  Clocked neighbour("neighbour", sc_core::sc_time(800, sc_core::SC_PS), log);
  WheelBridge bridge("wheel", wheel);
  bridge.run(1_us);
  EXPECT_GT(log.lines.size(), 10'000U);
  EXPECT_TRUE(log.ordered());
  EXPECT_TRUE(bridge.stopped_by_until());
}

struct Caller : sc_core::sc_module {
  EventWheel& wheel;
  Log& log;
  Ps at;
  Ps post_for;
  Caller(const sc_core::sc_module_name& name, EventWheel& w, Log& l, Ps when, Ps target_time)
      : sc_module(name), wheel(w), log(l), at(when), post_for(target_time) {
    SC_HAS_PROCESS(Caller);
    SC_THREAD(body);
  }
  void body() {
    wait(to_sc_time(at));
    log.add(at, "foreign");
    wheel.post(post_for, 0, 1);
  }
};

TEST_F(WheelBridgeTest, WakesForAForeignCallThatPostsAnEarlierEvent) {
  Log log;
  EventWheel wheel;
  Source source{};
  source.wheel = &wheel;
  source.log = &log;
  source.period = 1_us;
  source.left = 2;
  wheel.add_targets(source, 1, &source, 0);
  wheel.post(1_ms, 0, 0);
  Caller caller("caller", wheel, log, 10_us, 20_us);
  WheelBridge bridge("wheel", wheel);
  bridge.run();
  ASSERT_EQ(log.lines.size(), 3U);
  EXPECT_EQ(log.lines[0], std::make_pair(std::uint64_t{10'000'000}, std::string("foreign")));
  EXPECT_EQ(log.lines[1].first, 20'000'000U);
  EXPECT_EQ(log.lines[2].first, 21'000'000U);  // its successor; the one at 1 ms finds nothing left
}

TEST_F(WheelBridgeTest, WakesFromIdleForAForeignCallAtTheSameInstant) {
  Log log;
  EventWheel wheel;
  Source source{};
  source.wheel = &wheel;
  source.log = &log;
  source.left = 1;
  wheel.add_targets(source, 1, &source, 0);
  Caller caller("caller", wheel, log, 10_us, 10_us);
  WheelBridge bridge("wheel", wheel);
  bridge.run();
  ASSERT_EQ(log.lines.size(), 2U);
  EXPECT_EQ(log.lines[0].second, "foreign");
  EXPECT_EQ(log.lines[1], std::make_pair(std::uint64_t{10'000'000}, std::string("wheel")));
}

/// Runs three deltas at one instant; each must come before the wheel's event of that instant.
struct DeltaNeighbour : sc_core::sc_module {
  Log& log;
  int deltas = 0;
  sc_core::sc_event again;
  DeltaNeighbour(const sc_core::sc_module_name& name, Log& to) : sc_module(name), log(to) {
    SC_HAS_PROCESS(DeltaNeighbour);
    SC_METHOD(step);
    sensitive << again;
    dont_initialize();
    again.notify(5, sc_core::SC_NS);
  }
  void step() {
    log.add(from_sc_time(sc_core::sc_time_stamp()), "foreign");
    if (++deltas < 3) again.notify(sc_core::SC_ZERO_TIME);
  }
};

TEST_F(WheelBridgeTest, LetsANeighbourRunnableInTheSameInstantGoFirst) {
  Log log;
  EventWheel wheel;
  Source source{};
  source.wheel = &wheel;
  source.log = &log;
  source.left = 1;
  wheel.add_targets(source, 1, &source, 0);
  wheel.post(5_ns, 0, 0);
  WheelBridge bridge("wheel", wheel);
  DeltaNeighbour neighbour("neighbour", log);
  bridge.run();
  ASSERT_EQ(log.lines.size(), 4U);
  EXPECT_EQ(log.lines[3].second, "wheel");
  EXPECT_TRUE(log.ordered());
}

TEST_F(WheelBridgeTest, StopsAtUntilAndSaysSo) {
  Log log;
  EventWheel wheel;
  Source source{};
  source.wheel = &wheel;
  source.log = &log;
  source.period = 1_us;
  source.left = 100;
  wheel.add_targets(source, 1, &source, 0);
  wheel.post(0_ps, 0, 0);
  WheelBridge bridge("wheel", wheel);
  bridge.run(10_us);
  EXPECT_EQ(log.lines.size(), 10U);  // 0 .. 9 us; the event at 10 us does not run
  EXPECT_TRUE(bridge.stopped_by_until());
  EXPECT_EQ(wheel.now(), 10_us);
}

TEST_F(WheelBridgeTest, EndsByItselfWhenNothingIsLeft) {
  Log log;
  EventWheel wheel;
  Source source{};
  source.wheel = &wheel;
  source.log = &log;
  source.period = 3_ms;
  source.left = 5;
  wheel.add_targets(source, 1, &source, 0);
  wheel.post(0_ps, 0, 0);
  WheelBridge bridge("wheel", wheel);
  bridge.run();
  EXPECT_EQ(log.lines.size(), 5U);
  EXPECT_FALSE(bridge.stopped_by_until());
  EXPECT_LE(bridge.activations(), 2U);  // alone in the kernel the wheel never yields
}

TEST_F(WheelBridgeTest, HandsOnWhatAnEventThrows) {
  EventWheel wheel;
  struct Thrower : EventHandler {
    void handle(Event) override { throw StallError("rank 3 waits"); }
  } thrower;
  wheel.add_targets(thrower, 1, &thrower, 0);
  wheel.post(1_us, 0, 0);
  WheelBridge bridge("wheel", wheel);
  EXPECT_THROW(bridge.run(), StallError);
}

TEST(FieldReport, B86_AnyTimeResolutionButOnePicosecondIsRefusedByBothNumbers) {
  auto context = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_simcontext* const previous = sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = context.get();
  sc_core::sc_default_global_context = context.get();
  sc_core::sc_set_time_resolution(10, sc_core::SC_PS);
  EventWheel wheel;
  try {
    WheelBridge bridge("wheel", wheel);
    ADD_FAILURE() << "10 ps was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("10 ps"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("needs exactly 1 ps"), std::string::npos);
  }
  sc_core::sc_curr_simcontext = previous;
  sc_core::sc_default_global_context = previous;
}

TEST_F(WheelBridgeTest, LooksBetweenEventsWithoutAnEventOfItsOwn) {
  Log log;
  EventWheel wheel;
  Source source;
  source.wheel = &wheel;
  source.log = &log;
  source.period = 400_ns;
  source.left = 10;  // 0 to 3.6 us
  const TargetId target = wheel.add_targets(source, 1, &source, 0);
  wheel.post(Ps{}, target, 0);
  WheelBridge bridge("wheel", wheel);
  std::vector<std::pair<Ps, std::size_t>> looks;
  bridge.look_every(1_us, [&](Ps at) { looks.emplace_back(at, log.lines.size()); });
  bridge.run();
  // By 1 us the events of 0, 0.4 and 0.8 us have run, and so on; an event at 2 us itself has not.
  const std::vector<std::pair<Ps, std::size_t>> expected{{1_us, 3}, {2_us, 5}, {3_us, 8}};
  EXPECT_EQ(looks, expected);
  EXPECT_EQ(wheel.executed(), 10U);
  EXPECT_EQ(wheel.now(), Ps{3'600'000});
}

TEST_F(WheelBridgeTest, ALookPassesOverIdleTimesAndMayEndTheRun) {
  Log log;
  EventWheel wheel;
  Source source;
  source.wheel = &wheel;
  source.log = &log;
  source.period = 50_us;
  source.left = 4;
  wheel.post(Ps{}, wheel.add_targets(source, 1, &source, 0), 0);
  WheelBridge bridge("wheel", wheel);
  std::vector<Ps> looks;
  bridge.look_every(1_us, [&](Ps at) {
    looks.push_back(at);
    if (looks.size() == 3) throw StallError("seen enough");
  });
  EXPECT_THROW(bridge.run(), StallError);
  EXPECT_EQ(looks, (std::vector<Ps>{1_us, 51_us, 101_us}));
}

}  // namespace
}  // namespace sluice
