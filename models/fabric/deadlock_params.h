// SPDX-License-Identifier: Apache-2.0
// When a cycle of paused queues counts as a deadlock.
#pragma once

#include "kernel/error.h"
#include "kernel/parameter.h"

namespace sluice {

struct DeadlockParams {
  bool enabled = true;
  Ps interval{200'000'000};  ///< nothing left any queue of the cycle for so long

  void describe(ParameterVisitor& v) {
    v.visit("enabled", enabled,
            {"end a run in which queues pause each other for good", "estimate"});
    v.visit("interval", interval, {1e6, 1e13},
            {"nothing leaves any queue of the cycle for so long; also the time between looks",
             "estimate: some longest pauses of a 400G port"});
  }
  void validate() const {
    if (interval < Ps{1'000'000}) {
      throw ConfigError(
          fmt::format("deadlock.interval: {} ps, expected at least 1 us", interval.value));
    }
  }
};

}  // namespace sluice
