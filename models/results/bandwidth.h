// SPDX-License-Identifier: Apache-2.0
// Bandwidth of an op as nccl-tests defines it (nccl-tests doc/PERFORMANCE.md; docs/formats.md).
// Leaves out: the bound of the hardware, which the caller knows.
#pragma once

#include <optional>

#include "host/run_recorder.h"

namespace sluice {

/// Bytes / mean time in GB/s (1e9); nothing for an op without duration.
std::optional<double> algbw_gbytes_per_s(const OpRow& row);
/// Algorithm bandwidth x factor; nothing when either has no meaning.
std::optional<double> busbw_gbytes_per_s(const OpRow& row);

}  // namespace sluice
