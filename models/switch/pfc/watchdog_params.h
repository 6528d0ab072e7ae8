// SPDX-License-Identifier: Apache-2.0
// Parameters of the PFC storm watchdog (SONiC PFC_WD).
#pragma once

#include <cstdint>

#include "kernel/parameter.h"

namespace sluice {

enum class WatchdogAction : std::uint8_t { kDrop, kForward, kAlert };

struct WatchdogParams {
  bool enabled = false;
  Ps detection_time{200'000'000'000};
  Ps restoration_time{200'000'000'000};
  Ps poll_interval{200'000'000'000};
  WatchdogAction action = WatchdogAction::kDrop;

  /// What SONiC's `pfcwd start_default` sets on a box of so many ports: the defaults above times
  /// (ports - 1) / 32 + 1, in whole numbers. Off.
  static WatchdogParams for_ports(std::uint32_t ports);

  void describe(ParameterVisitor& visitor);
  void validate() const;
  bool operator==(const WatchdogParams&) const = default;
};

}  // namespace sluice
