// SPDX-License-Identifier: Apache-2.0
// Where another implementation of a NIC's blocks (an RTL twin, a recorder) is put in place of the
// C++ one, at construction. Leaves out: any such implementation (rtl/).
#pragma once

#include <memory>

#include "kernel/block_place.h"
#include "nic/congestion/dcqcn.h"
#include "nic/rate_control.h"
#include "nic/requester/qp_schedule.h"
#include "nic/responder/psn_tracker_bank.h"

namespace sluice {

class NicBlockSwap {
 public:
  virtual ~NicBlockSwap() = default;

  /// Takes the C++ block and gives back what the NIC uses.
  virtual std::unique_ptr<RateControl> dcqcn_rp(std::unique_ptr<Dcqcn> model,
                                                const DcqcnParams& params, BitsPerSecond line_rate,
                                                const BlockPlace& place) = 0;
  /// What keeps the trackers of a NIC's flows; null: the responder itself.
  virtual std::unique_ptr<PsnTrackerBank> psn_tracker(const PsnTrackerConfig& config,
                                                      const BlockPlace& place) = 0;
  /// What keeps the order of a port's QPs; null: the requester itself.
  virtual std::unique_ptr<QpSchedule> qp_scheduler(std::uint32_t burst_packets, std::uint32_t port,
                                                   const BlockPlace& place) = 0;
};

}  // namespace sluice
