// SPDX-License-Identifier: Apache-2.0
// What is in a capture of RoCEv2 traffic: flows, opcodes, check sums, pauses, repetitions.
// Leaves out: replaying it (capture_import.cpp).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/time.h"
#include "packet/pcapng/reader.h"
#include "packet/pcapng/seen_packet.h"

namespace sluice {

/// PSNs of a flow that were seen, as far back as anything can be under way.
class SeenPsns {
 public:
  /// True when `psn` comes for the first time.
  bool add(std::uint32_t psn);

 private:
  static constexpr std::uint32_t kMemory = 1U << 15;
  std::unique_ptr<std::bitset<kMemory>> seen_;
  std::uint32_t newest_ = 0;
};

/// Packets from one address to one QP of another, as one interface saw them.
struct FlowKey {
  std::uint32_t interface = 0;
  pcapng::IpAddress source;
  pcapng::IpAddress destination;
  std::uint32_t destination_qp = 0;

  auto operator<=>(const FlowKey&) const = default;
};

struct FlowRow {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t repeated = 0;  ///< requests with a PSN that was seen before
  std::uint64_t marked = 0;    ///< with CE
  Ps first{};                  ///< from the capture's first frame
  Ps last{};
  SeenPsns psns;
};

struct OpcodeRow {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

struct CaptureSurvey {
  std::string source;
  std::string format;                   ///< "pcapng" or "pcap"
  std::vector<std::string> interfaces;  ///< names; "interface 3" where there is none
  std::uint64_t frames = 0;
  std::uint64_t wire_bytes = 0;
  std::uint64_t cut = 0;  ///< frames of which the capture holds less than was sent
  Ps span{};              ///< first to last frame
  std::uint64_t roce = 0;
  std::uint64_t pfc = 0;
  std::uint64_t roce_v1 = 0;
  std::uint64_t malformed = 0;
  std::uint64_t other = 0;
  std::array<std::uint64_t, 3> icrc{};  ///< by pcapng::Check
  std::array<std::uint64_t, 3> fcs{};
  std::map<std::uint8_t, OpcodeRow> opcodes;
  std::map<FlowKey, FlowRow> flows;
  std::vector<std::string> notes;  ///< a line each
};

/// Whether `path` is one file that begins as a capture does.
bool is_capture(const std::filesystem::path& path);
/// Reads all of it. Throws TraceError.
CaptureSurvey survey_capture(const std::filesystem::path& path);

}  // namespace sluice
