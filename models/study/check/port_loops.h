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

  /// Of a chip's wired ports.
  const std::vector<BitsPerSecond>& rates(std::uint32_t chip) const { return rates_[chip]; }
  const std::vector<std::uint32_t>& pipes(std::uint32_t chip) const { return pipes_[chip]; }
  PauseLoop loop(std::uint32_t chip, std::uint32_t port) const;
  /// A priority group's settings, as configured for this port or for all.
  PgProfile group(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const;
  /// PFC is on for this priority of this port.
  bool sends_pause(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const;
  const LoopFrames& frames() const { return frames_; }

 private:
  LoopReceiver receiver(std::uint32_t chip, std::uint32_t port) const;
  LoopPeer peer(std::uint32_t chip, std::uint32_t port) const;
  Ps pipe_wait(std::uint32_t chip, std::uint32_t port) const;

  const FabricSpec& spec_;
  const Wiring& wiring_;
  LoopFrames frames_;
  std::vector<std::vector<BitsPerSecond>> rates_;
  std::vector<std::vector<std::uint32_t>> pipes_;  ///< ingress pipeline of each port
};

}  // namespace sluice
