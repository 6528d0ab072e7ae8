// SPDX-License-Identifier: Apache-2.0
// The trackers of all flows of a NIC in one place, where something other than PsnTracker keeps them
// (an RTL twin). Leaves out: any such place (rtl/).
#pragma once

#include <cstdint>

#include "nic/responder/psn_tracker.h"

namespace sluice {

class PsnTrackerBank {
 public:
  virtual ~PsnTrackerBank() = default;

  /// As the functions of PsnTracker, for `flow`; flows are numbered from 0 as they are added. Each
  /// is followed by view().
  virtual void add_flow(std::uint32_t first_psn) = 0;
  virtual PsnTracker::Decision on_packet(std::uint32_t flow, std::uint32_t psn,
                                         std::uint32_t span) = 0;
  virtual std::uint32_t go_back(std::uint32_t flow, std::uint32_t psn) = 0;
  virtual void silence(std::uint32_t flow) = 0;
  /// What the last request left its flow with.
  virtual PsnTracker::View view() const = 0;
};

}  // namespace sluice
