// SPDX-License-Identifier: Apache-2.0
// Where another implementation of a chip's blocks (an RTL twin, a recorder) is put in place of the
// C++ one, at construction. Leaves out: any such implementation (rtl/).
#pragma once

#include <memory>
#include <vector>

#include "kernel/block_place.h"
#include "switch/cell_buffer/cell_buffer.h"
#include "switch/cell_buffer/packet_cells.h"
#include "switch/ecn/ecn.h"
#include "switch/mmu/mmu.h"
#include "switch/pfc/pfc.h"
#include "switch/routing/adaptive_selector.h"
#include "switch/routing/ecmp_hash.h"
#include "switch/routing/routing_params.h"
#include "switch/scheduler/scheduler.h"

namespace sluice {

/// Each function takes the C++ block and gives back what the chip uses; here: the same.
class SwitchBlockSwap {
 public:
  virtual ~SwitchBlockSwap() = default;

  virtual std::unique_ptr<EcnMarker> wred_marker(std::unique_ptr<EcnMarker> model,
                                                 const std::vector<EcnParams>& profiles,
                                                 const std::vector<std::uint8_t>& profile_of_queue,
                                                 const BlockPlace& place) = 0;
  virtual std::unique_ptr<Scheduler> egress_scheduler(
      std::unique_ptr<Scheduler> model, const std::vector<SchedulerParams>& profiles,
      const std::vector<std::uint16_t>& profile_of_port, const BlockPlace& place) = 0;
  virtual std::unique_ptr<PfcReceiver> pfc_rx(const std::vector<BitsPerSecond>& rates,
                                              const std::vector<std::uint8_t>& lossless,
                                              const BlockPlace& place) = 0;
  virtual std::unique_ptr<PfcSender> pfc_tx(const PfcParams& params,
                                            const std::vector<BitsPerSecond>& rates,
                                            const BlockPlace& place) = 0;
  virtual std::unique_ptr<Mmu> mmu_admission(std::unique_ptr<Mmu> model, const MmuParams& params,
                                             const MmuGeometry& geometry,
                                             const BlockPlace& place) = 0;
  /// A buffer that every packet of the chip goes through; null: the chip counts cells only.
  virtual std::unique_ptr<PacketCells> cell_buffer(const CellBufferParams& params,
                                                   const BlockPlace& place) = 0;
  /// Asked in mode ecmp too where packets bring their hash; `model` back: they go on doing so.
  virtual std::unique_ptr<EcmpHash> ecmp_hash(std::unique_ptr<EcmpHash> model,
                                              const RoutingParams& params,
                                              const BlockPlace& place) = 0;
  /// `model` is null where the chip's mode is not dlb or ar.
  virtual std::unique_ptr<AdaptiveSelector> ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                      const BlockPlace& place) = 0;
};

}  // namespace sluice
