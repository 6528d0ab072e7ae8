// SPDX-License-Identifier: Apache-2.0
// What a port may still receive after its MMU has decided XOFF, term by term, from the stage
// parameters that the simulator runs with. Leaves out: how a memory divides headroom (pools.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/time.h"

namespace sluice {

/// One named delay on the way, as its parameter is called.
struct LoopStage {
  std::string name;
  Ps time{};
  bool operator==(const LoopStage&) const = default;
};

/// The side that is told to pause.
struct LoopPeer {
  std::string kind;                      ///< "chip", "NIC" or "tester"
  std::vector<LoopStage> until_stopped;  ///< last bit of the PFC frame in, to transmitter stopped
  std::vector<LoopStage> to_wire;        ///< transmission begun, to first bit out
  std::uint32_t fifo_cells = 0;          ///< chosen already, so beyond a pause; 0: no FIFO
  std::uint32_t fifo_cell_bytes = 1;
  std::uint32_t gap_bytes = 12;
  double ppm = 0;  ///< its clock is off by this at most
  bool obeys = true;
  bool operator==(const LoopPeer&) const = default;
};

/// The chip whose headroom is asked for.
struct LoopReceiver {
  std::vector<LoopStage> to_wire;       ///< PFC frame begun, to first bit out
  std::vector<LoopStage> to_admission;  ///< first bit in, to the MMU's decision
  bool stores_frames = false;           ///< store and forward: decides at a frame's last bit
  std::uint32_t cell_bytes = 1;
  double ppm = 0;
  BitsPerSecond slowest_port{};  ///< a frame from there may hold a faster port up
  bool operator==(const LoopReceiver&) const = default;
};

struct LoopCable {
  BitsPerSecond rate{};
  std::uint64_t length_mm = 0;
  Ps propagation{};
  Ps extra{};  ///< modules and retimers
  bool operator==(const LoopCable&) const = default;
};

/// Frame sizes, destination MAC to FCS.
struct LoopFrames {
  std::uint32_t reverse = 0;  ///< largest towards the peer: the PFC frame waits for it
  std::uint32_t largest = 0;  ///< from the peer
  std::uint32_t uniform = 0;  ///< all frames from the peer have this size; 0: the worst mix
  bool operator==(const LoopFrames&) const = default;
};

struct PauseLoop {
  LoopReceiver receiver;
  LoopPeer peer;
  LoopCable cable;
  LoopFrames frames;
  bool operator==(const PauseLoop&) const = default;
};

struct LoopTerm {
  std::string name;
  Ps time{};
  double wire_bytes = 0;  ///< what the peer sends in that time
};

struct LoopBudget {
  std::vector<LoopTerm> terms;
  Ps time{};
  std::uint64_t wire_bytes = 0;  ///< sum of the terms, preamble and gap of each frame included
  /// The same as this chip stores it: whole cells a frame, the worst frame sizes unless they are
  /// given. This is what headroom is held against.
  std::uint32_t cells = 0;
  std::uint64_t cell_bytes = 0;  ///< cells in bytes of memory
  double inflation = 1;          ///< stored bytes a wire byte, of the frames assumed
};

LoopBudget loop_budget(const PauseLoop& loop);

/// The frame size, 64 to `largest`, that takes most cells a byte on the wire.
std::uint32_t worst_frame(std::uint32_t largest, std::uint32_t cell_bytes,
                          std::uint32_t gap_bytes = 12);

}  // namespace sluice
