// SPDX-License-Identifier: Apache-2.0
// Says why ranks cannot go on: which ranks wait, in which op, for whom, and who lacks the op.
// Leaves out: causes below the ranks (pauses, lost frames), which the fabric adds.
#pragma once

#include <span>
#include <string>

#include "host/rank_executor.h"
#include "host/run_recorder.h"

namespace sluice {

/// True when every given rank has ended all its ops and no message was left over or misfit.
bool run_complete(std::span<const RankExecutor* const> executors, const RunRecorder& recorder);

/// One line for StallError; empty when run_complete. `executors` are the ranks of this process.
std::string describe_stall(const WorkloadPlan& plan, const CollectiveLibrary& library,
                           std::span<const RankExecutor* const> executors,
                           const RunRecorder& recorder, Ps now);

}  // namespace sluice
