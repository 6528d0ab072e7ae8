// SPDX-License-Identifier: Apache-2.0
#include "switch/watermarks.h"

#include <fmt/format.h>

#include <cstddef>

#include "switch/counter_kinds.h"

namespace sluice {
namespace {

std::vector<CounterField> pg_fields() {
  return {{"first_xoff_ps", "ps", "when the group first went into XOFF",
           offsetof(PgWatermarks, first_xoff_ps)},
          {"first_xoff_cells", "cells", "what it held then, headroom apart",
           offsetof(PgWatermarks, first_xoff_cells)},
          {"xoffs", "times", "times it went into XOFF", offsetof(PgWatermarks, xoffs)},
          {"last_xoff_ps", "ps", "when it last did", offsetof(PgWatermarks, last_xoff_ps)},
          {"first_xoff_rx_frames", "frames", "frames that had reached its port by then",
           offsetof(PgWatermarks, first_xoff_rx_frames)},
          {"peak_cells", "cells", "most cells ever held", offsetof(PgWatermarks, peak_cells)},
          {"peak_headroom_cells", "cells", "most headroom cells ever held",
           offsetof(PgWatermarks, peak_headroom_cells)}};
}

std::vector<CounterField> queue_fields() {
  return {{"first_ce_ps", "ps", "when the queue first marked a frame",
           offsetof(QueueWatermarks, first_ce_ps)},
          {"peak_cells", "cells", "most cells ever held", offsetof(QueueWatermarks, peak_cells)}};
}

std::vector<CounterField> slice_fields() {
  return {{"peak_shared_cells", "cells", "most cells that priority groups ever shared",
           offsetof(SliceWatermarks, peak_shared_cells)},
          {"peak_lossy_cells", "cells", "most cells ever held in the lossy ingress pool",
           offsetof(SliceWatermarks, peak_lossy_cells)},
          {"peak_egress_cells", "cells", "most cells that lossy queues ever shared",
           offsetof(SliceWatermarks, peak_egress_cells)},
          {"peak_headroom_cells", "cells", "most cells ever held in the shared headroom pool",
           offsetof(SliceWatermarks, peak_headroom_cells)}};
}

}  // namespace

std::vector<CounterKind> watermark_counter_kinds() {
  return {{"pg", pg_fields()}, {"queue", queue_fields()}, {"slice", slice_fields()}};
}

void Watermarks::xoff(std::uint32_t port, std::uint32_t pg, Ps now, std::uint64_t rx_frames,
                      const Mmu& mmu) {
  PgWatermarks& mark = pgs_[port * kPriorityGroups + pg];
  mark.last_xoff_ps = now.value;
  if (mark.xoffs++ != 0) return;
  mark.first_xoff_ps = now.value;
  const PgUsage usage = mmu.pg(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(pg));
  mark.first_xoff_cells = usage.min + usage.shared;
  mark.first_xoff_rx_frames = rx_frames;
}

void Watermarks::settle(const Mmu& mmu) {
  for (std::size_t i = 0; i < pgs_.size(); ++i) {
    const PgUsage usage = mmu.pg(static_cast<std::uint16_t>(i / kPriorityGroups),
                                 static_cast<std::uint8_t>(i % kPriorityGroups));
    pgs_[i].peak_cells = usage.peak;
    pgs_[i].peak_headroom_cells = usage.peak_headroom;
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].peak_cells = mmu.queue(static_cast<std::uint16_t>(i / queues_per_port_),
                                      static_cast<std::uint8_t>(i % queues_per_port_))
                                .peak;
  }
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const SliceUsage usage = mmu.slice(static_cast<std::uint32_t>(i));
    slices_[i] = {usage.peak_ingress_shared, usage.peak_lossy_shared, usage.peak_egress_shared,
                  usage.peak_headroom};
  }
}

void Watermarks::register_counters(StatisticsRegistry& registry, const std::string& chip) const {
  const auto pg_name = [chip](std::size_t i) {
    return fmt::format("{}.port{}.pg{}", chip, i / kPriorityGroups, i % kPriorityGroups);
  };
  registry.add({"pg", pg_name, pgs_.data(), pgs_.size(), sizeof(PgWatermarks), pg_fields()});
  const auto queue_name = [chip, n = queues_per_port_](std::size_t i) {
    return fmt::format("{}.port{}.queue{}", chip, i / n, i % n);
  };
  registry.add({"queue", queue_name, queues_.data(), queues_.size(), sizeof(QueueWatermarks),
                queue_fields()});
  registry.add({"slice", [chip](std::size_t i) { return fmt::format("{}.slice{}", chip, i); },
                slices_.data(), slices_.size(), sizeof(SliceWatermarks), slice_fields()});
}

}  // namespace sluice
