// SPDX-License-Identifier: Apache-2.0
// What the host side of a NIC costs a message and a frame: doorbell to WQE to payload, caches of QP
// contexts and page addresses, the rate of messages, reads and writes over PCIe.
// Leaves out: contents of queues and memory; what the host's software does.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/statistics.h"
#include "nic/message_start.h"
#include "nic/pcie/pcie_link.h"
#include "nic/pcie/recent_set.h"

namespace sluice {

struct HostSideCounters {
  std::uint64_t context_misses = 0;
  std::uint64_t translation_misses = 0;
  std::uint64_t read_bytes = 0;     ///< payload and WQEs
  std::uint64_t written_bytes = 0;  ///< payload and CQEs
};

/// Fields for the registry, kind "pcie".
std::vector<CounterField> host_side_counter_fields();

class HostSide final : public MessageStart {
 public:
  explicit HostSide(const PcieParams& params);

  Ps message_ready(std::uint32_t qp, std::uint64_t bytes, bool idle, Ps doorbell) override;
  /// A packet with `payload` bytes begins to leave at `now`: when the next one has its payload.
  Ps payload_sent(std::uint32_t payload, Ps now);
  /// A packet with `payload` bytes of flow `key` has arrived whole: when it has gone to the host.
  Ps payload_received(std::uint64_t key, std::uint64_t offset, std::uint32_t payload, Ps now);
  /// A completion is written to the host.
  void complete(Ps now);

  const HostSideCounters& counters() const { return counters_; }

 private:
  Ps lookup(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes);

  PcieParams params_;
  PcieLink link_;
  RecentSet contexts_;
  RecentSet translations_;
  PcieServer messages_;
  std::uint64_t ps_per_message_ = 0;  // Q40.24
  HostSideCounters counters_;
};

}  // namespace sluice
