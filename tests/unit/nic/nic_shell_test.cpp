// SPDX-License-Identifier: Apache-2.0
// The SystemC shell: two NIC modules bound through two link modules, driven through the bridge.
#include <gtest/gtest.h>

#include "kernel/bridge/wheel_bridge.h"
#include "nic/nic.h"

namespace sluice {
namespace {

struct OneWayLink : sc_core::sc_module, FrameReceiver {
  explicit OneWayLink(const sc_core::sc_module_name& module_name)
      : sc_core::sc_module(module_name), in("in"), out("out") {
    in(*this);
  }
  ReceivePath receive_path() const override {
    ReceivePath path = out->receive_path();
    path.head_delay += 150_ns;
    return path;
  }
  sc_core::sc_export<FrameReceiver> in;
  sc_core::sc_port<FrameReceiver> out;
};

struct TestHost : sc_core::sc_module, NicClient {
  TestHost(const sc_core::sc_module_name& module_name, EventWheel& event_wheel)
      : sc_core::sc_module(module_name), nic("nic"), client("client"), wheel(event_wheel) {
    client(*this);
  }
  void on_write_acked(std::uint64_t cookie) override { acked.push_back(cookie); }
  void on_write_received(std::uint32_t, std::uint64_t,
                         const std::array<std::uint32_t, 4>&) override {
    received_at.push_back(wheel.now());
  }
  void start_of_simulation() override { nic->post_write({1 - number, 8, 9, {}}); }
  sc_core::sc_port<NicPosting> nic;
  sc_core::sc_export<NicClient> client;
  EventWheel& wheel;
  std::uint32_t number = 0;
  std::vector<std::uint64_t> acked;
  std::vector<Ps> received_at;
};

TEST(NicShell, BindsAtElaborationAndMeetsG2_07InBothDirections) {
  EventWheel wheel;
  PacketPool packets;
  MessagePool messages;
  WheelBridge bridge("bridge", wheel);
  NicParams params = cx8();
  params.port_rate = {400'000'000'000};
  params.frequency_offset_ppm = 0;
  Nic nic0("nic0", params, {wheel, packets, messages, 1, 0, nullptr});
  Nic nic1("nic1", params, {wheel, packets, messages, 1, 1, nullptr});
  TestHost host0("host0", wheel);
  TestHost host1("host1", wheel);
  host1.number = 1;
  OneWayLink forth("forth");
  OneWayLink back("back");
  nic0.tx[0](forth.in);
  forth.out(nic1.rx[0]);
  nic1.tx[0](back.in);
  back.out(nic0.rx[0]);
  nic0.client(host0.client);
  nic1.client(host1.client);
  host0.nic(nic0.posting);
  host1.nic(nic1.posting);
  StatisticsRegistry registry;
  nic0.register_counters(registry);
  nic1.register_counters(registry);
  bridge.run();
  for (const TestHost* host : {&host0, &host1}) {
    ASSERT_EQ(host->received_at.size(), 1u);
    EXPECT_EQ(host->received_at[0], 951'880_ps);
    EXPECT_EQ(host->acked, std::vector<std::uint64_t>{9});
  }
  EXPECT_EQ(registry.sum("nic", "delivered_bytes"), 16u);
  EXPECT_EQ(registry.sum("nic_port", "tx_frames"), 4u);
  EXPECT_EQ(registry.tables().at(1).name_of(0), "nic0.port0");
}

}  // namespace
}  // namespace sluice
