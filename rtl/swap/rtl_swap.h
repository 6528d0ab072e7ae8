// SPDX-License-Identifier: Apache-2.0
// Which blocks of which chips and NICs the RTL stands in for, as the command line says.
// Leaves out: the blocks (rtl/<block>/).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nic/block_swap.h"
#include "rtl/swap/watch.h"
#include "switch/block_swap.h"

namespace sluice::rtl {

struct SwapRequest {
  std::vector<std::string> blocks;  ///< in RTL
  std::string scope;                ///< one chip or NIC by name ("leaf0"); empty: all
  bool compare = false;
  std::string fault_block;  ///< fault placed by hand in that block
  int fault = 0;
  std::string record;  ///< directory for the requests of the blocks; empty: none
  std::uint64_t seed = 1;
};

class RtlSwap final : public SwitchBlockSwap, public NicBlockSwap {
 public:
  /// Throws ConfigError for a name that is no block, listing those that are.
  explicit RtlSwap(SwapRequest request);

  std::unique_ptr<EcnMarker> wred_marker(std::unique_ptr<EcnMarker> model,
                                         const std::vector<EcnParams>& profiles,
                                         const std::vector<std::uint8_t>& profile_of_queue,
                                         const BlockPlace& place) override;
  std::unique_ptr<Scheduler> egress_scheduler(std::unique_ptr<Scheduler> model,
                                              const std::vector<SchedulerParams>& profiles,
                                              const std::vector<std::uint16_t>& profile_of_port,
                                              const BlockPlace& place) override;
  std::unique_ptr<PfcReceiver> pfc_rx(const std::vector<BitsPerSecond>& rates,
                                      const std::vector<std::uint8_t>& lossless,
                                      const BlockPlace& place) override;
  std::unique_ptr<PfcSender> pfc_tx(const PfcParams& params,
                                    const std::vector<BitsPerSecond>& rates,
                                    const BlockPlace& place) override;

  std::unique_ptr<Mmu> mmu_admission(std::unique_ptr<Mmu> model, const MmuParams& params,
                                     const MmuGeometry& geometry, const BlockPlace& place) override;
  std::unique_ptr<PacketCells> cell_buffer(const CellBufferParams& params,
                                           const BlockPlace& place) override;

  std::unique_ptr<RateControl> dcqcn_rp(std::unique_ptr<Dcqcn> model, const DcqcnParams& params,
                                        BitsPerSecond line_rate, const BlockPlace& place) override;
  std::unique_ptr<PsnTrackerBank> psn_tracker(const PsnTrackerConfig& config,
                                              const BlockPlace& place) override;
  std::unique_ptr<QpSchedule> qp_scheduler(std::uint32_t burst_packets, std::uint32_t port,
                                           const BlockPlace& place) override;

  std::unique_ptr<EcmpHash> ecmp_hash(std::unique_ptr<EcmpHash> model, const RoutingParams& params,
                                      const BlockPlace& place) override;
  std::unique_ptr<AdaptiveSelector> ar_select(std::unique_ptr<AdaptiveSelector> model,
                                              const BlockPlace& place) override;

  /// Throws ConfigError when a block that was asked for is nowhere in the scope.
  void check_used() const;

  /// Blocks that a fabric can have in RTL.
  static const std::vector<std::string_view>& blocks();

 private:
  /// How `block` at `place` is done; nothing special: neither rtl nor a record.
  SwapMode mode(std::string_view block, const BlockPlace& place);

  SwapRequest request_;
  std::set<std::string, std::less<>> used_;  ///< blocks that were offered where they are wanted
};

}  // namespace sluice::rtl
