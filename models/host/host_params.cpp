// SPDX-License-Identifier: Apache-2.0
#include "host/host_params.h"

#include "kernel/error.h"

namespace sluice {

void HostParams::describe(ParameterVisitor& visitor) {
  visitor.visit("start_jitter", start_jitter, {0, 4.29e9},
                {"each rank starts at a seeded time in [0, start_jitter]",
                 "estimate: ranks leave a barrier within some 100 ns", "ps"});
  visitor.visit("op_overhead", op_overhead, {0, 1e12},
                {"software time from an op that may start to its first write", "choice: 0", "ps"});
  visitor.begin("collective", "how collectives are carried out");
  collective.describe(visitor);
  visitor.end();
}

void HostParams::validate() const {
  if (start_jitter >= Ps{UINT32_MAX}) {
    throw ConfigError(fmt::format(
        "host.start_jitter: {} ps, expected below 4.29 ms, the range of one 32-bit draw",
        start_jitter.value));
  }
  collective.validate();
}

}  // namespace sluice
