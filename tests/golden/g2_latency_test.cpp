// SPDX-License-Identifier: Apache-2.0
// Golden section G2: one-way time of one RDMA WRITE and a round trip, exact to the picosecond, over
// NICs, cables and chips. Frequency offsets and start jitter are off. Leaves out: waiting times.
#include <gtest/gtest.h>

#include "golden/running_fabric.h"
#include "packet/serialisation.h"

namespace sluice::golden {
namespace {

/// t_tx = t_rx = 400 ns, D = 600 ns and 30 m a cable are the presets' own.
FabricSpec fabric_with(const std::string& topology, std::uint64_t gbps, const std::string& mode) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{{}, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, mode: {}, freq_offset_ppm: 0}}
nic: {{preset: cx8, frequency_offset_ppm: 0}}
host: {{start_jitter: 0}}
)",
                                          topology, gbps, mode));
  EXPECT_EQ(spec.nic.t_tx(), 400_ns);
  EXPECT_EQ(spec.nic.t_rx(), 400_ns);
  for (const SwitchParams& chip : spec.chips) EXPECT_EQ(chip.latency.total(), 600_ns);
  return spec;
}

const std::string kSameLeaf = "type: single_switch, hosts: 2";
const std::string kLeafSpineLeaf = "type: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 1";

/// From the host's post to the other host told, of one WRITE ONLY.
Ps one_way(const FabricSpec& spec, std::uint64_t bytes) {
  Workload workload;
  workload.ranks.resize(2);
  Op op;
  op.kind = OpKind::kSend;
  op.peer = 1;
  op.bytes = bytes;
  workload.ranks[0].ops.push_back(op);
  op.kind = OpKind::kRecv;
  op.peer = 0;
  workload.ranks[1].ops.push_back(op);
  RunningFabric fabric(spec, std::move(workload));
  Ps at{};
  fabric.run_beside([&] {
    // The receive is the first op to end; the acknowledgement takes another way back.
    fabric.pass_until([&] { return fabric.recorder().ops_ended() == 1; }, 100_ns, 20_us);
    at = fabric.recorder().last_end();
  });
  return at;
}

struct Row {
  const char* id;
  std::uint64_t gbps;
  const char* mode;
  bool spine;
  std::uint64_t ps_8_bytes;
  std::uint64_t ps_4096_bytes;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.id; }

class G2OneWay : public testing::TestWithParam<Row> {};

TEST_P(G2OneWay, IsThatOfTheTable) {
  const Row& row = GetParam();
  const FabricSpec spec = fabric_with(row.spine ? kLeafSpineLeaf : kSameLeaf, row.gbps, row.mode);
  EXPECT_EQ(one_way(spec, 8).value, row.ps_8_bytes);
  EXPECT_EQ(one_way(spec, 4096).value, row.ps_4096_bytes);
}

constexpr const char* kCt = "cut_through";
constexpr const char* kSf = "store_and_forward";
INSTANTIATE_TEST_SUITE_P(Rows, G2OneWay,
                         testing::Values(Row{"G2_02", 200, kCt, false, 1'703'760, 1'867'280},
                                         Row{"G2_03", 200, kCt, true, 3'203'760, 3'367'280},
                                         Row{"G2_05", 200, kSf, false, 1'707'520, 2'034'560},
                                         Row{"G2_06", 200, kSf, true, 3'215'040, 3'869'120},
                                         Row{"G2_08", 400, kCt, false, 1'701'880, 1'783'640},
                                         Row{"G2_09", 400, kCt, true, 3'201'880, 3'283'640},
                                         Row{"G2_11", 400, kSf, false, 1'703'760, 1'867'280},
                                         Row{"G2_12", 400, kSf, true, 3'207'520, 3'534'560},
                                         Row{"G2_14", 800, kCt, false, 1'700'940, 1'741'820},
                                         Row{"G2_15", 800, kCt, true, 3'200'940, 3'241'820},
                                         Row{"G2_17", 800, kSf, false, 1'701'880, 1'783'640},
                                         Row{"G2_18", 800, kSf, true, 3'203'760, 3'367'280}),
                         [](const testing::TestParamInfo<Row>& row) {
                           return std::string(row.param.id);
                         });

/// Two NIC modules joined by two links, without a switch (a fabric always has one).
struct BackToBack : sc_core::sc_module {
  struct Sink : sc_core::sc_module, NicClient {
    Sink(const sc_core::sc_module_name& module_name, EventWheel& event_wheel)
        : sc_core::sc_module(module_name), wheel(event_wheel) {
      client.bind(*this);
    }
    void on_write_acked(std::uint64_t) override {}
    void on_write_received(std::uint32_t, std::uint64_t, const Immediate&) override {
      received = wheel.now();
    }
    void start_of_simulation() override {
      if (bytes != 0) nic->post_write({1, bytes, 0, {}});
    }
    sc_core::sc_port<NicPosting> nic{"nic"};
    sc_core::sc_export<NicClient> client{"client"};
    EventWheel& wheel;
    std::uint64_t bytes = 0;
    Ps received{};
  };

  static Ps one_way(std::uint64_t gbps, std::uint64_t bytes) {
    OwnSystemC own;
    FabricContext context;
    WheelBridge bridge("wheel", context.wheel);
    NicParams params = nic_preset("cx8");
    params.port_rate = {gbps * 1'000'000'000};
    params.frequency_offset_ppm = 0;
    Nic from("nic0", params, {context.wheel, context.packets, context.messages, 1, 0, nullptr});
    Nic to("nic1", params, {context.wheel, context.packets, context.messages, 1, 1, nullptr});
    LinkParams cable{params.port_rate, Millimetres{30'000}};
    Link there("there", cable);
    Link back("back", cable);
    Sink sender("sender", context.wheel);
    Sink receiver("receiver", context.wheel);
    sender.bytes = bytes;
    from.tx[0](there.in);
    there.out(to.rx[0]);
    to.tx[0](back.in);
    back.out(from.rx[0]);
    from.client(sender.client);
    to.client(receiver.client);
    sender.nic(from.posting);
    receiver.nic(to.posting);
    bridge.run();
    return receiver.received;
  }
};

// Without a switch, cut-through and store-and-forward are one (G2-04, 10, 16).
TEST(G2BackToBack, G2_01_And_G2_04_At200G) {
  EXPECT_EQ(BackToBack::one_way(200, 8), 953'760_ps);
  EXPECT_EQ(BackToBack::one_way(200, 4096), 1'117'280_ps);
}
TEST(G2BackToBack, G2_07_And_G2_10_At400G) {
  EXPECT_EQ(BackToBack::one_way(400, 8), 951'880_ps);
  EXPECT_EQ(BackToBack::one_way(400, 4096), 1'033'640_ps);
}
TEST(G2BackToBack, G2_13_And_G2_16_At800G) {
  EXPECT_EQ(BackToBack::one_way(800, 8), 950'940_ps);
  EXPECT_EQ(BackToBack::one_way(800, 4096), 991'820_ps);
}

TEST(G2RoundTrip, G2_25_OfAWriteAndItsAckOverLeafSpineLeaf) {
  FabricSpec spec = fabric_with(kLeafSpineLeaf, 400, kCt);
  spec.workload.type = SyntheticType::kIncast;
  spec.workload.dst = 1;
  spec.workload.first = 0;
  spec.workload.count = 1;
  spec.workload.bytes = Bytes{8};
  const auto fabric = RunningFabric::of(spec);
  fabric->run();
  ASSERT_EQ(fabric->recorder().rows().size(), 1u);
  EXPECT_EQ(fabric->recorder().rows()[0].mean(), 6'403'360_ps);
}

TEST(G2Bdp, G2_26_OfAnRttOf8Microseconds) {
  // 8 us of fibre at 5 ns/m are 1600 m.
  const Millimetres way{1'600'000};
  EXPECT_EQ(propagation_delay(way), 8_us);
  EXPECT_EQ(bytes_in_flight(way, {400'000'000'000}), 400'000u);
  EXPECT_EQ(bytes_in_flight(way, {800'000'000'000}), 800'000u);
  // 95.7 and 191.5 slots of a full packet: windows of 96 and 192.
  EXPECT_EQ((400'000 + 4177) / wire_bytes(write_frame_bytes(4096, false)), 96u);
  EXPECT_EQ((800'000 + 4177) / wire_bytes(write_frame_bytes(4096, false)), 192u);
}

}  // namespace
}  // namespace sluice::golden
