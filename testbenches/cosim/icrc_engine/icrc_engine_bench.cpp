// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the ICRC engine against models/packet/wire: golden packets G9-23 to 28, frames
// of every length around word edges, random ones back to back with stalls at the result, corrupt
// ones and ones without ICRC. Replays the RoCEv2 frames of a capture (run --capture), and refuses
// one that has a wrong ICRC: there model and RTL agree, and the file is what is bad.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <optional>
#include <string>

#include "kernel/error.h"
#include "packet/pcapng/reader.h"
#include "packet/wire/crc.h"
#include "packet/wire/frames.h"
#include "rtl/icrc_engine/icrc_engine_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {
namespace {

using wire::Buffer;
constexpr std::size_t kWord = rtl::IcrcEngineTwin::kWordBytes;
constexpr std::size_t kIcrcBytes = 4;

std::span<const std::uint8_t> ip_of(std::span<const std::uint8_t> frame) {
  return frame.subspan(frame[12] == 0x81 && frame[13] == 0 ? 18 : 14);
}

/// What a frame ends with.
std::uint32_t sent_icrc(std::span<const std::uint8_t> frame) {
  const auto tail = frame.last(kIcrcBytes);
  return std::uint32_t{tail[0]} | std::uint32_t{tail[1]} << 8 | std::uint32_t{tail[2]} << 16 |
         std::uint32_t{tail[3]} << 24;
}

class Lockstep {
 public:
  explicit Lockstep(BenchRun& run) : run_(run), rtl_(run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// A frame without FCS that ends with its ICRC, or one that still lacks it. Returns its ICRC.
  std::uint32_t frame(std::span<const std::uint8_t> bytes, bool with_icrc) {
    run_.count_transaction();
    Due due;
    const auto covered = ip_of(bytes.first(bytes.size() - (with_icrc ? kIcrcBytes : 0)));
    const std::uint32_t icrc = wire::icrc(covered);
    if (with_icrc) {
      const auto tail = bytes.last(kIcrcBytes);
      due.crc = wire::crc32(tail, icrc);
      due.good = std::equal(tail.begin(), tail.end(), little_endian(icrc).begin());
    } else {
      due.crc = icrc;
    }
    for (std::size_t at = 0; at < bytes.size(); at += kWord) {
      const auto word = bytes.subspan(at, std::min(kWord, bytes.size() - at));
      const bool last = at + kWord >= bytes.size();
      while (!clock(word, last)) {
      }
      if (last) due_.push_back(due);
    }
    return icrc;
  }
  void idle() { clock({}, false); }
  void drain() {
    stalls_ = false;
    for (unsigned i = 0; i < rtl::IcrcEngineTwin::kLatency; ++i) idle();
    run_.expect("results missing", 0, due_.size());
  }
  void stalls(bool on) { stalls_ = on; }

 private:
  struct Due {
    std::uint32_t crc = 0;
    bool good = false;
  };
  static std::array<std::uint8_t, 4> little_endian(std::uint32_t v) {
    return {static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8),
            static_cast<std::uint8_t>(v >> 16), static_cast<std::uint8_t>(v >> 24)};
  }

  bool clock(std::span<const std::uint8_t> word, bool last) {
    const bool ready = !stalls_ || run_.random().below(4) != 0;
    const auto result = rtl_.clock(word, last, ready);
    if (result.valid) {
      if (due_.empty()) run_.differ("out_valid_o", 0, 1);
      run_.expect("out_crc_o", due_.front().crc, result.crc);
      run_.expect("out_good_o", due_.front().good, result.good);
      due_.pop_front();
    }
    if (!stalls_ && !word.empty()) run_.expect("in_ready_o", 1, result.accepted);
    run_.at_cycle(rtl_.cycle());
    return result.accepted;
  }

  BenchRun& run_;
  rtl::IcrcEngineTwin rtl_;
  std::deque<Due> due_;
  bool stalls_ = false;
};

/// G9-23 to 28 without FCS; the first was captured from a ConnectX-4 Lx.
constexpr std::string_view kGolden[] = {
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100"
    "ffff40000118000000000000000000000000000000000000000082fd002a",
    "248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460"
    "ffff000000d300cf17104630818be28935d90e9a95505401be885e50000078f353f3",
    "248a07a8fa22248a07a8fa2286dd6e21face002c11ff20220000000000000000000000001023202300000000"
    "00000000000000001024c00012b7002ce7c52460ffff000000d300cf17104630818be28935d90e9a95505401"
    "be885e5000003e5b743b",
    "0200000000b10200000000a10800456a0044000040004011253e0a0000010a000101c12312b7003000000a40"
    "ffff00000011800001000000000012345000deadbeef00000008000102030405060714734ff0",
    "0200000000b10200000000a10800456a003000004000401125520a0001010a000001c12312b7001c00001140"
    "ffff00000022000001001f000001815dedda",
    "0200000000b10200000000a1080045c2003c00004000401124ee0a0001010a000001c12312b7002800008100"
    "ffff400000220000000000000000000000000000000000000000da81fafb"};

void golden(BenchRun& run, Lockstep& bench) {
  for (const std::string_view hex : kGolden) {
    Buffer bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      bytes.push_back(
          static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    }
    run.expect("golden ICRC", sent_icrc(bytes), bench.frame(bytes, true));
  }
}

/// A RoCEv2 frame with random fields and `bytes` after its BTH, without FCS.
Buffer random_frame(RandomStream& random, std::uint32_t bytes) {
  wire::RoceEnvelope around;
  around.ethernet.vlan = random.below(2) == 0;
  around.ethernet.pcp = static_cast<std::uint8_t>(random.below(8));
  around.ethernet.vlan_id = static_cast<std::uint16_t>(random.below(4096));
  around.ipv6 = random.below(2) == 0;
  around.v4.dscp = around.v6.dscp = static_cast<std::uint8_t>(random.below(64));
  around.v4.ecn = around.v6.ecn = static_cast<std::uint8_t>(random.below(4));
  around.v4.ttl = around.v6.hop_limit = static_cast<std::uint8_t>(random.below(256));
  around.v4.source = random.next_u32();
  around.v4.destination = random.next_u32();
  around.v6.flow_label = random.below(1u << 20);
  for (auto& b : around.v6.source) b = static_cast<std::uint8_t>(random.below(256));
  around.udp_source_port = static_cast<std::uint16_t>(random.below(65536));
  around.udp_checksum = random.below(2) == 0;
  wire::Bth bth;
  bth.opcode = static_cast<std::uint8_t>(random.below(256));
  bth.fecn = random.below(2) == 0;
  bth.becn = random.below(2) == 0;
  bth.destination_qp = random.below(1u << 24);
  bth.psn = random.below(1u << 24);
  Buffer rest(bytes);
  for (auto& b : rest) b = static_cast<std::uint8_t>(random.next_u32());
  Buffer frame = wire::roce_frame(around, bth, rest);
  const std::size_t headers =
      (around.ethernet.vlan ? 18U : 14U) + (around.ipv6 ? 40U : 20U) + 8 + 12;
  frame.resize(headers + bytes + kIcrcBytes);  // neither FCS nor padding
  return frame;
}

/// As it is, without its ICRC, or with a bit turned over after the IP header's first byte.
void send(BenchRun& run, Lockstep& bench, Buffer frame) {
  RandomStream& random = run.random();
  if (random.below(4) == 0) {
    bench.frame(std::span(frame).first(frame.size() - 4), false);
    return;
  }
  if (random.below(3) == 0) {
    const auto at = 19 + random.below(static_cast<std::uint32_t>(frame.size() - 19));
    frame[at] = static_cast<std::uint8_t>(frame[at] ^ 1u << random.below(8));
  }
  bench.frame(frame, true);
}

void random(BenchRun& run, Lockstep& bench) {
  constexpr std::uint32_t kMtu[] = {64, 256, 1024, 4096};
  Bursts busy(run.random());
  for (bool stalls = true; run.cycles_left() > 0; stalls = !stalls) {
    bench.stalls(stalls);
    for (unsigned n = 0; n < 50 && run.cycles_left() > 0; ++n) {
      if (!busy.next()) {
        bench.idle();
        continue;
      }
      send(run, bench,
           random_frame(run.random(), 4 * run.random().below(1 + kMtu[run.random().below(4)] / 4)));
    }
    bench.drain();
  }
}

/// A captured RoCEv2 frame without FCS and padding; none for another, or one that was cut short.
std::optional<std::span<const std::uint8_t>> roce_of(const pcapng::CapturedFrame& f,
                                                     std::size_t fcs) {
  if (f.bytes.size() != f.wire_bytes || f.bytes.size() < 62 + fcs) return std::nullopt;
  const auto bytes = std::span<const std::uint8_t>(f.bytes).first(f.bytes.size() - fcs);
  const auto ip = ip_of(bytes);
  const bool v6 = bytes[bytes.size() - ip.size() - 2] == 0x86;
  const std::size_t udp = v6 ? 40 : 20;
  const bool is_ip = v6 || bytes[bytes.size() - ip.size() - 2] == 0x08;
  if (!is_ip || ip.size() < udp + 24 || ip[v6 ? 6 : 9] != wire::kIpProtocolUdp ||
      (ip[udp + 2] << 8 | ip[udp + 3]) != wire::kRoceUdpPort) {
    return std::nullopt;
  }
  const std::size_t ip_bytes = v6 ? 40U + (ip[4] << 8U | ip[5]) : (ip[2] << 8U | ip[3]);
  if (ip_bytes < udp + 24 || ip_bytes > ip.size()) return std::nullopt;
  return bytes.first(bytes.size() - ip.size() + ip_bytes);
}

void replay(BenchRun& run) {
  std::ifstream in(run.options().replay, std::ios::binary);
  if (!in) throw ConfigError(fmt::format("--replay {}: cannot be read", run.options().replay));
  pcapng::Reader reader(in, run.options().replay);
  Lockstep bench(run);
  std::uint64_t others = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;
  pcapng::CapturedFrame f;
  bool more = reader.next(f);
  for (; more && run.cycles_left() > 0; more = reader.next(f)) {
    const auto frame = roce_of(f, reader.interface(f.interface).fcs_bytes);
    if (!frame) {
      ++others;
      continue;
    }
    const std::uint32_t sent = sent_icrc(*frame);
    const std::uint32_t computed = bench.frame(*frame, true);
    if (sent == computed) continue;
    if (wrong++ == 0) {
      first_wrong = fmt::format("byte {}: a frame with ICRC {:08x}, expected {:08x}", f.position,
                                sent, computed);
    }
  }
  if (run.transactions() == 0) run.bad_record("");
  bench.drain();
  const std::uint64_t frames = run.transactions();
  if (wrong != 0) {
    throw TraceError(fmt::format("{}: {} ({} of {} frames; model and RTL agree)", reader.name(),
                                 first_wrong, wrong, frames));
  }
  if (!reader.torn().empty()) throw TraceError(reader.name() + ": " + reader.torn());
  run.note(fmt::format("  {} RoCEv2 frames, {} others left out{}\n", frames, others,
                       more ? "; --cycles ended before the capture" : ""));
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  Lockstep bench(run);
  golden(run, bench);
  for (std::uint32_t bytes = 0; bytes <= 200; bytes += 4) {  // every tail, back to back
    for (unsigned i = 0; i < 4; ++i) bench.frame(random_frame(run.random(), bytes), true);
  }
  bench.drain();
  random(run, bench);
}

}  // namespace

Bench icrc_engine_bench() {
  return {"icrc_engine",
          {"time to live counts", "half of the IP checksum counts",
           "version looked for before a VLAN tag", "reserved byte of the BTH counts (IPv4)",
           "reserved byte of the BTH counts in the second word", "end of the flow label counts",
           "starts from the packet before", "bytes after the tail count",
           "goes on while its result waits", "masks the second word again in every later one",
           "compared with the register instead of the CRC"},
          run_all};
}

}  // namespace sluice::cosim
