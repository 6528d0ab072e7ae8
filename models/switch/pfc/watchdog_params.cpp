// SPDX-License-Identifier: Apache-2.0
#include "switch/pfc/watchdog_params.h"

#include <array>
#include <string_view>

#include "kernel/error.h"

namespace sluice {

WatchdogParams WatchdogParams::for_ports(std::uint32_t ports) {
  const std::uint64_t factor = (ports == 0 ? 0 : (ports - 1) / 32) + 1;
  WatchdogParams params;
  params.detection_time = params.detection_time * factor;
  params.restoration_time = params.restoration_time * factor;
  params.poll_interval = params.poll_interval * factor;
  return params;
}

void WatchdogParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 3> kActions{"drop", "forward", "alert"};
  v.visit("enabled", enabled, {"watch for PFC storms", "SONiC PFC_WD; off unless configured"});
  v.visit("detection_time", detection_time, {1e6, 5e12},
          {"paused this long with packets waiting and none sent: a storm",
           "sonic-utilities pfcwd: 200 ms, 100 ms to 5 s; shorter for studies"});
  v.visit("restoration_time", restoration_time, {1e6, 6e13},
          {"without pauses this long: the storm is over",
           "sonic-utilities pfcwd: 200 ms, 100 ms to 60 s; shorter for studies"});
  v.visit("poll_interval", poll_interval, {1e6, 5e12},
          {"time between looks at a queue", "sonic-utilities pfcwd: 200 ms; shorter for studies"});
  v.visit("action", action, kActions,
          {"what happens to a stormed queue's packets", "sonic-swss pfcwdorch"});
}

void WatchdogParams::validate() const {
  if (poll_interval == Ps{0}) throw ConfigError("watchdog.poll_interval: 0, expected more");
  if (poll_interval > detection_time) {
    throw ConfigError(
        fmt::format("watchdog.poll_interval: {} ps, expected at most the detection_time of {} ps",
                    poll_interval.value, detection_time.value));
  }
}

}  // namespace sluice
