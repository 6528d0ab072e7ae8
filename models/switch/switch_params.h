// SPDX-License-Identifier: Apache-2.0
// Parameters of one switch chip: mode, named latency stages, classification, and its blocks' own.
// Leaves out: how many ports are wired and at which rate, which the fabric decides.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/parameter.h"
#include "switch/ecn/ecn.h"
#include "switch/mmu/mmu_params.h"
#include "switch/pfc/pfc.h"
#include "switch/routing/route_table.h"
#include "switch/scheduler/scheduler.h"

namespace sluice {

enum class SwitchingMode : std::uint8_t { kCutThrough, kStoreAndForward };

/// Port-to-port latency at zero load, first bit in to first bit out, is the sum of the stages.
struct StageLatencies {
  Ps rx_phy{116'000};            ///< SerDes CDR and deskew 30 ns, PCS with FEC decode 86 ns
  Ps rx_mac{20'000};             ///< MAC and cell segmentation
  Ps ingress_pipeline{180'000};  ///< parser and lookups
  Ps mmu{120'000};               ///< enqueue, buffer write, schedule, read, uncongested
  Ps egress_pipeline{110'000};   ///< rewrite, marking, MAC
  Ps tx_phy{54'000};             ///< FEC encode, PMA

  Ps to_admission() const { return rx_phy + rx_mac + ingress_pipeline + mmu; }
  Ps from_scheduler() const { return egress_pipeline + tx_phy; }
  Ps total() const { return to_admission() + from_scheduler(); }
  void describe(ParameterVisitor& visitor);
};

struct SwitchParams {
  BitsPerSecond capacity{51'200'000'000'000};  ///< sum of the port rates that the chip can wire
  SwitchingMode mode = SwitchingMode::kCutThrough;
  StageLatencies latency;
  std::uint32_t egress_fifo_cells = 0;  ///< between scheduler and MAC, beyond PFC's reach
  double freq_offset_ppm = 50;          ///< each port's clock lies within +- this, seeded
  std::vector<std::uint32_t> dscp_to_tc = default_dscp_to_tc();  ///< 64 entries
  std::vector<std::uint32_t> pcp_to_tc{0, 1, 2, 3, 4, 5, 6, 7};  ///< tagged frames
  MmuParams mmu;
  EcnParams ecn;  ///< of the lossless queues
  PfcParams pfc;
  SchedulerParams scheduler;
  RoutingParams routing;

  void describe(ParameterVisitor& visitor);
  void validate() const;
  /// DSCP 24 and 26 (RoCE data) to TC 3, 48 (CNP) to TC 6, the rest to TC 0.
  static std::vector<std::uint32_t> default_dscp_to_tc();
};

/// Chips by name, for ports of one rate and cable; thresholds follow both.
SwitchParams spectrum4(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);
SwitchParams tomahawk5(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);

}  // namespace sluice
