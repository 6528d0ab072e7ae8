// SPDX-License-Identifier: Apache-2.0
// Ingress pipelines of a chip: which port belongs to which, and how many packets a second each can
// classify. Leaves out: egress pipelines, recirculation.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

/// Ports reach their pipe by lane: pipe = (first lane - 1) / lanes_per_pipe, lanes counted from 1.
struct PipeParams {
  std::uint32_t count = 16;
  std::uint32_t lanes_per_pipe = 32;
  std::uint64_t packets_per_second = 1'325'000'000;  ///< of one pipe
  std::uint32_t fifo_packets = 32;                   ///< before classification, one a pipe
  /// Buffer slice behind each pipe; used where lanes are known. Empty: ports in equal parts.
  std::vector<std::uint32_t> slice_of_pipe;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
