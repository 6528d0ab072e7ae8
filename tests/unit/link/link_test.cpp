// SPDX-License-Identifier: Apache-2.0
// One direction of a cable: what it adds to a frame's and to a PFC frame's way, and what it
// refuses. Leaves out: serialisation, which is the transmitter's.
#include "link/link.h"

#include "kernel/error.h"
#include "support/fresh_systemc.h"

namespace sluice {
namespace {

/// A receiving port with delays of its own.
class Receiver : public FrameReceiver {
 public:
  ReceivePath receive_path() const override {
    return {.head_delay = 436_ns,
            .pfc_delay = 336_ns,
            .target = 17,
            .frame_kind = 2,
            .pfc_kind = 3,
            .at_tail = true};
  }
};

/// A transmitting port.
class Transmitter : public sc_core::sc_module {
 public:
  explicit Transmitter(const sc_core::sc_module_name& name) : sc_core::sc_module(name), tx("tx") {}
  sc_core::sc_port<FrameReceiver> tx;
};

class Cable : public test::FreshSystemC {
 protected:
  /// What a transmitter learns through `links` in a row.
  ReceivePath path_through(const std::vector<LinkParams>& links) {
    Receiver receiver;
    Transmitter transmitter("transmitter");
    std::vector<std::unique_ptr<Link>> chain;
    for (const LinkParams& params : links) {
      chain.push_back(std::make_unique<Link>(fmt::format("link{}", chain.size()).c_str(), params));
      if (chain.size() > 1) chain[chain.size() - 2]->out.bind(chain.back()->in);
    }
    transmitter.tx.bind(chain.front()->in);
    chain.back()->out.bind(receiver);
    // "No activity", which is all that is wanted: ports are bound at elaboration.
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return transmitter.tx->receive_path();
  }
};

LinkParams metres(std::uint64_t length) {
  LinkParams params;
  params.length = {length * 1000};
  return params;
}

TEST(LinkParams, HundredMetresTake500Nanoseconds) {
  EXPECT_EQ(metres(100).propagation(), 500_ns);
  EXPECT_EQ(metres(30).propagation(), 150_ns);
  EXPECT_EQ(metres(0).propagation(), Ps{0});
  EXPECT_EQ(metres(100'000).propagation(), 500_us);
}

TEST(LinkParams, TimeOfFlightIsRoundedToTheNearestPicosecond) {
  LinkParams params;
  params.propagation_per_metre = Ps{4900};
  params.length = {1};
  EXPECT_EQ(params.propagation(), 5_ps);  // 4.9
  params.length = {5};
  EXPECT_EQ(params.propagation(), 25_ps);  // 24.5
  params.propagation_per_metre = Ps{4300};
  params.length = {3};
  EXPECT_EQ(params.propagation(), 13_ps);  // 12.9
  params.length = {1};
  EXPECT_EQ(params.propagation(), 4_ps);  // 4.3
}

TEST(LinkParams, WhatNoCableHasIsRefusedByKey) {
  const auto refused = [](auto change, const std::string& key) {
    LinkParams params;
    change(params);
    try {
      params.validate();
      ADD_FAILURE() << key << " was taken";
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find(key + ": "), 0u) << error.what();
    }
  };
  EXPECT_NO_THROW(LinkParams().validate());
  refused([](LinkParams& p) { p.rate = {0}; }, "rate");
  refused([](LinkParams& p) { p.rate = {400'500'000'000}; }, "rate");
  refused([](LinkParams& p) { p.rate = {1'601'000'000'000}; }, "rate");
  refused([](LinkParams& p) { p.length = {100'000'001}; }, "length");
  refused([](LinkParams& p) { p.propagation_per_metre = Ps{3299}; }, "propagation_per_metre");
  refused([](LinkParams& p) { p.propagation_per_metre = Ps{10'001}; }, "propagation_per_metre");
  refused([](LinkParams& p) { p.extra_latency = Ps{1'000'000'001}; }, "extra_latency");
}

TEST_F(Cable, PropagationIsAddedToFramesAndToPfcFrames) {
  const ReceivePath path = path_through({metres(100)});
  EXPECT_EQ(path.head_delay, 936_ns);
  EXPECT_EQ(path.pfc_delay, 836_ns);
}

TEST_F(Cable, ExtraLatencyIsAddedOnceForFramesAndForPfcFrames) {
  LinkParams params = metres(100);
  params.extra_latency = 70_ns;
  const ReceivePath path = path_through({params});
  EXPECT_EQ(path.head_delay, 1006_ns);
  EXPECT_EQ(path.pfc_delay, 906_ns);
}

TEST_F(Cable, TheReceiversAddressPassesThroughUnchanged) {
  const ReceivePath path = path_through({metres(1), metres(2)});
  EXPECT_EQ(path.head_delay, 451_ns);
  EXPECT_EQ(path.target, 17u);
  EXPECT_EQ(path.frame_kind, 2);
  EXPECT_EQ(path.pfc_kind, 3);
  EXPECT_TRUE(path.at_tail);
}

TEST_F(Cable, IsNotBuiltWithParametersThatAreRefused) {
  LinkParams params;
  params.rate = {0};
  EXPECT_THROW(Link("link", params), ConfigError);
}

}  // namespace
}  // namespace sluice
