// SPDX-License-Identifier: Apache-2.0
// Field reports of packets that overtake each other and of paths that come back: B47 (an uplink
// that fails while paused) and B57 (two paths of unequal length). Running fabrics. Leaves out:
// planes of one NIC (tests/unit/nic/plane_failure_test.cpp).
#include <gtest/gtest.h>

#include "golden/running_fabric.h"
#include "unit/workload/builder.h"

namespace sluice::golden {
namespace {

constexpr double kSlotNs = 83.56;  // 4178 B at 400 Gb/s

/// Hosts on two chips with one or two ways between them; the second is 200 m, 1 us, longer.
std::unique_ptr<RunningFabric> two_paths(bool both, const std::string& nic) {
  return RunningFabric::of(fabric_of(fmt::format(
      R"(
fabric:
  type: graph
  chips: [a, {}far, b]
  hosts: {{a: 1, b: 1}}
  links: [{}{{between: [a, far], length: 230m}}, {{between: [far, b]}}]
  link: {{rate: 400Gbps, length: 30m}}
switch: {{preset: spectrum4, freq_offset_ppm: 0, routing: {{mode: spray}}}}
nic: {{frequency_offset_ppm: 0, congestion_control: none, {}}}
host: {{start_jitter: 0ns}}
workload: {{type: incast, dst: 1, first: 0, count: 1, bytes: 1MiB}}
)",
      both ? "near, " : "", both ? "{between: [a, near]}, {between: [near, b]}, " : "", nic)));
}

TEST(FieldReport, B57_SprayOverUnequalPathsNeedsANicThatTakesPacketsInAnyOrder) {
  const auto alone = two_paths(false, "out_of_order_placement: false");
  alone->run();
  const double slow_path_ns = alone->recorder().last_end().seconds() * 1e9;
  EXPECT_EQ(alone->nic(1).counters().naks_sent, 0u);

  const auto any_order = two_paths(true, "out_of_order_placement: true");
  any_order->run();
  const NicCounters& any = any_order->nic(1).counters();
  EXPECT_EQ(any.naks_sent, 0u);
  EXPECT_EQ(any_order->nic(0).counters().retransmitted_packets, 0u);
  // 1,000 ns / 83.56 ns, rounded up.
  EXPECT_EQ(any.reorder_span_max, 12u);
  EXPECT_LE(any_order->recorder().last_end().seconds() * 1e9, slow_path_ns + kSlotNs);

  const auto in_order = two_paths(true, "out_of_order_placement: false");
  in_order->run();
  EXPECT_GT(in_order->nic(1).counters().naks_sent, 0u);
  EXPECT_EQ(in_order->nic(1).counters().delivered_packets, 256u);
  EXPECT_GT(in_order->recorder().last_end().seconds() * 1e9, 2 * slow_path_ns)
      << "less than half the goodput";
}

/// Pauses priority 3 of a chip's port for as long as a PFC frame can.
void pause(RunningFabric& fabric, std::uint32_t chip, std::uint32_t port) {
  PacketPool& packets = fabric.context().packets;
  const PacketId id = packets.allocate();
  packets[id] = Packet{};
  packets[id].kind = PacketKind::kPfc;
  packets[id].pcp = 1 << 3;
  packets[id].frame_bytes = 64;
  packets[id].offset_bytes = 65535;
  const ReceivePath path = fabric.chip(chip).rx[static_cast<int>(port)]->receive_path();
  fabric.context().wheel.post(fabric.now() + path.pfc_delay, path.target, path.pfc_kind, id);
}

/// Data frames that a chip's port sent.
std::uint64_t frames_of(RunningFabric& fabric, std::string_view port) {
  for (const CounterTable& table : fabric.context().statistics.tables()) {
    if (table.kind != "queue") continue;
    for (std::size_t record = 0; record < table.count; ++record) {
      if (!table.name_of(record).ends_with(fmt::format("{}.queue3", port))) continue;
      for (const CounterField& field : table.fields) {
        if (field.name == "tx_frames") return table.read(record, field);
      }
    }
  }
  ADD_FAILURE() << "no port " << port;
  return 0;
}

TEST(FieldReport, B47_AnUplinkThatFailsWhilePausedCarriesItsShareAgainOnceItIsBack) {
  constexpr std::uint32_t kHosts = 8;
  constexpr std::uint32_t kSenders = 7;  // as much as seven uplinks can carry
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
  Workload workload = testing::world_of(2 * kHosts);
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    testing::add(workload, i, OpKind::kWrite, kBytes, kHosts + i);
  }
  workload.ledger.bytes_in = kSenders * kBytes;
  RunningFabric fabric(fabric_of(R"(
fabric: {type: leaf_spine, leaves: 2, spines: 8, hosts_per_leaf: 8, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, routing: {mode: spray, failover_time: 10us}}
nic: {out_of_order_placement: true, loss_recovery: selective_repeat, congestion_control: none, timeout_code: 6}
failures: [{link: leaf0.spine0, at: 200us, until: 300us}]
workload: {type: none}
)"),
                       std::move(workload));
  const auto delivered = [&] {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < kSenders; ++i) {
      bytes += fabric.nic(kHosts + i).counters().delivered_bytes;
    }
    return static_cast<double>(bytes);
  };
  const auto frames_by = [&](std::uint32_t spine) {
    return frames_of(fabric, fmt::format("leaf0.port{}", kHosts + spine));
  };
  double before = 0;
  double after = 0;
  std::uint64_t first_uplink = 0;
  std::uint64_t second_uplink = 0;
  fabric.run_beside([&] {
    fabric.pass(100_us);
    before = delivered();
    fabric.pass(99_us);
    before = delivered() - before;
    pause(fabric, 0, kHosts);
    fabric.pass(201_us);  // 100 us after its return
    EXPECT_TRUE(fabric.chip(0).paused_queues_at(fabric.now()).empty());
    after = delivered();
    first_uplink = frames_by(0);
    second_uplink = frames_by(1);
    fabric.pass(99_us);
    after = delivered() - after;
    first_uplink = frames_by(0) - first_uplink;
    second_uplink = frames_by(1) - second_uplink;
    EXPECT_TRUE(fabric.chip(0).paused_queues_at(fabric.now()).empty());
    fabric.pass(1500_us);
  });
  EXPECT_GT(before, 0.95 * kSenders * 99 * 50'000 * 4096 / 4178);
  EXPECT_GE(after, 0.99 * before);
  EXPECT_NEAR(static_cast<double>(first_uplink), static_cast<double>(second_uplink),
              0.1 * static_cast<double>(second_uplink));
  // At 400G 50,000 B a microsecond: paused for 1 us before the cut, chosen for 10 us after it. On
  // the way back an ACK for every 32 packets of 12 a microsecond and sender, an eighth that way.
  std::uint64_t lost = 0;
  for (const auto& chip : fabric.fabric().chips()) {
    lost += chip->report().drops[static_cast<std::size_t>(ChipDrop::kLinkDown)];
  }
  EXPECT_GT(lost, 0u);
  EXPECT_LE(static_cast<double>(lost),
            50'000.0 * (10 + 1 + 2) / 4178 + 100 * 7 * 12 / 32.0 / 8 + 10);
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    EXPECT_EQ(fabric.nic(kHosts + i).counters().messages_received, 1u) << i;
  }
}

}  // namespace
}  // namespace sluice::golden
