// SPDX-License-Identifier: Apache-2.0
// The pause loop of each wired port of a fabric: its chip's stages, its cable, and whoever is at
// the other end. Leaves out: what follows from it (loop_budget.h).
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric_spec.h"
#include "study/check/loop_budget.h"
#include "study/check/wiring.h"

namespace sluice {

class PortLoops {
 public:
  /// `frame_bytes`: all frames have this size; 0: what the workload says, else the worst mix.
  PortLoops(const FabricSpec& spec, const Wiring& wiring, std::uint32_t frame_bytes);

  /// Ports that the chip's buffer counts: the wired ones, and those that only reserve.
  std::uint32_t ports(std::uint32_t chip) const;
  BitsPerSecond rate(std::uint32_t chip, std::uint32_t port) const;
  PauseLoop loop(std::uint32_t chip, std::uint32_t port) const;
  /// A priority group's settings, as configured for this port or for all.
  PgProfile group(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const;
  /// PFC is on for this priority of this port.
  bool sends_pause(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const;
  const LoopFrames& frames() const { return frames_; }

 private:
  LoopReceiver receiver(std::uint32_t chip) const;
  LoopPeer peer(std::uint32_t chip, std::uint32_t port) const;
  const LinkParams& link(std::uint32_t chip, std::uint32_t port) const;

  const FabricSpec& spec_;
  const Wiring& wiring_;
  LoopFrames frames_;
};

}  // namespace sluice
