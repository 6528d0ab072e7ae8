// SPDX-License-Identifier: Apache-2.0
// Recorded traces into the op IR: Chakra (protobuf and JSON), NCCL debug logs and captures of
// RoCEv2 (docs/formats.md).
// Leaves out: GOAL, Kineto, PyTorch execution traces and others, which are refused by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace sluice {

struct TraceImport {
  Workload workload;
  /// One line each: what was counted, skipped, assumed or could not be attributed.
  std::vector<std::string> notes;
  std::string format;  ///< "chakra", "chakra-json", "nccl-log", "pcapng" or "pcap"
};

/// Each path is a file, a directory with a file a rank, or an archive of such. All of them together
/// are one trace. Throws TraceError, one line with path, position, what and why.
TraceImport import_trace(const std::vector<std::filesystem::path>& paths);

}  // namespace sluice
