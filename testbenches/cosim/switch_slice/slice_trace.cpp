// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/switch_slice/slice_trace.h"

#include <algorithm>
#include <fstream>

#include "kernel/error.h"
#include "packet/addressing.h"
#include "packet/pcapng/reader.h"
#include "packet/pcapng/seen_packet.h"

namespace sluice::cosim {
namespace {

constexpr std::uint64_t kFirstClock = 16;
constexpr std::uint64_t kDrainClocks = 1500;
constexpr std::uint64_t kShortest = 750;  // pattern
/// Clocks between two heads at a port: a frame is charged and released, and the MMU takes one
/// request a clock, so that four ports together may bring a packet in two clocks.
constexpr std::uint64_t kBetween = 8;
constexpr std::uint32_t kOutsideIp = 18;  // Ethernet header and FCS
constexpr std::size_t kTosAt = 15;
constexpr std::size_t kIpAt = 14;
constexpr std::size_t kSumAt = 24;
constexpr std::size_t kDestinationAt = 30;

void put_big(std::array<std::uint8_t, 64>& word, std::size_t at, std::uint64_t value,
             std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    word[at + i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
  }
}

/// Ethernet, IPv4, UDP and BTH. The smallest RoCEv2 frame has 62 B and is padded to 64.
void write_headers(SliceFrame& frame, std::uint32_t number, bool ipv4) {
  auto& word = frame.word;
  const std::uint32_t ip_bytes = frame.bytes == 64 ? 44 : frame.bytes - kOutsideIp;
  put_big(word, 0, mac_of(frame.destination), 6);
  put_big(word, 6, mac_of(frame.port), 6);
  put_big(word, 12, ipv4 ? 0x0800 : 0x86dd, 2);
  word[kIpAt] = 0x45;
  word[kTosAt] = static_cast<std::uint8_t>(frame.dscp << 2 | static_cast<unsigned>(frame.ecn));
  put_big(word, 16, ip_bytes, 2);
  put_big(word, 18, 0x4000, 4);
  word[22] = 64;
  word[23] = 17;
  put_big(word, 26, ipv4_address_of(frame.port), 4);
  put_big(word, kDestinationAt, ipv4_address_of(frame.destination), 4);
  put_big(word, kSumAt, static_cast<std::uint16_t>(~slice_ip_sum(word)), 2);
  put_big(word, 34, 0xc000 + number % 0x4000, 2);
  put_big(word, 36, 4791, 2);
  put_big(word, 38, ip_bytes - 20, 2);
  put_big(word, 51, number, 3);
}

/// IEEE 802.1Qbb; the FCS is not looked at.
void write_pause(SliceFrame& frame) {
  auto& word = frame.word;
  put_big(word, 0, 0x0180c2000001, 6);
  put_big(word, 6, mac_of(frame.port), 6);
  put_big(word, 12, 0x88080101, 4);
  word[17] = frame.pauses;
  for (std::size_t priority = 0; priority < 8; ++priority) {
    if (frame.pauses >> priority & 1u) put_big(word, 18 + 2 * priority, frame.quanta, 2);
  }
}

struct Pattern {
  const char* name;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint8_t> dscps;
  enum class To : std::uint8_t { kPartner, kOne, kAny } to;
  double load;             ///< of each port
  double active;           ///< part of the pattern's clocks in which frames come
  std::uint64_t smallest;  ///< clocks between heads at least
};

std::vector<Pattern> all_patterns() {
  using To = Pattern::To;
  return {
      {"permutation, 4178 B", {4178}, {24}, To::kPartner, 1, 0.9, kBetween},
      {"permutation, all sizes",
       {64, 300, 512, 1024, 1098, 4178, 9216},
       {24},
       To::kPartner,
       1,
       0.9,
       kBetween},
      {"uniform, one queue", {64, 513, 1098, 4178}, {24}, To::kAny, 0.7, 0.9, kBetween},
      {"incast, one queue", {1098, 4178}, {24}, To::kOne, 1, 0.22, kBetween},
      {"uniform, four queues", {64, 66, 1098, 4178}, {0, 8, 24, 48}, To::kAny, 0.8, 0.9, kBetween},
      {"incast, four queues", {64, 1098, 2122, 4178}, {0, 8, 24, 48}, To::kOne, 1, 0.22, kBetween},
      {"small frames", {64, 128, 300, 512}, {8, 24, 48}, To::kAny, 1, 0.8, 12},
  };
}

std::vector<Pattern> patterns_of(SliceLoad load) {
  using To = Pattern::To;
  if (load == SliceLoad::kFits) return all_patterns();
  if (load == SliceLoad::kOverflowsQueue) {
    return {
        {"overflow: incast, one queue", {1098, 4178, 9216}, {24}, To::kOne, 1, 1, kBetween},
        {"overflow: uniform, one queue", {1098, 4178, 9216}, {24}, To::kAny, 1, 1, kBetween},
    };
  }
  if (load == SliceLoad::kOverflowsQueues) {
    return {
        {"overflow: incast, four queues",
         {2122, 4178, 9216},
         {0, 8, 24, 48},
         To::kOne,
         1,
         1,
         kBetween},
        {"overflow: uniform, four queues",
         {2122, 4178, 9216},
         {0, 8, 24, 48},
         To::kAny,
         1,
         1,
         kBetween},
    };
  }
  if (load == SliceLoad::kPauses) {
    return {
        {"pauses: four queues", {1098, 2122, 4178}, {0, 8, 24, 48}, To::kAny, 0.8, 0.9, kBetween},
        {"pauses: one queue", {1098, 4178}, {24}, To::kAny, 0.7, 0.9, kBetween},
    };
  }
  return {
      {"overflow: smaller frames", {512, 1098, 4178}, {0, 8, 24, 48}, To::kOne, 1, 1, kBetween}};
}

/// Frames of one port in one pattern.
class PortSource {
 public:
  explicit PortSource(std::uint32_t port, bool pauses = false) : port_(port), pauses_(pauses) {}

  void fill(RandomStream& random, const Pattern& pattern, std::uint32_t index, std::uint64_t start,
            std::uint64_t clocks, std::uint32_t shift, std::vector<SliceFrame>& frames) {
    not_before(start);
    const std::uint64_t end =
        start + static_cast<std::uint64_t>(pattern.active * static_cast<double>(clocks));
    while (true) {
      const auto pick = [&random](const auto& list) {
        return list[random.below(static_cast<std::uint32_t>(list.size()))];
      };
      SliceFrame frame;
      frame.port = port_;
      frame.pattern = index;
      frame.bytes = pick(pattern.sizes);
      frame.dscp = pick(pattern.dscps);
      frame.ecn = frame.dscp == 48 ? Ecn::kNotEct : Ecn::kEct0;
      frame.destination = destination(random, pattern, shift);
      if (pauses_ && random.below(16) == 0) {
        frame.bytes = 64;
        frame.pauses = static_cast<std::uint8_t>(random.below(256)) | 1u << kSliceMarkedQueue;
        frame.quanta = static_cast<std::uint16_t>(random.below(4) * kSliceQuanta);
      } else if (random.below(64) == 0) {  // refused
        frame.bytes = 2 * kSliceCellBytes;
        frame.dscp = 8 * kSliceClosedQueue;
      }
      frame.clock = next_clock(pattern.smallest);
      if (frame.clock >= end) return;
      frames.push_back(frame);
      const double gap =
          static_cast<double>(slice_wire_units(frame.bytes)) * (1 / pattern.load - 1);
      const double idle = gap * 2 * random.uniform();
      take(frame, static_cast<std::uint64_t>(idle));
    }
  }
  /// The wire carries nothing more before `clock`.
  void not_before(std::uint64_t clock) {
    free_units_ = std::max(free_units_, clock * kSliceClockUnits);
  }
  /// When a head may come: behind what is on the wire, `smallest` after the last.
  std::uint64_t next_clock(std::uint64_t smallest) const {
    const std::uint64_t clock = (free_units_ + kSliceClockUnits - 1) / kSliceClockUnits;
    return std::max({clock, last_head_ + smallest, last_cell_ + 1});
  }
  void take(const SliceFrame& frame, std::uint64_t idle) {
    last_head_ = frame.clock;
    last_cell_ = frame.clock + slice_cell_delay(slice_cells(frame.bytes) - 1);
    // The wire goes on where it was, unless it was idle.
    if (frame.clock * kSliceClockUnits > free_units_ + kSliceClockUnits) {
      free_units_ = frame.clock * kSliceClockUnits;
    }
    free_units_ += slice_wire_units(frame.bytes) + idle;
  }

 private:
  std::uint32_t destination(RandomStream& random, const Pattern& pattern, std::uint32_t shift) {
    if (pattern.to == Pattern::To::kPartner) return (port_ + shift) % kSlicePorts;
    if (random.below(64) == 0) return kSlicePorts;  // nobody's
    return pattern.to == Pattern::To::kOne ? shift : random.below(kSlicePorts);
  }

  std::uint32_t port_;
  bool pauses_;  ///< brings PFC frames too
  std::uint64_t free_units_ = 0;
  std::uint64_t last_head_ = 0;
  std::uint64_t last_cell_ = 0;
};

/// A pause that begins or ends in the clock in which its port gets a packet is a tie, which the
/// model decides by port number: takes out PFC frames that would be obeyed in such a clock.
void leave_out_ties(std::vector<SliceFrame>& frames) {
  constexpr std::uint64_t kSerialised = 3;  // clocks that a head waits for those of other ports
  constexpr std::uint64_t kApart = kSlicePauseClocks - kSliceAdmitClocks;
  std::array<std::vector<std::uint64_t>, kSlicePorts + 1> heads;
  for (const SliceFrame& frame : frames) {
    if (frame.pauses == 0) heads[frame.destination].push_back(frame.clock);
  }
  for (auto& clocks : heads) std::sort(clocks.begin(), clocks.end());
  const auto ties = [&heads](const SliceFrame& frame) {
    if (frame.pauses == 0) return false;
    const auto& clocks = heads[frame.port];
    const std::uint64_t last = frame.clock + kApart;
    const auto next = std::lower_bound(clocks.begin(), clocks.end(), last - kSerialised);
    return next != clocks.end() && *next <= last;
  };
  frames.erase(std::remove_if(frames.begin(), frames.end(), ties), frames.end());
}

void sort_and_number(SliceTrace& trace) {
  std::stable_sort(trace.frames.begin(), trace.frames.end(),
                   [](const SliceFrame& a, const SliceFrame& b) {
                     return a.clock != b.clock ? a.clock < b.clock : a.port < b.port;
                   });
  for (std::uint32_t i = 0; i < trace.frames.size(); ++i) {
    put_big(trace.frames[i].word, kSliceNumberAt, i, 4);
  }
}

}  // namespace

std::uint16_t slice_ip_sum(const std::array<std::uint8_t, 64>& word) {
  std::uint32_t sum = 0;
  for (std::size_t i = kIpAt; i < kIpAt + 20; i += 2) {
    sum += static_cast<std::uint32_t>(word[i]) << 8 | word[i + 1];
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

SliceTrace make_slice_trace(RandomStream& random, std::uint64_t clocks, SliceLoad load) {
  SliceTrace trace;
  const std::vector<Pattern> patterns = patterns_of(load);
  for (const Pattern& pattern : patterns) trace.patterns.emplace_back(pattern.name);
  std::vector<PortSource> sources;
  for (std::uint32_t port = 0; port < kSlicePorts; ++port)
    sources.emplace_back(port, load == SliceLoad::kPauses);
  std::uint32_t index = 0;
  // Short runs see all patterns too.
  const std::uint64_t each = std::clamp<std::uint64_t>(
      clocks < kDrainClocks + kFirstClock ? 0
                                          : (clocks - kDrainClocks - kFirstClock) / patterns.size(),
      kShortest, 8000);
  for (std::uint64_t start = kFirstClock; start + each + kDrainClocks <= clocks; start += each) {
    const std::uint32_t shift = random.below(kSlicePorts);
    for (PortSource& source : sources) {
      source.fill(random, patterns[index], index, start, each, shift, trace.frames);
    }
    index = (index + 1) % static_cast<std::uint32_t>(patterns.size());
  }
  leave_out_ties(trace.frames);
  for (std::uint32_t i = 0; i < trace.frames.size(); ++i) {
    SliceFrame& frame = trace.frames[i];
    if (frame.pauses != 0) {
      write_pause(frame);
      continue;
    }
    const bool ipv4 = frame.destination < kSlicePorts || random.below(2) == 0;
    // What is not IPv4 carries a good address in the same place.
    if (!ipv4) frame.destination = random.below(kSlicePorts);
    write_headers(frame, i, ipv4);
    if (!ipv4) frame.destination = kSlicePorts;
  }
  sort_and_number(trace);
  return trace;
}

SliceTrace make_calibration_trace() {
  SliceTrace trace;
  trace.patterns = {"one frame at a time"};
  constexpr std::uint64_t kApart = 256;
  std::uint64_t clock = kApart;
  for (const std::uint32_t bytes : {64u, 512u, 1098u, 4178u}) {
    for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
      SliceFrame frame;
      frame.clock = clock + port;
      frame.port = port;
      frame.bytes = bytes;
      frame.destination = (port + 1) % kSlicePorts;
      frame.dscp = 24;
      frame.ecn = Ecn::kEct0;
      write_headers(frame, port, true);
      trace.frames.push_back(frame);
      clock += kApart;
    }
  }
  sort_and_number(trace);
  return trace;
}

SliceTrace read_slice_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(fmt::format("--replay {}: cannot read it", path));
  pcapng::Reader reader(file, path);
  SliceTrace trace;
  trace.patterns = {"recorded"};
  pcapng::CapturedFrame seen;
  pcapng::CaptureTime first;
  std::vector<PortSource> sources;
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    sources.emplace_back(port);
  }
  while (reader.next(seen)) {
    const std::uint32_t fcs = reader.interface(seen.interface).fcs_bytes;
    if (seen.interface >= kSlicePorts) {
      throw ConfigError(fmt::format("--replay {}: interface {}, the slice has ports 0 to {}", path,
                                    seen.interface, kSlicePorts - 1));
    }
    if (seen.bytes.size() < kSliceNumberAt + 4 || seen.bytes[12] != 0x08 || seen.bytes[13] != 0) {
      continue;  // PFC and other than IPv4
    }
    if (trace.frames.empty()) first = seen.time;
    SliceFrame frame;
    frame.port = seen.interface;
    frame.bytes = seen.wire_bytes + (fcs == 0 ? 4 : 0);
    std::copy_n(seen.bytes.begin(), std::min<std::size_t>(64, seen.bytes.size()),
                frame.word.begin());
    const pcapng::SeenPacket packet = pcapng::look_at(seen.bytes, seen.wire_bytes, fcs);
    frame.dscp = packet.dscp;
    frame.ecn = static_cast<Ecn>(packet.ecn);
    std::uint32_t address = 0;
    for (std::size_t i = 0; i < 4; ++i) address = address << 8 | frame.word[kDestinationAt + i];
    frame.destination = std::min(address - kFirstIpv4Address, kSlicePorts);
    const auto ps = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, pcapng::picoseconds_between(first, seen.time)));
    const auto clock = ps / kSliceClockPs;
    PortSource& source = sources[frame.port];
    source.not_before(kFirstClock + clock);
    frame.clock = source.next_clock(kBetween);
    source.take(frame, 0);
    trace.frames.push_back(frame);
  }
  if (trace.frames.empty()) throw ConfigError(fmt::format("--replay {}: holds no frames", path));
  sort_and_number(trace);
  return trace;
}

}  // namespace sluice::cosim
