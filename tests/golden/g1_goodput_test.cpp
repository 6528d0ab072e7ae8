// SPDX-License-Identifier: Apache-2.0
// Golden section G1: goodput of one sender to one receiver through one switch, over 10^4 packets.
// Frequency offsets and start jitter are off. Leaves out: IPv6 rows (the NIC sends IPv4).
#include <gtest/gtest.h>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

constexpr std::uint64_t kPackets = 10'000;

/// When a WRITE of `packets` full packets has been received whole.
Ps received(std::uint64_t gbps, const std::string& nic, std::uint64_t packets) {
  FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 2, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{preset: cx8, frequency_offset_ppm: 0{}}}
host: {{start_jitter: 0}}
)",
                                          gbps, nic));
  // A send ends when acknowledged, its receive when it has arrived: the first end is the arrival.
  Workload workload;
  workload.ranks.resize(2);
  Op op;
  op.kind = OpKind::kSend;
  op.peer = 1;
  op.bytes = packets * spec.nic.mtu_bytes;
  workload.ranks[0].ops.push_back(op);
  op.kind = OpKind::kRecv;
  op.peer = 0;
  workload.ranks[1].ops.push_back(op);
  RunningFabric fabric(std::move(spec), std::move(workload));
  Ps at{};
  fabric.run_beside([&] {
    // In steps shorter than the way back of the acknowledgement.
    EXPECT_TRUE(
        fabric.pass_until([&] { return fabric.recorder().ops_ended() != 0; }, 500_ns, 100_ms));
    EXPECT_EQ(fabric.recorder().ops_ended(), 1u);
    at = fabric.recorder().last_end();
  });
  EXPECT_EQ(fabric.drops(), 0u);
  return at;
}

/// Goodput in Gb/s of the 10^4 packets by which two messages differ: no edge effect remains.
double goodput(std::uint64_t gbps, const std::string& nic, std::uint64_t payload) {
  const Ps first = received(gbps, nic, 10);
  const Ps last = received(gbps, nic, 10 + kPackets);
  return static_cast<double>(kPackets * payload) * 8000 / static_cast<double>((last - first).value);
}

struct Row {
  const char* id;
  const char* nic;
  std::uint64_t payload;
  double percent;  ///< of the MAC rate, as the table has it
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.id; }

class G1Goodput : public testing::TestWithParam<Row> {};

TEST_P(G1Goodput, ThroughASwitchIsThatOfTheTable) {
  const Row& row = GetParam();
  for (const std::uint64_t gbps : {200, 400, 800}) {
    const double expected = row.percent / 100 * static_cast<double>(gbps);
    EXPECT_NEAR(goodput(gbps, row.nic, row.payload) / expected, 1, 1e-4) << gbps << "G";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, G1Goodput,
    testing::Values(Row{"G1_01", ", mtu_bytes: 256", 256, 75.740},
                    Row{"G1_02", ", mtu_bytes: 256, vlan_tag: true", 256, 74.854},
                    Row{"G1_05", ", mtu_bytes: 512", 512, 86.195},
                    Row{"G1_06", ", mtu_bytes: 1024", 1024, 92.586},
                    Row{"G1_07", ", mtu_bytes: 1024, vlan_tag: true", 1024, 92.252},
                    Row{"G1_10", ", mtu_bytes: 2048", 2048, 96.150}, Row{"G1_11", "", 4096, 98.037},
                    Row{"G1_12", ", vlan_tag: true", 4096, 97.944},
                    Row{"G1_32", ", inter_packet_gap_bytes: 25", 4096, 97.733},
                    Row{"G1_33", ", inter_packet_gap_bytes: 33", 4096, 97.547},
                    Row{"G1_34", ", reth_every_packet: true", 4096, 97.663}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.id); });

/// Raw frames at line rate through a switch: frames and bytes a second at the receiver's MAC.
TEST(G1Slot, G1_20_To_27_RawFramesThroughASwitchKeepTheirSlot) {
  struct Frame {
    std::uint32_t bytes;
    double slot_ns_at_800;
  };
  for (const Frame frame : {Frame{64, 0.84}, Frame{256, 2.76}, Frame{512, 5.32}, Frame{1024, 10.44},
                            Frame{1518, 15.38}, Frame{4158, 41.78}, Frame{9216, 92.36}}) {
    for (const std::uint64_t gbps : {200, 400, 800}) {
      const FabricSpec spec = fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 2, link: {{rate: {}Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  streams:
    - {{source: 0, destination: 1, frame_bytes: {}, frames: {}}}
)",
                                                    gbps, frame.bytes, kPackets + 1));
      const auto fabric = RunningFabric::of(spec);
      fabric->run();
      const RawReceived& at = fabric->raw(1).received(0);
      ASSERT_EQ(at.frames, kPackets + 1);
      const double slot = static_cast<double>((at.last - at.first).value) / 1000 / kPackets;
      EXPECT_NEAR(slot, frame.slot_ns_at_800 * 800 / static_cast<double>(gbps), 1e-6)
          << frame.bytes << " B at " << gbps << "G";
    }
  }
}

}  // namespace
}  // namespace sluice::golden
