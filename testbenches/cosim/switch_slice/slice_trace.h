// SPDX-License-Identifier: Apache-2.0
// Traces of frames that arrive at the four ports of rtl/switch_slice, in core clocks: made at
// random, or read from a capture. Leaves out: who takes them (slice_rtl.h, slice_chip.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/random.h"
#include "packet/packet.h"

namespace sluice::cosim {

inline constexpr std::uint32_t kSlicePorts = 4;
inline constexpr std::uint32_t kSliceCellBytes = 512;
/// The model counts picoseconds: a clock of 1.325 GHz that is a whole number of them, so that both
/// sides agree what comes in the clock in which something else ends. 800 Gb/s are 151 / 2 bytes a
/// clock.
inline constexpr std::uint64_t kSliceClockPs = 755;
inline constexpr std::uint64_t kSliceClockUnits = 151;
inline constexpr std::uint64_t kSliceByteUnits = 2;

/// Cells that the MMU gives out, of the 4096 that the slice's memory has.
inline constexpr std::uint32_t kSliceCells = 2048;
inline constexpr std::uint32_t kSliceFewCells = 128;

/// Whose packets are marked, and which PFC frames pause where they are obeyed.
inline constexpr std::uint32_t kSliceMarkedQueue = 3;
/// So many quanta of 512 bits are 128 clocks: pauses begin and end with a clock.
inline constexpr std::uint32_t kSliceQuanta = 151;

/// From a frame's head until it is a packet in its queue, when it need not wait.
inline constexpr std::uint64_t kSliceAdmitClocks = 15;
/// From the head of a PFC frame until it is obeyed: its 72 B and the time to respond.
inline constexpr std::uint64_t kSlicePauseClocks = 265;

/// Frames of two cells for this queue are refused by the MMU; the class of DSCP 8 q is q.
inline constexpr std::uint32_t kSliceClosedQueue = 5;

/// Where the frame's number is in its first word, behind the BTH.
inline constexpr std::size_t kSliceNumberAt = 56;

/// A frame whose first word comes in clock `clock`; its number is its place in the trace.
struct SliceFrame {
  std::uint64_t clock = 0;
  std::uint32_t port = 0;
  std::uint32_t bytes = 0;        ///< from destination MAC to FCS
  std::uint32_t destination = 0;  ///< port, or kSlicePorts: nobody's
  std::uint8_t dscp = 0;
  Ecn ecn = Ecn::kNotEct;
  std::uint32_t pattern = 0;  ///< of traffic, index into SliceTrace::patterns
  /// A PFC frame that pauses these priorities for as many times of 512 bits, or resumes them at 0.
  std::uint8_t pauses = 0;
  std::uint16_t quanta = 0;
  std::array<std::uint8_t, 64> word{};
};

struct SliceTrace {
  std::vector<std::string> patterns;
  std::vector<SliceFrame> frames;  ///< by clock
};

/// What a trace does to the buffer.
enum class SliceLoad : std::uint8_t {
  kFits,             ///< a buffer of kSliceCells
  kOverflowsQueue,   ///< one of kSliceFewCells, by one queue a port: frames of 1098 B and more
  kOverflowsQueues,  ///< by four queues a port: frames of 2122 B and more
  kPauses,           ///< the first, with PFC frames for the queues that are marked
  kOverflowsSmall,   ///< by four queues a port with smaller frames
};

/// Patterns one after the other, `clocks` long in all, frames stop a while before. Heads come in
/// any clock.
SliceTrace make_slice_trace(RandomStream& random, std::uint64_t clocks, SliceLoad load);
/// One frame at a time through an idle chip, of all sizes and ports.
SliceTrace make_calibration_trace();
/// Frames that a capture of four ports' links shows, interface i being port i; hosts 0 to 3 are
/// behind the ports. Throws ConfigError or TraceError.
SliceTrace read_slice_trace(const std::string& path);

/// When cell `cell` of a frame comes, in clocks after its head.
constexpr std::uint64_t slice_cell_delay(std::uint64_t cell) {
  return (cell * kSliceCellBytes * kSliceByteUnits + kSliceClockUnits - 1) / kSliceClockUnits;
}
/// Of a frame on the wire, preamble and gap included.
constexpr std::uint64_t slice_wire_units(std::uint32_t bytes) {
  return (bytes + kWireOverheadBytes) * kSliceByteUnits;
}
constexpr std::uint32_t slice_cells(std::uint32_t bytes) {
  return (bytes + kSliceCellBytes - 1) / kSliceCellBytes;
}
/// Of an IPv4 header in a first word: over its ten halves, 0xffff where the checksum is right.
std::uint16_t slice_ip_sum(const std::array<std::uint8_t, 64>& word);

}  // namespace sluice::cosim
