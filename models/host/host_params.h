// SPDX-License-Identifier: Apache-2.0
// Parameters of a host: when it starts and what its software costs.
// Leaves out: the scale-up domain inside a server.
#pragma once

#include "collective/collective.h"
#include "kernel/parameter.h"
#include "kernel/time.h"

namespace sluice {

struct HostParams {
  /// Each rank starts at a seeded time in [0, start_jitter]; 0 for closed forms.
  Ps start_jitter = 100_ns;
  /// From the moment a communication op may start to its first write.
  Ps op_overhead{};
  CollectiveParams collective;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
