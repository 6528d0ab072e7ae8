// SPDX-License-Identifier: Apache-2.0
// What a run will take, scaled from measured runs. An estimate: machines differ by more than the
// measurements scatter. Leaves out: traces, whose length is known only when they are read.
#pragma once

#include <cstdint>
#include <optional>

#include "fabric/fabric_spec.h"

namespace sluice {

/// Measured figures and where they come from (docs/performance.md, "Where it stands").
struct EstimateParams {
  std::uint32_t small_endpoints = 128;
  double small_ns_per_hop = 127.5;  ///< W1
  std::uint32_t large_endpoints = 2048;
  double large_ns_per_hop = 354.7;  ///< W2
  double base_bytes = 16.6e6;       ///< W1 and W2: 22 MB at 384 chip ports, 103 MB at 6144
  double bytes_per_port = 14.1e3;
  double disk_base_bytes = 2e3;      ///< summary.json, ops.csv, config.yaml
  double disk_bytes_per_port = 430;  ///< counters.csv of W1 and W2

  /// Between the two by the logarithm of the endpoints, beyond them constant.
  double ns_per_hop(std::uint32_t endpoints) const;
};

struct RunEstimate {
  bool known = false;          ///< the fabric file names a workload that comes to an end
  std::uint64_t packets = 0;   ///< data packets
  double hops_per_packet = 0;  ///< mean over pairs of hosts
  std::uint64_t packet_hops = 0;
  double ns_per_hop = 0;
  double cpu_s = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;  ///< with --out, without captures
};

RunEstimate estimate_run(const FabricSpec& spec, const EstimateParams& params = {});

}  // namespace sluice
