// SPDX-License-Identifier: Apache-2.0
// Parameters of the raw endpoint and its streams. Leaves out: reading them from a file.
#include <array>
#include <string_view>

#include "host/raw_source.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::string_view kTester = "choice of the test";
constexpr std::array<std::string_view, 2> kArrivals{"constant", "poisson"};
constexpr ParameterRange kTime{0, 1.8e19};
constexpr ParameterRange kLatency{0, 1e12};

void check(bool good, std::string_view key, std::uint64_t value, std::string_view expected) {
  if (!good) throw ConfigError(fmt::format("{}: {}, expected {}", key, value, expected));
}

}  // namespace

void RawStream::describe(ParameterVisitor& visitor) {
  visitor.visit("destination", destination, {0, 16777215}, {"receiving endpoint", kTester});
  visitor.visit("frame_bytes", frame_bytes, {64, 9216},
                {"frame from destination MAC to FCS, without the tag", kTester, "B"});
  visitor.visit("dscp", dscp, {0, 63}, {"DSCP", kTester});
  visitor.visit("priority", priority, {0, 7}, {"PFC priority, PCP when tagged", kTester});
  visitor.visit("tagged", tagged, {"802.1Q tag, 4 B more", kTester});
  visitor.visit(
      "broadcast", broadcast,
      {"to all stations instead of `destination`; switches in mode l2 flood it", kTester});
  visitor.visit("ecn", ecn, {0, 3}, {"ECN bits", "RFC 3168"});
  visitor.visit("ttl", ttl, {1, 255}, {"IPv4 TTL or IPv6 hop limit", kTester});
  visitor.visit("frames", frames, {0, 9e18}, {"frames to send; 0: until stop", kTester, "frames"});
  visitor.visit("start", start, kTime, {"first frame due", kTester});
  visitor.visit("stop", stop, kTime, {"no frame is due from here on", kTester});
  visitor.visit("rate", rate, {0, 1.6e12}, {"preamble to gap; 0: the line rate", kTester});
  visitor.visit("arrivals", arrivals, kArrivals, {"spacing of frames", kTester});
}

void RawStream::validate() const {
  check(frame_bytes >= 64 && frame_bytes <= 9216, "frame_bytes", frame_bytes, "64..9216");
  check(dscp < 64, "dscp", dscp, "0..63");
  check(priority < 8, "priority", priority, "0..7");
  check(ecn < 4, "ecn", ecn, "0..3");
  check(ttl >= 1 && ttl <= 255, "ttl", ttl, "1..255");
  check(rate.value == 0 || rate.value >= 1'000'000'000, "rate", rate.value, "0 or at least 1 Gb/s");
  check(start < stop, "start", start.value, "ps below stop");
  check(arrivals == RawArrivals::kConstant || rate.value != 0, "rate", rate.value,
        "a rate for poisson arrivals");
}

void RawParams::describe(ParameterVisitor& visitor) {
  visitor.visit("port_rate", port_rate, {1e10, 1.6e12}, {"MAC rate", kTester});
  visitor.visit("frequency_offset_ppm", frequency_offset_ppm, {0, 100},
                {"largest offset of the port's clock, seeded", "IEEE 802.3: +-100 ppm", "ppm"});
  visitor.visit("tx_latency", tx_latency, kLatency, {"MAC to the wire", kTester});
  visitor.visit("rx_latency", rx_latency, kLatency, {"wire to counted", kTester});
  visitor.visit("obey_pfc", obey_pfc, {"stop paused priorities", kTester});
  visitor.visit("pfc_response", pfc_response, kLatency,
                {"PFC frame received to the class stopped", kTester});
  visitor.visit("pause_priorities", pause_priorities, {0, 255},
                {"mask of priorities to pause the switch on", kTester});
  visitor.visit("pause_quanta", pause_quanta, {1, 65535}, {"quanta of each XOFF", "802.1Qbb"});
  visitor.visit("pause_refresh", pause_refresh, kLatency,
                {"time between XOFF frames; 0: half of pause_quanta", kTester});
  visitor.visit("pause_start", pause_start, kTime, {"first XOFF", kTester});
  visitor.visit("pause_release", pause_release, kTime, {"XON", kTester});
}

void RawParams::validate() const {
  check(port_rate.value >= 10'000'000'000 && port_rate.value <= 1'600'000'000'000, "port_rate",
        port_rate.value, "10 Gb/s .. 1.6 Tb/s");
  check(frequency_offset_ppm <= 100, "frequency_offset_ppm", frequency_offset_ppm, "0..100");
  check(pause_priorities < 256, "pause_priorities", pause_priorities, "0..255");
  check(pause_quanta >= 1 && pause_quanta <= 65535, "pause_quanta", pause_quanta, "1..65535");
  for (const RawStream& stream : streams) {
    stream.validate();
    check(stream.rate.value <= port_rate.value, "rate", stream.rate.value, "at most port_rate");
  }
}

}  // namespace sluice
