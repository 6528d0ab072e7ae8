// SPDX-License-Identifier: Apache-2.0
// Says in one line where the members of a group, or the two ends of a message, disagree.
// Leaves out: dependencies and time; only the order of each rank's ops is compared.
#pragma once

#include <string>

#include "workload/workload.h"

namespace sluice {

/// Empty when every collective has all its members with the same kind, bytes and root and every
/// send has its receive. Otherwise the first disagreement: "rank 3 lacks op 5 of group 'world'
/// (all_reduce of 1048576 B), which ranks 0-2,4-7 wait in", or "mismatch 4->17: sent 0, expected
/// 1597440". Ops of a group are counted from 1. Expects a workload that passes validate().
std::string describe_mismatch(const Workload& workload);

}  // namespace sluice
