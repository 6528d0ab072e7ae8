// SPDX-License-Identifier: Apache-2.0
// Parameters of adaptive routing: DLB (flow sets, averaged loads, quality bands), AR (port grades,
// notifications) and how long a chip needs to act on a link that went down.
// Leaves out: hashing and spraying (route_table.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

enum class DlbMode : std::uint8_t {
  kFlowletQuality,
  kFlowletRandom,
  kPacketQuality,
  kPacketRandom,
  kFixed,
};

/// `routing.dlb`, read in mode dlb.
struct DlbParams {
  DlbMode mode = DlbMode::kFlowletQuality;
  std::uint32_t flow_sets = 512;  ///< macro-flows of a group
  Ps idle_time = 256_us;          ///< silence after which a flow set is placed afresh
  Ps sampling_interval = 16_us;
  std::uint32_t ewma_exponent = 2;
  std::uint32_t weight_load = 16;
  std::uint32_t weight_queue = 16;
  bool load_current = false;  ///< an average never stays above its last sample
  std::uint32_t bands = 8;
  double load_min_percent = 0;  ///< of the port's rate; best band at or below
  double load_max_percent = 100;
  Bytes queue_min{0};  ///< of a 400G port, others in proportion
  Bytes queue_max{128'000};
  std::uint32_t primary_threshold = 0;  ///< quality below which alternates are considered
  std::uint32_t alternate_cost = 0;     ///< bands an alternate must be better by
  std::vector<std::uint32_t> alternate_ports;
  std::uint32_t rebalance_delta = 0;  ///< bands; 0: active flows are never moved
  double rebalance_probability = 0.25;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

enum class ArGranularity : std::uint8_t { kPacket, kFlowlet };
enum class ArChoice : std::uint8_t { kBest, kFree, kSticky };

/// `routing.ar`, read in mode ar; `refresh` counts in mode dlb too.
struct ArParams {
  ArGranularity granularity = ArGranularity::kPacket;
  ArChoice choice = ArChoice::kBest;
  std::vector<std::uint32_t> grade_bytes{8'000, 32'000, 128'000};  ///< of a 400G port
  double utilisation_percent = 70;
  Ps utilisation_interval = 10_us;
  bool weighted = true;
  std::uint32_t flow_sets = 512;
  Ps idle_time = 10_us;
  bool notify = true;  ///< ARN to the upstream chip
  Ps notify_hold = 20_us;
  Ps refresh = 100_ns;  ///< age at which a pipe copies the grades again; 0: it reads them live

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// How long after a link went down or came back the groups follow.
struct FailoverParams {
  /// In the chip that has the link; kNever: what the mode can do, in hardware or by software.
  Ps failover_time = kNever;
  Ps remote_failover_time = 200_ms;  ///< in the chips that reach a destination through it

  Ps time_of(bool adaptive) const {
    if (failover_time != kNever) return failover_time;
    return adaptive ? 10_us : 50_ms;
  }
  void describe(ParameterVisitor& visitor, bool adaptive);
};

}  // namespace sluice
