// SPDX-License-Identifier: Apache-2.0
// Parameters of a NIC's host side: PCI Express, the caches that hold state of the host's memory,
// and how many messages a second the NIC can begin. Leaves out: switches on the way, which
// read_latency may hold; ordering rules and retries of the data link layer.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"

namespace sluice {

enum class PcieModel : std::uint8_t {
  kLatency,       ///< the NIC's named latencies stand for the whole host side
  kTransactions,  ///< reads, writes, caches and the message rate are modelled beside them
};

struct PcieParams {
  PcieModel model = PcieModel::kLatency;
  std::uint32_t generation = 6;  ///< 5 or 6
  std::uint32_t lanes = 16;
  std::uint32_t max_payload_bytes = 256;   ///< of a TLP
  std::uint32_t read_request_bytes = 512;  ///< of one read request
  std::uint32_t outstanding_reads = 256;   ///< requests at once (tags)
  Ps read_latency = 600_ns;                ///< request to its first completion
  std::uint32_t posted_credits = 4096;     ///< TLPs written and not yet accepted by the host
  Ps credit_return_latency = 500_ns;
  Bytes prefetch_bytes{131072};  ///< payload that may be read ahead of the MAC
  bool inline_wqe = true;        ///< the doorbell carries the WQE (BlueFlame)
  std::uint32_t wqe_bytes = 64;
  std::uint32_t cqe_bytes = 64;
  std::uint32_t context_entries = 8192;  ///< QPs whose context the NIC holds
  Ps context_miss = 600_ns;
  std::uint32_t translation_entries = 65536;  ///< pages whose address the NIC holds
  Bytes page_bytes{2 << 20};
  Ps translation_miss = 600_ns;
  std::uint32_t parallel_misses = 16;               ///< the receiver waits for one in so many
  std::uint64_t messages_per_second = 400'000'000;  ///< that the NIC can begin; 0: any number

  bool operator==(const PcieParams&) const = default;
  bool transactions() const { return model == PcieModel::kTransactions; }
  void describe(ParameterVisitor& visitor);
  /// Throws ConfigError naming the key.
  void validate() const;
};

}  // namespace sluice
