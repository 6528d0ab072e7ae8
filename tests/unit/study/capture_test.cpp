// SPDX-License-Identifier: Apache-2.0
// Whole runs with a capture: the model does not notice it, the file holds every frame that the
// counters count, and what a switch changes on the way leaves the ICRC alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "fabric/capture/wire_capture.h"
#include "packet/pcapng/reader.h"
#include "packet/pcapng/seen_packet.h"
#include "packet/serialisation.h"
#include "unit/study/small_run.h"

namespace sluice {
namespace {

using pcapng::Check;
using pcapng::SeenKind;
using test::SmallRun;

/// Two senders to one receiver of 400 Gb/s, so that queues fill, marks and pauses come about.
std::string incast(const std::string& nic, const std::string& fabric_switch = "") {
  return "fabric: {type: single_switch, hosts: 3, link: {rate: 400Gbps, length: 30m}}\n"
         "switch: {preset: spectrum4" +
         fabric_switch + "}\nnic: {preset: cx7" + nic +
         "}\nworkload: {type: incast, dst: 0, first: 1, count: 2, bytes: 300000B}\n";
}
const std::string kTight = ", mmu: {pg_static_bytes: 20000B}";

struct Row {
  pcapng::CapturedFrame frame;
  pcapng::SeenPacket packet;
};

struct Captured {
  std::vector<Row> rows;
  std::vector<std::string> interfaces;
  std::uint64_t result_hash = 0;
};

class CaptureFile {
 public:
  ~CaptureFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  Captured read() const {
    Captured out;
    std::ifstream in(path_, std::ios::binary);
    pcapng::Reader reader(in, path_);
    for (pcapng::CapturedFrame frame; reader.next(frame);) {
      const auto packet = pcapng::look_at(frame.bytes, frame.wire_bytes,
                                          reader.interface(frame.interface).fcs_bytes);
      out.rows.push_back({frame, packet});
    }
    EXPECT_EQ(reader.torn(), "");
    for (std::uint32_t i = 0; i < reader.interface_count(); ++i) {
      out.interfaces.push_back(reader.interface(i).name);
    }
    return out;
  }

 private:
  std::string path_ = testing::TempDir() + "run_" + std::to_string(::getpid()) + ".pcapng";
};

/// Runs to its end under a capture of `ports`.
Captured captured(SmallRun& run, const std::string& ports = "all") {
  const CaptureFile file;
  Simulation& simulation = run.simulation();
  WireCapture capture(simulation.fabric(), simulation.context().wheel,
                      select_ports(capture_ports(simulation.fabric()), ports), simulation.ipv6(),
                      file.path());
  const RunOutcome outcome = run.run();
  capture.close();
  Captured out = file.read();
  out.result_hash = outcome.summary.result_hash;
  EXPECT_EQ(out.rows.size(), capture.frames());
  return out;
}

std::uint64_t count(const Captured& file, std::string_view interface_part, bool pauses) {
  std::uint64_t frames = 0;
  for (const Row& row : file.rows) {
    const bool here = file.interfaces[row.frame.interface].find(interface_part) == 0;
    if (here && (row.packet.kind == SeenKind::kPfc) == pauses) ++frames;
  }
  return frames;
}

TEST(CapturedRun, EndsAsItDoesWithoutACapture) {
  for (const std::string& yaml : {incast("", kTight), test::kPermutation}) {
    const std::uint64_t without = test::outcome_of(yaml).summary.result_hash;
    SmallRun all(yaml);
    EXPECT_EQ(captured(all).result_hash, without);
    const std::string one_port = yaml == test::kPermutation ? "leaf0.port2" : "switch0.port0";
    SmallRun one(yaml);
    const Captured file = captured(one, one_port);
    EXPECT_EQ(file.result_hash, without);
    EXPECT_EQ(file.interfaces, std::vector<std::string>{one_port});
    EXPECT_GT(file.rows.size(), 0u);
  }
}

TEST(CapturedRun, HoldsEveryFrameThatTheCountersCount) {
  // Go-back-N against a full buffer gives NAKs and repetitions too.
  SmallRun run(incast("", kTight));
  const Captured file = captured(run);
  EXPECT_EQ(count(file, "nic", false), run.sum("nic_port", "tx_frames"));
  EXPECT_EQ(count(file, "switch0", false), run.sum("queue", "tx_frames"));
  const ChipReport chip = run.fabric().chips()[0]->report();
  EXPECT_EQ(count(file, "switch0", true), chip.pfc_xoff_frames + chip.pfc_xon_frames);
  EXPECT_GT(chip.pfc_xoff_frames, 0u);
}

TEST(CapturedRun, KeepsTheTimeThatFramesTakeOnEachPort) {
  SmallRun run(incast(", frequency_offset_ppm: 0", kTight + ", freq_offset_ppm: 0"));
  const Captured file = captured(run);
  std::map<std::uint32_t, const Row*> last;
  pcapng::CaptureTime newest;
  for (const Row& row : file.rows) {
    EXPECT_EQ(row.packet.fcs, Check::kGood);
    EXPECT_GE(row.frame.time, newest);
    newest = row.frame.time;
    const Row*& before = last[row.frame.interface];
    if (before != nullptr) {
      const std::int64_t gap = pcapng::picoseconds_between(before->frame.time, row.frame.time);
      // 20 ps a byte; both times were rounded down to a nanosecond.
      EXPECT_GE(gap + 1000, 20 * std::int64_t{wire_bytes(before->frame.wire_bytes)})
          << file.interfaces[row.frame.interface];
    }
    before = &row;
  }
}

/// Requests and answers as they come to a switch and as they leave it.
void expect_only_variant_fields_change(const std::string& nic) {
  // Marks from the first queued packet on.
  SmallRun run(incast(nic, ", ecn: {kmin_bytes: 1000B, kmax_bytes: 2000B, pmax: 1}"));
  const Captured file = captured(run);
  using pcapng::IpAddress;
  using Key = std::tuple<IpAddress, IpAddress, std::uint32_t, std::uint8_t, std::uint32_t>;
  std::map<Key, const Row*> sent;
  std::uint64_t compared = 0;
  std::uint64_t marked = 0;
  for (const Row& row : file.rows) {
    if (row.packet.kind != SeenKind::kRoce) continue;
    EXPECT_EQ(row.packet.icrc, Check::kGood);
    const pcapng::SeenPacket& now = row.packet;
    const Key key{now.source, now.destination, now.bth.destination_qp, now.bth.opcode, now.bth.psn};
    if (file.interfaces[row.frame.interface].find("nic") == 0) {
      sent[key] = &row;
      continue;
    }
    const auto before = sent.find(key);
    ASSERT_NE(before, sent.end());
    const pcapng::SeenPacket& then = before->second->packet;
    EXPECT_EQ(now.icrc_value, then.icrc_value);
    EXPECT_EQ(now.ttl, then.ttl - 1);
    if (now.ecn != then.ecn) {
      EXPECT_EQ(now.ecn, 3);
      ++marked;
    }
    EXPECT_NE(row.frame.bytes, before->second->frame.bytes);
    ++compared;
  }
  EXPECT_GT(compared, 100u);
  EXPECT_GT(marked, 10u);
}

TEST(FieldReport, B39_IcrcOverIpv4IsTheSameBeforeAndAfterASwitch) {
  expect_only_variant_fields_change(", ip_version: 4");
}

TEST(FieldReport, B39_IcrcOverIpv6IsTheSameBeforeAndAfterASwitch) {
  expect_only_variant_fields_change(", ip_version: 6");
}

TEST(CapturedRun, OfTestersHoldsTheirFramesAndPauses) {
  SmallRun run(R"(
fabric: {type: single_switch, hosts: 3, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4}
workload:
  type: raw
  streams:
    - {source: 0, destination: 2, frame_bytes: 64, frames: 10, tagged: true, priority: 3}
    - {source: 1, destination: 2, frame_bytes: 1518, frames: 10, dscp: 26}
  pause_hosts: [2]
  pause_priorities: 8
  pause_release: 1us
)");
  const Captured file = captured(run);
  EXPECT_EQ(count(file, "host0", false), 10u);
  EXPECT_EQ(count(file, "host1", false), 10u);
  EXPECT_EQ(count(file, "switch0", false), 20u);
  EXPECT_EQ(count(file, "host2", true), run.sum("raw", "pfc_sent"));
  for (const Row& row : file.rows) EXPECT_EQ(row.packet.fcs, Check::kGood);
}

TEST(CapturePorts, AreNamedAsInTheCountersAndSelectedInTheirOrder) {
  SmallRun run(test::kPermutation);
  const std::vector<CapturePort> ports = capture_ports(run.fabric());
  ASSERT_EQ(ports.size(), 4u * 8 + 4 * 4 + 16);
  EXPECT_EQ(ports.front().name, "leaf0.port0");
  EXPECT_EQ(ports.back().name, "nic15.port0");
  for (const CapturePort& port : ports) {
    EXPECT_EQ(port.rate, BitsPerSecond{800'000'000'000}) << port.name;
  }
  const std::vector<CapturePort> some = select_ports(ports, "host5.port0,leaf0.port3");
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].name, "leaf0.port3");
  EXPECT_EQ(some[1].name, "nic5.port0");
  EXPECT_EQ(select_ports(ports, "fabric.nic5.port0").at(0).name, "nic5.port0");
  const auto refused = [&](const std::string& words, const std::string& part) {
    try {
      select_ports(ports, words);
      FAIL() << words;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("leaf0.prot3", "no port is called 'leaf0.prot3' (did you mean 'leaf0.port3'?)");
  refused("all,leaf0.port3", "no port is called 'all'");
  refused("leaf0.port3,", "no port is called ''");
  refused("leaf9.port0", "from leaf0.port0 to nic15.port0");
}

}  // namespace
}  // namespace sluice
