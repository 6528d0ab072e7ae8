// SPDX-License-Identifier: Apache-2.0
// When a chip's buffer first came under pressure, and how far it went: first XOFF of a priority
// group with what the group held then, first CE mark of a queue, and highest use. Written on rare
// events and at the end of a run. Leaves out: the times of the XOFFs in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/statistics.h"
#include "kernel/time.h"
#include "switch/mmu/mmu.h"

namespace sluice {

/// One priority group of one port. Zero: it never happened.
struct PgWatermarks {
  std::uint64_t first_xoff_ps = 0;
  std::uint64_t first_xoff_cells = 0;  ///< held then, without headroom: its threshold
  std::uint64_t xoffs = 0;             ///< times it went into XOFF
  std::uint64_t last_xoff_ps = 0;
  std::uint64_t first_xoff_rx_frames = 0;  ///< frames that had reached the port by then
  std::uint64_t peak_cells = 0;
  std::uint64_t peak_headroom_cells = 0;
};

/// One queue of one port.
struct QueueWatermarks {
  std::uint64_t first_ce_ps = 0;
  std::uint64_t peak_cells = 0;
};

/// One slice of the memory: the most that its pools ever held.
struct SliceWatermarks {
  std::uint64_t peak_shared_cells = 0;
  std::uint64_t peak_lossy_cells = 0;
  std::uint64_t peak_egress_cells = 0;
  std::uint64_t peak_headroom_cells = 0;
};

class Watermarks {
 public:
  Watermarks(std::size_t ports, std::size_t queues_per_port, std::size_t slices)
      : pgs_(ports * kPriorityGroups),
        queues_(ports * queues_per_port),
        slices_(slices),
        queues_per_port_(queues_per_port) {}

  /// The group went into XOFF now.
  void xoff(std::uint32_t port, std::uint32_t pg, Ps now, std::uint64_t rx_frames, const Mmu& mmu);
  /// A packet of the queue was marked now.
  void marked(std::size_t queue, Ps now) {
    std::uint64_t& first = queues_[queue].first_ce_ps;
    if (first == 0) first = now.value;
  }
  /// Copies the MMU's peaks; call before the counters are read.
  void settle(const Mmu& mmu);

  const PgWatermarks& pg(std::uint32_t port, std::uint32_t pg) const {
    return pgs_[port * kPriorityGroups + pg];
  }
  const QueueWatermarks& queue(std::size_t queue) const { return queues_[queue]; }
  void register_counters(StatisticsRegistry& registry, const std::string& chip) const;

 private:
  std::vector<PgWatermarks> pgs_;
  std::vector<QueueWatermarks> queues_;
  std::vector<SliceWatermarks> slices_;
  std::size_t queues_per_port_;
};

}  // namespace sluice
