// SPDX-License-Identifier: Apache-2.0
// Parameters of one switch chip: mode, named latency stages, classification, and its blocks' own.
// Leaves out: how many ports are wired and at which rate, which the fabric decides.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/parameter.h"
#include "switch/ecn/ecn.h"
#include "switch/forwarding/forwarding_params.h"
#include "switch/mmu/mmu_params.h"
#include "switch/pfc/pfc.h"
#include "switch/pfc/watchdog_params.h"
#include "switch/pipe/pipe_params.h"
#include "switch/qos/qos_maps.h"
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

/// Settings that single ports of a chip have of their own. Filled by code (SONiC files), not by
/// YAML keys. An empty vector: every port has the chip's common setting. Ports beyond the wired
/// ones may be listed; they only reserve buffer.
struct PortSettings {
  std::vector<QosMaps> maps;
  std::vector<std::uint16_t> maps_of_port;  ///< 0: SwitchParams::qos, i: maps[i - 1]
  /// PFC priorities that a port sends and obeys, a bit each; empty: those of its lossless PGs.
  std::vector<std::uint8_t> pfc_enable;
  std::vector<EcnParams> curves;
  /// [port * 8 + queue]: 0: no marking, i: curves[i - 1]; empty: SwitchParams::ecn on lossless
  /// queues.
  std::vector<std::uint16_t> curve_of_queue;
  std::vector<SchedulerParams> schedulers;
  std::vector<std::uint16_t>
      scheduler_of_port;  ///< 0: SwitchParams::scheduler, i: schedulers[i - 1]
  std::vector<WatchdogParams> watchdogs;
  std::vector<std::uint16_t> watchdog_of_port;  ///< 0: SwitchParams::watchdog, i: watchdogs[i - 1]
  /// First SerDes lane of each port, counted from 1; empty: ports in order, a lane per lane rate.
  std::vector<std::uint32_t> first_lane;
  std::uint32_t unwired_ports = 0;  ///< after the wired ones, in the MMU's numbering only
};

struct SwitchParams {
  BitsPerSecond capacity{51'200'000'000'000};  ///< sum of the port rates that the chip can wire
  std::uint32_t lanes = 512;                   ///< SerDes lanes; a lane carries capacity / lanes
  std::uint32_t max_ports = 256;               ///< however slow they are
  SwitchingMode mode = SwitchingMode::kCutThrough;
  StageLatencies latency;
  std::uint32_t egress_fifo_cells = 0;  ///< between scheduler and MAC, beyond PFC's reach
  double freq_offset_ppm = 50;          ///< each port's clock lies within +- this, seeded
  QosMaps qos;                          ///< of ports without maps of their own
  MmuParams mmu;
  EcnParams ecn;  ///< of the lossless queues
  PfcParams pfc;
  SchedulerParams scheduler;
  RoutingParams routing;
  ForwardingParams forwarding;
  PipeParams pipes;
  WatchdogParams watchdog;
  PortSettings ports;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// Chips by name, for ports of one rate and cable; thresholds follow both.
SwitchParams spectrum4(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);
SwitchParams tomahawk5(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);
/// Lanes of 50G: ports of at most 400 Gb/s. Throws ConfigError for faster ones.
SwitchParams tomahawk4(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);

}  // namespace sluice
