// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collective/collective.h"
#include "kernel/error.h"

namespace sluice {

void CollectiveParams::describe(ParameterVisitor& visitor) {
  visitor.visit("all_to_all_window", all_to_all_window, {1, 65536},
                {"peers an all-to-all or a scatter root writes to at once",
                 "estimate: a few send proxies a NIC", "writes"});
  visitor.visit("pipeline_slice", pipeline_slice, {1, 0x1p31},
                {"slice of a pipelined broadcast or reduce",
                 "NCCL simple protocol: 4 MiB buffer in 8 steps", "B"});
  visitor.visit("pipeline_window", pipeline_window, {1, 65536},
                {"slices that the first rank of the chain keeps unacknowledged",
                 "estimate: half of the 8 steps of NCCL's buffer", "writes"});
}

void CollectiveParams::validate() const {
  if (all_to_all_window == 0) {
    throw ConfigError("host.collective.all_to_all_window: 0, expected at least 1");
  }
  if (pipeline_slice.value == 0) {
    throw ConfigError("host.collective.pipeline_slice: 0 B, expected at least 1 B");
  }
  if (pipeline_window == 0) {
    throw ConfigError("host.collective.pipeline_window: 0, expected at least 1");
  }
}

}  // namespace sluice
