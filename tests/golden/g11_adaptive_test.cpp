// SPDX-License-Identifier: Apache-2.0
// Golden rows G11-30, G11-31, G11-36 and G11-37: even spreading, capacity after failures, unequal
// ports; and every mode under incast (field report B22). Raw sources: they take any order.
// Leaves out: G11-33 to G11-35, which need no fabric (unit/switch/routing/dlb_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "golden/running_fabric.h"
#include "unit/switch/routing/selector_bench.h"

namespace sluice::golden {
namespace {

/// 4096 B of payload: 4158 B and 20 B of preamble and gap on the wire.
constexpr std::uint64_t kFrameBytes = 4158;

struct Clos {
  std::uint32_t leaves = 2;
  std::uint32_t hosts = 8;  ///< of a leaf; as many spines
  std::string routing;
  std::string rate = "400Gbps";  ///< of each stream
  std::string failures;
};

/// Host h of leaf l sends to host h of leaf l + 1; the last leaf only with `all`.
FabricSpec leaf_shift(const Clos& clos, bool all) {
  std::string streams;
  for (std::uint32_t leaf = 0; leaf < (all ? clos.leaves : clos.leaves - 1); ++leaf) {
    for (std::uint32_t host = 0; host < clos.hosts; ++host) {
      streams += fmt::format(
          "  - {{source: {}, destination: {}, frame_bytes: {}, priority: 3, dscp: 26, rate: {}}}\n",
          leaf * clos.hosts + host, (leaf + 1) % clos.leaves * clos.hosts + host, kFrameBytes,
          clos.rate);
    }
  }
  return fabric_of(fmt::format(
      "fabric: {{type: leaf_spine, leaves: {}, spines: {}, hosts_per_leaf: {}, link: {{rate: "
      "400Gbps, length: 30m}}}}\n"
      "switch: {{preset: spectrum4, freq_offset_ppm: 0, routing: {{{}}}}}\n"
      "nic: {{frequency_offset_ppm: 0}}\n{}"
      "workload:\n  type: raw\n  streams:\n{}",
      clos.leaves, clos.hosts, clos.hosts, clos.routing, clos.failures, streams));
}

std::uint64_t sent_on(const SwitchChip& chip, std::uint32_t port) {
  std::uint64_t bytes = 0;
  for (std::uint32_t queue = 0; queue < SwitchChip::kQueues; ++queue) {
    bytes += chip.queue(port, queue).tx_bytes;
  }
  return bytes;
}

std::uint64_t received(RunningFabric& fabric, std::uint32_t first, std::uint32_t count) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < count; ++i) bytes += fabric.raw(first + i).counters().rx_bytes;
  return bytes;
}

/// Share of line rate at which leaf 1's hosts receive between two instants.
double goodput(RunningFabric& fabric, std::uint32_t hosts, Ps from, Ps to) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  fabric.run_beside([&] {
    fabric.pass(from);
    before = received(fabric, hosts, hosts);
    fabric.pass(to - from);
    after = received(fabric, hosts, hosts);
  });
  const double wire = static_cast<double>(after - before) * (kFrameBytes + 20) / kFrameBytes;
  return wire * 8 / (hosts * 400e9 * (to - from).seconds());
}

TEST(G11, Row30_LeastLoadedUplinksCarryTheSame) {
  // Fine grades: a packet or two apart. 98 % of 400 Gb/s from each of 32 hosts.
  Clos clos;
  clos.leaves = 4;
  clos.rate = "392Gbps";
  clos.routing =
      "mode: ar, ar: {refresh: 0, grade_bytes: [1, 4158, 8316, 12474, 16632, 24948, "
      "33264]}";
  const auto fabric = std::make_unique<RunningFabric>(leaf_shift(clos, true));
  fabric->run(900_us);
  const double offered = 32 * 392e9 / 8 * 900e-6 * kFrameBytes / (kFrameBytes + 20);
  EXPECT_GE(static_cast<double>(received(*fabric, 0, 32)), 0.99 * offered);
  EXPECT_EQ(fabric->drops(), 0u);
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
    std::vector<double> bytes;
    for (std::uint32_t port = 8; port < 16; ++port) {
      bytes.push_back(static_cast<double>(sent_on(fabric->chip(leaf), port)));
    }
    const double mean = std::accumulate(bytes.begin(), bytes.end(), 0.0) / 8;
    EXPECT_GE(mean, 10'000 * kFrameBytes);
    for (const double one : bytes) EXPECT_NEAR(one / mean, 1, 0.01);
  }
}

TEST(G11, Row31_RandomSprayScattersLeastQueueDoesNot) {
  constexpr int kTrials = 100;
  constexpr int kPackets = 10'000;
  double variance = 0;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    DlbParams params;
    params.mode = DlbMode::kPacketRandom;
    test::SelectorBench bench(32);
    bench.seed(seed).dlb(params).all_in_one();
    for (const std::uint32_t load : bench.loads_at(1_us, kPackets)) {
      variance += std::pow(load / (kPackets / 32.0) - 1, 2) / (32 * kTrials);
    }
  }
  // sqrt(31 / 10^4) = 5.568 %; 3200 squares are within 1/sqrt(6400) of it.
  const double expected = std::sqrt(31.0 / kPackets);
  EXPECT_NEAR(std::sqrt(variance), expected, 3 * expected / std::sqrt(6400.0));

  ArParams least;
  least.refresh = Ps{0};
  least.grade_bytes = {1};
  test::SelectorBench bench(32);
  bench.ar(least).all_in_one();
  std::vector<std::uint32_t> load(32);
  for (int packet = 0; packet < kPackets; ++packet) {
    const std::uint32_t port = bench.pick_at(1_us).port;
    bench.queue(port, kFrameBytes);
    ++load[port];
    // Every port has sent its packet when each has got one.
    for (std::uint32_t i = 0; packet % 32 == 31 && i < 32; ++i) bench.queue(i, 0);
  }
  EXPECT_LE(*std::max_element(load.begin(), load.end()),
            *std::min_element(load.begin(), load.end()) + 1);
}

TEST(G11, Row36_CapacityIsThatOfTheUplinksThatAreLeft) {
  for (const std::string mode :
       {"mode: ar", "mode: dlb, dlb: {mode: packet_random}", "mode: spray, failover_time: 10us"}) {
    for (const std::uint32_t failed : {1u, 3u}) {
      Clos clos;
      clos.hosts = 32;
      clos.routing = mode + ", remote_failover_time: 20us";
      clos.failures = "failures:\n";
      for (std::uint32_t i = 0; i < failed; ++i) {
        clos.failures += fmt::format("  - {{link: leaf0.spine{}}}\n", 7 * i);
      }
      RunningFabric fabric(leaf_shift(clos, false));
      EXPECT_NEAR(goodput(fabric, 32, 150_us, 300_us), (32.0 - failed) / 32,
                  0.01 * (32.0 - failed) / 32)
          << mode;
    }
  }
}

TEST(G11, Row37_UnequalPortsShareByRate) {
  const BitsPerSecond k800G{800'000'000'000};
  const std::vector<BitsPerSecond> rates{k800G, test::kRate400G, test::kRate400G};
  // A port of share s and rate r limits the whole to r / s.
  const auto limit = [&](test::SelectorBench& bench) {
    constexpr std::uint32_t kPackets = 200'000;
    const auto load = bench.loads_at(1_us, kPackets);
    double least = 1e30;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      least = std::min(least, static_cast<double>(rates[i].value) * kPackets / load[i]);
    }
    return least;
  };
  test::SelectorBench weighted(rates);
  weighted.ar({}).all_in_one();
  EXPECT_NEAR(limit(weighted), 1600e9, 16e9);
  DlbParams params;
  params.mode = DlbMode::kPacketRandom;
  test::SelectorBench unweighted(rates);
  unweighted.dlb(params).all_in_one();
  EXPECT_NEAR(limit(unweighted), 3 * 400e9, 12e9);
}

/// 14 hosts send 200 frames each to host 0, half of them over the spines.
FabricSpec incast(const std::string& routing, const std::string& host_rate) {
  std::string streams;
  for (std::uint32_t host = 1; host < 15; ++host) {
    streams += fmt::format(
        "  - {{source: {}, destination: 0, frame_bytes: {}, priority: 3, dscp: 26, frames: 200}}\n",
        host, kFrameBytes);
  }
  return fabric_of(fmt::format(
      "fabric: {{type: leaf_spine, leaves: 2, spines: 4, hosts_per_leaf: 8, link: {{rate: "
      "400Gbps}}}}\n"
      "switch: {{preset: tomahawk5, routing: {{{}}}}}\nnic: {{port_rate: {}}}\n"
      "workload:\n  type: raw\n  streams:\n{}",
      routing, host_rate, streams));
}

TEST(FieldReport, B22_EveryModeConservesBytesUnderIncastAtAnySpeed) {
  for (const std::string routing :
       {"mode: ecmp", "mode: spray", "mode: dlb", "mode: dlb, dlb: {mode: flowlet_random}",
        "mode: dlb, dlb: {mode: packet_quality, rebalance_delta: 1}",
        "mode: dlb, dlb: {mode: packet_random}", "mode: dlb, dlb: {mode: fixed}", "mode: ar",
        "mode: ar, ar: {refresh: 0, choice: free}", "mode: ar, ar: {choice: sticky}",
        "mode: ar, ar: {granularity: flowlet, refresh: 1us}"}) {
    for (const std::string rate : {"400Gbps", "100Gbps", "800Gbps"}) {
      RunningFabric fabric(incast(routing, rate));
      fabric.run();
      fabric.fabric().check_conservation();
      EXPECT_EQ(fabric.drops(), 0u) << routing << " " << rate;
      EXPECT_EQ(fabric.raw(0).counters().rx_bytes, 14 * 200 * kFrameBytes)
          << routing << " " << rate;
    }
  }
}

TEST(Failures, AFrameIsLostWhileAnyOfItsBitsIsOnTheDeadCable) {
  // Host 0 sends a frame a microsecond to host 1 of the same leaf over cables of 30 m. Down for
  // 10 us at the receiver: 10 frames, and those cut at either edge.
  const auto run = [](const std::string& failures) {
    return fabric_of(
        "fabric: {type: single_switch, hosts: 2, link: {rate: 400Gbps, length: 30m}}\n"
        "switch: {freq_offset_ppm: 0}\nnic: {frequency_offset_ppm: 0}\n" +
        failures +
        "workload:\n  type: raw\n  streams:\n"
        "  - {source: 0, destination: 1, frame_bytes: 4158, frames: 100, rate: 33.424Gbps}\n");
  };
  for (const auto& [until, lost] : {std::pair{"30us", 10u}, {"100ms", 80u}}) {
    RunningFabric fabric(
        run(fmt::format("failures: [{{link: switch0.port0, at: 20us, until: {}}}]\n", until)));
    fabric.run();
    const ChipReport report = fabric.chip(0).report();
    const auto down = report.drops[static_cast<std::size_t>(ChipDrop::kLinkDown)];
    EXPECT_GE(down, lost);
    EXPECT_LE(down, lost + 1);
    EXPECT_EQ(fabric.raw(1).counters().rx_frames, 100 - down);
    EXPECT_EQ(report.lossless_drops, 0u);
  }
  RunningFabric far(run("failures: [{link: switch0.port1, at: 20us, until: 30us}]\n"));
  far.run();
  EXPECT_EQ(far.raw(1).counters().rx_frames + far.drops(), 100u);
  EXPECT_NEAR(static_cast<double>(far.drops()), 10, 1);
}

TEST(Failures, PfcFramesAreLostToo) {
  // Host 1 pauses the switch for ever from 10 us on; its cable is dead from 5 us to 40 us, and each
  // XOFF of 65535 quanta at 400 Gb/s lasts 83.9 us, sent again after half of it.
  const auto run = [](const std::string& failures) {
    return fabric_of(
        "fabric: {type: single_switch, hosts: 3, link: {rate: 400Gbps, length: 30m}}\n"
        "switch: {freq_offset_ppm: 0}\nnic: {frequency_offset_ppm: 0}\n" +
        failures +
        "workload:\n  type: raw\n  pause_hosts: [1]\n  pause_priorities: 8\n  pause_start: 10us\n"
        "  pause_release: 45us\n  streams:\n"
        "  - {source: 0, destination: 1, frame_bytes: 4158, dscp: 26, priority: 3, start: 41us, "
        "frames: 1}\n");
  };
  RunningFabric stopped(run(""));
  stopped.run();
  RunningFabric deaf(run("failures: [{link: switch0.port1, at: 5us, until: 40us}]\n"));
  deaf.run();
  EXPECT_GT(stopped.raw(1).received(26).first, 45_us);
  EXPECT_LT(deaf.raw(1).received(26).first, 43_us);
  EXPECT_EQ(deaf.chip(0).report().drops[static_cast<std::size_t>(ChipDrop::kLinkDown)], 1u);
}

/// Bytes lost to a dead spine-to-leaf cable, and where the chips had no way, in 500 us.
std::uint64_t lost_remotely(const std::string& routing) {
  Clos clos;
  clos.hosts = 8;
  clos.rate = "200Gbps";
  clos.routing = routing;
  clos.failures = "failures: [{link: leaf1.spine2, at: 100us}]\n";
  RunningFabric fabric(leaf_shift(clos, false));
  fabric.run(600_us);
  return fabric.drops();
}

TEST(Failures, ANotificationIsFasterThanWithdrawingTheRoute) {
  // Leaf 0 sprays 8 x 200 Gb/s over 8 spines for 500 us; one of them cannot reach leaf 1.
  const std::uint64_t by_bgp = lost_remotely("mode: ar, ar: {notify: false}");
  const std::uint64_t withdrawn =
      lost_remotely("mode: ar, ar: {notify: false}, remote_failover_time: 50us");
  const std::uint64_t notified = lost_remotely("mode: ar");
  const double a_way = 200e9 / 8 * 500e-6 / (kFrameBytes + 20);  // packets
  EXPECT_NEAR(static_cast<double>(by_bgp), a_way, 0.05 * a_way);
  EXPECT_NEAR(static_cast<double>(withdrawn), a_way / 10, 0.02 * a_way);
  const std::uint64_t sprayed = lost_remotely("mode: spray, remote_failover_time: 50us");
  EXPECT_NEAR(static_cast<double>(sprayed), a_way / 10, 0.02 * a_way);
  // 10 us until spine 2 gives the link up, then one packet or so in each hold time of 20 us.
  EXPECT_LT(static_cast<double>(notified), 0.10 * a_way);
}

TEST(Failures, ALinkThatReturnsIsUsedAgain) {
  for (const std::string mode :
       {"mode: ar", "mode: dlb, dlb: {mode: packet_random}", "mode: spray, failover_time: 10us"}) {
    Clos clos;
    clos.routing = mode + ", remote_failover_time: 20us";
    clos.failures = "failures: [{link: leaf0.spine3, at: 50us, until: 100us}]\n";
    RunningFabric fabric(leaf_shift(clos, false));
    std::uint64_t down[2] = {};
    std::uint64_t up[2] = {};
    fabric.run_beside([&] {
      const auto sent = [&] { return sent_on(fabric.chip(0), 8 + 3); };
      fabric.pass(80_us);
      down[0] = sent();
      fabric.pass(20_us);
      down[1] = sent();
      fabric.pass(50_us);
      up[0] = sent();
      fabric.pass(50_us);
      up[1] = sent();
    });
    EXPECT_EQ(down[0], down[1]) << mode;
    EXPECT_GT(static_cast<double>(up[1] - up[0]), 0.8 * 400e9 / 8 * 50e-6) << mode;
  }
}

}  // namespace
}  // namespace sluice::golden
